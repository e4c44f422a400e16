/// Collects bytes and hands them on in large pieces.
package struct OutputBuffer {
    private static let pieceBytes = 64 << 10

    private var bytes: [UInt8] = []
    private let write: (UnsafeRawBufferPointer) throws -> Void

    /// - Parameter write: takes each piece; the buffer is valid inside it only.
    package init(_ write: @escaping (UnsafeRawBufferPointer) throws -> Void) {
        self.write = write
        bytes.reserveCapacity(Self.pieceBytes * 2)
    }

    package mutating func append(_ byte: UInt8) { bytes.append(byte) }

    package mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    package mutating func append(_ text: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: text) }

    /// Appends what `encode` makes of each part of a long text, and hands on in between, so that the buffer stays small.
    ///
    /// The length of all parts but the last is a multiple of 3.
    mutating func append(
        partsOf text: UnsafeBufferPointer<UInt8>,
        _ encode: (UnsafeBufferPointer<UInt8>, inout OutputBuffer) throws -> Void
    ) throws {
        for start in stride(from: 0, to: text.count, by: Self.partBytes) {
            let end = min(start + Self.partBytes, text.count)
            try encode(UnsafeBufferPointer(rebasing: text[start..<end]), &self)
            try flushIfFull()
        }
    }

    private static let partBytes = 48 << 10

    /// To be called after each row.
    package mutating func flushIfFull() throws {
        if bytes.count >= Self.pieceBytes { try flush() }
    }

    package mutating func flush() throws {
        guard !bytes.isEmpty else { return }
        try bytes.withUnsafeBytes(write)
        bytes.removeAll(keepingCapacity: true)
    }
}
