import CSQLite

/// Parameters are numbered from 1, as SQLite does.
extension Statement {
    package func bind(_ values: [Value]) throws(SQLiteError) {
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
    }

    package func bind(_ value: Value, at index: Int32) throws(SQLiteError) {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let integer): try bind(integer, at: index)
        case .real(let real): try bind(real, at: index)
        case .text(let text): try bind(text, at: index)
        case .blob(let bytes): try bind(blob: bytes, at: index)
        }
    }

    @inlinable
    package func bindNull(at index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_null(handle, index))
    }

    @inlinable
    package func bind(_ integer: Int64, at index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_int64(handle, index, integer))
    }

    @inlinable
    package func bind(_ real: Double, at index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_double(handle, index, real))
    }

    package func bind(_ text: String, at index: Int32) throws(SQLiteError) {
        var text = text
        let code = text.withUTF8 { bytes in
            // "If the third parameter is NULL, the parameter is bound to NULL": an empty text needs an address.
            bytes.withMemoryRebound(to: CChar.self) {
                garner_sqlite_bind_text(handle, index, $0.baseAddress ?? Self.nowhere, UInt64($0.count))
            }
        }
        try check(code)
    }

    package func bind(blob bytes: [UInt8], at index: Int32) throws(SQLiteError) {
        let code =
            bytes.isEmpty
            ? sqlite3_bind_zeroblob(handle, index, 0)
            : bytes.withUnsafeBytes { garner_sqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count)) }
        try check(code)
    }

    /// Binds UTF-8 without copying it: it must stay where it is until the statement was stepped and bound anew or cleared.
    @inlinable
    package func bind(unownedUTF8 text: UnsafeBufferPointer<UInt8>, at index: Int32) throws(SQLiteError) {
        let start = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
        try check(garner_sqlite_bind_text_static(handle, index, start ?? Self.nowhere, UInt64(text.count)))
    }

    /// Binds a copy of UTF-8.
    package func bind(copyingUTF8 text: [UInt8], at index: Int32) throws(SQLiteError) {
        let code = text.withUnsafeBytes {
            garner_sqlite_bind_text(
                handle, index, $0.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.nowhere, UInt64($0.count))
        }
        try check(code)
    }

    /// The number of the parameter with this name, its prefix (`:`, `@` or `$`) included.
    package func parameterIndex(named name: String) -> Int32? {
        let index = sqlite3_bind_parameter_index(handle, name)
        return index == 0 ? nil : index
    }

    package var parameterNames: [String?] {
        (0..<sqlite3_bind_parameter_count(handle)).map {
            sqlite3_bind_parameter_name(handle, $0 + 1).map { String(cString: $0) }
        }
    }

    @inlinable
    func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw failure() }
    }

    // Safe because it is never written: one readable byte of static lifetime.
    @usableFromInline
    nonisolated(unsafe) static let nowhere: UnsafePointer<CChar> = {
        let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        byte.initialize(to: 0)
        return UnsafePointer(byte)
    }()
}
