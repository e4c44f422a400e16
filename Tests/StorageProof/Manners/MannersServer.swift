import GarnerFetcher
import GarnerModel
import SimulatedAPIs
import Synchronization
import TestSupport

/// A simulated API with bad manners, in the place of a network. It notes what it was asked, and what it gave.
final class MannersServer: Transport {
    struct EndlessRead: Error {}

    private struct State {
        var records: [Int]
        /// The records that were there all the time since the last sync began.
        var steady: Set<Int>
        /// The records that were given since then.
        var given: Set<Int> = []
        var requests: [String] = []
        /// The number of times that each request was asked since then.
        var attempts: [String: Int] = [:]
        /// The number of answers in which each manner showed.
        var shown: [Manner.Kind: Int] = [:]
        /// Requests that are under way together and wait for their answers.
        var waiting: [(request: Request, answer: CheckedContinuation<BadAnswer, Never>)] = []
        var hasOvertaken = false
        var random: SplitMix64
    }

    private let api: SimulatedAPI
    private let shape: APIShape
    private let clock: SleeplessClock
    private let state: Mutex<State>
    private let manners: Mutex<[Manner]>

    /// The maximum number of requests of one sync.
    static let maximum = 400

    init(_ api: SimulatedAPI, _ shape: APIShape, clock: SleeplessClock, seed: UInt64) {
        (self.api, self.shape, self.clock) = (api, shape, clock)
        let records = Array(1...api.count)
        state = Mutex(State(records: records, steady: Set(records), random: SplitMix64(seed: seed)))
        manners = Mutex([])
    }

    /// Begins to note another sync, in which the server has these manners.
    ///
    /// - Parameter goesOn: True if the sync may go on with the read of the one before.
    func begin(_ manners: [Manner], goesOn: Bool = false) {
        self.manners.withLock { $0 = manners }
        state.withLock { state in
            state.steady = Set(state.records)
            if !goesOn { state.given = [] }
            (state.requests, state.attempts, state.hasOvertaken) = ([], [:], false)
        }
    }

    /// Changes the list between two syncs.
    func change(_ body: (inout [Int]) -> Void) { state.withLock { body(&$0.records) } }

    var steady: Set<Int> { state.withLock(\.steady) }
    var given: Set<Int> { state.withLock(\.given) }
    var requests: [String] { state.withLock(\.requests) }
    var shown: [Manner.Kind: Int] { state.withLock(\.shown) }

    func send(_ request: Request) async throws -> Response {
        let manners = manners.withLock(\.self)
        let answer: BadAnswer
        if let manner = manners.first(where: { $0.kind == .overtaking }) {
            answer = await overtaken(request, manner, manners)
        } else {
            answer = self.answer(request, manners)
        }
        if state.withLock({ $0.requests.count > Self.maximum }) { throw EndlessRead() }
        if let error = answer.error { throw error }
        return answer.response
    }

    private func answer(_ request: Request, _ manners: [Manner]) -> BadAnswer {
        let asked = "\(request.revealedURL()) \(request.body?.revealed() ?? "")"
        let (records, attempt) = state.withLock { state in
            state.attempts[asked, default: 0] += 1
            return (state.records, state.attempts[asked] ?? 1)
        }
        let answer = BadAnswer(
            of: api, shape, to: APIRequest(request), records, manners, attempt: attempt, now: clock.time)
        state.withLock { state in
            state.given.formUnion(answer.given)
            state.steady.subtract(answer.gone)
            for kind in answer.shown { state.shown[kind, default: 0] += 1 }
            state.requests.append("\(asked)→ \(answer.told)")
        }
        return answer
    }
}

// Requests that are under way together.
extension MannersServer {
    /// Waits for other requests, and answers all that came in any order, once with a change of the list between two of them.
    private func overtaken(_ request: Request, _ manner: Manner, _ manners: [Manner]) async -> BadAnswer {
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting.append((request, continuation))
                return state.waiting.count == 1
            }
            guard isFirst else { return }
            Task {
                // Others come as soon as they may.
                var (count, quiet) = (1, 0)
                while quiet < 60 {
                    await Task.yield()
                    let waiting = state.withLock(\.waiting.count)
                    (count, quiet) = (waiting, waiting == count ? quiet + 1 : 0)
                }
                await answerAll(manner, manners)
            }
        }
    }

    private func answerAll(_ manner: Manner, _ manners: [Manner]) async {
        let waiting = state.withLock { state in
            let waiting = state.waiting.shuffled(using: &state.random)
            state.waiting = []
            return waiting
        }
        var answers: [(BadAnswer, CheckedContinuation<BadAnswer, Never>)] = []
        for (request, continuation) in waiting {
            answers.append((answer(request, manners), continuation))
            if waiting.count > 1 { overtake(manner, atPagesOf: waiting.map(\.request)) }
        }
        // They arrive in another order than that in which they were made.
        for (answer, continuation) in state.withLock({ answers.shuffled(using: &$0.random) }) {
            continuation.resume(returning: answer)
            for _ in 0..<20 { await Task.yield() }
        }
    }

    /// Changes the list once in a sync. A record that goes stood on the first of the pages, so that those before stay.
    private func overtake(_ manner: Manner, atPagesOf requests: [Request]) {
        state.withLock { state in
            let starts = requests.compactMap { APIShape.ask(api, APIRequest($0), state.records).cut?.start }
            guard !state.hasOvertaken, let first = starts.min(), state.records.indices.contains(first) else { return }
            state.hasOvertaken = true
            state.shown[.overtaking, default: 0] += 1
            if manner.form.isMultiple(of: 2) {
                // On the first of the pages, no record comes twice; before it, one does.
                let isBefore = manner.form.isMultiple(of: 4)
                state.records.insert((state.records.max() ?? 0) + 1, at: isBefore ? 0 : first + 1)
            } else {
                state.steady.remove(state.records.remove(at: first))
            }
        }
    }
}
