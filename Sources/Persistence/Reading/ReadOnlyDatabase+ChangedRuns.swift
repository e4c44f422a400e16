import GarnerDatabase
package import GarnerModel
import GarnerSQLite

/// A run that changed records of a stream.
package struct ChangedRun: Sendable, Equatable {
    package let run: RunID
    /// The stream's full name.
    package let stream: String
    package let table: String
    /// The end of the run, or its start; nil if the run was forgotten.
    package let at: Timestamp?
    package let inserted: Int
    package let updated: Int
    package let deleted: Int
    /// True if only the first changes were counted.
    package let isCapped: Bool

    package var count: Int { inserted + updated + deleted }
}

extension ReadOnlyDatabase {
    /// The number of changes of a run that are counted.
    private static let countedChanges = 10_000

    /// Returns the runs whose changes are noted, newest first: as many as `limit`, each with all of its streams.
    ///
    /// - Parameters:
    ///   - stream: The stream's full or unambiguous bare name; nil for all streams.
    ///   - before: The run before which the list begins; nil for the latest.
    /// - Complexity: A look into an index for each stream and each run, however many records they changed.
    package func changedRuns(of stream: String? = nil, before: RunID? = nil, limit: Int) throws -> [ChangedRun] {
        if hasParts { return try changedRunsOfParts(of: stream, before: before, limit: limit) }
        return try reading {
            let streams: [StreamID] =
                try stream.map { [try streamID(matching: $0)] }
                ?? connection.rows("SELECT stream_id FROM _garner_streams") { $0.id(at: 0) }
            var latest: [(stream: StreamID, run: RunID)] = try streams.compactMap { stream in
                try lastChange(of: stream, before: before?.number ?? .max).map { (stream, $0) }
            }
            var (found, runs): ([ChangedRun], Int) = ([], 0)
            while runs < limit, let run = latest.map(\.run).max() {
                runs += 1
                for index in latest.indices.reversed() where latest[index].run == run {
                    let stream = latest[index].stream
                    found.append(try changedRun(run, of: stream))
                    if let earlier = try lastChange(of: stream, before: run.number) {
                        latest[index].run = earlier
                    } else {
                        latest.remove(at: index)
                    }
                }
            }
            return found
        }
    }

    private func changedRunsOfParts(of stream: String?, before: RunID?, limit: Int) throws -> [ChangedRun] {
        let name = try stream.map { try streamName(matching: $0) }
        let mark = before.flatMap { try? run($0) }
        let found = try inEachPart { part -> [(place: PlaceInTime, changed: ChangedRun)] in
            guard try name.map({ try part.streamNames().map(\.description).contains($0) }) ?? true else { return [] }
            return try part.changedRuns(of: name, before: part.bound(before: before, mark), limit: limit).map {
                (try part.place(of: $0.run), $0)
            }
        }
        let newest = found.flatMap { $0 }.sorted { $0.place > $1.place }.map(\.changed)
        var runs: Set<RunID> = []
        return Array(
            newest.prefix {
                runs.insert($0.run)
                return runs.count <= limit
            })
    }

    /// Returns the place of a run among those of all parts; that of a forgotten one is before all others.
    private func place(of run: RunID) throws -> PlaceInTime {
        let time = try connection.firstRow("SELECT started_at FROM _garner_runs WHERE run_id = ?1", [.id(run)]) {
            try $0.timestamp(at: 0)
        }
        return PlaceInTime(time: time ?? Timestamp(millisecondsSince1970: 0), number: run.number)
    }

    /// Returns the streams whose records one run changed.
    package func changedRuns(of run: RunID) throws -> [ChangedRun] {
        try reading {
            let streams: [StreamID] = try connection.rows(
                """
                SELECT stream_id FROM _garner_streams
                WHERE EXISTS (SELECT 1 FROM _garner_changes AS change
                    WHERE change.stream_id = _garner_streams.stream_id AND run_id = ?1) ORDER BY stream_id
                """, [.id(run)]
            ) { $0.id(at: 0) }
            return try streams.map { try changedRun(run, of: $0) }
        }
    }

    /// Calls `body` with the changes that a run made to the records of a stream, in the order of their keys.
    package func forEachChange(
        of changed: ChangedRun, limit: Int, offset: Int = 0, _ body: (RecordChange) throws -> Void
    ) throws {
        try reading {
            let streamID = try streamID(matching: changed.stream)
            let table = try ChangedTable(streamID: streamID, on: connection)
            let statement = try Statement(
                """
                SELECT stream_id, run_id, record_key, operation, ?5 FROM _garner_changes
                WHERE stream_id = ?1 AND run_id = ?2 ORDER BY record_key LIMIT ?3 OFFSET ?4
                """, on: connection)
            try statement.bind([
                .id(streamID), .id(changed.run), .integer(Int64(limit)), .integer(Int64(offset)),
                Value(changed.at?.description),
            ])
            defer { statement.reset() }
            while try statement.step() { try body(Self.change(of: table, statement)) }
        }
    }

    private func lastChange(of stream: StreamID, before run: Int64) throws -> RunID? {
        try connection.integer(
            "SELECT max(run_id) FROM _garner_changes WHERE stream_id = ?1 AND run_id < ?2", .id(stream), .integer(run)
        ).map { RunID($0) }
    }

    private func changedRun(_ run: RunID, of stream: StreamID) throws -> ChangedRun {
        let counts = try connection.rows(
            """
            SELECT operation, count(*) FROM (
                SELECT operation FROM _garner_changes WHERE stream_id = ?1 AND run_id = ?2 LIMIT ?3) GROUP BY operation
            """, [.id(stream), .id(run), .integer(Int64(Self.countedChanges + 1))]
        ) { try ($0.value(RecordChange.Operation.self, at: 0), Int($0.integer(at: 1))) }
        let byOperation = Dictionary(counts) { $0 + $1 }
        let (name, table, at) =
            try connection.firstRow(
                """
                SELECT name, table_name, (SELECT coalesce(ended_at, started_at) FROM _garner_runs WHERE run_id = ?2)
                FROM _garner_streams WHERE stream_id = ?1
                """, [.id(stream), .id(run)]
            ) { try ($0.text(at: 0), $0.text(at: 1), $0.optionalTimestamp(at: 2)) } ?? ("", "", nil)
        return ChangedRun(
            run: run, stream: name, table: table, at: at, inserted: byOperation[.insert] ?? 0,
            updated: byOperation[.update] ?? 0, deleted: byOperation[.delete] ?? 0,
            isCapped: counts.reduce(0) { $0 + $1.1 } > Self.countedChanges)
    }
}
