import GarnerDatabase
import GarnerSQLite
import TestSupport

/// Streams that are served each second, and what any number of their runs may leave in a database.
enum ServedStreams {
    static let names = (1...6).map { "stream\($0)" }
    static let pages = 3
    static let recordsPerPage = 4

    static func configuration(_ url: String) -> String {
        let streams = names.map {
            "      \($0): { path: \($0), write_disposition: append, schedule: { every: 1s } }\n"
        }
        return """
            version: 1
            database: garner.db
            sources:
              zoo:
                base_url: \(url)
                retry: { max_attempts: 1 }
                streams:
            \(streams.joined())
            """
    }

    static func reply(to request: LoopbackRequest) async -> LoopbackReply {
        let page = Ledger.page(of: request)
        // So that a signal meets runs in the middle of a read.
        try? await Task.sleep(for: .milliseconds(request.number % 7 * 10))
        let records = (1...recordsPerPage).map { #"{"page":\#(page),"place":\#($0)}"# }
        let next = page < pages ? #""?page=\#(page + 1)""# : "null"
        return .json(#"{"data":[\#(records.joined(separator: ","))],"next":\#(next)}"#)
    }

    /// Returns the problem with what a service left; nil if there is none.
    ///
    /// - Parameter hasEnded: true if the service ended by itself, and so had time to record how its runs ended.
    static func problem(at path: String, hasEnded: Bool) throws -> String? {
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        if let damage = try Reference.damage(connection) { return damage }
        if hasEnded, let left = try connection.integer("SELECT count(*) FROM _garner_runs WHERE status = 'running'"),
            left > 0
        {
            return "\(left) runs are left running"
        }
        let twice = try connection.text(
            """
            SELECT group_concat(stream_id || ' at ' || nominal_at) FROM (
                SELECT stream_id, nominal_at FROM _garner_runs
                WHERE nominal_at IS NOT NULL AND status IN ('succeeded', 'failed', 'skipped')
                GROUP BY stream_id, nominal_at HAVING count(*) > 1)
            """)
        if let twice { return "instants committed twice: \(twice)" }
        for name in names {
            guard try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = ?1", .text(name)) != nil else {
                continue
            }
            // Whole pages, and each as often as the runs say.
            let stored = try connection.integer("SELECT count(*) FROM \(name)") ?? 0
            let counted = try connection.integer(
                """
                SELECT coalesce(sum(inserted), 0) FROM _garner_runs JOIN _garner_streams USING (stream_id)
                WHERE name = ?1
                """, .text("zoo.\(name)"))
            if stored != counted { return "\(name) has \(stored) rows, and its runs have stored \(counted ?? 0)" }
            let uneven = try connection.integer(
                "SELECT count(*) FROM (SELECT page, count(*) AS n FROM \(name) GROUP BY page, place) AS t JOIN (SELECT page AS p, count(*) / \(recordsPerPage) AS whole FROM \(name) GROUP BY page) AS w ON t.page = w.p WHERE n <> whole"
            )
            if let uneven, uneven > 0 { return "\(name) has a part of a page" }
        }
        return nil
    }
}
