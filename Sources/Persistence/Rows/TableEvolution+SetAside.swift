import GarnerCatalog
import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerSQLite

// The values that were set aside, where their column gets another type.
extension TableEvolution {
    /// Returns by how many the rows with a number or boolean in the column are more than those with a value that was set aside. O(rows).
    func surplusOfNumbers(inColumnAt index: Int) throws -> Int {
        let column = schema.columns[index]
        let (name, table) = (quoted(column.name), quoted(schema.table))
        var surplus = Int(try connection.integer("SELECT count(\(name)) FROM \(table)") ?? 0)
        guard schema.keepsRest else { return surplus }
        let rows = try Statement(
            "SELECT _garner_rest FROM \(table) WHERE \(name) IS NULL AND _garner_rest IS NOT NULL", on: connection)
        while try rows.step() {
            let rest = try? Document(parsing: Bytes(Array(rows.bytes(at: 0))))
            if rest?.withRoot({ $0[column.name] != nil }) == true { surplus -= 1 }
        }
        return surplus
    }

    /// Puts the values that were set aside back into a column, which has become text, in the table or in that of its versions.
    ///
    /// Returns true if there were any.
    func putBack(_ column: Column, in table: String) throws -> Bool {
        let name = quoted(column.name)
        return try rewrite(
            rowsOf: table, where: "_garner_rest IS NOT NULL", reading: TableSchema.restColumn
        ) { row, rest, _ in
            guard let taken = SetAsideText(rest).taking(column.name) else { return }
            // The value stays that the owner has written into the column since.
            let number = taken.isNumber ? Double(taken.value) : nil
            let isOwn =
                try number != nil && number == self.text(of: column, inRow: row, of: table).flatMap { Double($0) }
            try connection.execute(
                """
                UPDATE \(quoted(table)) SET \(name) = iif(\(name) IS NULL OR ?4
                    OR ?1 IN ('true', 'false') AND CAST(\(name) AS NUMERIC) = (?1 = 'true'), ?1, \(name)), _garner_rest = ?2
                WHERE _rowid_ = ?3
                """, .text(taken.value), Value(taken.rest), .integer(row), .integer(isOwn ? 1 : 0))
        }
    }

    /// Puts numbers that were set aside back into a column of a wider type that holds them, in the table.
    func putBackNumbers(_ column: Column, as type: ColumnType) throws {
        let name = quoted(column.name)
        let isOdd = "\(name) IS NULL AND _garner_rest IS NOT NULL"
        try rewrite(rowsOf: schema.table, where: isOdd, reading: TableSchema.restColumn) { row, rest, _ in
            guard let taken = SetAsideText(rest).taking(column.name), let value = Value(taken.value, spelledAs: type),
                !taken.isText
            else { return }
            try connection.execute(
                "UPDATE \(quoted(schema.table)) SET \(name) = ?1, _garner_rest = ?2 WHERE _rowid_ = ?3", value,
                Value(taken.rest), .integer(row))
        }
    }

    /// Keeps the spellings of the booleans that a column had, which has become one of numbers, in the table and in its versions.
    mutating func spellBooleans(columnAt index: Int, run: RunID) throws {
        let column = schema.columns[index]
        guard column.type == .integer || column.type == .real, column.keyPosition == nil, try addRest(run: run) else {
            return
        }
        try spellBooleans(column, in: schema.table)
        if let versions = try tableOfVersions() { try spellBooleans(column, in: versions) }
    }

    /// Returns the name of the table of versions, with the columns that the table has now; nil if there is none.
    private func tableOfVersions() throws -> String? {
        let history = HistoryTable(of: schema.table, on: connection)
        guard try history.exists() else { return nil }
        try history.make(with: history.keptColumns(of: schema), of: schema, streamID: streamID)
        return history.name
    }

