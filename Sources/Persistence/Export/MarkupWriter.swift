import GarnerDatabase
import GarnerJSON
import GarnerPresentation
import GarnerSQLite

/// A writer of tables with the marks of a text format.
///
/// NULL and the empty text both make an empty cell. All other text is escaped, so that it shows as it is.
struct MarkupWriter: RowWriter {
    private let markup: any TableMarkup
    private let marks: (before: String, between: String, after: String)
    /// By column: true if its values are aligned to the right.
    private let isNumeric: [Bool]
    /// The values that were set aside; nil for rows that are shown as SQL sees them.
    private let cells: SetAsideCells?

    init(_ markup: any TableMarkup, of rows: RowCursor) {
        self.markup = markup
        marks = markup.marks
        cells = rows.cells
        isNumeric = rows.columns.indices.map {
            ["INTEGER", "REAL"].contains(rows.statement.declaredType(at: $0)?.uppercased())
        }
    }

    func begin(_ columns: [String], in output: inout OutputBuffer) throws {
        for (index, name) in columns.enumerated() {
            output.append(index == 0 ? marks.before : marks.between)
            try append(name, to: &output)
        }
        output.append(marks.after + markup.rule(isNumeric))
    }

    func write(_ row: Statement, isFirst: Bool, to output: inout OutputBuffer) throws {
        for index in isNumeric.indices {
            output.append(index == 0 ? marks.before : marks.between)
            let column = row.column(at: index)
            switch column.kind {
            case .null: if let value = cells?.value(at: index) { try append(value.text, to: &output) }
            case .integer: output.append(column.bytes)
            case .real:
                output.append(cells?.digits(at: index, of: column.real)?.text ?? column.real.description)
            case .text: try append(String(decoding: column.bytes, as: UTF8.self), to: &output)
            case .blob: try output.append(partsOf: column.bytes) { $1.append(Base64.text(of: $0)) }
            }
        }
        output.append(marks.after)
    }

    func end(rows: Int, in output: inout OutputBuffer) {}

    /// The most scalars to append before a full buffer is passed on.
    private static let partLength = 16 << 10

    private func append(_ text: String, to output: inout OutputBuffer) throws {
        var rest = text.unicodeScalars[...]
        while let first = rest.first {
            if first == "\n" || first == "\r" {
                output.append(first == "\n" ? markup.lineBreak : "")
                rest.removeFirst()
                continue
            }
            let part = rest.prefix(Self.partLength).prefix { $0 != "\n" && $0 != "\r" }
            markup.escape(part) { output.append($0) }
            rest = rest[part.endIndex...]
            try output.flushIfFull()
        }
    }
}
