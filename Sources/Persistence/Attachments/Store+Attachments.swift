import Catalog
import SQLite

// What a run does about files that its records point to, on the store's thread.
extension Store {
    func dueFilesNow(_ id: Int64, _ field: String, from row: Int64, limit: Int) throws -> [DueFile] {
        let run = try open(id)
        guard let schema = try TableSchema(streamID: run.streamID, table: run.stream.table, on: connection) else {
            return []
        }
        guard let index = schema.index(ofField: field) else {
            runs[id]?.attachments.unknownFields.insert(field)
            return []
        }
        return try AttachmentTable(streamID: run.streamID, connection: connection)
            .due(field, in: schema.columns[index].name, of: schema, run, from: row, limit: limit)
    }

    func keepNow(_ outcome: AttachmentOutcome, _ id: Int64) throws -> RunCounts {
        var run = try open(id)
        try log.requireRoom(on: connection)
        run.counts.add(outcome.requests)
        if case .failed(_, let message) = outcome.content { run.attachments.noteFailure(message) }
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

/// What is to be told of a run's files when it ends.
struct AttachmentTroubles {
    var unknownFields: Set<String> = []
    private var failures = 0
    private var firstMessage = ""

    mutating func noteFailure(_ message: String) {
        if failures == 0 { firstMessage = message }
        failures += 1
    }

    var warnings: [String] {
        let unknown = unknownFields.sorted().map { "attachments: no record has ever had the field '\($0)'" }
        guard failures > 0 else { return unknown }
        let subject = failures == 1 ? "an attachment" : "\(failures) attachments"
        let first = failures == 1 ? "" : "the first: "
        return unknown + ["\(subject) could not be fetched, which the next run tries again; \(first)\(firstMessage)"]
    }
}
