import GarnerDatabase
import GarnerJSON
import GarnerPresentation
import GarnerSQLite

/// A writer of GitHub's Markdown tables (github.github.com/gfm, section 4.10). Cells are not padded to the width of a
/// column.
///
/// NULL and the empty text both make an empty cell. The end of a line becomes `<br>`. All other text is escaped, so
/// that it shows as it is.
struct MarkdownWriter: RowWriter {
    /// By column: true if its values are aligned to the right.
    private let isNumeric: [Bool]
    /// The values that were set aside; nil for rows that are shown as SQL sees them.
    private let cells: SetAsideCells?

    init(of rows: RowCursor) {
        cells = rows.cells
        isNumeric = rows.columns.indices.map {
            ["INTEGER", "REAL"].contains(rows.statement.declaredType(at: $0)?.uppercased())
        }
    }

    func begin(_ columns: [String], in output: inout OutputBuffer) throws {
        for name in columns {
            output.append("| ")
            try Self.append(name, to: &output)
            output.append(" ")
        }
        output.append("|\n")
        for isNumeric in isNumeric { output.append(isNumeric ? "| --: " : "| --- ") }
        output.append("|\n")
    }

    func write(_ row: Statement, isFirst: Bool, to output: inout OutputBuffer) throws {
        for index in isNumeric.indices {
            output.append("| ")
            let column = row.column(at: index)
            switch column.kind {
            case .null: if let value = cells?.value(at: index) { try Self.append(value.text, to: &output) }
            case .integer: output.append(column.bytes)
            case .real:
                output.append(cells?.digits(at: index, of: column.real)?.text ?? column.real.description)
            case .text: try Self.append(String(decoding: column.bytes, as: UTF8.self), to: &output)
            case .blob: try output.append(partsOf: column.bytes) { $1.append(Base64.text(of: $0)) }
            }
            output.append(" ")
        }
        output.append("|\n")
    }

    func end(rows: Int, in output: inout OutputBuffer) {}

    /// The most scalars to append before a full buffer is passed on.
    private static let partLength = 16 << 10

    private static func append(_ text: String, to output: inout OutputBuffer) throws {
        var rest = text.unicodeScalars[...]
        while let first = rest.first {
            if first == "\n" || first == "\r" {
                output.append(first == "\n" ? "<br>" : "")
                rest.removeFirst()
                continue
            }
            let part = rest.prefix(partLength).prefix { $0 != "\n" && $0 != "\r" }
            MarkdownEscaping.escape(part) { output.append($0) }
            rest = rest[part.endIndex...]
            try output.flushIfFull()
        }
    }
}
