internal import CGarnerPostgres
import Dispatch
import GarnerLibC
import GarnerTasks

/// One connection to PostgreSQL, for one task at a time.
///
///     let connection = try await PostgresConnection.open(url)
///     let result = try await connection.execute("SELECT name FROM animals WHERE id = $1", .integer(7))
///
/// A statement that waits does not keep a thread of the concurrency pool. If its task is cancelled, the server is asked to stop the
/// statement, the connection is closed, and `CancellationError` is thrown. So it is, with an error of kind `unanswered`, if nothing comes
/// for `answerLimit`. Each call on a closed connection throws an error of kind `closed`. Nothing is prepared by name, so that a pooler
/// may give each transaction another session. Notices are ignored.
package actor PostgresConnection {
    /// The state of the session's transaction.
    package enum TransactionStatus: Sendable {
        case none
        case open
        /// A statement failed. The server takes nothing but `ROLLBACK`.
        case failed
        /// The connection is closed.
        case unknown
    }

    package private(set) var server: PostgresServer
    /// The number of the server's process, as `pg_stat_activity` has it.
    package nonisolated let processID: Int32
    package nonisolated let usesTLS: Bool

    private nonisolated let thread: OwnThread
    private var handle: Handle?
    private let text: ForeignText
    private let wakePipe: WakePipe
    private let answerLimit: Duration
    var isCopying = false

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// The time without an answer, and without a byte that goes out, after which a server counts as gone. Its machine may still
    /// confirm what TCP sends, as while a COMMIT waits for a standby that is gone.
    package static let answerLimit: Duration = .seconds(60)
    /// A statement says nothing until all of its rows are done. It has this much longer for each, since something of a user's may look at it.
    private static let timeOfRow: Duration = .milliseconds(100)
    /// The most is this many times the limit.
    private static let mostLimits = 60

    /// Connects, and refuses a server that Garner does not work with.
    ///
    /// It ends within `connect_timeout` for each host. Name servers have limits of their own.
    package static func open(
        _ url: PostgresURL, answerLimit: Duration = PostgresConnection.answerLimit
    ) async throws -> PostgresConnection {
        let waiters = Waiters<Opening>()
        let id = waiters.add()
        let wakePipe = try WakePipe()
        // libpq cannot be stopped while it looks a name up. If nobody waits any longer, what was opened is closed.
        DetachedThread.start {
            let opening = Result { try Opening(url) }
            if !waiters.resume(id, with: opening) { try? opening.get().handle.close() }
        }
        let opening = try await waiters.value(for: id) { id in
            waiters.resume(id, with: .failure(CancellationError()))
        }
        let connection = PostgresConnection(opening, wakePipe, answerLimit)
        do {
            try await connection.examineServer()
        } catch {
            await connection.close()
            throw error
        }
        return connection
    }

    private init(_ opening: Opening, _ wakePipe: WakePipe, _ answerLimit: Duration) {
        let (libpq, pointer) = (opening.handle.libpq, opening.handle.pointer)
        handle = opening.handle
        text = opening.text
        server = PostgresServer(versionNumber: Int(libpq.pointee.PQserverVersion(pointer)))
        processID = libpq.pointee.PQbackendPID(pointer)
        usesTLS = libpq.pointee.PQsslInUse(pointer) != 0
        thread = OwnThread()
        self.wakePipe = wakePipe
        self.answerLimit = answerLimit
    }

    deinit {
        handle?.close()
        thread.end()
    }

    /// Asks the server what it is.
    ///
    /// Behind a pooler, the parameters that it reports at the start may be missing, or those of another session.
    private func examineServer() async throws {
        server.version = try await execute("SELECT version()").value?.text ?? ""
        // Others may not know the functions that come next.
        if let refusal = server.refusal { throw refusal }
        let state = try await execute("SELECT current_setting('server_encoding'), pg_is_in_recovery()").rows.first
        server.encoding = state?.first?.text ?? ""
        server.isStandby = state?.last == .boolean(true)
        if let refusal = server.refusal { throw refusal }
    }

    /// Closes the connection; a second call does nothing. The server rolls an open transaction back.
    package func close() {
        handle?.close()
        handle = nil
    }

    package var isOpen: Bool { handle != nil }

    package var transaction: TransactionStatus {
        guard let handle else { return .unknown }
        return switch handle.libpq.pointee.PQtransactionStatus(handle.pointer) {
        case Int32(GARNER_TRANSACTION_IDLE): .none
        case Int32(GARNER_TRANSACTION_ACTIVE), Int32(GARNER_TRANSACTION_OPEN): .open
        case Int32(GARNER_TRANSACTION_FAILED): .failed
        default: .unknown
        }
    }

    /// Runs one statement to its end. Its parameters are `$1`, `$2` and so on.
    ///
    /// - Parameter rows: About how many rows it writes or reads, for which it has more time; `Int.max` if that is not known.
    @discardableResult
    package func execute(
        _ sql: String, _ parameters: PostgresValue..., rows: Int = 0
    ) async throws -> PostgresResult {
        try await execute(sql, parameters: parameters, rows: rows)
    }

    /// Runs one statement with as many parameters as a list has.
    @discardableResult
    package func execute(
        _ sql: String, parameters: [PostgresValue], rows: Int = 0
    ) async throws -> PostgresResult {
        let parameters = try Parameters(parameters)
        return try await whileCancellable {
            try self.send(sql, parameters)
            return try self.result(ofRows: rows)
        }
    }

    /// Runs all statements of a script in one trip to the server. They are one transaction up to a `COMMIT` in it; a `BEGIN` takes in
    /// those before it.
    ///
    /// Returns the result of the last statement, whose values are texts.
    @discardableResult
    package func executeScript(_ sql: String) async throws -> PostgresResult {
        try await whileCancellable {
            try self.send(sql, nil)
            return try self.result()
        }
    }

    // MARK: - One statement

    var openHandle: Handle {
        get throws {
            guard let handle else { throw PostgresError.closed }
            return handle
        }
    }

    /// Runs what blocks so that the cancellation of the task ends its wait.
    func whileCancellable<Output: Sendable>(_ body: () throws -> Output) async throws -> Output {
        guard isOpen else { throw PostgresError.closed }
        try Task.checkCancellation()
        let wakePipe = wakePipe
        return try await withTaskCancellationHandler {
            // A closure that does not name the actor runs beside it.
            try self.perform(body)
        } onCancel: {
            wakePipe.wake()
        }
    }

    private func perform<Output>(_ body: () throws -> Output) throws -> Output { try body() }

    func send(_ sql: String, _ parameters: Parameters?) throws {
        let handle = try openHandle
        guard !isCopying else { throw PostgresError(.other, "the connection copies rows") }
        guard !sql.utf8.contains(0) else { throw PostgresError.textWithNUL }
        let libpq = handle.libpq
        let isSent =
            if let parameters {
                parameters.withPointers { values in
                    libpq.pointee.PQsendQueryParams(
                        handle.pointer, sql, Int32(values.count), parameters.types, values, parameters.lengths,
                        parameters.formats, 1)
                }
            } else {
                libpq.pointee.PQsendQuery(handle.pointer, sql)
            }
        guard isSent == 1 else {
            guard handle.isOpen else { throw lost() }
            throw PostgresError(.other, text.shown(handle.words))
        }
        _ = try flush()
    }

    /// Sends what libpq holds. Returns false if the connection is broken; its results then say why.
    func flush() throws -> Bool {
        let handle = try openHandle
        while true {
            switch handle.libpq.pointee.PQflush(handle.pointer) {
            case 0: return true
            case 1:
                // "wait for the socket to become read- or write-ready. […] If it becomes read-ready, call PQconsumeInput, then call
                // PQflush again" (postgresql.org/docs/current/libpq-async.html): a server that cannot send does not read.
                guard try wait(for: Int16(POLLIN | POLLOUT)) & Int16(POLLIN) != 0 else { continue }
                guard handle.libpq.pointee.PQconsumeInput(handle.pointer) == 1 else { return false }
            default: return false
            }
        }
    }

    /// Waits for all results, and returns the last one or throws the first error.
    func result(mayCopy: Bool = false, ofRows rows: Int = 0) throws -> PostgresResult {
        let handle = try openHandle
        let libpq = handle.libpq
        _ = try flush()
        var last = PostgresResult()
        var failure: PostgresError?
        while let result = try nextResult(ofRows: rows) {
            defer { libpq.pointee.PQclear(result) }
            switch Int(libpq.pointee.PQresultStatus(result)) {
            case GARNER_RESULT_COMMAND_OK, GARNER_RESULT_TUPLES_OK, GARNER_RESULT_EMPTY_QUERY:
                do {
                    last = try PostgresResult(result, libpq: libpq)
                } catch {
                    if failure == nil { failure = error }
                }
            case GARNER_RESULT_COPY_IN where mayCopy:
                isCopying = true
                return last
            case GARNER_RESULT_COPY_IN:
                _ = libpq.pointee.PQputCopyEnd(handle.pointer, "no rows follow")
            case GARNER_RESULT_COPY_OUT, GARNER_RESULT_COPY_BOTH:
                // Nobody reads its rows.
                close()
                throw PostgresError(.other, "the statement copies rows out of PostgreSQL")
            default:
                if failure == nil { failure = PostgresError(result, libpq: libpq, text) }
            }
        }
        guard handle.isOpen else { throw lost(failure) }
        if let failure { throw failure }
        return last
    }

    private func nextResult(ofRows rows: Int) throws -> OpaquePointer? {
        let handle = try openHandle
        while handle.libpq.pointee.PQisBusy(handle.pointer) != 0 {
            _ = try wait(for: Int16(POLLIN), ofRows: rows)
            // PQgetResult tells of a broken connection.
            guard handle.libpq.pointee.PQconsumeInput(handle.pointer) == 1 else { break }
        }
        return handle.libpq.pointee.PQgetResult(handle.pointer)
    }

    /// Waits until the socket is ready, and returns for what.
    private func wait(for events: Int16, ofRows rows: Int = 0) throws -> Int16 {
        let handle = try openHandle
        let limit = min(answerLimit * Self.mostLimits, answerLimit + Self.timeOfRow * min(rows, 1_000_000))
        while true {
            if Task.isCancelled {
                stopStatement()
                throw CancellationError()
            }
            let socket = handle.libpq.pointee.PQsocket(handle.pointer)
            // Of a socket that libpq has closed, poll would tell nothing.
            guard socket >= 0 else { return Int16(POLLIN) }
            var waits = [
                pollfd(fd: socket, events: events, revents: 0),
                pollfd(fd: wakePipe.reader, events: Int16(POLLIN), revents: 0),
            ]
            let found = poll(&waits, nfds_t(waits.count), Int32(clamping: Int64(limit / .milliseconds(1))))
            guard found != 0 else {
                stopStatement()
                throw PostgresError(.unanswered, "no answer for \(limit.components.seconds) s")
            }
            guard found > 0 || errno == EINTR else {
                throw PostgresError(.other, "poll: \(String(cString: strerror(errno)))")
            }
            if waits[1].revents != 0 { wakePipe.drain() }
            // An error or the end of the stream is found by reading.
            let ready = waits[0].revents
            if ready != 0 { return ready & Int16(POLLERR | POLLHUP) != 0 ? Int16(POLLIN) : ready }
        }
    }

    /// Asks the server to stop the statement, for at most two seconds, and closes the connection.
    private func stopStatement() {
        guard let handle else { return }
        let libpq = handle.libpq
        if let cancel = libpq.pointee.PQgetCancel(handle.pointer) {
            let request = CancelRequest(pointer: cancel, libpq: handle.libpq)
            let isSent = DispatchSemaphore(value: 0)
            // PQcancel makes a connection of its own, and has no limit of time.
            DetachedThread.start {
                request.send()
                isSent.signal()
            }
            _ = isSent.wait(timeout: .now() + 2)
        }
        close()
    }

    /// Closes a broken connection, and returns the error that says so.
    func lost(_ failure: PostgresError? = nil) -> PostgresError {
        let words = failure?.message ?? text.shown(handle?.words ?? "")
        close()
        if let failure, failure.sqlState != nil { return failure }
        return PostgresError(.connectionLost, "the connection to PostgreSQL is lost: \(words)")
    }
}

/// A request to stop a statement.
///
/// `@unchecked Sendable` is safe because only the thread that sends it uses it.
private struct CancelRequest: @unchecked Sendable {
    let pointer: OpaquePointer
    let libpq: UnsafePointer<GarnerLibPQ>

    func send() {
        var words = [CChar](repeating: 0, count: 256)
        _ = libpq.pointee.PQcancel(pointer, &words, Int32(words.count))
        libpq.pointee.PQfreeCancel(pointer)
    }
}
