import GarnerCatalog
package import GarnerDatabase
package import GarnerModel
import GarnerSQLite

/// The change that a run made to a record.
package struct RecordChange: Sendable {
    package enum Operation: String, Sendable {
        case insert, update, delete
    }

    package enum Key: Sendable {
        /// The value of the only key column, or the row number without a key.
        case single(Value)
        /// The values of several columns as a JSON array.
        case composite(String)
    }

    /// A column that differs. NULL also stands for a missing row.
    package struct Field: Sendable {
        package let name: String
        package let old: Value
        package let new: Value
    }

    /// The stream's full name.
    package let stream: String
    package let key: Key
    package let operation: Operation
    package let run: RunID
    /// The instant of the change if versions are kept; else the run's end or beginning.
    package let at: Timestamp?
    /// The fields in the order of the columns; nil if there are no versions.
    package let fields: [Field]?
}

package struct ChangeRequest: Sendable {
    package enum Limit: Sendable {
        case run(RunID)
        case instant(Timestamp)
    }

    /// The stream's full or unambiguous bare name; nil for all streams.
    package var stream: String?
    /// The first run, or the instant since which runs ended; runs that have not ended count, too.
    package var since: Limit?
    /// The last run, or the instant before which runs ended.
    package var until: Limit?
    /// The run before which the changes end; nil for the latest changes.
    package var before: RunID?
    /// The number of changes; the latest ones count.
    package var limit: Int?

    package init(
        stream: String? = nil, since: Limit? = nil, until: Limit? = nil, before: RunID? = nil, limit: Int? = nil
    ) {
        self.stream = stream
        self.since = since
        self.until = until
        self.before = before
        self.limit = limit
    }
}

extension ReadOnlyDatabase {
    /// Calls `body` with the changes of records by runs, in the order of the runs and keys, on one state of the database.
    ///
    /// Changes are noted after the end of a stream's first read. Throws `StreamSelectionError` for an unknown stream.
    ///
    /// - Returns: True if the limit leaves earlier changes out.
    @discardableResult
    package func forEachChange(_ request: ChangeRequest, _ body: (RecordChange) throws -> Void) throws -> Bool {
        try reading {
            let stream = try request.stream.map(streamID(matching:))
            var (first, instant): (RunRecord?, Value) = (nil, .null)
            switch request.since {
            case nil: break
            case .run(let run): first = try self.run(run)
            case .instant(let since): instant = .text(since.description)
            }
            var (last, end): (RunRecord?, Value) = (nil, .null)
            switch request.until {
            case nil: break
            case .run(let run): last = try self.run(run)
            case .instant(let until): end = .text(until.description)
            }
            var values = [
                Value(stream), .id(first?.id ?? 0), instant, .integer(Int64(request.limit ?? -1)),
                .integer(request.before?.number ?? .max), .id(last?.id ?? RunID(.max)), end,
            ]
            if hasParts {
                // Numbers of different parts tell nothing of time. "~" is behind each time.
                let before = request.before.flatMap { try? run($0) }
                values += [Value(first?.startedAt.description ?? "")]
                values += [before, last].map { Value($0?.startedAt.description ?? "~") }
            }
            let statement = try Statement(Self.changes(ofParts: hasParts), on: connection)
            try statement.bind(values)
            defer { statement.reset() }
            var tables: [StreamID: ChangedTable] = [:]
            while try statement.step() {
                let streamID: StreamID = statement.id(at: 0)
                let table = try tables[streamID] ?? ChangedTable(streamID: streamID, on: connection)
                tables[streamID] = table
                try body(Self.change(of: table, statement))
            }
            guard request.limit != nil else { return false }
            let more = "SELECT 1 \(Self.selected(ofParts: hasParts)) LIMIT 1 OFFSET ?4"
            return try connection.firstRow(more, values) { _ in true } ?? false
        }
    }

    /// The changes of the latest runs, in the order of the runs.
    private static func changes(ofParts hasParts: Bool) -> String {
        """
        SELECT * FROM (
            SELECT stream_id, run_id, record_key, operation, coalesce(ended_at, started_at)\(hasParts ? ", started_at" : "")
            \(selected(ofParts: hasParts))
            ORDER BY \(hasParts ? "started_at DESC, " : "")run_id DESC, record_key DESC LIMIT ?4)
        ORDER BY \(hasParts ? "started_at, " : "")run_id, record_key
        """
    }

    /// The changes of a request, without its limit. Of a run that was deleted, no instant is known.
    private static func selected(ofParts hasParts: Bool) -> String {
        let place = "(coalesce(started_at, ''), run_id)"
        let isBetween =
            hasParts
            ? "\(place) >= (?8, ?2) AND \(place) < (?9, ?5) AND \(place) <= (?10, ?6)"
            : "run_id >= ?2 AND run_id < ?5 AND run_id <= ?6"
        return """
            FROM _garner_changes LEFT JOIN (SELECT run_id, started_at, ended_at FROM _garner_runs) USING (run_id)
            WHERE (?1 IS NULL OR stream_id = ?1) AND \(isBetween)
            AND (?3 IS NULL OR started_at IS NOT NULL AND (ended_at IS NULL OR ended_at >= ?3)) AND (?7 IS NULL OR ended_at < ?7)
            """
    }

    static func change(of table: ChangedTable, _ row: Statement) throws -> RecordChange {
        let (run, key) = (RunID(row.integer(at: 1)), row.value(at: 2))
        let operation = try row.value(RecordChange.Operation.self, at: 3)
        let difference = try table.difference(operation, of: key, run: run)
        return try RecordChange(
            stream: table.stream, key: table.key(key), operation: operation, run: run,
            at: difference?.at ?? row.optionalTimestamp(at: 4),
            fields: difference?.fields)
    }

    func streamID(matching name: String) throws -> StreamID {
        let known = try connection.rows("SELECT stream_id, name FROM _garner_streams ORDER BY stream_id") {
            (id: StreamID($0.integer(at: 0)), name: $0.text(at: 1))
        }
        return known[try StreamSelection.index(of: name, among: known.map(\.name))].id
    }
}
