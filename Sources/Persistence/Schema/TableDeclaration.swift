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
