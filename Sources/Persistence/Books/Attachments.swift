import GarnerCatalog
import GarnerDatabase
import GarnerDigest
import GarnerModel
import GarnerSQLite

/// The rows of `_garner_attachments` of one stream, and their files.
struct AttachmentTable {
    let streamID: StreamID
    let connection: Connection

    /// Returns the records, from a place on, whose file was not requested in this read, or failed in an earlier run of it.
    func due(
        _ field: String, in column: String, of schema: TableSchema, _ run: OpenRun, from place: FilePlace, limit: Int
    )
        throws -> [DueFile]
    {
        let due = Due(field, in: column, of: schema, streamID, run)
        return try connection.rows(
            """
            SELECT record._rowid_, \(due.url),
            CASE WHEN known.sha256 IS NOT NULL AND known.scope = ?5 THEN known.validator END \(due.sql)
            AND record._rowid_ >= ?6 ORDER BY record._rowid_ LIMIT ?7
            """, due.values + [.text(run.scope), .integer(place.row), .integer(Int64(limit))]
        ) {
            DueFile(
                next: FilePlace(after: $0.integer(at: 0)), url: $0.text(at: 1),
                validator: run.isUnconditional ? nil : $0.optionalText(at: 2))
        }
    }

    /// Returns the number of different files that `due` would return in all.
    func dueCount(_ field: String, in column: String, of schema: TableSchema, _ run: OpenRun) throws -> Int {
        let due = Due(field, in: column, of: schema, streamID, run)
        return try connection.firstRow("SELECT count(DISTINCT \(due.url)) \(due.sql)", due.values) {
            Int($0.integer(at: 0))
        } ?? 0
    }

    /// The selection of the records whose files a run requests.
    private struct Due {
        let url: String
        /// The clauses FROM and WHERE, with the parameters 1 to 4.
        let sql: String
        let values: [Value]

        init(_ field: String, in column: String, of schema: TableSchema, _ streamID: StreamID, _ run: OpenRun) {
            url = "record.\(quoted(column))"
            // A column of texts has the JSON of other values.
            let isURL = "typeof(\(url)) = 'text' AND \(url) <> '' AND NOT json_valid(\(url))"
            let isThere = schema.marksDeletion ? "AND record.\(TableSchema.deletionColumn) IS NULL" : ""
            sql = """
                FROM \(quoted(schema.table)) AS record LEFT JOIN _garner_attachments AS known
                ON known.stream_id = ?1 AND known.field = ?2 AND known.url = \(url)
                WHERE \(isURL) \(isThere)
                AND (known.url IS NULL OR known.read_id <> ?3 OR (known.error_kind IS NOT NULL AND known.run_id <> ?4))
                """
            values = [.id(streamID), .text(field), .id(run.readID), .id(run.id)]
        }
    }

    /// Notes the result of a request. The stored file stays until another version of it has been received.
    func note(_ outcome: AttachmentOutcome, _ run: OpenRun, now: Timestamp) throws {
        var failure: (kind: String, message: String)?
        if case .failed(let kind, let message) = outcome.content { failure = (kind, message) }
        var received: (sha256: String, validator: String?)?
        if case .file(let file, let validator) = outcome.content {
            try insert(file)
            received = (file.sha256, validator)
        }
        try connection.execute(
            """
            INSERT INTO _garner_attachments
            (stream_id, field, url, read_id, run_id, asked_at, error_kind, error_message, sha256, validator, scope)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            ON CONFLICT (stream_id, field, url) DO UPDATE SET read_id = excluded.read_id, run_id = excluded.run_id,
            asked_at = excluded.asked_at, error_kind = excluded.error_kind, error_message = excluded.error_message,
            sha256 = coalesce(excluded.sha256, sha256),
            validator = iif(excluded.sha256 IS NULL, validator, excluded.validator),
            scope = iif(excluded.sha256 IS NULL, scope, excluded.scope)
            """, .id(streamID), .text(outcome.field), .text(outcome.url), .id(run.readID), .id(run.id),
            .text(now.description), Value(failure?.kind), Value(failure?.message), Value(received?.sha256),
            Value(received?.validator), Value(received.map { _ in run.scope }))
    }

