package import GarnerModel
package import GarnerPersistence
package import GarnerPostgres
import GarnerTasks

/// Keeps tables in PostgreSQL as a file has them.
///
///     let publisher = Publisher(target, of: path, writer: writer, token: token, version: "1.0", now: now)
///     let report = await publisher.publish(patience: .seconds(5))
///     await publisher.close()
///
/// It sends what the file's writer has noted, one transaction after the other. Nobody waits for it but its caller. Whatever happens to
/// either side, PostgreSQL then has each row once: the position of what is in is committed together with the rows.
package actor Publisher {
    /// Where the tables are to be, and which.
    package struct Target: Sendable {
        let url: PostgresURL
        let schema: String
        let publishes: @Sendable (_ stream: String) -> Bool
        let isNumeric: @Sendable (_ stream: String, _ path: [String]) -> Bool

        /// - Parameters:
        ///   - publishes: Returns true for the full name of a stream whose tables are published.
        ///   - isNumeric: Returns true for the path of a field that is to be a `numeric`.
        package init(
            url: PostgresURL, schema: String = "public",
            publishes: @escaping @Sendable (_ stream: String) -> Bool = { _ in true },
            isNumeric: @escaping @Sendable (_ stream: String, _ path: [String]) -> Bool = { _, _ in false }
        ) {
            (self.url, self.schema, self.publishes, self.isNumeric) = (url, schema, publishes, isNumeric)
        }
    }

    /// A connection that may write, and what PostgreSQL had when it was last looked at.
    struct Session {
        let connection: PostgresConnection
        let file: PostgresUUID
        var position: Int64
        /// nil if the runs are to be sent from the first one on.
        var runsPosition: Int64?
        var server: ServerTables
    }

    let target: Target
    let path: String
    let writer: DatabaseWriter
    let fence: Fence
    let clock: any Clock<Duration>
    let now: @Sendable () -> Timestamp
    let tell: @Sendable (PublicationEvent) -> Void
    let stopwatch: Stopwatch
    private let walLimits: WALLimits
    let answerLimit: Duration

    private nonisolated let thread = OwnThread()
    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    var reader: OutboxReader?
    var session: Session?
    var delays = TableDelays()
    /// The tables that somebody has asked for: they are made again, with the types that new ones would have.
    var remade: Set<StreamID> = []
    /// Why tables are behind, as far as it was told.
    var toldBehind: [StreamID: String] = [:]
    /// True once the writer was asked to note runs, and once it knows what PostgreSQL had before.
    var (asksForRuns, hasConfirmedLate) = (false, false)
    /// The time of the last transaction, by the stopwatch.
    var lastSeen: Duration = .zero
    /// The time at which it was last looked which tables are there; nil if that is to be done at once.
    var lastLook: Duration?
    private var away = Delay()
    private var toldFailure: RunFailure?
    /// The reasons that were told since publishing went on last.
    private var toldReasons: Set<String> = []
    private static let mostReasons = 10
    /// True while the file may say that it is refused.
    private var mayBeRefused = true
    private var turn: Task<Void, Never>?
    private var isBusy = false

    /// The longest pause between attempts to connect.
    private static let longestPause: Duration = .seconds(60)
    /// A process that publishes is seen this often.
    static let heartbeat: Duration = .seconds(30)
    /// It is looked this often which tables are there still.
    static let pauseOfLooks: Duration = .seconds(300)

    /// A table that a constraint of a user's keeps behind is copied as a whole in each of so many attempts only: each one deletes all rows
    /// first, which the end of the attempt takes back. With the longest pauses, that is once an hour.
    static let attemptsWithoutAllRows = 12

    /// Returns the token of a process, for the file's writer (`publishingAs`) and its publisher.
    package static func newToken() -> String { PostgresUUID.random().description }

    /// - Parameters:
    ///   - path: The file, which `writer` has open.
    ///   - token: The one that the writer was given.
    ///   - version: Garner's version.
    ///   - tell: Receives what a service tells, on the publisher's thread.
    package init(
        _ target: Target, of path: String, writer: DatabaseWriter, token: String, version: String,
        clock: any Clock<Duration> = ContinuousClock(), walLimits: WALLimits = WALLimits(),
        answerLimit: Duration = PostgresConnection.answerLimit, now: @escaping @Sendable () -> Timestamp,
        tell: @escaping @Sendable (PublicationEvent) -> Void = { _ in }
    ) {
        (self.target, self.path, self.writer, self.clock, self.now, self.tell) =
            (target, path, writer, clock, now, tell)
        fence = Fence(
            me: PublicationHolder(token: PostgresUUID(token) ?? .random(), path: path, version: version),
            isSole: writer.isCopy)
        stopwatch = Stopwatch(clock)
        self.walLimits = walLimits
        self.answerLimit = answerLimit
    }

    deinit { thread.end() }

    // MARK: - Attempts

    /// Sends all that waits, whenever the last attempt was.
    ///
    /// - Parameter patience: The time for which PostgreSQL may be away before it gives up. Each batch that comes through begins it anew.
    package func publish(patience: Duration = .zero) async -> PublicationReport {
        await inTurn { await self.attempt(patience: patience) }
    }

    /// Sends all that waits; nil if the time for the next attempt has not come. A service calls it once a second.
    package func publishIfDue() async -> PublicationReport? {
        guard !isBusy, away.failures == 0 || stopwatch.elapsed >= away.next else { return nil }
        return await publish()
    }

    /// Makes tables again, with the types that new ones would have. A table that cannot be made is as before, and goes on from its notes.
    ///
    /// Whoever reads a table in a transaction that is older, as REPEATABLE READ does, sees no rows if a type changes.
    ///
    /// - Parameters:
    ///   - names: The tables, by their names in the file. Empty for none but those that have to be made.
    ///   - takesOver: True if this file goes on where PostgreSQL has more than it, or a copy of it was published.
    /// - Throws: `PersistenceError` if a name is none of a published table.
    package func make(
        _ names: [String], takesOver: Bool = false, patience: Duration = .zero
    ) async throws -> PublicationReport {
        let result: Result<PublicationReport, any Error> = await inTurn {
            do {
                try await self.prepare(names)
            } catch {
                return .failure(error)
            }
            return .success(await self.remake(takesOver: takesOver, patience: patience))
        }
        return try result.get()
    }

    private func prepare(_ names: [String]) async throws {
        guard !names.isEmpty else { return }
        let ids = try target.tables(names, among: openReader().snapshot { try $0.tables() }).map(\.id)
        for id in ids { delays.succeed(id) }
        remade = Set(ids)
    }

    private func remake(takesOver: Bool, patience: Duration) async -> PublicationReport {
        let report = await attempt(takesOver: takesOver, patience: patience)
        let others = remade
        remade = []
        if !others.isEmpty, report.failure == nil {
            for id in others { delays.succeed(id) }
            _ = await attempt(patience: .zero)
        }
        return report
    }

    /// Says that this process has ended, and closes the connection.
    package func close() async {
        await inTurn { await self.end() }
    }

    private func end() async {
        if let session { try? await fence.release(session.file, on: session.connection) }
        await disconnect()
        reader?.close()
        reader = nil
    }

    private func attempt(takesOver: Bool = false, patience: Duration) async -> PublicationReport {
        isBusy = true
        defer { isBusy = false }
        var report = PublicationReport()
        var start = stopwatch.elapsed
        // Whoever asks wants to know of each table.
        if patience > .zero || takesOver {
            delays.forgive()
            lastLook = nil
        }
        while true {
            let batches = report.batches
            do {
                try await connect(takesOver: takesOver && report.batches == 0)
                while try await sendBatch(&report) { try Task.checkCancellation() }
                away = Delay()
                report.failure = nil
                if toldFailure != nil { tell(.recovered) }
                (toldFailure, toldReasons) = (nil, [])
                if mayBeRefused { try? await writer.noteRefusal(nil) }
                mayBeRefused = false
                return report
            } catch {
                var error = error
                if let session { error = await PublicationError.naming(error, on: session.connection) }
                await fail(error, &report)
                if report.batches > batches { start = stopwatch.elapsed }
                // A library that is missing is not there a second later.
                guard report.failure?.category == .unavailable, !Task.isCancelled,
                    (error as? PostgresError)?.kind != .libraryMissing,
                    stopwatch.elapsed + .seconds(1) <= start + patience,
                    (try? await clock.sleep(for: .seconds(1))) != nil
                else { return report }
            }
        }
    }

    private func fail(_ error: any Error, _ report: inout PublicationReport) async {
        await disconnect()
        let failure = RunFailure.publishing(error)
        report.failure = failure
        guard failure.category != .cancelled else { return }
        if failure.isRefusal {
            mayBeRefused = true
            try? await writer.noteRefusal(failure.message)
        }
        // A holder counts as gone after its time only.
        away.fail(
            at: stopwatch.elapsed, atMost: failure.category == .busy ? Fence.patience : Self.longestPause,
            atLeast: failure.category == .busy ? Fence.patience : .seconds(1))
        let isNew = toldReasons.count < Self.mostReasons && toldReasons.insert(failure.message).inserted
        if isNew || toldFailure?.category != failure.category { tell(.failed(failure)) }
        toldFailure = failure
    }

    func disconnect() async {
        await session?.connection.close()
        session = nil
    }

    func openReader() throws -> OutboxReader {
        if let reader { return reader }
        let opened = try OutboxReader(path: path, isCopy: writer.isCopy, walLimits: walLimits)
        reader = opened
        return opened
    }

    /// Runs `body` after those that came before it. An actor alone would begin it while another one waits.
    private func inTurn<R: Sendable>(_ body: @escaping @Sendable () async -> R) async -> R {
        let previous = turn
        let task = Task {
            await previous?.value
            return await body()
        }
        turn = Task { _ = await task.value }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
