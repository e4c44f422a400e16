import Catalog

/// One attempt whose answer goes to a delegate as it comes in, inside all deadlines.
///
/// While the delegate has a piece, nothing more is asked of the server: `idle` stands still, and `total` does not.
struct Delivery: Sendable {
    let exchange: Exchange
    let conversation: Conversation

    /// Throws as `Exchange` does, and `Interruption` once the delegate has seen the head.
    func perform(_ request: Request) async throws {
        do {
            try await exchange.perform(request) { response, arrivals in
                try await deliver(response, to: request, arrivals)
            }
        } catch let kind as FetchError.Kind where conversation.hasBegun {
            throw Interruption(kind: kind)
        }
    }

    private func deliver(_ response: Response, to request: Request, _ arrivals: Arrivals) async throws {
        if response.head.status == 401 { conversation.note(response.head, of: request) }
        switch try await exchange.open(response, to: request, arrivals: arrivals) {
        // Without a validator nothing is "not modified", and what is ignored is nothing to tell.
        case .notModified, .ignored: return
        case .body(var incoming):
            let reader = try BodyReader(head: response.head, limit: exchange.limits.body)
            arrivals.hold()
            let disposition = await conversation.begin(with: response.head, of: request)
            try Task.checkCancellation()
            guard disposition == .allow else { throw CancellationError() }
            arrivals.note()
            var count = 0
            while let chunk = try await reader.chunk(after: count, of: &incoming) {
                count += chunk.count
                let total = count
                request.trace.note { $0.bytes = total }
                arrivals.hold()
                await conversation.pass(on: chunk)
                try Task.checkCancellation()
                arrivals.note()
            }
        }
    }
}

/// The end of a fetch that its delegate has seen the head of. No layer knows it, so that none sends the request again.
struct Interruption: Error {
    let kind: FetchError.Kind
}
