import Synchronization
import TestSupport

/// Answers as a script says, and notes where a client keeps to another one.
final class ScriptedServer: Sendable {
    private struct State: Sendable {
        var waiting: [RequestAttempt] = []
        var asked: Set<String> = []
        var troubles: [String] = []
    }

    private let state = Mutex(State())

    /// Expects these exchanges; among exchanges with the same request, the first one still open is used.
    func expect(_ exchanges: [RequestAttempt]) {
        state.withLock { $0.waiting = exchanges }
    }

    func answer(_ request: LoopbackRequest) -> LoopbackReply {
        // What goes through a proxy has the whole URL; only the server of 10.0.0.7 is asked without.
        let url = request.target.hasPrefix("/") ? "10.0.0.7" + request.target : request.target
        let line = "\(request.method) \(url.replacing("http://", with: ""))"
        return state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.isMeant(by: line) }) else {
                state.troubles.append("unexpected: \(line)")
                return .status(418)
            }
            let exchange = state.waiting[index]
            state.asked.insert(exchange.request)
            if !exchange.isRepeated { state.waiting.remove(at: index) }
            let objections = exchange.objections(to: request)
            guard objections.isEmpty else {
                state.troubles += objections.map { "\(line): \($0)" }
                return .status(418)
            }
            return exchange.reply
        }
    }

    /// The requests that came unexpectedly or with differences, and those that were expected and have not come.
    var troubles: [String] {
        state.withLock { state in
            let missing = state.waiting.filter { !$0.isRepeated || !state.asked.contains($0.request) }
            return state.troubles + missing.map { "never asked: \($0.request)" }
        }
    }
}
