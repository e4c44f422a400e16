import Database
import SQLite

/// A writer of GitHub's Markdown tables (github.github.com/gfm, section 4.10), whose columns are as wide as their
/// values.
///
/// NULL and the empty text are both nothing. A bar is written `\|`, and the end of a line `<br>`.
struct MarkdownWriter: RowWriter {
    /// True for columns whose values are aligned to the right.
    private let isNumeric: [Bool]

    init(of statement: Statement) {
        isNumeric = (0..<statement.columnCount).map {
            ["INTEGER", "REAL"].contains(statement.declaredType(at: $0)?.uppercased())
        }
    }

    func begin(_ columns: [String], in output: inout OutputBuffer) throws {
        for name in columns {
            var name = name
            output.append("| ")
            try name.withUTF8 { try output.append(partsOf: $0, Self.appendEscaped) }
            output.append(" ")
        }
        output.append("|\n")
        for isNumeric in isNumeric { output.append(isNumeric ? "| --: " : "| --- ") }
        output.append("|\n")
    }

    func write(_ row: Statement, isFirst: Bool, to output: inout OutputBuffer) throws {
        for index in 0..<row.columnCount {
            output.append("| ")
            let column = row.column(at: index)
            switch column.kind {
            case .null: break
            case .integer: output.append(column.bytes)
            case .real: output.append(column.real.description)
            case .text: try output.append(partsOf: column.bytes, Self.appendEscaped)
            case .blob: try output.append(partsOf: column.bytes) { $1.append(Base64.text(of: $0)) }
            }
            output.append(" ")
        }
        output.append("|\n")
    }

    func end(rows: Int, in output: inout OutputBuffer) {}

    private static func appendEscaped(_ text: UnsafeBufferPointer<UInt8>, to output: inout OutputBuffer) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "|"): output.append("\\|")
            case UInt8(ascii: "\n"): output.append("<br>")
            case UInt8(ascii: "\r"): break
            default: output.append(byte)
            }
        }
    }
}
