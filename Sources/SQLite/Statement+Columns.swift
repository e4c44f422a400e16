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

    /// As the column of a table is declared; nil for what is calculated.
    package func declaredType(at index: Int32) -> String? {
        sqlite3_column_decltype(handle, index).map { String(cString: $0) }
    }

    /// One value of the current row, in place until the next step or reset.
    ///
    /// It is looked up once: each `sqlite3_column_…` does that anew, a fifth of an export's time. "In a multithreaded
    /// environment, an unprotected sqlite3_value object may only be used safely with …" (sqlite.org/c3ref/value.html): a
    /// connection here is used by one thread at a time.
    package struct Column {
        private let value: OpaquePointer?

        fileprivate init(_ value: OpaquePointer?) { self.value = value }

        package var kind: ColumnKind {
            switch sqlite3_value_type(value) {
            case SQLITE_INTEGER: .integer
            case SQLITE_FLOAT: .real
            case SQLITE_TEXT: .text
            case SQLITE_BLOB: .blob
            default: .null
            }
        }

        package var real: Double { sqlite3_value_double(value) }

        /// The bytes of a TEXT or BLOB.
        package var bytes: UnsafeBufferPointer<UInt8> {
            // "The safest policy is to invoke sqlite3_column_text() followed by sqlite3_column_bytes()"
            // (sqlite.org/c3ref/column_blob.html); a blob must not be converted to text.
            let start =
                sqlite3_value_type(value) == SQLITE_BLOB
                ? sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self) : sqlite3_value_text(value)
            // Nowhere for an empty blob, and where there was no memory, which the next step throws.
            return UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
        }
    }

    package func column(at index: Int32) -> Column { Column(sqlite3_column_value(handle, index)) }

    package func kind(at index: Int32) -> ColumnKind { column(at: index).kind }

    package func integer(at index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

    package func real(at index: Int32) -> Double { sqlite3_column_double(handle, index) }

    package func text(at index: Int32) -> String { String(decoding: bytes(at: index), as: UTF8.self) }

    /// nil where the value is NULL.
    package func optionalText(at index: Int32) -> String? { kind(at: index) == .null ? nil : text(at: index) }

    /// nil where the value is NULL.
    package func optionalInteger(at index: Int32) -> Int64? { kind(at: index) == .null ? nil : integer(at: index) }

    /// The bytes of a TEXT or BLOB, in place until the next step or reset.
    package func bytes(at index: Int32) -> UnsafeBufferPointer<UInt8> { column(at: index).bytes }

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
