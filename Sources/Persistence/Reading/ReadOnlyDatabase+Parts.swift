import GarnerDatabase
import GarnerModel
import GarnerSQLite

// A database that is no file may have several parts, with other streams in each. Names of tables find them in any part. The tables of
// Garner's own, which each part has, are views over all parts. What would be slow or in another order through these is asked of each part.
extension ReadOnlyDatabase {
    /// True if the database has several parts.
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
    func seen(_ run: RunRecord) -> RunRecord {
        guard run.status == .running, WriterLock.state(of: path) == .free else { return run }
        var run = run
        run.status = .interrupted
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
