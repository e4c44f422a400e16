import SQLite

/// The SQL that ends versions of rows and begins new ones.
///
/// ?1 and ?2 are for conditions, ?3 is the instant and ?4 the run.
struct VersionStatements {
    let schema: TableSchema
    /// Of the rows.
    let columns: [String]

    /// Ends what holds of one row, whose number is ?1. Without a key no row is ever another one's successor.
    var endOfRow: String { end(schema.key.isEmpty ? "FALSE" : "\(tuple("")) = (\(keys(where: "_rowid_ = ?1")))") }

    /// Ends what holds of the rows for which a condition is true. Without a key these are all but those of this run.
    func end(where condition: String) -> String {
        end(schema.key.isEmpty ? "_garner_run IS NOT ?4" : "\(tuple("")) IN (\(keys(where: condition)))")
    }

    /// Ends what holds of rows that are no longer so. Without a key they cannot be told from others: then all.
    var endOfStale: String {
        guard !schema.key.isEmpty else { return end("TRUE") }
        let present = columns.map { "record.\(quoted($0))" }.joined(separator: ", ")
        let noted = columns.map { "\(history).\(quoted($0))" }.joined(separator: ", ")
        return end(
            """
            NOT EXISTS (
                SELECT 1 FROM \(table) AS record WHERE \(tuple("record.")) = \(tuple("\(history).")) AND (\(present)) IS (\(noted)))
            """)
    }

    /// Begins a version of one row, whose number is ?1.
    var beginOfRow: String { begin("record._rowid_ = ?1") }

    /// Begins a version of each row of which none holds.
    var beginOfAbsent: String {
        guard !schema.key.isEmpty else { return begin("TRUE") }
        return begin(
            """
            NOT EXISTS (
                SELECT 1 FROM \(history) AS earlier
                WHERE \(tuple("earlier.")) = \(tuple("+record.")) AND earlier._garner_valid_to IS NULL)
            """)
    }

    private var table: String { quoted(schema.table) }
    private var history: String { quoted(HistoryTable.name(of: schema.table)) }

    private func tuple(_ prefix: String) -> String {
        "(\(schema.key.map { "\(prefix)\(quoted($0.name))" }.joined(separator: ", ")))"
    }

    /// The plus keeps the columns' affinity away, for which the index of the versions could not be used.
    private func keys(where condition: String) -> String {
        "SELECT \(schema.key.map { "+\(quoted($0.name))" }.joined(separator: ", ")) FROM \(table) WHERE \(condition)"
    }

    /// A version does not end before it began, wherever the clock has been set.
    private func end(_ condition: String) -> String {
        """
        UPDATE \(history) SET _garner_valid_to = max(?3, _garner_valid_from), _garner_end_run = ?4
        WHERE _garner_valid_to IS NULL AND \(condition)
        """
    }

    /// A version does not begin before the one before it ended.
    private func begin(_ condition: String) -> String {
        let names = columns.map(quoted)
        let since =
            schema.key.isEmpty
            ? "?3"
            : """
            max(?3, coalesce((
                SELECT max(_garner_valid_to) FROM \(history) AS earlier
                WHERE \(tuple("earlier.")) = \(tuple("+record."))), ''))
            """
        return """
            INSERT INTO \(history) (_garner_valid_from, _garner_run, \(names.joined(separator: ", ")))
            SELECT \(since), ?4, \(names.map { "record.\($0)" }.joined(separator: ", "))
            FROM \(table) AS record WHERE \(condition)
            """
    }
}
