import Catalog
import SQLite

/// The rows of a table that a complete read did not see.
struct MissingRows {
    enum Outcome: Equatable {
        case none
        case deleted(Int)
        /// The read spans several runs: a record may have moved from a page not yet read to one read before.
        case resumed
        /// Without a key it cannot be told which rows are missing.
        case keyless
        /// Records of this read were not stored, so that what is missing cannot be told.
        case unsure(quarantined: Int)
        /// More rows are missing than one run may delete; none was.
        case braked(missing: Int, rows: Int)
    }

    let schema: TableSchema
    let streamID: Int64
    let connection: Connection
    /// Whether all pages are stored at once, so that no record can have moved between them.
    var isAtOnce = false
    /// nil where they are not kept.
    var versions: RowVersions?
    var index: SearchIndex?

    /// - Parameter ratio: the largest part of the rows that may go; nil: fewer than half, and of fewer than ten at most one.
    func delete(
        _ way: DeleteMissing, upTo ratio: Double?, read: Int64, run: Int64, now: Timestamp, noting: Bool
    ) throws -> Outcome {
        if read != run, !isAtOnce { return .resumed }
        let quarantined =
            try connection.integer(
                "SELECT quarantined FROM _garner_runs WHERE run_id = ?1", .integer(run)) ?? 0
        if quarantined > 0 { return .unsure(quarantined: Int(quarantined)) }
        let table = quoted(schema.table)
        let isPresent = schema.marksDeletion ? "\(TableSchema.deletionColumn) IS NULL" : "TRUE"
        let isMissing = """
            \(isPresent) AND \(schema.keyExpression) NOT IN (
                SELECT record_key FROM _garner_members JOIN _garner_pages USING (page_id)
                WHERE stream_id = ?1 AND read_id = ?2)
            """
        let values: [Value] = [.integer(streamID), .integer(read)]
        let rows = Int(try connection.integer("SELECT count(*) FROM \(table) WHERE \(isPresent)") ?? 0)
        let missing = Int(
            try connection.firstRow("SELECT count(*) FROM \(table) WHERE \(isMissing)", values) { $0.integer(at: 0) }
                ?? 0)
        defer { _ = connection.takeRowChange() }
        if missing > 0 {
            guard Self.mayGo(missing, of: rows, upTo: ratio) else { return .braked(missing: missing, rows: rows) }
            if noting {
                try execute(
                    """
                    INSERT OR REPLACE INTO _garner_changes (stream_id, run_id, record_key, operation)
                    SELECT ?1, ?3, \(schema.keyExpression), 'delete' FROM \(table) WHERE \(isMissing)
                    """, values + [.integer(run)])
            }
            try versions?.end(where: isMissing, values, run: run, now: now)
            switch way {
            case .ignore: return .none
            case .hard:
                try index?.forget(rowsWhere: isMissing, values, in: schema.table)
                try execute("DELETE FROM \(table) WHERE \(isMissing)", values)
            case .soft:
                try execute(
                    "UPDATE \(table) SET \(TableSchema.deletionColumn) = ?3 WHERE \(isMissing)",
                    values + [.text(now.description)])
                try versions?.beginAbsent(run: run, now: now)
            }
        }
        return missing > 0 ? .deleted(missing) : .none
    }

    private static func mayGo(_ missing: Int, of rows: Int, upTo ratio: Double?) -> Bool {
        if let ratio { return Double(missing) <= ratio * Double(rows) }
        return 2 * missing < rows && (rows >= 10 || missing <= 1)
    }

    private func execute(_ sql: String, _ values: [Value]) throws {
        let statement = try connection.statement(sql)
        try statement.bind(values)
        try statement.run()
    }
}