    /// Returns the warning about the files that the run asked for in vain; nil if there are none.
    ///
    /// It leaves out, and forgets, the failures of records that the run has deleted: no later run asks for their files.
    func failureWarning(of schema: TableSchema?, _ run: OpenRun) throws -> String? {
        let failed = "stream_id = ?1 AND run_id = ?2 AND error_kind IS NOT NULL"
        let values: [Value] = [.id(streamID), .id(run.id)]
        if let schema, run.counts.deleted > 0 {
            let fields = try connection.rows("SELECT DISTINCT field FROM _garner_attachments WHERE \(failed)", values) {
                $0.text(at: 0)
            }
            for field in fields {
                guard let index = schema.index(ofField: field) else { continue }
                let url = quoted(schema.columns[index].name)
                let isThere = schema.marksDeletion ? "AND \(TableSchema.deletionColumn) IS NULL" : ""
                try connection.execute(
                    """
                    UPDATE _garner_attachments SET error_kind = NULL, error_message = NULL
                    WHERE \(failed) AND field = ?3 AND url NOT IN (
                        SELECT \(url) FROM \(quoted(schema.table)) WHERE \(url) IS NOT NULL \(isThere))
                    """, values[0], values[1], .text(field))
            }
        }
        let messages = "SELECT count(*), error_message, field, min(asked_at) FROM _garner_attachments WHERE \(failed)"
        guard
            let (count, message, field) = try connection.firstRow(
                messages, values,
                decode: {
                    ($0.integer(at: 0), $0.optionalText(at: 1) ?? "", $0.optionalText(at: 2) ?? "")
                }), count > 0
        else { return nil }
        let told = "\(message)\(Self.remedy(for: message, field))"
        return count == 1
            ? "an attachment of '\(field)' could not be fetched, which the next run tries again; \(told)"
            : "\(count) attachments could not be fetched, which the next run tries again; the first, of '\(field)': \(told)"
    }

    /// Returns what to do about the failure of a file, behind a semicolon; nothing where the message says it.
    private static func remedy(for message: String, _ field: String) -> String {
        let sent = /^the file is ([\w.+-]+\/[\w.+-]+)(?: *;.*?)? instead of ([\w.+*\/, -]+?)(?: \(|$)/
        guard let match = message.firstMatch(of: sent) else {
            if message.contains(" is a loopback, private or reserved address") {
                return "; set allow_private_network: true if this host is meant"
            }
            return message.hasPrefix("HTTP 404")
                ? "; remove '\(field)' from attachments if it holds no URLs of files" : ""
        }
        let types = (match.2.split(separator: ", ") + [match.1]).map { YAMLText.scalar($0.lowercased()) }
        let line = "{ field: \(YAMLText.scalar(field)), media_types: [\(types.joined(separator: ", "))] }"
        let page = match.1.lowercased() == "text/html" ? ", else it may be a page that asks for a login" : ""
        return "; write \(line) in attachments if such files are meant\(page)"
    }

    private func insert(_ file: StoredFile) throws {
        let isKnown = "SELECT 1 FROM _garner_blobs WHERE sha256 = ?1"
        guard try connection.integer(isKnown, .text(file.sha256)) == nil else { return }
        try connection.execute(
            "INSERT INTO _garner_blobs (sha256, media_type, length, content) VALUES (?1, ?2, ?3, ?4)",
            .text(file.sha256), .text(file.mediaType), .integer(Int64(file.bytes.count)), .blob(file.bytes))
    }
}

/// A file that a run has to request.
package struct DueFile: Sendable, Equatable {
    /// The row of the first record with this URL. Later files have greater rows.
    package let next: FilePlace?
    /// The URL as it stands in the record.
    package let url: String
    /// The validator by which the server can tell whether the stored file has changed.
    package let validator: String?
}

/// A place in the order of due files.
package struct FilePlace: Sendable, Equatable {
    package static let first = FilePlace(row: .min)

    let row: Int64

    private init(row: Int64) { self.row = row }

    init?(after row: Int64) {
        guard row < .max else { return nil }
        self.init(row: row + 1)
    }
}

/// The result of a request for a file.
package struct AttachmentOutcome: Sendable {
    package enum Content: Sendable {
        case file(StoredFile, validator: String?)
        /// The stored file is still current, or there is none and none is needed.
        case asBefore
        case failed(kind: String, message: String)
    }

    let field: String
    let url: String
    let content: Content
    let requests: [RequestRecord]

    package init(field: String, url: String, _ content: Content, requests: [RequestRecord]) {
        self.field = field
        self.url = url
        self.content = content
        self.requests = requests
    }
}

/// The bytes of a file and their digest.
package struct StoredFile: Sendable {
    let sha256: String
    let mediaType: String
    let bytes: [UInt8]

    package init(mediaType: String, _ bytes: [UInt8]) {
        sha256 = SHA256.hexDigest(of: bytes)
        self.mediaType = mediaType
        self.bytes = bytes
    }
}
