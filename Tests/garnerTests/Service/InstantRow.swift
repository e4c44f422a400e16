import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerSQLite
import Testing

/// A row of the runs table about instants of a stream: one that was run, or several that were left out together.
struct InstantRow: Equatable, Sendable, CustomStringConvertible {
    let run: Int64
    let first: Timestamp
    let last: Timestamp
    let count: Int64
    let status: String
    /// True if the end of the program has ended the run, so that its instant can be run again.
    let wasStopped: Bool
    let reason: String?

    var description: String { "\(run) \(status) \(first)...\(last) ×\(count) \(reason ?? "")" }
}

extension Workplace {
    /// The rows in the order in which they were written.
    func instantRows() throws -> [InstantRow] {
        let found = try rows(
            """
            SELECT run_id, coalesce(skip_first, nominal_at), nominal_at, coalesce(skip_count, 1), status, was_stopped,
            warning FROM _garner_runs WHERE nominal_at IS NOT NULL ORDER BY run_id
            """
        ) { row in
            (
                run: row.integer(at: 0), first: Timestamp(rfc3339: row.text(at: 1)),
                last: Timestamp(rfc3339: row.text(at: 2)), count: row.integer(at: 3), status: row.text(at: 4),
                wasStopped: row.integer(at: 5) == 1, reason: row.optionalText(at: 6)
            )
        }
        return try found.map { row in
            InstantRow(
                run: row.run, first: try #require(row.first), last: try #require(row.last), count: row.count,
                status: row.status, wasStopped: row.wasStopped, reason: row.reason)
        }
    }

    /// An instant of what is remembered of the only stream's schedule; nil where there is none.
    func scheduled(_ column: String) throws -> Timestamp? {
        try rows("SELECT \(column) FROM _garner_schedules") {
            $0.optionalText(at: 0).flatMap(Timestamp.init(rfc3339:))
        }.first ?? nil
    }
}

/// Expects that a stream that is due each second has every instant from the first to the last exactly once.
func expectEachSecondOnce(_ rows: [InstantRow], sourceLocation: SourceLocation = #_sourceLocation) {
    let rows = rows.filter { !$0.wasStopped && $0.status != "interrupted" }.sorted { $0.first < $1.first }
    for row in rows {
        #expect(
            row.last == row.first.advanced(by: .seconds(row.count - 1)), "\(row)", sourceLocation: sourceLocation)
    }
    for (row, next) in zip(rows, rows.dropFirst()) {
        #expect(
            next.first == row.last.advanced(by: .seconds(1)), "\(next) is not behind \(row)",
            sourceLocation: sourceLocation)
    }
}
