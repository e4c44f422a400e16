import GarnerCatalog
package import GarnerModel
import GarnerSQLite

// Downloads the files that records point to, on the store's thread.
extension DatabaseWriter {
    /// Returns the records, from a place on, whose file in `field` is to be requested.
    package func dueFiles(of id: RunID, in field: String, from place: FilePlace, limit: Int) async throws -> [DueFile] {
        try await perform(inGroup: true) {
            let run = try open(id)
            guard let schema = try TableSchema(streamID: run.streamID, table: run.stream.table, on: connection) else {
                return []
            }
            guard let index = schema.index(ofField: field) else { return [] }
            return try AttachmentTable(streamID: run.streamID, connection: connection)
                .due(field, in: schema.columns[index].name, of: schema, run, from: place, limit: limit)
        }
    }

    /// Stores a received file or the reason for its absence, with the run's counters. Small files share transactions as pages do.
    ///
    /// - Returns: The counts of what is committed.
    package nonisolated func keep(_ outcome: AttachmentOutcome, for id: RunID) async throws -> RunCounts {
        waiting.add(id)
        return try await keepNext(outcome, for: id)
    }

    private func keepNext(_ outcome: AttachmentOutcome, for id: RunID) async throws -> RunCounts {
        waiting.remove(id)
        let isAlone = waits.synchronous == .full
        let joinsOthers = !isAlone && joinsGroup(of: id) { $0.takes(outcome) }
        return try await perform(inGroup: true, isInterruptible: !joinsOthers) {
            try add(
                outcome.requests, of: id, isAlone: isAlone, joinsOthers: joinsOthers, { .requested }
            ) { run in
                run.counts.add(outcome.requests)
                for request in outcome.requests { try request.insert(run: id, on: connection) }
                try AttachmentTable(streamID: run.streamID, connection: connection).note(outcome, run, now: now())
                try run.saveRead(at: now(), on: connection)
                try RunTable(connection: connection).update(id, run.counts)
                return nil
            }.counts
        }
    }
}
