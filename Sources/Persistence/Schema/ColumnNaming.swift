/// Gives the members of records names that a table can have.
struct ColumnNaming {
    /// What SQLite allows is far more; a name beyond this is no name.
    static let maximumBytes = 255

    /// True where the member at `path` can have a column.
    static func canName(_ path: [String]) -> Bool {
        let bytes = path.reduce(2 * (path.count - 1)) { $0 + $1.utf8.count }
        return bytes <= maximumBytes && !path.contains { $0.utf8.contains(0) }
    }

    /// The name for the member at `path` beside `taken`; nil where its name cannot be one.
    ///
    /// Levels are joined by `__`; names that SQLite or Garner keep for themselves, as `_rowid_` for the number of a row,
    /// get a `_` in front; one that differs from a taken one by case only gets a number, since SQL names ignore the case
    /// of ASCII letters.
    static func name(for path: [String], taken: [String]) -> String? {
        guard canName(path) else { return nil }
        var name = path.joined(separator: "__")
        let isReserved =
            name.beginsLike("_garner_") || name.beginsLike("sqlite_") || name.isSameSQLName(as: "_rowid_")
        if isReserved || name.isEmpty { name = "_" + name }
        func isTaken(_ name: String) -> Bool { taken.contains { $0.isSameSQLName(as: name) } }
        return isTaken(name) ? (2...).lazy.map { "\(name)_\($0)" }.first { !isTaken($0) } : name
    }
}

extension String {
    /// Whether SQL takes both for one name; by bytes, since Swift's strings are equal where only their Unicode form differs.
    func isSameSQLName(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8) { $0.asciiLowercased == $1.asciiLowercased }
    }

    fileprivate func beginsLike(_ prefix: String) -> Bool {
        utf8.starts(with: prefix.utf8) { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension UInt8 {
    fileprivate var asciiLowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
