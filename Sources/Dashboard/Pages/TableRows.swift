import GarnerDatabase
import GarnerPersistence
import GarnerReports

/// Some rows of a table or a view as a page shows them: not every column, and of long values the beginning.
struct TableRows: Sendable {
    enum Cell: Sendable {
        case null
        case number(String)
        case text(String, isCut: Bool)
        case blob(bytes: Int)
    }

    struct Row: Sendable {
        /// The key's values, of which the address of the record consists; nil without a key, or if it is too long for one.
        let key: [String]?
        let picture: String?
        let cells: [Cell]
    }

    static let mostColumns = 50
    static let pageRows = 100
    /// The rows of a view that are shown.
    static let viewRows = 1_000
    private static let shownBytes = 300

    let address: TableAddress
    /// The positions of the columns that are shown: the first is the key's, or the table's first.
    let columns: [Int]
    let rows: [Row]
    /// The mark of the last row; nil if no row follows.
    let next: RowMark?

    init(_ selection: RowSelection, limit: Int, in database: ReadOnlyDatabase) throws {
        try self.init(TableAddress(selection), limit: limit, in: database)
    }

    init(_ address: TableAddress, limit: Int = pageRows, in database: ReadOnlyDatabase) throws {
        self.address = address
        let relation = address.relation
        var columns = Array(relation.columns.indices)
        if let first = relation.key.first {
            columns.removeAll { $0 == first }
            columns.insert(first, at: 0)
        }
        var shown = Array(columns.prefix(Self.mostColumns))
        // The column of the order is always there.
        if let order = address.selection.order, !shown.contains(order.column) { shown.append(order.column) }
        self.columns = shown
        let numbers = try Self.numbers(address, limit: limit, in: database)
        next = numbers?.next
        let pictures = try numbers.map { try database.pictures(ofRows: $0.rows, in: relation.name) } ?? [:]
        let cursor = try Self.cursor(address, numbers, in: database)
        var rows: [Row] = []
        while let row = try cursor.next() {
            let hasLink =
                !relation.key.isEmpty && relation.key.reduce(0) { $0 + Self.length(of: row, at: $1) } <= Link.longestKey
            let key = hasLink ? relation.key.map { row.value(at: $0).text ?? "" } : nil
            // A row that has gone between two statements is none: all read one state of the database.
            let number = numbers.flatMap { rows.count < $0.rows.count ? $0.rows[rows.count] : nil }
            rows.append(
                Row(
                    key: key, picture: number.flatMap { pictures[$0] },
                    cells: shown.map { Self.cell(of: row, at: $0, relation.columns[$0]) }))
        }
        self.rows = rows
    }

    /// Returns the rows of an address, of which a view shows the first only.
    static func cursor(_ address: TableAddress, in database: ReadOnlyDatabase) throws -> RowCursor {
        try cursor(address, numbers(address, limit: pageRows, in: database), in: database)
    }

    private static func cursor(
        _ address: TableAddress, _ numbers: RowNumbers?, in database: ReadOnlyDatabase
    ) throws -> RowCursor {
        guard let numbers else { return try database.allRows(of: address.selection, limit: viewRows) }
        return try database.rows(numbers.rows, of: address.relation)
    }

    private static func numbers(
        _ address: TableAddress, limit: Int, in database: ReadOnlyDatabase
    ) throws -> RowNumbers? {
        try database.check(address.selection)
        guard !address.relation.isView else { return nil }
        return try database.numbers(of: address.selection, after: address.mark, limit: limit)
    }

    private static func length(of row: any GarnerDatabase.Row, at index: Int) -> Int {
        switch row.kind(at: index) {
        case .text, .blob: row.bytes(at: index).count
        case .null, .integer, .real: 0
        }
    }

    static func cell(of row: any GarnerDatabase.Row, at index: Int, _ column: RelationColumn, bytes: Int = shownBytes)
        -> Cell
    {
        switch row.kind(at: index) {
        case .null: return .null
        case .integer:
            let integer = row.integer(at: index)
            guard column.isBoolean, (0...1).contains(integer) else { return .number(String(integer)) }
            return .text(integer == 1 ? "true" : "false", isCut: false)
        case .real: return .number(row.real(at: index).description)
        case .blob: return .blob(bytes: row.bytes(at: index).count)
        case .text:
            let text = row.bytes(at: index)
            guard text.count > bytes else { return .text(String(decoding: text, as: UTF8.self), isCut: false) }
            // A character is not cut in the middle: its later bytes are 10xxxxxx.
            var end = bytes
            while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
            return .text(String(decoding: text[..<end], as: UTF8.self), isCut: true)
        }
    }
}

extension TableRows.Cell {
    /// The value in a table: two lines of it at most.
    var html: HTML {
        switch self {
        case .null: "<span class=\"null\">null</span>"
        case .number(let number): HTML(number)
        case .text(let text, let isCut):
            text.utf8.count < 40 && !isCut
                ? Component.foreign(text) : "<span class=\"clip\">\(Component.foreign(text))\(isCut ? "…" : "")</span>"
        case .blob(let bytes): "<span class=\"muted\">\(Component.bytes(bytes)) of bytes</span>"
        }
    }
}

extension Value {
    /// The value among others, in a line.
    func html(_ column: RelationColumn? = nil, longest: Int = 300) -> HTML {
        switch self {
        case .null: return "<span class=\"null\">null</span>"
        case .integer(let integer) where column?.isBoolean == true && (0...1).contains(integer):
            return integer == 1 ? "true" : "false"
        case .integer(let integer): return HTML(String(integer))
        case .real(let real): return HTML(real.description)
        case .blob(let bytes): return "<span class=\"muted\">\(Component.bytes(bytes.count)) of bytes</span>"
        case .text(""): return "<span class=\"null\">empty</span>"
        case .text(let text):
            guard text.utf8.count > longest else { return Component.foreign(text) }
            return Component.foreign(text.cut(to: longest))
        }
    }
}

extension String {
    /// Returns the first of so many scalars, and a sign that more follow.
    func cut(to count: Int) -> String {
        var start = UnicodeScalarView()
        start.append(contentsOf: unicodeScalars.prefix(count))
        return start.count == unicodeScalars.count ? self : String(start) + "…"
    }
}
