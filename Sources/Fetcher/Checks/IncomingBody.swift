/// A body that is read chunk by chunk, and whose start may be looked at before.
struct IncomingBody {
    private let body: any AsyncSequence<BodyChunk, any Error>
    /// nil until the first chunk is asked for: a body that nobody reads is left alone.
    private var chunks: (any AsyncIteratorProtocol<BodyChunk, any Error>)?
    private let arrivals: Arrivals
    /// What was looked at and is still to be read.
    private var seen: ArraySlice<BodyChunk> = []
    private var end: End?

    private enum End {
        case complete
        case failed(TransportFailure)
    }

    init(_ body: any AsyncSequence<BodyChunk, any Error>, arrivals: Arrivals) {
        self.body = body
        self.arrivals = arrivals
    }

    /// nil at the end of a body that is complete.
    mutating func next() async throws -> BodyChunk? {
        if let chunk = seen.popFirst() { return chunk }
        switch end {
        case .complete: return nil
        case .failed(let failure): throw failure
        case nil: return try await receive()
        }
    }

    /// At least the first `count` bytes, or all that can be read; they and what became of the rest still come from
    /// `next()`.
    mutating func start(atLeast count: Int) async throws -> [UInt8] {
        var bytes = seen.reduce(into: []) { bytes, chunk in chunk.withUnsafeBytes { bytes += $0 } }
        while bytes.count < count, end == nil {
            do {
                guard let chunk = try await receive() else {
                    end = .complete
                    break
                }
                chunk.withUnsafeBytes { bytes += $0 }
                seen.append(chunk)
            } catch let failure as TransportFailure {
                end = .failed(failure)
            }
        }
        return bytes
    }

    /// Reads a body that nobody needs to its end, so that its connection serves the next request; what is longer than a
    /// connection is worth is left alone, and what became of it does not matter.
    mutating func pass() async throws { _ = try await start(atLeast: Self.worthOfConnection) }

    /// In bytes.
    private static let worthOfConnection = 64 << 10

    private mutating func receive() async throws -> BodyChunk? {
        var chunks = chunks ?? body.makeAsyncIterator()
        defer { self.chunks = chunks }
        let chunk = try await chunks.next(isolation: #isolation)
        if chunk != nil { arrivals.note() }
        return chunk
    }
}
