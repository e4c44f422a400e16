import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// The text of a CREATE TABLE in SQLite's form, parsed into the declarations of its columns.
///
/// Names, texts and comments may hold commas and parentheses, so they are skipped as in SQLite
/// (sqlite.org/lang_keywords.html, sqlite.org/lang_comment.html).
struct TableDeclaration {
    private let sql: [UInt8]
    /// The ranges of the columns and then of the constraints, which commas separate.
    private var parts: [Range<Int>] = []

    init(_ sql: [UInt8]) {
        self.sql = sql
        var depth = 0
        var start = 0
        var place = 0
        while place < sql.count {
            let end = end(ofTokenAt: place)
            switch sql[place] {
            case UInt8(ascii: "("):
                depth += 1
                if depth == 1 { start = end }
            case UInt8(ascii: ","):
                guard depth == 1 else { break }
                parts.append(start..<place)
                start = end
            case UInt8(ascii: ")"):
                depth -= 1
                guard depth == 0 else { break }
                parts.append(start..<place)
                return
            default: break
            }
            place = end
        }
    }

    /// Returns true if the table has these columns and constraints, in any order, and no others.
    func declares(_ declarations: [String]) -> Bool {
        guard let last = parts.last, sql[last.upperBound...].elementsEqual(")".utf8) else { return false }
        let written = parts.map { part in
            var text = sql[part].drop { Self.isSpace($0) }
            while text.last.map(Self.isSpace) == true { text.removeLast() }
            return Array(text)
        }
        return Set(written) == Set(declarations.map { Array($0.utf8) })
    }

    /// Returns the text with another type for a column; nil if its declaration has not the form that we write.
    ///
    /// - Parameter place: The index of the column in the table, which may have columns of others.
    func redeclaring(_ column: Column, at place: Int, as type: ColumnType) -> [UInt8]? {
        guard parts.indices.contains(place) else { return nil }
        let part = sql[parts[place]].drop { Self.isSpace($0) }
        let name = Array("\(quoted(column.name)) ".utf8)
        let known = name + Array(column.declaredType.rawValue.utf8)
        guard part.starts(with: known) else { return nil }
        let rest = part.dropFirst(known.count)
        guard rest.first.map(Self.isSpace) ?? true else { return nil }
        var changed = Array(sql[..<part.startIndex])
        changed += name
        changed += type.rawValue.utf8
        changed += sql[rest.startIndex...]
        return changed
    }

    /// Returns the end of the token at this place: a quoted name or text, a comment, or any other single byte.
    private func end(ofTokenAt place: Int) -> Int {
        switch sql[place] {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"):
            return end(of: sql[place], behind: place + 1)
        case UInt8(ascii: "["): return end(of: UInt8(ascii: "]"), behind: place + 1)
        case UInt8(ascii: "-") where sql[place...].starts(with: "--".utf8):
            return end(of: UInt8(ascii: "\n"), behind: place + 2)
        case UInt8(ascii: "/") where sql[place...].starts(with: "/*".utf8):
            var end = place + 2
            while end < sql.count, !sql[end...].starts(with: "*/".utf8) { end += 1 }
            return min(end + 2, sql.count)
        default: return place + 1
        }
    }

    /// Returns the end of a quoted token. A doubled quote ends it and begins another one, with the same result.
    private func end(of mark: UInt8, behind place: Int) -> Int {
        sql[place...].firstIndex(of: mark).map { $0 + 1 } ?? sql.count
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }
}

/// A row of `_garner_schema_changes`: a change to a column of an existing table.
struct SchemaStep {
    let table: String
    let column: String
    let old: ColumnType?
    let new: ColumnType?
    let run: RunID
    /// The instant at which the run began.
    let at: Timestamp

    /// Returns the steps of one table, oldest first.
    static func all(ofTable streamID: StreamID, on connection: Connection) throws -> [SchemaStep] {
        try connection.rows(
            "\(selection) WHERE change.stream_id = ?1 ORDER BY change_id", [.id(streamID)],
            decode: SchemaStep.init)
    }

    /// Returns the steps of one run, table by table. A table that the run has created has none, since all of it is new.
    static func all(by run: RunID, on connection: Connection) throws -> [SchemaStep] {
        try connection.rows(
            """
            \(selection) WHERE change.run_id = ?1 AND change.stream_id NOT IN (
                SELECT stream_id FROM _garner_columns GROUP BY stream_id HAVING min(first_seen_run) = ?1)
            ORDER BY change.stream_id, change_id
            """, [.id(run)], decode: SchemaStep.init)
    }

    private static let selection = """
        SELECT table_name, column_name, old_type, new_type, change.run_id, started_at
        FROM _garner_schema_changes AS change JOIN _garner_runs AS run ON run.run_id = change.run_id
        JOIN _garner_streams AS stream ON stream.stream_id = change.stream_id
        """

    private init(_ row: Statement) throws {
        table = row.text(at: 0)
        column = row.text(at: 1)
        old = row.columnType(at: 2)
        new = row.columnType(at: 3)
        run = row.id(at: 4)
        at = try row.timestamp(at: 5)
    }

    var isArrival: Bool { old == nil && new == nil }

    /// Returns true if the step is of this column. It compares bytes, since another Unicode form is another column.
    func isOf(_ name: String) -> Bool { column.utf8.elementsEqual(name.utf8) }

    /// Returns true if this step gave the column of `other` its first type.
    fileprivate func isFirstType(after other: SchemaStep) -> Bool {
        old == nil && run == other.run && isOf(other.column) && table.utf8.elementsEqual(other.table.utf8)
    }
}

extension [SchemaStep] {
    /// The changes for people. A new column without a type and the type of its first value are one change.
    var changes: [SchemaChange] {
        var changes: [SchemaChange] = []
        var index = 0
        while index < count {
            let step = self[index]
            index += 1
            var type = step.new
            if step.isArrival, index < count, self[index].isFirstType(after: step) {
                type = self[index].new
                index += 1
            }
            let isAdded = step.isArrival || step.isOf(TableSchema.restColumn)
            let isNarrowed = step.old == .text && type != .text
            changes.append(
                SchemaChange(
                    table: step.table, column: step.column, kind: isAdded ? .added : isNarrowed ? .narrowed : .widened,
                    oldType: step.old, newType: type, run: step.run, at: step.at))
        }
        return changes
    }
}

extension Statement {
    func columnType(at index: Int) -> ColumnType? { optionalText(at: index).flatMap(ColumnType.init(rawValue:)) }
}

extension Connection {
    func viewDefinitions() throws -> [String: String] {
        let views = try rows("SELECT name, sql FROM sqlite_schema WHERE type = 'view'") {
            ($0.text(at: 0), $0.text(at: 1))
        }
        return Dictionary(views) { first, _ in first }
    }
}
