import Dispatch
import GarnerPersistence
import GarnerSQLite
import GarnerTasks
import Synchronization

/// The pages that commits have changed and PostgreSQL does not have, and the callers that wait for them.
///
/// Of several versions of a page, the last one counts. A batch ends with a commit, so it is a whole state of the database.
final class WaitingPages: Sendable {
    /// The changed pages of some commits.
    struct Batch: Sendable {
        var images: [UInt32: [UInt8]] = [:]
        var pageCount: UInt32 = 0
        /// The number of the last commit in it.
        var commit: UInt64 = 0

        var byteCount: Int { images.count * (images.first?.value.count ?? 0) }
    }

    /// Pages of this size are sent at once.
    static let fullSize = 8 << 20
    /// Beyond this size, commits wait.
    static let largestSize = 64 << 20
    /// The longest time that a commit waits for others to be sent with it.
    static let pause: Duration = .milliseconds(250)

    private struct State: Sendable {
        var waiting: Batch?
        /// The time at which the first of the waiting commits came.
        var since: Duration = .zero
        /// The bytes of the batch that is being sent.
        var sentBytes = 0
        var lastCommit: UInt64 = 0
        var safeCommit: UInt64 = 0
        var callers: [(commit: UInt64, id: Waiters<Void>.ID)] = []
        var blocked: [DispatchSemaphore] = []
        var ending: PersistenceError?
        /// True if a commit came that is never stored.
        var hasLost = false
        var watchers: [Waiters<PersistenceError>.ID] = []
    }

    private let state = Mutex(State())
    private let waiters = Waiters<Void>()
    private let watchers = Waiters<PersistenceError>()
    private let stopwatch: Stopwatch
    private let isDue: @Sendable () -> Void

    /// - Parameter isDue: Called when a batch has to be sent earlier than it would be, and when the first commit of one has come.
    init(_ stopwatch: Stopwatch, isDue: @escaping @Sendable () -> Void) {
        (self.stopwatch, self.isDue) = (stopwatch, isDue)
    }

    var ending: PersistenceError? { state.withLock { $0.ending } }

    /// Takes the pages of a commit. Blocks while too much waits.
    func add(_ pages: CommittedPages) {
        while let turn = tryToAdd(pages) { turn.wait() }
    }

    /// Returns what to wait for if too much waits.
    private func tryToAdd(_ pages: CommittedPages) -> DispatchSemaphore? {
        let (turn, rings): (DispatchSemaphore?, Bool) = state.withLock { state in
            // What comes after the end is lost, as `safe` says.
            guard state.ending == nil else {
                state.hasLost = true
                return (nil, false)
            }
            let size = state.waiting?.byteCount ?? 0
            guard size + state.sentBytes < Self.largestSize else {
                let turn = DispatchSemaphore(value: 0)
                state.blocked.append(turn)
                return (turn, false)
            }
            let isFirst = state.waiting == nil
            if isFirst { state.since = stopwatch.elapsed }
            state.lastCommit += 1
            state.waiting.add(pages, commit: state.lastCommit)
            return (nil, isFirst || (state.waiting?.byteCount ?? 0) >= Self.fullSize)
        }
        if rings { isDue() }
        return turn
    }

    /// Returns when all commits so far are safe. A cancellation does not end it.
    func safe() async throws {
        let id = waiters.newID()
        let waits = try state.withLock { state in
            if state.lastCommit == state.safeCommit, !state.hasLost { return false }
            if let ending = state.ending { throw ending }
            waiters.add(id)
            state.callers.append((state.lastCommit, id))
            return true
        }
        guard waits else { return }
        isDue()
        try await waiters.value(for: id) { _ in }
    }

    /// Returns when nothing more is stored, and why; or when the task is cancelled.
    func untilEnd() async throws -> PersistenceError {
        let id = watchers.newID()
        let ending = state.withLock { state in
            if state.ending == nil {
                watchers.add(id)
                state.watchers.append(id)
            }
            return state.ending
        }
        if let ending { return ending }
        let all = watchers
        return try await all.value(for: id) { all.resume($0, with: .failure(CancellationError())) }
    }

    /// The time at which the next batch is to be sent, by the stopwatch; nil if nothing waits.
    var nextSending: Duration? {
        state.withLock { state in
            guard let waiting = state.waiting else { return nil }
            let isAwaited = !state.callers.isEmpty || !state.blocked.isEmpty || waiting.byteCount >= Self.fullSize
            return isAwaited ? .zero : state.since + Self.pause
        }
    }

    /// Takes what waits, to be sent; nil if nothing does.
    func take() -> Batch? {
        state.withLock { state in
            let batch = state.waiting
            state.waiting = nil
            state.sentBytes = batch?.byteCount ?? 0
            return batch
        }
    }

    /// Notes that the batch that was taken is stored.
    func confirm(_ batch: Batch) {
        let (callers, blocked) = state.withLock { state in
            state.safeCommit = batch.commit
            state.sentBytes = 0
            let callers = state.callers.filter { $0.commit <= batch.commit }
            state.callers.removeAll { $0.commit <= batch.commit }
            defer { state.blocked = [] }
            return (callers, state.blocked)
        }
        for caller in callers { waiters.resume(caller.id, with: .success(())) }
        for turn in blocked { turn.signal() }
    }

    /// Notes that nothing more is stored. Returns false if that was known.
    ///
    /// - Parameter losing: True if a commit has come whose pages are not known.
    func end(_ error: PersistenceError, losing: Bool = false) -> Bool {
        let last = state.withLock { state -> State? in
            state.hasLost = state.hasLost || losing
            guard state.ending == nil else { return nil }
            defer {
                state.ending = error
                (state.waiting, state.callers, state.blocked, state.watchers) = (nil, [], [], [])
            }
            return state
        }
        guard let last else { return false }
        for caller in last.callers { waiters.resume(caller.id, with: .failure(error)) }
        for watcher in last.watchers { watchers.resume(watcher, with: .success(error)) }
        for turn in last.blocked { turn.signal() }
        return true
    }
}

extension Optional<WaitingPages.Batch> {
    fileprivate mutating func add(_ pages: CommittedPages, commit: UInt64) {
        guard var batch = self else {
            self = WaitingPages.Batch(images: pages.images, pageCount: pages.pageCount, commit: commit)
            return
        }
        // Not held twice, or the dictionary would be copied.
        self = nil
        batch.images.merge(pages.images) { $1 }
        if pages.pageCount < batch.pageCount { batch.images = batch.images.filter { $0.key <= pages.pageCount } }
        batch.pageCount = pages.pageCount
        batch.commit = commit
        self = batch
    }
}
