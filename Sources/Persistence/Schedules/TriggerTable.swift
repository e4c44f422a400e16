package import Catalog
import SQLite

/// What is known of a request for a run.
package enum TriggerAnswer: Sendable, Equatable {
    case new
    /// It was made before, and its run has not begun.
    case waiting(since: Timestamp)
    case served(run: Int64)
}

/// A run that somebody asks for, and how it is to differ from the usual.
package struct RunRequest: Sendable, Equatable {
    package let id: String
    /// Begins with the first page even where an earlier read was not finished.
    package let restarts: Bool
    /// Ends the run after so many pages; at least 1.
    package let maximumPages: Int?

    package init(_ id: String, restarts: Bool = false, maximumPages: Int? = nil) {
        (self.id, self.restarts, self.maximumPages) = (id, restarts, maximumPages)
    }
}

/// A request for a run that has not begun.
package struct WaitingRequest: Sendable, Equatable {
    package let request: RunRequest
    /// The full name.
    package let stream: String
    package let requestedAt: Timestamp

    package init(_ request: RunRequest, stream: String, requestedAt: Timestamp) {
        (self.request, self.stream, self.requestedAt) = (request, stream, requestedAt)
    }
}

/// The rows of `_garner_triggers` of one stream.
struct TriggerTable {
    let streamID: Int64
    let connection: Connection

    /// A request is known for so long after it was made.
    private static let memory = Duration.seconds(7 * 24 * 3600)

    /// Notes a request, unless it is known.
    func note(_ request: RunRequest, at now: Timestamp) throws -> TriggerAnswer {
        try connection.execute(
            """
            INSERT INTO _garner_triggers (stream_id, request_id, requested_at, restarts, maximum_pages)
            VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (stream_id, request_id) DO NOTHING
            """, .integer(streamID), .text(request.id), .text(now.description), .integer(request.restarts ? 1 : 0),
            Value(request.maximumPages.map(Int64.init)))
        if connection.changes == 1 { return .new }
        let known = try connection.firstRow(
            "SELECT requested_at, run_id FROM _garner_triggers WHERE stream_id = ?1 AND request_id = ?2",
            [.integer(streamID), .text(request.id)]
        ) { row -> TriggerAnswer in
            row.optionalInteger(at: 1).map { .served(run: $0) }
                ?? .waiting(since: Timestamp(rfc3339: row.text(at: 0)) ?? now)
        }
        return known ?? .new
    }

    /// Those of the requests for which a run has begun.
    func served(among requests: [String]) throws -> [String: Int64] {
        var runs: [String: Int64] = [:]
        for request in requests {
            runs[request] = try connection.integer(
                "SELECT run_id FROM _garner_triggers WHERE stream_id = ?1 AND request_id = ?2", .integer(streamID),
                .text(request))
        }
        return runs
    }

    /// Notes that a run serves those of the requests that none has served.
    func claim(_ requests: [String], for run: Int64, at now: Timestamp) throws {
        for request in requests {
            try connection.execute(
                """
                INSERT INTO _garner_triggers (stream_id, request_id, requested_at, run_id) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (stream_id, request_id) DO UPDATE SET run_id = excluded.run_id WHERE run_id IS NULL
                """, .integer(streamID), .text(request), .text(now.description), .integer(run))
        }
    }

    /// Forgets those of the requests for which no run has begun.
    func withdraw(_ requests: [String]) throws {
        for request in requests {
            try connection.execute(
                "DELETE FROM _garner_triggers WHERE stream_id = ?1 AND request_id = ?2 AND run_id IS NULL",
                .integer(streamID), .text(request))
        }
    }

    func forgetOld(at now: Timestamp) throws {
        try connection.execute(
            "DELETE FROM _garner_triggers WHERE stream_id = ?1 AND requested_at < ?2", .integer(streamID),
            .text(now.advanced(by: .zero - Self.memory).description))
    }
}
