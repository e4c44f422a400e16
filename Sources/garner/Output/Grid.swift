/// A result as people read it: aligned columns, or a Markdown table.
struct Grid {
    var headers: [String]
    /// nil where there is no value.
    var rows: [[String?]] = []
    /// Columns whose values are aligned to the right.
    var numeric: Set<Int> = []

    /// Columns two spaces apart; an absent value is a dash.
    func text(_ decoration: Decoration) -> String {
        let cells = [headers.map(Self.oneLine)] + rows.map { $0.map { Self.oneLine($0 ?? "-") } }
        let widths = headers.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        let lines = cells.map { row in
            let padded = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return numeric.contains(column) ? space + cell : column == row.count - 1 ? cell : cell + space
            }
            return padded.joined(separator: "  ")
        }
        return lines.enumerated().map { ($0 == 0 ? decoration.bold($1) : $1) + "\n" }.joined()
    }

    /// A GitHub table.
    var markdown: String {
        let rule = headers.indices.map { numeric.contains($0) ? "--:" : "---" }
        let escaped = { (text: String) in Self.oneLine(text).replacing("|", with: "\\|") }
        let body = rows.map { $0.map { escaped($0 ?? "") } }
        return ([headers.map(escaped), rule] + body).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }

    /// Control characters would move the cursor or break the line.
    private static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.map { scalar in
            switch scalar {
            case "\n": "\\n"
            case "\t": "\\t"
            case "\r": "\\r"
            case _ where isControl(scalar): "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }.joined()
    }

    /// C0, DEL and C1.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
