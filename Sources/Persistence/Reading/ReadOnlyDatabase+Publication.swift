import GarnerDatabase
package import GarnerModel
import GarnerSQLite

/// The state of the published tables, as the file knows it.
package struct PublicationStatus: Sendable, Equatable {
    package struct Table: Sendable, Equatable {
        /// The number of the table; `OutboxNote.runs` for the runs.
        package let id: StreamID
        /// The name in the file; nil for the runs.
        package let name: String?
        package let stream: String?
        /// The number of notes that wait, and of the rows that they name; of a whole table, its rows, up to `Outbox.mostNotes`.
        package let waitingNotes: Int
        package internal(set) var waitingRows: Int
        /// True if the whole table has to be published again.
        package let isWhole: Bool
        package let behindSince: Timestamp?
        package let behindReason: String?
    }

    /// The identity of the file, in the form of a UUID.
    package let file: String
    /// The place of the tables, without a password; nil if no publisher has connected yet.
    package let target: String?
    package let position: Int64
    /// The instant since when something waits; nil if nothing does.
    package let waitingSince: Timestamp?
    /// Why nothing is published until somebody changes something, and since when; nil if it is.
    package let refusal: String?
    package let refusedSince: Timestamp?
    /// In the order of their names.
    package let tables: [Table]
}

extension PublicationStatus {
    /// Combines what the parts of a database know, each of which publishes its own tables; nil without any.
    fileprivate init?(ofParts parts: [PublicationStatus]) {
        guard let first = parts.first else { return nil }
        let refused = parts.first { $0.refusal != nil }
        let tables = parts.flatMap(\.tables)
        let runs = tables.filter { $0.name == nil }
        let others = tables.filter { $0.name != nil }.map { (name: ($0.name ?? "").foldedSQLName, table: $0) }
        self.init(
            file: first.file, target: parts.compactMap(\.target).first, position: first.position,
            waitingSince: parts.compactMap(\.waitingSince).min(), refusal: refused?.refusal,
            refusedSince: refused?.refusedSince,
            tables: Array((runs.filter { $0.behindSince != nil } + runs).prefix(1))
                + others.sorted { $0.name.lexicographicallyPrecedes($1.name) }.map(\.table))
    }
}

extension ReadOnlyDatabase {
    /// Returns what is known of the published tables; nil if the file was never to be published.
    package func publicationStatus() throws -> PublicationStatus? {
        if hasParts {
            return PublicationStatus(ofParts: try inEachPart { try $0.publicationStatus() }.compactMap(\.self))
        }
        return try reading {
            let tables = try publishedTables()
            return try connection.firstRow(
                "SELECT file, target, position, waiting_since, refusal, refused_since FROM _garner_publication", []
            ) { row in
                PublicationStatus(
                    file: row.text(at: 0), target: row.optionalText(at: 1), position: row.integer(at: 2),
                    waitingSince: try row.optionalTimestamp(at: 3), refusal: row.optionalText(at: 4),
                    refusedSince: try row.optionalTimestamp(at: 5), tables: tables)
            }
        }
    }

    private func publishedTables() throws -> [PublicationStatus.Table] {
        // The stream of a table of arrays of arrays is further up.
        var tables = try connection.rows(
            """
            WITH RECURSIVE roots (id, root) AS (
                SELECT stream_id, stream_id FROM _garner_streams
                WHERE stream_id NOT IN (SELECT stream_id FROM _garner_children)
                UNION ALL SELECT child.stream_id, root FROM _garner_children AS child JOIN roots ON parent_id = id)
            SELECT published.stream_id, table_name, (SELECT name FROM _garner_streams WHERE stream_id = root), count(note),
            total(last_row - first_row + 1), coalesce(max(kind = 'whole'), 0), behind_since, behind_reason
            FROM _garner_published AS published
            LEFT JOIN _garner_outbox AS outbox ON outbox.stream_id = published.stream_id AND note > published.position
            LEFT JOIN _garner_streams AS stream ON stream.stream_id = published.stream_id
            LEFT JOIN roots ON id = published.stream_id
            GROUP BY published.stream_id ORDER BY table_name
            """
        ) { row in
            PublicationStatus.Table(
                id: row.id(at: 0), name: row.optionalText(at: 1), stream: row.optionalText(at: 2),
                waitingNotes: Int(row.integer(at: 3)), waitingRows: Int(row.integer(at: 4)),
                isWhole: row.integer(at: 5) == 1, behindSince: try row.optionalTimestamp(at: 6),
                behindReason: row.optionalText(at: 7))
        }
        for index in tables.indices where tables[index].isWhole {
            guard let name = tables[index].name else { continue }
            // Somebody may have dropped it.
            let rows = try? connection.integer(
                "SELECT count(*) FROM (SELECT 1 FROM \(quoted(name)) LIMIT \(Outbox.mostNotes))")
            tables[index].waitingRows = Int(rows ?? 0)
        }
        return tables
    }
}
