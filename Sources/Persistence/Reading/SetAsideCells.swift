import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerSQLite

/// The values that were set aside from the columns of a statement's current row (docs/decisions/0059).
final class SetAsideCells {
    private let statement: Statement
    /// The index of `_garner_rest`.
    private let rest: Int
    private let names: [String]
    /// By column: true if values of it may have been set aside. `_garner_rest` also holds members without a column, and
    /// such a member may have the name of another column.
    private let mayLack: [Bool]
    /// The text of `_garner_rest`; nil until it is needed, and where there is none.
    private var document: Document?
    private var isRead = false

    /// Fails if the statement has no column `_garner_rest`.
    init?(of statement: Statement) {
        names = statement.columnNames
        guard let rest = names.firstIndex(of: TableSchema.restColumn) else { return nil }
        (self.statement, self.rest) = (statement, rest)
        mayLack = names.enumerated().map { index, name in
            // A table of versions declares its columns ANY, and an expression has no declaration.
            let type = statement.declaredType(at: index)?.uppercased() ?? "ANY"
            return !name.hasPrefix("_garner_") && (type == "ANY" || ColumnType(rawValue: type)?.rank != nil)
        }
    }

    /// Forgets the row. Call it whenever the statement moves.
    func move() { (document, isRead) = (nil, false) }

    /// Returns the value that was set aside from a column; nil if there is none. It is valid until the statement moves.
    ///
    /// Call it for a column that holds NULL. For numbers, call `boolean` and `digits`.
    func value(at column: Int) -> Node? {
        if !isRead {
            isRead = true
            let text = statement.column(at: rest)
            if text.kind == .text { document = try? Document(parsing: Bytes(Array(text.bytes))) }
        }
        guard mayLack[column], let document else { return nil }
        return document.withRoot { $0[names[column]] }
    }

    /// Returns the boolean that was set aside from a column, which holds it as 1 or 0. Returns nil if none was set
    /// aside, or if somebody has written another number since.
    func boolean(at column: Int, as number: Double) -> Bool? {
        guard let value = value(at: column), let boolean = OddValue.boolean(value.utf8) else { return nil }
        return number == (boolean ? 1 : 0) ? boolean : nil
    }

    /// Returns the exact number that was set aside from a column, which holds only the nearest double. Returns nil if
    /// none was set aside, or if somebody has written another number since.
    func digits(at column: Int, of nearest: Double) -> Node? {
        guard let value = value(at: column), value.hasDigits, value.nearestReal == nearest else { return nil }
        return value
    }
}

/// A row that shows the values that were set aside, in place of the NULL or the nearest double in their columns.
struct WholeRow: Row {
    let statement: Statement
    let cells: SetAsideCells

    func kind(at column: Int) -> ValueKind {
        guard let value = aside(at: column) else { return statement.kind(at: column) }
        return value.kind == .null ? .null : .text
    }

    /// Returns the value to show in place of the column's; nil to show the column's.
    private func aside(at column: Int) -> Node? {
        switch statement.kind(at: column) {
        case .null: cells.value(at: column)
        case .real: cells.digits(at: column, of: statement.real(at: column))
        case .integer, .text, .blob: nil
        }
    }

    func integer(at column: Int) -> Int64 { statement.integer(at: column) }
    func real(at column: Int) -> Double { statement.real(at: column) }

    func bytes(at column: Int) -> UnsafeBufferPointer<UInt8> {
        aside(at: column)?.utf8 ?? statement.bytes(at: column)
    }
}

extension Statement {
    /// The values of the row. A value that was set aside stands in its column.
    var wholeValues: [Value] {
        guard let cells = SetAsideCells(of: self) else { return (0..<columnCount).map(value) }
        let row = WholeRow(statement: self, cells: cells)
        return (0..<columnCount).map { row.value(at: $0) }
    }
}