    private func spellBooleans(_ column: Column, in table: String) throws {
        let name = quoted(column.name)
        let spelled = [true, false].map {
            sqlLiteral(SetAsideText(nil).adding("\($0)", isText: false, as: column.name))
        }
        try rewrite(rowsOf: table, where: "\(name) IN (0, 1) AND _garner_rest IS NOT NULL", reading: column.name) {
            row, number, _ in
            let others = SetAsideText(try rest(ofRow: row, in: table))
            guard others.taking(column.name) == nil else { return }
            let added = others.adding(Double(number) == 1 ? "true" : "false", isText: false, as: column.name)
            try connection.execute(
                "UPDATE \(quoted(table)) SET _garner_rest = ?1 WHERE _rowid_ = ?2", .text(added), .integer(row))
        }
        // Most rows have nothing else there.
        try connection.execute(
            """
            UPDATE \(quoted(table)) SET _garner_rest = iif(\(name), \(spelled[0]), \(spelled[1]))
            WHERE \(name) IN (0, 1) AND _garner_rest IS NULL
            """)
        _ = connection.takeRowChange()
    }

    private func rest(ofRow row: Int64, in table: String) throws -> String? {
        try connection.text("SELECT _garner_rest FROM \(quoted(table)) WHERE _rowid_ = ?1", .integer(row))
    }

    private func text(of column: Column, inRow row: Int64, of table: String) throws -> String? {
        try connection.text("SELECT \(quoted(column.name)) FROM \(quoted(table)) WHERE _rowid_ = ?1", .integer(row))
    }

    /// Narrows a column's type to numbers or booleans, in versions, too. What does not fit goes into the column of `addRest`.
    mutating func narrow(columnAt index: Int, to type: FieldType, run: RunID) throws {
        let column = schema.columns[index]
        try redeclare(column, as: type.column)
        schema.columns[index].type = type.column
        try narrow(column, to: type, in: schema.table)
        if let versions = try tableOfVersions() { try narrow(column, to: type, in: versions) }
        noteRespelling()
        try noteType(ofColumnAt: index, since: column, run: run)
        try OddColumns(streamID: streamID, connection: connection).note(columnAt: index, run: run)
    }

    private func narrow(_ column: Column, to type: FieldType, in table: String) throws {
        let name = quoted(column.name)
        let rows = "UPDATE \(quoted(table)) SET \(name) = "
        // Numbers that the type holds stay as they are stored.
        let held =
            switch type {
            case .boolean: "typeof(\(name)) = 'integer' AND \(name) IN (0, 1)"
            case .real, .numeric: "typeof(\(name)) IN ('integer', 'real')"
            case .integer, .text: "typeof(\(name)) = 'integer'"
            }
        try rewrite(rowsOf: table, where: "\(name) IS NOT NULL AND NOT (\(held))", reading: column.name) {
            row, text, isText in
            let value = Value(text, spelledAs: type.column)
            let digits = type == .numeric ? Digits(text) : nil
            if let value, digits?.areSpelledAnew != true {
                try connection.execute("\(rows)?1 WHERE _rowid_ = ?2", value, .integer(row))
                return
            }
            let rest = SetAsideText(try rest(ofRow: row, in: table))
            // A column of REAL may have had the nearest number only.
            let former = rest.taking(column.name).flatMap { $0.isNumber && Double($0.value) == Double(text) ? $0 : nil }
            try connection.execute(
                "\(rows)?1, _garner_rest = ?2 WHERE _rowid_ = ?3", digits?.nearest.map { .real($0) } ?? .null,
                .text(
                    rest.adding(
                        former?.value ?? text, isText: former?.isText ?? (isText && digits == nil), as: column.name)),
                .integer(row))
        }
    }

