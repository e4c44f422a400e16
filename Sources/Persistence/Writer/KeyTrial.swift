package import GarnerCatalog
package import GarnerJSON
package import GarnerModel
import GarnerSQLite

/// The records of a first page, stored in a database in memory to see what a sync would say of their keys.
package enum KeyTrial {
    /// Returns what a sync would warn of: records without the configured key, and records that share one.
    ///
    /// Throws `PersistenceError` if the first sync would fail.
    ///
    /// - Parameter deletions: The indices of the records whose rows would be deleted.
    package static func warnings(
        of stream: StreamConfiguration, storing records: Selection, deleting deletions: Set<Int>, in slice: FirstSlice,
        now: Timestamp
    ) throws -> [String] {
        guard stream.primaryKey != nil, stream.writeDisposition != .append, !stream.dedupes else { return [] }
        var stream = stream
        // The slice has what is stored with its records. A new table keeps no contract.
        (stream.parent, stream.partitions, stream.schemaContract) = (nil, [], SchemaContract())
        (stream.history, stream.search) = (false, [])
        let connection = try Connection(path: ":memory:", mode: .readWrite)
        try Migrator(connection: connection, now: now).migrate()
        return try connection.transaction {
            let streamID = try StreamRegistry(connection: connection).register(stream).id
            let run = try RunTable(connection: connection).insert(
                streamID: streamID, read: nil, .manual(), startedAt: now)
            let table = try StreamTable(
                of: stream, streamID: streamID, beginsRead: true, beganAt: now, on: connection)
            let page = PageCommit(
                content: .records(records), position: "", slice: SliceID(0), continuation: .complete, url: "",
                requests: [])
            var refusals: [String] = []
            table.evidence.beginPage(page, hasKey: true, isInferred: false)
            _ = try slice.added.with { added in
                try table.load(records, deleting: deletions, adding: added, run: run, now: now) { _, _, reason in
                    if reason.hasPrefix("the key '") { refusals.append(reason) }
                } noting: { key, place, change in
                    table.evidence.stored(key, at: place, isNew: change.isInsertion, isUpdate: change.isUpdate)
                }
            }
            try table.judgeKeys(of: records, slice.added)
            var warnings =
                table.sharingWarning.map { ["\($0); of each the last one would be stored; \(table.sharingAdvice)"] }
                ?? []
            if let reason = refusals.first {
                let share =
                    refusals.count == records.count
                    ? "none of the records could be stored"
                    : "\(refusals.count) of the \(records.count) records could not be stored"
                warnings.append("\(share): \(reason); set primary_key to fields that every record has")
            }
            return warnings
        }
    }
}
