import CSQLite

/// The columns of the current row, numbered from 0; valid after `step()` returned true.
extension Statement {
    package enum ColumnKind: Sendable {
        case null, integer, real, text, blob
    }

    package var columnCount: Int32 { sqlite3_column_count(handle) }

    package func columnName(at index: Int32) -> String {
        sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
    }

    package var columnNames: [String] { (0..<columnCount).map(columnName) }

    package func kind(at index: Int32) -> ColumnKind {
        switch sqlite3_column_type(handle, index) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    package func integer(at index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

    package func real(at index: Int32) -> Double { sqlite3_column_double(handle, index) }

    package func text(at index: Int32) -> String { String(decoding: bytes(at: index), as: UTF8.self) }

    /// nil where the value is NULL.
    package func optionalText(at index: Int32) -> String? { kind(at: index) == .null ? nil : text(at: index) }

    /// nil where the value is NULL.
    package func optionalInteger(at index: Int32) -> Int64? { kind(at: index) == .null ? nil : integer(at: index) }

    /// The bytes of a TEXT or BLOB, in place until the next step or reset.
    package func bytes(at index: Int32) -> UnsafeBufferPointer<UInt8> {
        // "The safest policy is to invoke sqlite3_column_text() followed by sqlite3_column_bytes()"
        // (sqlite.org/c3ref/column_blob.html); a blob must not be converted to text.
        let start =
            sqlite3_column_type(handle, index) == SQLITE_BLOB
            ? sqlite3_column_blob(handle, index)?.assumingMemoryBound(to: UInt8.self)
            : sqlite3_column_text(handle, index)
        // Nowhere for an empty blob, and where there was no memory, which the next step throws.
        return UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, index)))
    }

    package func value(at index: Int32) -> Value {
        switch kind(at: index) {
        case .null: .null
        case .integer: .integer(integer(at: index))
        case .real: .real(real(at: index))
        case .text: .text(text(at: index))
        case .blob: .blob(Array(bytes(at: index)))
        }
    }
}