    /// Calls `body` with the number and a value of each row that meets a condition, in the order of their numbers: the value's text, and
    /// true if it is a text itself. It may change the row.
    ///
    /// Returns true if there were any.
    @discardableResult
    private func rewrite(
        rowsOf table: String, where condition: String, reading column: String,
        _ body: (_ row: Int64, _ text: String, _ isText: Bool) throws -> Void
    ) throws -> Bool {
        defer { _ = connection.takeRowChange() }
        var (next, found): (Int64?, Bool) = (.min, false)
        while let first = next {
            let rows = try connection.rows(
                """
                SELECT _rowid_, \(quoted(column)) FROM \(quoted(table))
                WHERE \(condition) AND _rowid_ >= ?1 ORDER BY _rowid_ LIMIT \(Self.rowsAtOnce)
                """, [.integer(first)]
            ) { row in
                // SQLite's own text of a double has 15 digits.
                switch row.value(at: 1) {
                case .real(let real): (row.integer(at: 0), real.description, false)
                case .integer(let integer): (row.integer(at: 0), integer.description, false)
                default: (row.integer(at: 0), row.text(at: 1), true)
                }
            }
            for (row, text, isText) in rows { try body(row, text, isText) }
            found = found || !rows.isEmpty
            next = rows.last.flatMap { $0.0 == .max ? nil : $0.0 + 1 }
        }
        return found
    }

    /// The number of rows whose texts are in memory at a time.
    private static let rowsAtOnce = 500
}

extension Value {
    /// Creates the value of a column of numbers or booleans from a text; fails for a text that it does not hold.
    fileprivate init?(_ text: String, spelledAs type: ColumnType) {
        var text = text
        switch (type, text.withUTF8 { SpelledNumber($0) }) {
        case (.integer, .integer(let integer)): self = .integer(integer)
        case (.integer, .real(let real)) where Int64(exactly: real) != nil: self = .integer(Int64(real))
        case (.real, .integer(let integer)) where integer.isExactDouble: self = .real(Double(integer))
        case (.real, .real(let real)): self = .real(real)
        case (.boolean, nil) where text == "true" || text == "false": self = .integer(text == "true" ? 1 : 0)
        case (.boolean, .integer(let integer)) where integer == 0 || integer == 1: self = .integer(integer)
        case (.boolean, .real(let real)) where real == 0 || real == 1: self = .integer(Int64(real))
        default: return nil
        }
    }
}

/// The text of a row's `_garner_rest`.
struct SetAsideText {
    private let text: String?

    init(_ text: String?) { self.text = text }

    /// Returns the value under a column's name as the text that a column of text has, and what is left; nil if there is none.
    func taking(_ name: String) -> (value: String, isText: Bool, isNumber: Bool, rest: String?)? {
        guard let text, let document = try? Document(parsing: Bytes(text.utf8)) else { return nil }
        return document.withRoot { root in
            guard let value = root[name] else { return nil }
            let left = root.members.filter { !$0.key.text.utf8.elementsEqual(name.utf8) }
            return (
                value.columnText, value.kind == .string, OddValue.isSpelledNumber(value) || value.hasDigits,
                left.isEmpty ? nil : Self.text(of: left.map { (Array($0.key.utf8), $0.value) })
            )
        }
    }

    /// Returns the text with one more value, which is a text or a number.
    func adding(_ value: String, isText: Bool, as name: String) -> String {
        let spelled = isText ? JSONText.string(value).text : value
        guard let added = try? Document(parsing: Bytes(spelled.utf8)) else { return text ?? "{}" }
        return added.withRoot { added in
            var members = [(Array(name.utf8), added)]
            guard let text, let document = try? Document(parsing: Bytes(text.utf8)) else {
                return Self.text(of: members)
            }
            return document.withRoot { root in
                members += root.members.filter { !$0.key.text.utf8.elementsEqual(name.utf8) }
                    .map { (Array($0.key.utf8), $0.value) }
                return Self.text(of: members)
            }
        }
    }

    private static func text(of members: [(name: [UInt8], value: Node)]) -> String {
        var text = CanonicalText()
        text.append(members: members.sorted { $0.name.lexicographicallyPrecedes($1.name) })
        return String(decoding: text.bytes, as: UTF8.self)
    }
}

extension Node {
    /// The value as a column of text has it.
    var columnText: String {
        guard kind != .string else { return text }
        var canonical = CanonicalText()
        canonical.append(self)
        return String(decoding: canonical.bytes, as: UTF8.self)
    }
}
