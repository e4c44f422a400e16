package import GarnerCatalog
import GarnerDatabase
package import GarnerModel
import GarnerSQLite

// Stores the state of schedules between runs.
extension DatabaseWriter {
    /// Stores the schedule's state, but not whether the stream is paused.
    package func remember(_ record: ScheduleState, of stream: StreamConfiguration) async throws {
        try await perform {
            try connection.transaction {
                _ = try schedules.write(record, of: number(of: stream), at: now())
            }
        }
    }

    /// Notes the beginning of a pause. A second pause does not change it.
    ///
    /// - Parameters:
    ///   - record: The state of the schedule that is stored in the same transaction.
    ///   - tell: Called before other changes are written, so that its reports have the order of the database.
    package func pause(
        _ stream: StreamConfiguration, at instant: Timestamp, _ record: ScheduleState? = nil,
        tell: @Sendable () -> Void = {}
    ) async throws {
        try await perform {
            try notePause(stream, since: instant, record)
            tell()
        }
    }

    /// Notes the end of a pause.
    ///
    /// The parameters are those of `pause`.
    package func resume(
        _ stream: StreamConfiguration, _ record: ScheduleState? = nil, tell: @Sendable () -> Void = {}
    ) async throws {
        try await perform {
            try notePause(stream, since: nil, record)
            tell()
        }
    }

    /// Notes that hooks were told now that the stream is overdue, or that it is in time again.
    package func noteOverdue(_ stream: StreamConfiguration, isTold: Bool) async throws {
        try await perform {
            try connection.transaction {
                try schedules.noteOverdue(number(of: stream), toldAt: isTold ? now() : nil)
            }
        }
    }

    /// Records that nominal instants passed without a run, with the reason.
    ///
    /// It does not wait for the disk. After a loss of power, the instants are skipped once more.
    ///
    /// - Parameters:
    ///   - nominals: The first and the last instant.
    ///   - count: The number of instants.
    ///   - record: The state of the schedule that is stored in the same transaction.
    package func skip(
        _ stream: StreamConfiguration, nominals: ClosedRange<Timestamp>, count: Int, reason: String,
        _ record: ScheduleState? = nil
    ) async throws {
        try await perform {
            try connection.transactionWithoutSync {
                let streamID = try number(of: stream)
                try RunTable(connection: connection)
                    .skip(nominals, count: count, of: streamID, because: reason, at: now())
                if let record { _ = try schedules.write(record, of: streamID, at: now()) }
            }
        }
    }

    /// Notes a request for a run. It outlives the process, and the same request twice counts once.
    package func note(_ request: RunRequest, of stream: StreamConfiguration) async throws -> TriggerAnswer {
        try await perform {
            try connection.transaction {
                try TriggerTable(streamID: number(of: stream), connection: connection)
                    .note(request, at: now())
            }
        }
    }

    /// Removes refused requests whose run has not begun.
    package func withdraw(requests: [String], of stream: StreamConfiguration) async throws {
        try await perform {
            try connection.transaction {
                try TriggerTable(streamID: number(of: stream), connection: connection).withdraw(requests)
            }
        }
    }

    private func notePause(_ stream: StreamConfiguration, since instant: Timestamp?, _ record: ScheduleState?) throws {
        try connection.transaction {
            let streamID = try number(of: stream)
            if let record { _ = try schedules.write(record, of: streamID, at: now()) }
            try schedules.pause(streamID, since: instant)
        }
    }

    var schedules: ScheduleTable { ScheduleTable(connection: connection) }

    /// Returns the id of a stream, which may never have been run.
    private func number(of stream: StreamConfiguration) throws -> StreamID {
        let known: StreamID? = try connection.id(
            "SELECT stream_id FROM _garner_streams WHERE name = ?1", .text(stream.name.description))
        return try known ?? StreamRegistry(connection: connection).register(stream).id
    }
}

/// The state of a request for a run.
package enum TriggerAnswer: Sendable, Equatable {
    case new
    /// The request was made before, and its run has not begun.
    case waiting(since: Timestamp)
    case served(run: RunID)
}

/// The rows of `_garner_triggers` of one stream.
struct TriggerTable {
    let streamID: StreamID
    let connection: Connection

    /// The time for which a request is remembered.
    private static let memory = Duration.seconds(7 * 24 * 3600)

    /// Notes a request, unless it is known.
    func note(_ request: RunRequest, at now: Timestamp) throws -> TriggerAnswer {
        try connection.execute(
            """
            INSERT INTO _garner_triggers (stream_id, request_id, requested_at, restarts, maximum_pages)
            VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (stream_id, request_id) DO NOTHING
            """, .id(streamID), .text(request.id), .text(now.description),
            .integer(request.scope.restarts ? 1 : 0),
            Value(request.scope.maximumPages.map(Int64.init)))
        if connection.changes == 1 { return .new }
        let known = try connection.firstRow(
            "SELECT requested_at, run_id FROM _garner_triggers WHERE stream_id = ?1 AND request_id = ?2",
            [.id(streamID), .text(request.id)]
        ) { row -> TriggerAnswer in
            try row.optionalInteger(at: 1).map { .served(run: RunID($0)) } ?? .waiting(since: row.timestamp(at: 0))
        }
        return known ?? .new
    }

    /// Returns the runs of those requests that have one.
    func served(among requests: [String]) throws -> [String: RunID] {
        var runs: [String: RunID] = [:]
        for request in requests {
            runs[request] = try connection.id(
                "SELECT run_id FROM _garner_triggers WHERE stream_id = ?1 AND request_id = ?2", .id(streamID),
                .text(request))
        }
        return runs
    }

    /// Notes the run that serves these requests, for those without a run.
    func claim(_ requests: [String], for run: RunID, at now: Timestamp) throws {
        for request in requests {
            try connection.execute(
                """
                INSERT INTO _garner_triggers (stream_id, request_id, requested_at, run_id) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (stream_id, request_id) DO UPDATE SET run_id = excluded.run_id WHERE run_id IS NULL
                """, .id(streamID), .text(request), .text(now.description), .id(run))
        }
    }

    /// Forgets the requests without a run.
    func withdraw(_ requests: [String]) throws {
        for request in requests {
            try connection.execute(
                "DELETE FROM _garner_triggers WHERE stream_id = ?1 AND request_id = ?2 AND run_id IS NULL",
                .id(streamID), .text(request))
        }
    }

    func forgetOld(at now: Timestamp) throws {
        try connection.execute(
            "DELETE FROM _garner_triggers WHERE stream_id = ?1 AND requested_at < ?2", .id(streamID),
            .text(now.advanced(by: .zero - Self.memory).description))
    }
}
