import CSimdJSON

/// A growing run of bytes with the padding behind it that the parser reads past the end.
package struct Bytes: ~Copyable, Sendable {
    package private(set) var count = 0
    private var capacity: Int
    // Safe to send because it is owned by this one noncopyable value.
    private nonisolated(unsafe) var start: UnsafeMutableRawPointer

    package init(reservingCapacity capacity: Int = 0) {
        self.capacity = max(capacity, 4096)
        start = Self.buffer(of: self.capacity)
    }

    package init(_ text: some Sequence<UInt8>) {
        self.init()
        Array(text).withUnsafeBytes { append($0) }
    }

    deinit { garner_buffer_free(start) }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        if count + bytes.count > capacity { grow(toHold: count + bytes.count) }
        start.advanced(by: count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Keeps the buffer for what follows.
    package mutating func removeAll() { count = 0 }

    /// The bytes so far; the buffer is valid inside `body` only.
    package borrowing func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The bytes with their padding set to zero, owned by the caller, who gives them back by `garner_buffer_free`.
    consuming func release() -> UnsafeRawBufferPointer {
        start.advanced(by: count).initializeMemory(as: UInt8.self, repeating: 0, count: Self.padding)
        let buffer = UnsafeRawBufferPointer(start: start, count: count)
        discard self
        return buffer
    }

    private mutating func grow(toHold needed: Int) {
        capacity = max(needed, capacity * 2)
        let larger = Self.buffer(of: capacity)
        larger.copyMemory(from: start, byteCount: count)
        garner_buffer_free(start)
        start = larger
    }

    /// Swift's own allocation would end the program in the same way.
    private static func buffer(of capacity: Int) -> UnsafeMutableRawPointer {
        guard let buffer = garner_buffer_allocate(capacity + padding) else {
            preconditionFailure("there is no memory for \(capacity) bytes")
        }
        return buffer
    }

    private static let padding = garner_json_padding()
}
