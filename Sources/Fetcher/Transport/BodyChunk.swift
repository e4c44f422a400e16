import NIOCore

/// A piece of a response's body.
public struct BodyChunk: Sendable {
    private let buffer: ByteBuffer

    init(_ buffer: ByteBuffer) { self.buffer = buffer }

    package init(_ bytes: some Sequence<UInt8>) { buffer = ByteBuffer(bytes: bytes) }

    /// In bytes.
    public var count: Int { buffer.readableBytes }

    /// The buffer is valid inside `body` only.
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try buffer.withUnsafeReadableBytes(body)
    }
}
