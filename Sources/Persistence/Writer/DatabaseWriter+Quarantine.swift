package import GarnerCatalog
import GarnerDatabase
import GarnerJSON
package import GarnerModel
import GarnerSQLite

// Loads records from quarantine or deletes them, on the store's thread.
extension DatabaseWriter {
    /// Deletes records from quarantine. Returns their number.
    ///
    /// - Parameters:
    ///   - chosen: The numbers of the records; nil for all.
    ///   - stream: The full name of the stream to which they must belong; nil for any.
    package func dropQuarantined(_ chosen: [Int64]? = nil, of stream: String? = nil) async throws -> Int {
        try await perform {
            try connection.transaction {
                try connection.execute(
                    """
                    DELETE FROM _garner_quarantine
                    WHERE (?1 IS NULL OR quarantine_id IN (SELECT value FROM json_each(?1)))
                    AND (?2 IS NULL OR stream_id = (SELECT stream_id FROM _garner_streams WHERE name = ?2))
                    """, Value(chosen.map { "\($0)" }), Value(stream))
                return connection.changes
            }
        }
    }

    /// Begins a run of the stream that fetches nothing, but loads records from quarantine.
    ///
    /// It is ended by `finishRetry`, or by `end` after a failure.
    package func beginRetry(of stream: StreamConfiguration) async throws -> RunID {
        try await perform {
            try connection.transaction {
                let registered = try StreamRegistry(connection: connection).register(stream)
                if let refusal = registered.refusal { throw refusal }
                let streamID = registered.id
                guard !runs.values.contains(where: { $0.streamID == streamID }) else {
                    throw PersistenceError(
                        .locked, "a run of \(stream.name) is under way", hint: "wait until it has ended")
                }
                var stream = registered.applied(to: stream)
                stream.schemaContract = stream.schemaContract.sparing
                let id = try RunTable(connection: connection)
                    .insert(streamID: streamID, read: nil, .manual(), startedAt: now())
                try connection.execute("UPDATE _garner_runs SET is_retry = 1 WHERE run_id = ?1", .id(id))
                let table = try StreamTable(
                    of: stream, streamID: streamID, beginsRead: false, beganAt: now(), on: connection)
                try table.beginHistory(at: now())
                tables[streamID] = table
                runs[id] = OpenRun(
                    id: id, stream: stream, registered, identity: "", credential: "", isUnconditional: true,
                    read: nil)
                // It may store records before it fails.
                runs[id]?.isOpened = true
                return id
            }
        }
    }

    /// Loads the next records again in one transaction. Returns the progress; nil if no record was left.
    ///
    /// - Parameters:
    ///   - chosen: The numbers of the records; nil for all of the stream.
    ///   - fields: The fields that are left out or hashed by now; nil if there are none.
    package func retry(
        after place: QuarantinePlace, among chosen: [Int64]? = nil, hiding fields: HiddenFields? = nil, in id: RunID
    ) async throws -> QuarantinePlace? {
        try await perform {
            var run = try open(id)
            do {
                let last = try connection.transaction { () -> QuarantinedRecord? in
                    let held = try QuarantinedRecord.batch(
                        of: run.streamID, after: place, among: chosen.map { "\($0)" }, on: connection
                    ).map { record in fields.map(record.cleaned) ?? record }
                    guard let last = held.last else { return nil }
                    let table = try table(of: run)
                    run.counts.add(try table.writing { try table.retry(held, run: id, now: now()) })
                    try RunTable(connection: connection).update(id, run.counts)
                    return last
                }
                runs[id] = run
                return last.map(QuarantinePlace.init(of:))
            } catch {
                // The cached table may hold changes that were rolled back.
                tables[run.streamID] = nil
                throw error
            }
        }
    }

    package func finishRetry(_ id: RunID) async throws -> RunRecord {
        try await perform {
            let run = try open(id)
            let left = run.counts.quarantined
            let refusal = left > 0 ? try firstRefusal(of: run.streamID) : nil
            let warning = refusal.map {
                "\(left.counted("record")) could not be stored and \(left == 1 ? "stays" : "stay") in quarantine; the first of them: "
                    + $0.text
            }
            let record = try connection.transaction {
                try end(
                    run, as: .succeeded, run.counts,
                    warnings: [warning].compactMap(\.self) + generalWarnings(run, table(of: run)))
            }
            runs[id] = nil
            return record
        }
    }
}

extension DatabaseWriter {
    /// Returns why the first record in quarantine could not be stored, with what to do where it has no key; nil if there is none.
    ///
    /// - Parameters:
    ///   - run: The latest run that has met it; nil for any.
    ///   - onlyNew: true for records that no earlier run has met.
    func firstRefusal(
        of stream: StreamID, in run: RunID? = nil, onlyNew: Bool = false
    ) throws -> (text: String, isOfKey: Bool)? {
        var values: [Value] = [.id(stream)]
        if let run { values.append(.id(run)) }
        let chosen = (run == nil ? "" : " AND run_id = ?2") + (onlyNew ? " AND times = 1" : "")
        let found = try connection.firstRow(
            """
            SELECT reason, record FROM _garner_quarantine WHERE stream_id = ?1\(chosen)
            ORDER BY quarantine_id LIMIT 1
            """, values,
            decode: { ($0.optionalText(at: 0) ?? "", $0.optionalText(at: 1) ?? "") })
        guard let (reason, record) = found else { return nil }
        guard reason.wholeMatch(of: /the key '.*' is (?:null|missing)/) != nil else { return (reason, false) }
        let document = try? Document(parsing: Bytes(record.utf8))
        let hasID = document?.withRoot { $0["id"].map { $0.kind != .null } ?? false } ?? false
        return ("\(reason); set primary_key to fields that every record has\(hasID ? ", such as id" : "")", true)
    }
}

extension SchemaContract {
    /// The same contract for records in quarantine: a record that still does not fit stays there.
    fileprivate var sparing: SchemaContract {
        func spared(_ mode: Mode) -> Mode { mode == .freeze || mode == .discardRow ? .quarantine : mode }
        return SchemaContract(tables: spared(tables), columns: spared(columns), dataTypes: spared(dataTypes))
    }
}
