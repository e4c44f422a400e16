import GarnerDatabase
package import GarnerModel
import GarnerSQLite

/// The stored data of the file that a field of a record points to.
package struct StoredAttachment: Sendable, Equatable {
    package let field: String
    package let url: String
    /// The digest; like the next three, nil if the file has never been received.
    package let sha256: String?
    package let mediaType: String?
    package let length: Int?
    /// The error of the last request; nil if it succeeded.
    package let error: String?
}

/// A file that could not be fetched.
package struct FailedFile: Sendable, Equatable {
    package let field: String
    package let url: String
    package let reason: String
    package let askedAt: Timestamp
}

/// One row of a table.
package struct RecordPlace: Sendable, Equatable {
    package let table: String
    let row: Int64
}

extension ReadOnlyDatabase {
    /// Returns the record with this key. The parts have the order of the table's key.
    package func place(in name: String, key: [String]) throws -> RecordPlace {
        try reading {
            let (streamID, table) = try streamTable(name)
            let columns = try keyColumns(of: table, streamID: streamID, for: key)
            // "NUMERIC affinity is applied to the other operand" (sqlite.org/datatype3.html#affinity_of_comparisons).
            let condition = columns.enumerated().map { "\(quoted($1.name)) = ?\($0 + 1)" }.joined(separator: " AND ")
            let row = try connection.firstRow(
                "SELECT _rowid_ FROM \(quoted(table)) WHERE \(condition)", key.map { .text($0) }
            ) { $0.integer(at: 0) }
            guard let row else { throw unknownRecord(in: table, columns, key) }
            return RecordPlace(table: table, row: row)
        }
    }

    /// Returns this record alone.
    package func rows(at place: RecordPlace) throws -> RowCursor {
        try rows(for: RowRequest(table: place.table, condition: "_rowid_ = \(place.row)", deleted: .shown))
    }

    /// Returns the columns of a table's key. Throws unless it has as many parts as this one.
    func keyColumns(of table: String, streamID: StreamID, for key: [String]) throws -> [Column] {
        let columns = try TableSchema(streamID: streamID, table: table, on: connection)?.key ?? []
        guard !columns.isEmpty else {
            throw PersistenceError(.request, "the table \(table) has no primary key", hint: .filter(table: table))
        }
        guard columns.count == key.count else {
            let names = columns.map(\.name).joined(separator: ", ")
            let values = key.map { Int64($0) == nil ? sqlLiteral($0) : $0 }.joined(separator: ", ")
            throw PersistenceError(
                .request, "the key of the table \(table) has \(columns.count.counted("part")): \(names)",
                hint: columns.count == 1
                    ? .filter(table: table, condition: "\(quoted(names)) IN (\(values))")
                    : "give a value for each, in this order")
        }
        return columns
    }

    func unknownRecord(in table: String, _ columns: [Column], _ key: [String]) -> PersistenceError {
        let names = columns.map(\.name).joined(separator: ", ")
        let values = zip(columns, key).map { column, value in
            value.hasPrefix("\(column.name)=") ? String(value.dropFirst(column.name.count + 1)) : value
        }
        return PersistenceError(
            .request, "the table \(table) has no record whose \(names) is \(key.joined(separator: ", "))",
            hint: values == key ? .browse(table: table) : "give the value alone: \(values.joined(separator: " "))")
    }

    /// Returns the data of the files that the record points to, in the order of its fields' names.
    package func attachments(of place: RecordPlace) throws -> [StoredAttachment] {
        try reading {
            let (streamID, table) = try streamTable(place.table)
            guard let schema = try TableSchema(streamID: streamID, table: table, on: connection) else { return [] }
            let fields = try connection.rows(
                "SELECT DISTINCT field FROM _garner_attachments WHERE stream_id = ?1 ORDER BY field",
                [.id(streamID)]
            ) { $0.text(at: 0) }
            return try fields.compactMap { field in
                guard let index = schema.index(ofField: field) else { return nil }
                let url = "record.\(quoted(schema.columns[index].name))"
                return try connection.firstRow(
                    """
                    SELECT link.field, link.url, link.sha256, file.media_type, file.length, link.error_message
                    FROM \(quoted(table)) AS record
                    JOIN _garner_attachments AS link ON link.stream_id = ?1 AND link.field = ?2 AND link.url = \(url)
                    LEFT JOIN _garner_blobs AS file ON file.sha256 = link.sha256 WHERE record._rowid_ = ?3
                    """, [.id(streamID), .text(field), .integer(place.row)],
                    decode: StoredAttachment.init)
            }
        }
    }

    /// Returns the files that the latest read of a stream asked for in vain. O(files of the stream).
    package func failedFiles(of stream: StreamName, limit: Int) throws -> [FailedFile] {
        try reading {
            // A file that an earlier read asked for belongs to no record any more.
            try connection.rows(
                """
                WITH file AS (SELECT * FROM _garner_attachments WHERE stream_id = (
                    SELECT stream_id FROM _garner_streams WHERE name = ?1))
                SELECT field, url, error_message, asked_at FROM file
                WHERE error_kind IS NOT NULL AND read_id = (SELECT max(read_id) FROM file) LIMIT ?2
                """, [.text(stream.description), .integer(Int64(limit))]
            ) { row in
                try FailedFile(
                    field: row.text(at: 0), url: row.text(at: 1), reason: row.optionalText(at: 2) ?? "",
                    askedAt: row.timestamp(at: 3))
            }
        }
    }

    /// Returns the bytes of a stored file.
    package func content(ofFile sha256: String) throws -> [UInt8] {
        try reading {
            let content = try connection.firstRow(
                "SELECT content FROM _garner_blobs WHERE sha256 = ?1", [.text(sha256)]
            ) { Array($0.bytes(at: 0)) }
            guard let content else {
                throw PersistenceError(.request, "there is no file \(sha256)", hint: .syncToFetchMissing)
            }
            return content
        }
    }

    /// Returns the digests and media types of the stored files that a table's records point to, each file once.
    package func files(of name: String) throws -> [(sha256: String, mediaType: String)] {
        try reading {
            let (streamID, table) = try streamTable(name)
            guard let schema = try TableSchema(streamID: streamID, table: table, on: connection) else { return [] }
            let fields = try connection.rows(
                "SELECT DISTINCT field FROM _garner_attachments WHERE stream_id = ?1", [.id(streamID)]
            ) { $0.text(at: 0) }
            var types: [String: String] = [:]
            for field in fields {
                guard let index = schema.index(ofField: field) else { continue }
                let url = "record.\(quoted(schema.columns[index].name))"
                let rows = try connection.rows(
                    """
                    SELECT DISTINCT file.sha256, file.media_type FROM \(quoted(table)) AS record
                    JOIN _garner_attachments AS link ON link.stream_id = ?1 AND link.field = ?2 AND link.url = \(url)
                    JOIN _garner_blobs AS file ON file.sha256 = link.sha256
                    """, [.id(streamID), .text(field)]
                ) { ($0.text(at: 0), $0.text(at: 1)) }
                types.merge(rows) { first, _ in first }
            }
            return types.map { (sha256: $0, mediaType: $1) }.sorted { $0.sha256 < $1.sha256 }
        }
    }
}

extension StoredAttachment {
    fileprivate init(_ row: Statement) {
        self.init(
            field: row.text(at: 0), url: row.text(at: 1), sha256: row.optionalText(at: 2),
            mediaType: row.optionalText(at: 3), length: row.optionalInteger(at: 4).map { Int($0) },
            error: row.optionalText(at: 5))
    }
}
