/// A result as people read it: aligned columns, or a Markdown table.
struct Grid {
    var headers: [String]
    /// nil where there is no value.
    var rows: [[String?]] = []
    /// Columns whose values are aligned to the right.
    var numeric: Set<Int> = []
    /// How wide the columns of the part before are, where this goes on with a table; such a part has no headers.
    var widthsBefore: [Int]?

    init(headers: [String], rows: [[String?]] = [], numeric: Set<Int> = []) {
        self.headers = headers
        self.rows = rows
        self.numeric = numeric
    }

    /// Columns two spaces apart; an absent value is a dash.
    func text(_ decoration: Decoration) -> String {
        let cells = cells
        let widths = widths(of: cells)
        let lines = cells.map { row in
            let padded = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: max(widths[column] - cell.count, 0))
                return numeric.contains(column) ? space + cell : column == row.count - 1 ? cell : cell + space
            }
            return padded.joined(separator: "  ")
        }
        let hasHeaders = widthsBefore == nil
        return lines.enumerated().map { ($0 == 0 && hasHeaders ? decoration.bold($1) : $1) + "\n" }.joined()
    }

    /// An empty part that goes on below this one.
    var continued: Grid {
        var grid = Grid(headers: headers, numeric: numeric)
        grid.widthsBefore = widths(of: cells)
        return grid
    }

    private var cells: [[String]] {
        (widthsBefore == nil ? [headers.map(Self.oneLine)] : []) + rows.map { $0.map { Self.oneLine($0 ?? "-") } }
    }

    private func widths(of cells: [[String]]) -> [Int] {
        headers.indices.map { column in
            cells.reduce(widthsBefore?[column] ?? 0) { max($0, min($1[column].count, Self.widestColumn)) }
        }
    }

    /// Other rows keep no more room than this for a column, however long a value is.
    private static let widestColumn = 1_000

    /// A GitHub table.
    var markdown: String {
        let rule = headers.indices.map { numeric.contains($0) ? "--:" : "---" }
        // By scalars, since a bar and a combining mark are one character.
        let escaped = { (text: String) in
            Self.oneLine(text).unicodeScalars.map { $0 == "|" ? "\\|" : String($0) }.joined()
        }
        let body = rows.map { $0.map { escaped($0 ?? "") } }
        return ((widthsBefore == nil ? [headers.map(escaped), rule] : []) + body).map {
            "| \($0.joined(separator: " | ")) |\n"
        }.joined()
    }

    /// Control characters would move the cursor or break the line.
    private static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { line, scalar in
            switch scalar {
            case "\n": line += "\\n"
            case "\t": line += "\\t"
            case "\r": line += "\\r"
            case _ where isControl(scalar): line += "\\u{\(String(scalar.value, radix: 16))}"
            default: line.unicodeScalars.append(scalar)
            }
        }
    }

    /// C0, DEL and C1.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
