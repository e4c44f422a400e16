import Catalog
import SQLite

/// The rows of `_garner_attachments` of one stream, and the files that they lead to.
struct AttachmentTable {
    let streamID: Int64
    let connection: Connection

    /// The records from a place on whose file this read has not asked for, or another run of it without success.
    func due(_ field: String, in column: String, of schema: TableSchema, _ run: OpenRun, from row: Int64, limit: Int)
        throws -> [DueFile]
    {
        let due = Due(field, in: column, of: schema, streamID, run)
        return try connection.rows(
            """
            SELECT record._rowid_, \(due.url),
            CASE WHEN known.sha256 IS NOT NULL AND known.scope = ?5 THEN known.validator END \(due.sql)
            AND record._rowid_ >= ?6 ORDER BY record._rowid_ LIMIT ?7
            """, due.values + [.text(run.scope), .integer(row), .integer(Int64(limit))]
        ) {
            DueFile(
                row: $0.integer(at: 0), url: $0.text(at: 1),
                validator: run.isUnconditional ? nil : $0.optionalText(at: 2))
        }
    }

    /// How many different files `due` would give in all.
    func dueCount(_ field: String, in column: String, of schema: TableSchema, _ run: OpenRun) throws -> Int {
        let due = Due(field, in: column, of: schema, streamID, run)
        return try connection.firstRow("SELECT count(DISTINCT \(due.url)) \(due.sql)", due.values) {
            Int($0.integer(at: 0))
        } ?? 0
    }

    /// Which records' files a run asks for.
    private struct Due {
        let url: String
        /// FROM and WHERE, with the parameters 1 to 4.
        let sql: String
        let values: [Value]

        init(_ field: String, in column: String, of schema: TableSchema, _ streamID: Int64, _ run: OpenRun) {
            url = "record.\(quoted(column))"
            let isThere = schema.marksDeletion ? "AND record.\(TableSchema.deletionColumn) IS NULL" : ""
            sql = """
                FROM \(quoted(schema.table)) AS record LEFT JOIN _garner_attachments AS known
                ON known.stream_id = ?1 AND known.field = ?2 AND known.url = \(url)
                WHERE typeof(\(url)) = 'text' AND \(url) <> '' \(isThere)
                AND (known.url IS NULL OR known.read_id <> ?3 OR (known.error_kind IS NOT NULL AND known.run_id <> ?4))
                """
            values = [.integer(streamID), .text(field), .integer(run.readID), .integer(run.id)]
        }
    }

    /// Notes that a file was asked for. What is stored of it stays until another state of it has come in.
    func note(_ outcome: AttachmentOutcome, _ run: OpenRun, now: Timestamp) throws {
        var failure: (kind: String, message: String)?
        if case .failed(let kind, let message) = outcome.content { failure = (kind, message) }
        try connection.execute(
            """
            INSERT INTO _garner_attachments
            (stream_id, field, url, read_id, run_id, asked_at, error_kind, error_message)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (stream_id, field, url) DO UPDATE SET read_id = excluded.read_id, run_id = excluded.run_id,
            asked_at = excluded.asked_at, error_kind = excluded.error_kind, error_message = excluded.error_message
            """, .integer(streamID), .text(outcome.field), .text(outcome.url), .integer(run.readID), .integer(run.id),
            .text(now.description), Value(failure?.kind), Value(failure?.message))
        guard case .file(let file, let validator) = outcome.content else { return }
        try insert(file)
        try connection.execute(
            """
            UPDATE _garner_attachments SET sha256 = ?4, validator = ?5, scope = ?6
            WHERE stream_id = ?1 AND field = ?2 AND url = ?3
            """, .integer(streamID), .text(outcome.field), .text(outcome.url), .text(file.sha256), Value(validator),
            .text(run.scope))
    }

    private func insert(_ file: StoredFile) throws {
        let isKnown = "SELECT 1 FROM _garner_blobs WHERE sha256 = ?1"
        guard try connection.integer(isKnown, .text(file.sha256)) == nil else { return }
        try connection.execute(
            "INSERT INTO _garner_blobs (sha256, media_type, length, content) VALUES (?1, ?2, ?3, ?4)",
            .text(file.sha256), .text(file.mediaType), .integer(Int64(file.bytes.count)), .blob(file.bytes))
    }
}
