package import GarnerControl
import GarnerModel
import GarnerPostgres
package import GarnerShards
import GarnerTasks
import Logging
import ServiceLifecycle
import Synchronization

/// The way to the worker that holds a shard: requests and replies are rows of tables.
package struct ShardRequests: ControlTransport {
    private static let interval = Duration.milliseconds(250)
    /// The time within which the first reply must be there: a worker looks each second.
    private static let firstReply = Duration.seconds(15)

    private let shard: ShardPlace
    private let clock: any Clock<Duration>

    package init(_ shard: ShardPlace, clock: any Clock<Duration>) { (self.shard, self.clock) = (shard, clock) }

    package func ask(_ request: ControlRequest) async throws -> ControlReply {
        let id = PostgresUUID.random()
        do {
            return try await PostgresConnection.over(shard.url) { connection in
                let result: Result<ControlReply, any Error>
                do {
                    try await connection.execute(
                        "INSERT INTO _garner.requests (id, shard, line, asked_at) VALUES ($1, $2, $3, clock_timestamp())",
                        .uuid(id), .integer(Int64(shard.shard)), .text(try ControlLine.text(request)))
                    result = .success(try await lastReply(to: request, id, on: connection))
                } catch {
                    result = .failure(error)
                }
                await forget(id, on: connection)
                return try result.get()
            }
        } catch let error as PostgresError {
            throw ControlError.unreachable(error.message)
        }
    }

    private func lastReply(
        to request: ControlRequest, _ id: PostgresUUID, on connection: PostgresConnection
    ) async throws -> ControlReply {
        let stopwatch = Stopwatch(clock)
        var number: Int64 = 0
        while true {
            let rows = try await connection.execute(
                "SELECT number, line FROM _garner.replies WHERE id = $1 AND number > $2 ORDER BY number", .uuid(id),
                .integer(number)
            ).rows
            for row in rows {
                number = row.first?.integer ?? number
                let reply = try ControlLine.decoded(ControlReply.self, text: row.last?.text ?? "")
                if case .refused(let refusal) = reply { throw refusal }
                if reply.isLast(to: request) { return reply }
            }
            if number == 0, stopwatch.elapsed > Self.firstReply { throw ControlError.noReply }
            try await clock.sleep(for: Self.interval)
        }
    }

    /// Removes the request and its replies. The work that was begun for it goes on.
    private func forget(_ id: PostgresUUID, on connection: PostgresConnection) async {
        // A cancelled task speaks to no server any more.
        await Task {
            _ = try? await connection.execute(
                """
                WITH asked AS (DELETE FROM _garner.requests WHERE id = $1) DELETE FROM _garner.replies WHERE id = $1
                """, .uuid(id))
        }.value
    }
}

/// Takes the requests for a shard that this worker holds, and passes them to a handler.
///
/// In a service group, place it before the services that fulfil requests, as `ControlServer`.
struct ShardRequestServer: Service {
    private static let interval = Duration.seconds(1)
    /// The time that replies have to be written when the service stops.
    private static let farewell = Duration.seconds(1)
    /// The time for which a request may be there whose client has gone. No run takes longer.
    private static let longestStay = "7 days"

    let shard: ShardPlace
    let holding: PostgresUUID
    let logger: Logger
    let clock: any Clock<Duration>
    let handle: ControlServer.Handler

    func run() async {
        let unanswered = Unanswered()
        await withDiscardingTaskGroup { group in
            var connection: PostgresConnection?
            var told: String?
            while !Task.isCancelled, !Task.isShuttingDownGracefully {
                do {
                    let open = try await opened(connection)
                    connection = open
                    for (id, line) in try await taken(on: open) {
                        unanswered.add(1)
                        group.addTask {
                            await answer(id, line, on: open)
                            unanswered.add(-1)
                        }
                    }
                    told = nil
                } catch {
                    await connection?.close()
                    let reason = RunFailure(error).message
                    if !Task.isCancelled, reason != told {
                        logger.warning("Commands cannot reach this service", metadata: ["error": "\(reason)"])
                    }
                    told = reason
                }
                try? await cancelWhenGracefulShutdown { try await clock.sleep(for: Self.interval) }
            }
            // All runs have ended, and what is asked from now on is for the next worker.
            let stopwatch = Stopwatch(clock)
            while unanswered.count > 0, stopwatch.elapsed < Self.farewell {
                guard (try? await clock.sleep(for: .milliseconds(20))) != nil else { break }
            }
            group.cancelAll()
            await connection?.close()
        }
    }

    private func opened(_ connection: PostgresConnection?) async throws -> PostgresConnection {
        if let connection, await connection.isOpen { return connection }
        let new = try await PostgresConnection.open(shard.url)
        try await new.execute(
            """
            WITH old AS (DELETE FROM _garner.requests WHERE asked_at < clock_timestamp() - interval '\(Self.longestStay)' RETURNING id)
            DELETE FROM _garner.replies WHERE id IN (SELECT id FROM old)
            """)
        return new
    }

    /// Returns the requests that nobody has taken, or only a worker that lost the shard before it had answered, which may be this one.
    private func taken(on connection: PostgresConnection) async throws -> [(PostgresUUID, String)] {
        try await connection.execute(
            """
            UPDATE _garner.requests SET taken_by = $2
            WHERE shard = $1 AND line <> '' AND taken_by IS DISTINCT FROM $2 RETURNING id, line
            """, .integer(Int64(shard.shard)), .uuid(holding)
        ).rows.compactMap { row in
            guard case .uuid(let id)? = row.first, let line = row.last?.text else { return nil }
            return (id, line)
        }
    }

    private func answer(_ id: PostgresUUID, _ line: String, on connection: PostgresConnection) async {
        let request: ControlRequest
        do throws(ControlError) {
            request = try ControlLine.decoded(ControlRequest.self, text: line)
        } catch {
            return await write(.refused(error), to: id, isLast: true, on: connection)
        }
        await handle(request) { reply in
            await write(reply, to: id, isLast: reply.isLast(to: request), on: connection)
        }
    }

    private func write(
        _ reply: ControlReply, to id: PostgresUUID, isLast: Bool, on connection: PostgresConnection
    ) async {
        do {
            // Nobody reads replies to a client that has gone. What was answered is done, also for the worker that comes next.
            try await connection.execute(
                """
                WITH asked AS (
                    UPDATE _garner.requests SET line = CASE WHEN $3 THEN '' ELSE line END WHERE id = $1 RETURNING id)
                INSERT INTO _garner.replies (id, number, line)
                SELECT id, (SELECT coalesce(max(number), 0) + 1 FROM _garner.replies AS earlier WHERE earlier.id = $1), $2
                FROM asked
                """, .uuid(id), .text(try ControlLine.text(reply)), .boolean(isLast))
        } catch {
            logger.debug("Reply not delivered", metadata: ["error": "\(error)"])
        }
    }
}

/// The number of requests that are being fulfilled.
private final class Unanswered: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock(\.self) }

    func add(_ change: Int) { state.withLock { $0 += change } }
}
