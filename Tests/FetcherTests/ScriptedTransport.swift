import GarnerFetcher

/// A transport without a network: answers as a test says.
struct ScriptedTransport: Transport {
    let respond: @Sendable (Request) async throws -> Response

    init(_ respond: @escaping @Sendable (Request) async throws -> Response) { self.respond = respond }

    func send(_ request: Request) async throws -> Response { try await respond(request) }
}

/// A body that a test feeds, and that tells when all of it so far has been read.
struct FedBody: Sendable {
    private let pieces = AsyncStream<BodyChunk>.makeStream()
    private let questions = AsyncStream<Void>.makeStream()

    var chunks: AsyncThrowingStream<BodyChunk, any Error> {
        AsyncThrowingStream { [pieces, questions] in
            questions.continuation.yield()
            for await piece in pieces.stream { return piece }
            try Task.checkCancellation()
            return nil
        }
    }

    func feed(_ text: String) { pieces.continuation.yield(BodyChunk(text.utf8)) }

    /// Returns at each time that the reader asks for the next chunk.
    func isAskedForMore() async {
        for await _ in questions.stream { return }
    }
}
