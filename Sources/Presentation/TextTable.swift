/// A result for people: aligned columns, a field per line, or a table with the marks of a text format.
///
/// It can be written in parts, so that a long table takes no more memory than a short one. Each part has the columns of
/// the first part; they never become narrower.
package struct TextTable {
    package let headers: [String]
    /// The rows that are not written yet; nil for a missing value.
    package var rows: [[String?]]
    /// The columns whose values are aligned to the right.
    package var numeric: Set<Int>
    /// The columns of times.
    package var instants: Set<Int> = []
    /// The columns that are left out last.
    package var kept: Set<Int> = []
    /// True if the headers have been written.
    package private(set) var isBegun = false
    /// The number of columns without room.
    package var omittedColumns: Int { shownColumns.map { headers.count - $0.count } ?? 0 }

    private var naturalWidths: [Int] = []
    private var shownColumns: [Int]?
    private var writtenRows = 0

    package init(headers: [String], rows: [[String?]] = [], numeric: Set<Int> = []) {
        self.headers = headers
        self.rows = rows
        self.numeric = numeric
    }

    /// Takes the rows out and renders them: columns two spaces apart, with a dash for a missing value.
    package mutating func takeText(_ layout: TableLayout) -> DisplayText {
        defer { endPart() }
        if layout.form == .vertical { return records(layout.style) }
        let names = headers.map(Cell.init)
        var lines = rows.map { $0.map { Cell($0 ?? "-") } }
        if !isBegun { lines.insert(names, at: 0) }
        let columns = columns(of: lines, names, layout)
        let isCut = layout.width != nil
        var text = ""
        for (index, line) in lines.enumerated() {
            let shown = DisplayText(escaped: self.line(line, columns, isCut: isCut))
            text += (index == 0 && !isBegun ? layout.style.bold(shown) : shown).text + "\n"
        }
        return DisplayText(escaped: text)
    }

    /// Takes the rows out and renders them for a terminal, or with the marks of another format.
    package mutating func take(as format: RowFormat, _ layout: TableLayout) -> DisplayText {
        guard format != .table, case .table(let markup) = format.family else { return takeText(layout) }
        defer { endPart() }
        let head = isBegun ? "" : markup.row(headers) + markup.rule(headers.indices.map(numeric.contains))
        return DisplayText(escaped: head + rows.map { row in markup.row(row.map { $0 ?? "" }) }.joined())
    }

    private mutating func endPart() {
        isBegun = true
        writtenRows += rows.count
        rows.removeAll()
    }

    /// A foreign text in its escaped form.
    private struct Cell {
        let text: String
        let width: Int

        init(_ foreign: String) {
            text = TerminalEscaping.escaped(foreign)
            width = DisplayWidth.of(text)
        }
    }

    /// The greatest width in cells that a long value gives its column in other rows.
    private static let widestColumn = 1_000

    /// Returns the columns to show, with their widths.
    private mutating func columns(
        of lines: [[Cell]], _ names: [Cell], _ layout: TableLayout
    ) -> [(column: Int, width: Int)] {
        naturalWidths = headers.indices.map { column in
            lines.reduce(isBegun ? naturalWidths[column] : 0) { max($0, min($1[column].width, Self.widestColumn)) }
        }
        guard let width = layout.width else { return naturalWidths.enumerated().map { ($0, $1) } }
        let widths = ColumnWidths(
            natural: naturalWidths, headers: names.map(\.width), numeric: numeric, instants: instants, kept: kept)
        let shown = shownColumns ?? widths.shown(in: width)
        shownColumns = shown
        return zip(shown, widths.fitted(shown, in: width)).map { ($0, $1) }
    }

    private func line(_ cells: [Cell], _ columns: [(column: Int, width: Int)], isCut: Bool) -> String {
        var line = ""
        for (place, (column, width)) in columns.enumerated() {
            if place > 0 { line += String(repeating: " ", count: ColumnWidths.gap) }
            let cell = cells[column]
            let space = String(repeating: " ", count: max(width - cell.width, 0))
            if numeric.contains(column) { line += space }
            line += isCut && cell.width > width ? DisplayWidth.cut(cell.text, to: width) : cell.text
            if !numeric.contains(column), place < columns.count - 1 { line += space }
        }
        return line
    }

    /// Each row as one line per field.
    var fields: DisplayText { rows.map(fields).joined() }

    private func fields(_ row: [String?]) -> DisplayText {
        let names = headers.map(Cell.init)
        let width = names.map(\.width).max() ?? 0
        return zip(names, row).map { name, value in
            let space = DisplayText(escaped: String(repeating: " ", count: width - name.width))
            return "\(DisplayText(escaped: name.text))\(space)  \(value ?? "-")\n" as DisplayText
        }.joined()
    }

    /// Returns each row under a line with its number.
    private func records(_ style: ANSIStyle) -> DisplayText {
        rows.enumerated().map { index, row in
            style.bold("─── \(writtenRows + index + 1) ───") + "\n" + fields(row)
        }.joined()
    }
}
