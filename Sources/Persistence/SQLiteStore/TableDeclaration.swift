import Catalog
import Database
import Model
import SQLite

/// The text of a CREATE TABLE as SQLite keeps it, read as far as tells its columns apart.
///
/// A name or a default may hold anything that stands around a column, so that names, texts and comments are skipped as
/// SQLite does (sqlite.org/lang_keywords.html, sqlite.org/lang_comment.html).
struct TableDeclaration {
    private let sql: [UInt8]
    /// The columns and then the constraints of the table: what stands between its parentheses and commas.
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

    /// The text with another type of a column; nil where that is not declared there as we declare columns.
    ///
    /// - Parameter place: the number of the column in the table, those of others included.
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

    /// Where what begins at this place ends: a quoted name or text, a comment, or one byte of anything else.
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

    /// A doubled quote ends a name here and begins another, which comes to the same.
    private func end(of mark: UInt8, behind place: Int) -> Int {
        sql[place...].firstIndex(of: mark).map { $0 + 1 } ?? sql.count
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }
}

/// A row of `_garner_schema_changes`: what was done to a column once its table was there.
struct SchemaStep {
    let table: String
    let column: String
    let old: ColumnType?
    let new: ColumnType?
    let run: Int64
    /// When the run began.
    let at: Timestamp

    /// Those of one table, from the first on.
    static func all(ofTable streamID: Int64, on connection: Connection) throws -> [SchemaStep] {
        try connection.rows(
            "\(selection) WHERE change.stream_id = ?1 ORDER BY change_id", [.integer(streamID)],
            decode: SchemaStep.init)
    }

    /// Those of one run, table by table. Of a table that it has made itself there are none: all of that is new.
    static func all(by run: Int64, on connection: Connection) throws -> [SchemaStep] {
        try connection.rows(
            """
            \(selection) WHERE change.run_id = ?1 AND change.stream_id NOT IN (
                SELECT stream_id FROM _garner_columns GROUP BY stream_id HAVING min(first_seen_run) = ?1)
            ORDER BY change.stream_id, change_id
            """, [.integer(run)], decode: SchemaStep.init)
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
        run = row.integer(at: 4)
        at = try row.timestamp(at: 5)
    }

    var isArrival: Bool { old == nil && new == nil }

    /// By bytes, since names that differ in their Unicode form only are two columns.
    func isOf(_ name: String) -> Bool { column.utf8.elementsEqual(name.utf8) }

    /// Whether the column that came with `other` got its type here.
    fileprivate func isFirstType(after other: SchemaStep) -> Bool {
        old == nil && run == other.run && isOf(other.column) && table.utf8.elementsEqual(other.table.utf8)
    }
}

extension [SchemaStep] {
    /// As people are told them: a column comes without a type, and gets one from the value that it came with.
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
            changes.append(
                SchemaChange(
                    table: step.table, column: step.column, kind: isAdded ? .added : .widened, oldType: step.old,
                    newType: type, run: step.run, at: step.at))
        }
        return changes
    }
}

extension Statement {
    /// nil where the value is NULL.
    func columnType(at index: Int) -> ColumnType? { optionalText(at: index).flatMap(ColumnType.init(rawValue:)) }
}
