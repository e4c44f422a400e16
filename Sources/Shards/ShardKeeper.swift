import GarnerModel
package import GarnerPersistence
import GarnerPostgres
package import GarnerSQLite
import GarnerTasks

/// The right to write a shard, and its pages on the way to PostgreSQL.
///
/// A worker has the right as long as the row of the shard has the worker's token, and says so at least each third of the lease. Each transaction
/// that stores compares the token, and the stamp of the one before it. The stamps are random, so another state of the shard, such as one that
/// was restored, is not taken for this one.
///
/// Nothing here needs a thread of the concurrency pool: not the keeper, its connection or its timers. So a pool whose threads
/// all wait, for pages or for `safe`, does not cost the lease.
package actor ShardKeeper: CommitReceiver {
    package nonisolated let place: ShardPlace
    /// True if the shard had no pages when it was claimed: `copy` then makes no file.
    package nonisolated let isEmpty: Bool

    let token: PostgresUUID
    nonisolated let identity: WorkerIdentity
    /// True if the worker ends with the keeper.
    private let forgetsWorker: Bool
    nonisolated let waiting: WaitingPages
    nonisolated let stopwatch: Stopwatch
    private nonisolated let thread = OwnThread()
    private nonisolated let bell: Alarm
    private nonisolated let leaseEnd = Alarm()
    private nonisolated let pause = Alarm()

    /// The stamp of what was stored last.
    var stamp: PostgresUUID
    /// The stamp of what is being stored over another connection; nil if nothing is.
    var nextStamp: PostgresUUID?
    var hashes = PageHashes()
    /// Some of the pages that PostgreSQL has: those that were stored last. One that has become what it was need not be stored.
    var known: [UInt32: [UInt8]] = [:]
    static let mostKnown = 256
    var pageCount: Int
    var schemaVersion: Int64
    /// True if the hashes are those of the shard's pages.
    var isCopied: Bool
    /// The time at which the worker must have stopped, by the stopwatch.
    private var deadline: Duration
    private var renewed: Duration
    private var connection: PostgresConnection?
    private var lastFailure: PostgresError?
    private var work: Task<Void, Never>?
    private var isReleasing = false

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// - Parameter start: The time before the claim, by the stopwatch.
    init(
        _ place: ShardPlace, _ identity: WorkerIdentity, _ claimed: ClaimedShard, since start: Duration,
        _ stopwatch: Stopwatch, forgetsWorker: Bool
    ) {
        (self.place, self.identity, self.stopwatch) = (place, identity, stopwatch)
        (token, stamp, pageCount) = (claimed.token, claimed.stamp, claimed.pageCount)
        schemaVersion = claimed.schemaVersion
        self.forgetsWorker = forgetsWorker
        isEmpty = claimed.pageCount == 0
        isCopied = claimed.pageCount == 0
        let bell = Alarm()
        self.bell = bell
        waiting = WaitingPages(stopwatch) { bell.ring() }
        deadline = start + place.usableLease
        renewed = start
    }

    deinit { thread.end() }

    func begin() {
        work = Task { await self.storeAll() }
        Task { await self.watchLease() }
    }

    // MARK: - The writer's side

    /// Takes the pages of a commit. Blocks while 64 MiB wait.
    package nonisolated func committed(_ pages: CommittedPages?) {
        if let pages {
            waiting.add(pages)
        } else if waiting.end(.unreadableLog, losing: true) {
            Task { await self.stop() }
        }
    }

    package nonisolated func safe() async throws { try await waiting.safe() }

    /// Returns when nothing more can be stored, and why: the shard is lost, or the lease is about to end. After `release`, and after a
    /// cancellation, the error is of the kind `interrupted`.
    package nonisolated func untilLost() async -> PersistenceError {
        (try? await waiting.untilEnd()) ?? .givenBack
    }

    /// Sends what waits, and gives the shard back. Throws why that was not possible; the shard then goes to others when the lease ends.
    package func release() async throws {
        let failure = await Result { () async throws -> Void in try await self.safe() }.failure
        isReleasing = true
        bell.ring()
        await work?.value
        // What became of it may be unknown, but not whose it is.
        if waiting.ending.map({ $0.kind == .inputOutput }) ?? true { await Task { await self.giveBack() }.value }
        end(.givenBack)
        if let failure { throw failure }
    }

    // MARK: - PostgreSQL's side

    private func storeAll() async {
        while waiting.ending == nil, !isReleasing {
            let now = stopwatch.elapsed
            let renewal = renewed + place.lease / 3
            let next = min(waiting.nextSending ?? renewal, renewal)
            guard next <= now else {
                await bell.wait(atMost: next - now)
                continue
            }
            do {
                if renewal <= now { try await renew() } else { try await send() }
            } catch {
                end(error as? PersistenceError ?? .givenBack)
            }
        }
    }

    /// Ends the right before the lease does, whatever the connection waits for.
    private func watchLease() async {
        while waiting.ending == nil {
            let rest = deadline - stopwatch.elapsed
            guard rest > .zero else { return end(.leaseEnds(lastFailure)) }
            await leaseEnd.wait(atMost: rest)
        }
    }

    /// Stops everything. The row stays as it is, as after a crash.
    func end(_ error: PersistenceError) {
        if waiting.end(error) { stop() }
    }

    private func stop() {
        work?.cancel()
        for alarm in [bell, leaseEnd, pause] { alarm.ring() }
        disconnect()
    }

    /// Notes that PostgreSQL has renewed the lease.
    func extendLease(since start: Duration) { deadline = max(deadline, start + place.usableLease) }

    private func renew() async throws {
        let start = stopwatch.elapsed
        let found = try await whileLeaseLasts { try await self.renew(over: $0) }
        guard found == stamp || found == nextStamp else { throw PersistenceError.wentBack }
        renewed = start
    }

    /// Runs `body`, again and again over new connections where one breaks, as long as the lease lasts.
    func whileLeaseLasts<R: Sendable>(_ body: (PostgresConnection) async throws -> R) async throws -> R {
        var rest: Duration = .milliseconds(20)
        while true {
            if let ending = waiting.ending { throw ending }
            do {
                let result = try await body(connected())
                lastFailure = nil
                return result
            } catch let error as PostgresError {
                // A statement that failed has failed its transaction, too.
                lastFailure = error
                disconnect()
            }
            await pause.wait(atMost: rest)
            rest = min(rest * 2, .seconds(1))
        }
    }

    private func connected() async throws -> PostgresConnection {
        if let connection, await connection.isOpen { return connection }
        let opened = try await PostgresConnection.open(place.url, answerLimit: max(.seconds(5), place.lease / 3))
        connection = opened
        return opened
    }

    /// The connection is closed when what it does for the keeper has ended.
    private func disconnect() { connection = nil }

    private func giveBack() async {
        for _ in 0..<3 {
            do {
                let connection = try await connected()
                try await connection.inTransaction {
                    try await connection.execute(
                        """
                        UPDATE _garner.shards SET token = NULL, worker = NULL, until = NULL
                        WHERE shard = $1 AND token = $2
                        """, .integer(Int64(place.shard)), .uuid(token))
                    guard forgetsWorker else { return }
                    try await connection.execute(
                        "DELETE FROM _garner.workers WHERE worker = $1", .uuid(identity.worker))
                }
                return
            } catch {
                // All is stored. Without an answer, the lease ends by itself.
                disconnect()
                await pause.wait(atMost: .milliseconds(200))
            }
        }
    }
}

/// What the row of a shard says when it is claimed.
struct ClaimedShard: Sendable {
    let token: PostgresUUID
    let stamp: PostgresUUID
    let pageCount: Int
    let schemaVersion: Int64
}

extension ShardPlace {
    /// The part of the lease after which a worker stops: five seconds before its end, or a sixth of it.
    var usableLease: Duration { lease - min(.seconds(5), lease / 6) }

    /// The lease as PostgreSQL reads an interval.
    var leaseInterval: String { "interval '\(max(1, lease.wholeMilliseconds)) milliseconds'" }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }

    fileprivate var failure: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}
