import CGarnerSimdJSON

/// A growable buffer of bytes, followed by the padding that the parser reads past the end.
package struct Bytes: ~Copyable, Sendable {
    package private(set) var count = 0
    private var capacity: Int
    // Safe to send because this noncopyable value is the only owner.
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

    /// Removes the bytes behind the first `count`.
    package mutating func removeAll(behind count: Int) { self.count = min(count, self.count) }

    /// Removes the bytes and keeps the buffer for later ones.
    package mutating func removeAll() { count = 0 }

    /// Calls `body` with the bytes so far. The buffer is valid inside `body` only.
    package borrowing func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Returns the bytes, behind them zeros. The caller owns them and must free them with `garner_buffer_free`.
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

    /// Allocates a buffer. Without memory it ends the program, as Swift's own allocation would.
    static func buffer(of capacity: Int) -> UnsafeMutableRawPointer {
        guard let buffer = garner_buffer_allocate(capacity + padding) else {
            preconditionFailure("there is no memory for \(capacity) bytes")
        }
        return buffer
    }

    private static let padding = garner_json_padding()
}
