package import GarnerModel
import GarnerDatabase
import GarnerSQLite

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
