import Catalog
import Synchronization

/// A body that is read chunk by chunk, and whose start may be looked at before.
struct IncomingBody {
    private let body: any AsyncSequence<BodyChunk, any Error> & Sendable
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

    init(_ body: any AsyncSequence<BodyChunk, any Error> & Sendable, arrivals: Arrivals) {
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

    /// Reads a body that nobody needs to its end, so that its connection serves the next request. What is longer or
    /// slower than another connection would be is left alone; what became of it does not matter.
    func drain(clock: any Clock<Duration>) async throws {
        // What was looked at has been read as far as that.
        guard chunks == nil else { return }
        arrivals.hold()
        do {
            try await Watchdog(limits: Limits(total: .seconds(1)), clock: clock).guarding { [body] arrivals in
                var unread = IncomingBody(body, arrivals: arrivals)
                _ = try await unread.start(atLeast: 64 << 10)
            }
        } catch FetchError.Kind.deadline {}
    }

    /// The first bytes of a body that tells why there is no other one, as far as they come within a second. Whether they do
    /// changes nothing: the status has said it already.
    func excerpt(atMost count: Int, clock: any Clock<Duration>) async throws -> [UInt8] {
        guard chunks == nil else {
            return seen.reduce(into: []) { bytes, chunk in chunk.withUnsafeBytes { bytes += $0 } }
        }
        arrivals.hold()
        let received = ReceivedBytes()
        do {
            try await Watchdog(limits: Limits(total: .seconds(1)), clock: clock).guarding { [body] arrivals in
                var unread = IncomingBody(body, arrivals: arrivals)
                while received.count < count, let chunk = try await unread.next() { received.append(chunk) }
            }
        } catch is FetchError.Kind {
        } catch is TransportFailure {}
        return Array(received.bytes.prefix(count))
    }

    private mutating func receive() async throws -> BodyChunk? {
        var chunks = chunks ?? body.makeAsyncIterator()
        defer { self.chunks = chunks }
        let chunk = try await chunks.next(isolation: #isolation)
        if chunk != nil { arrivals.note() }
        return chunk
    }
}

/// Keeps the part of a body that has come, even where the rest never does.
private final class ReceivedBytes: Sendable {
    private let state = Mutex<[UInt8]>([])

    var bytes: [UInt8] { state.withLock { $0 } }
    var count: Int { state.withLock(\.count) }

    func append(_ chunk: BodyChunk) { state.withLock { bytes in chunk.withUnsafeBytes { bytes += $0 } } }
}
