import GarnerCatalog
package import GarnerModel
import GarnerSQLite

// Downloads the files that records point to, on the store's thread.
extension DatabaseWriter {
    /// Returns the records, from a place on, whose file in `field` is to be requested.
    package func dueFiles(of id: RunID, in field: String, from place: FilePlace, limit: Int) async throws -> [DueFile] {
        try await perform {
            let run = try open(id)
            guard let schema = try TableSchema(streamID: run.streamID, table: run.stream.table, on: connection) else {
                return []
            }
            guard let index = schema.index(ofField: field) else { return [] }
            return try AttachmentTable(streamID: run.streamID, connection: connection)
                .due(field, in: schema.columns[index].name, of: schema, run, from: place, limit: limit)
        }
    }

    /// Stores a received file or the reason for its absence, with the run's counters.
    package func keep(_ outcome: AttachmentOutcome, for id: RunID) async throws -> RunCounts {
        try await perform {
            var run = try open(id)
            try log.requireRoom(on: connection)
            run.counts.add(outcome.requests)
            try connection.transaction {
                for request in outcome.requests { try request.insert(run: id, on: connection) }
                try AttachmentTable(streamID: run.streamID, connection: connection).note(outcome, run, now: now())
                try run.read?.save(of: run.streamID, at: now(), on: connection)
                try RunTable(connection: connection).update(id, run.counts)
            }
            runs[id] = run
            return run.counts
        }
    }
}
