import GarnerModel
import GarnerScheduler
import ServiceLifecycle
import Synchronization

/// The manual requests to a service: its request book, whose answers go to the clients that wait for them.
final class ManualRuns: Sendable {
    private typealias Book = RequestBook<AsyncStream<RequestAnswer>.Continuation>

    private let book = Mutex(Book())

    /// Adds a request.
    ///
    /// - Returns: Its answers, and whether it is new, so that it must be stored and the timetable be told.
    func ask(_ request: RunRequest) -> (isNew: Bool, answers: AsyncStream<RequestAnswer>) {
        let (answers, asker) = AsyncStream.makeStream(of: RequestAnswer.self)
        let isNew = handle(.asked(request, by: asker)).contains { if case .store = $0 { true } else { false } }
        return (isNew, answers)
    }

    /// Marks the requests as served by a run that begins.
    ///
    /// - Returns: The scope that serves all of them.
    func begin(_ ids: [String], of stream: StreamName) -> RunScope {
        for case .run(let scope) in handle(.began(ids, of: stream)) { return scope }
        return RunScope()
    }

    func end(_ ids: [String], of stream: StreamName, _ answer: RequestAnswer) {
        handle(.ended(ids, of: stream, answer))
    }

    /// True if requests are no longer accepted.
    var isClosed: Bool { book.withLock(\.isClosed) }

    /// Stops accepting requests. Call this before the scheduler stops, which refuses later ones.
    func close() { handle(.closed) }

    @discardableResult
    private func handle(_ event: Book.Event) -> [Book.Action] {
        // The answers leave under the lock, so that everybody hears them in order.
        book.withLock { book in
            let actions = book.handle(event)
            for case .answer(let asker, let answer) in actions {
                asker.yield(answer)
                if answer.isLast { asker.finish() }
            }
            return actions
        }
    }
}

extension ManualRuns: Service {
    /// Runs until a graceful shutdown. Shut this down after the runs: requests that are open by then stay unserved.
    func run() async {
        try? await gracefulShutdown()
        handle(.stopped)
    }
}
