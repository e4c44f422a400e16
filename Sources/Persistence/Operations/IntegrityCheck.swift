import SQLite

/// What SQLite itself finds wrong in a database file.
struct IntegrityCheck {
    /// Whether every index is compared with its table, too.
    let isFull: Bool

    /// None where the file is sound; the first hundred at most.
    func problems(of connection: Connection) throws -> [String] {
        let rows = try connection.rows("PRAGMA \(isFull ? "integrity_check" : "quick_check")(100)") { $0.text(at: 0) }
        return rows == ["ok"] ? [] : rows
    }
}
