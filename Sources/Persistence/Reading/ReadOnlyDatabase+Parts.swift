import GarnerDatabase
import GarnerModel
import GarnerSQLite

// A database that is no file may have several parts, with other streams in each. Names of tables find them in any part. The tables of
// Garner's own, which each part has, are views over all parts. What would be slow or in another order through these is asked of each part.
extension ReadOnlyDatabase {
    var hasParts: Bool { connection.hasParts }

    /// True if the database has got other parts since it was opened, so that it has to be opened anew.
    var isOutdated: Bool { connection.isOutdated }

    /// Returns what the parts have for the latest runs, or the like, of all of them: the newest first.
    func newestOfParts<R, Place: Comparable>(
        _ limit: Int, by place: (R) -> Place, _ body: (ReadOnlyDatabase) throws -> [R]
    ) throws -> [R] {
        Array(try inEachPart(body).flatMap(\.self).sorted { place($0) > place($1) }.prefix(max(0, limit)))
    }

    /// Returns a run of this part as it is: where no process writes to the part, none goes on.
    func seen<Run>(_ run: Run, _ status: WritableKeyPath<Run, RunRecord.Status>) -> Run {
        guard run[keyPath: status] == .running, WriterLock.state(of: path) == .free else { return run }
        var run = run
        run[keyPath: status] = .interrupted
        return run
    }

    /// Returns the run before which a list of this part begins, if that of all parts begins before a run of any.
    ///
    /// - Parameter mark: The run; nil if it is not known any more.
    func bound(before id: RunID?, _ mark: RunRecord?) throws -> RunID? {
        guard let mark else { return id }
        let last = try connection.integer(
            """
            SELECT run_id FROM _garner_runs WHERE (started_at, run_id) < (?1, ?2) ORDER BY run_id DESC LIMIT 1
            """, .text(mark.startedAt.description), .id(mark.id))
        return RunID((last ?? -1) + 1)
    }
}

/// A table or a view in a part of the database, or the name of the table that a stream will have.
package struct PartTable: Sendable, Equatable {
    package let part: Int
    package let name: String
    /// The full name of the stream whose it is, or one of whose arrays; nil for what people have made.
    package let stream: String?

    package init(part: Int, name: String, stream: String?) {
        (self.part, self.name, self.stream) = (part, name, stream)
    }

    /// The source of its stream.
    package var source: String? { stream.map { String($0.prefix { $0 != "." }) } }

    /// The same for all names that mean one table.
    package var foldedName: [UInt8] { name.foldedSQLName }

    package func isNamed(_ other: String) -> Bool { foldedName == other.foldedSQLName }
}

extension ReadOnlyDatabase {
    /// Returns what each part has but for Garner's own tables.
    package func tablesOfParts() throws -> [PartTable] {
        if hasParts { return try inEachPart { try $0.tablesOfParts() }.flatMap(\.self) }
        return try reading {
            try connection.rows(
                """
                SELECT table_name, name FROM _garner_streams WHERE table_name NOT LIKE '@_garner@_%' ESCAPE '@'
                UNION ALL SELECT name, NULL FROM sqlite_schema WHERE type IN ('table', 'view')
                AND name NOT LIKE '@_garner@_%' ESCAPE '@' AND name NOT LIKE 'sqlite@_%' ESCAPE '@'
                AND name COLLATE NOCASE NOT IN (SELECT table_name FROM _garner_streams) ORDER BY 1
                """
            ) { row in
                // The name of an array's table goes on with the path of the array.
                PartTable(
                    part: connection.partNumber, name: row.text(at: 0),
                    stream: row.optionalText(at: 1).map { String($0.prefix { $0 != "$" }) })
            }
        }
    }
}

extension Connection {
    /// Tables with a row of the file's own, which are those of the first part.
    private static let ownTables = ["_garner_migrations", "_garner_hash_key", "_garner_publication"]
    private static let blobs = "_garner_blobs"

    /// Shows the rows of all parts in each table that all of them have.
    package func uniteBooks() throws {
        guard hasParts else { return }
        let others = schemas.dropFirst().map { "AND name IN (SELECT name FROM \($0).sqlite_master)" }
        let names = try rows(
            """
            SELECT name FROM main.sqlite_master WHERE type = 'table' AND name LIKE '@_garner@_%' ESCAPE '@'
            \(others.joined(separator: " "))
            """
        ) { $0.text(at: 0) }
        try unite(
            names.filter { !Self.ownTables.contains($0) }.map { ($0, $0 == Self.blobs ? "sha256" : nil) })
    }
}

/// The place of a run among those of all parts. Numbers of different parts tell nothing of time.
struct PlaceInTime: Comparable {
    let time: Timestamp
    let number: Int64

    static func < (left: Self, right: Self) -> Bool { (left.time, left.number) < (right.time, right.number) }
}
