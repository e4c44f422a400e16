package import GarnerDatabase
package import GarnerModel
package import GarnerSQLite

// Values of Garner's own tables, which only Garner writes: an unreadable one is an error, never a guess.
extension Statement {
    package func id<ID: RowID>(at index: Int) -> ID { ID(integer(at: index)) }

    /// Returns the time of a column that is never NULL.
    func timestamp(at index: Int) throws -> Timestamp {
        try Timestamp(stored: text(at: index))
    }

    /// Returns the time of a column, or nil for NULL.
    func optionalTimestamp(at index: Int) throws -> Timestamp? {
        optionalText(at: index) == nil ? nil : try timestamp(at: index)
    }

    /// Returns the judgement on a read, with its reason from another column.
    func verdict(at index: Int, reason: Int) throws -> Verdict {
        let text = text(at: index)
        guard let verdict = Verdict(stored: text, reason: optionalText(at: reason)) else {
            throw PersistenceError.unreadable(text, as: "a verdict")
        }
        return verdict
    }

    /// Returns the case of an enumeration that is stored by its raw value.
    func value<Value: RawRepresentable<String>>(_ type: Value.Type, at index: Int) throws -> Value {
        let text = text(at: index)
        guard let value = Value(rawValue: text) else { throw PersistenceError.unreadable(text, as: "\(type)") }
        return value
    }
}

extension Timestamp {
    package init(stored text: String) throws {
        guard let instant = Timestamp(rfc3339: text) else { throw PersistenceError.unreadable(text, as: "a time") }
        self = instant
    }
}

extension Connection {
    /// Returns the first column of the first row as the number of a row; nil if it is NULL or there is no row.
    package func id<ID: RowID>(_ sql: String, _ values: Value...) throws -> ID? {
        try firstRow(sql, values) { $0.optionalInteger(at: 0).map { ID($0) } } ?? nil
    }
}

extension Value {
    /// The number of a row of our own tables.
    package static func id(_ id: some RowID) -> Value { .integer(id.number) }
}

extension PersistenceError {
    static func unreadable(_ text: String, as type: String) -> PersistenceError {
        PersistenceError(
            .unusable, "one of Garner's own tables contains '\(text.prefix(100))' instead of \(type)",
            hint: .examineAndRestore)
    }
}

extension Verdict {
    /// Creates a verdict from its columns. Returns nil if there is none.
    init?(stored kind: String?, reason: String?) {
        guard let kind = kind.flatMap(Kind.init(rawValue:)) else { return nil }
        self.init(kind, reason.map { Cause(stored: $0) })
    }
}

extension Value {
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
    init(_ id: (some RowID)?) { self = Value(id?.number) }
}

/// Returns a text as SQL. A quote is doubled byte by byte, since one under a combining mark is a quote to SQLite, too.
func sqlLiteral(_ text: String) -> String {
    let quote = UInt8(ascii: "'")
    var bytes = [quote]
    for byte in text.utf8 {
        if byte == quote { bytes.append(quote) }
        bytes.append(byte)
    }
    bytes.append(quote)
    return String(decoding: bytes, as: UTF8.self)
}
