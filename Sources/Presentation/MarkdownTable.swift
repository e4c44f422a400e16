/// GitHub's Markdown tables (github.github.com/gfm, section 4.10). Cells are not padded to the width of a column.
package struct MarkdownTable: TableMarkup {
    package let marks = (before: "| ", between: " | ", after: " |\n")
    package let lineBreak = "<br>"

    package init() {}

    package func rule(_ isNumeric: [Bool]) -> String { row(isNumeric.map { $0 ? "--:" : "---" }) }

    /// Keeps a text from ending the cell, and from becoming HTML.
    package func escape(_ scalars: some Sequence<Unicode.Scalar>, to write: (UInt8) -> Void) {
        TerminalEscaping.escape(scalars) { byte in
            switch byte {
            case UInt8(ascii: "|"): "\\|".utf8.forEach(write)
            case UInt8(ascii: "<"): "&lt;".utf8.forEach(write)
            case UInt8(ascii: "&"): "&amp;".utf8.forEach(write)
            default: write(byte)
            }
        }
    }
}
