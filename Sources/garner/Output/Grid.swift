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
    func text(_ decoration: Decoration) -> ShownText {
        let cells = cells
        let widths = widths(of: cells)
        let lines = cells.map { row in
            let padded = row.enumerated().map { column, cell in
                let space = ShownText(String(repeating: " ", count: max(widths[column] - cell.text.count, 0)))
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

    private var cells: [[ShownText]] {
        (widthsBefore == nil ? [headers.map { ShownText($0) }] : []) + rows.map { $0.map { ShownText($0 ?? "-") } }
    }

    private func widths(of cells: [[ShownText]]) -> [Int] {
        headers.indices.map { column in
            cells.reduce(widthsBefore?[column] ?? 0) { max($0, min($1[column].text.count, Self.widestColumn)) }
        }
    }

    /// Other rows keep no more room than this for a column, however long a value is.
    private static let widestColumn = 1_000

    /// A GitHub table.
    var markdown: ShownText {
        let rule: [ShownText] = headers.indices.map { numeric.contains($0) ? "--:" : "---" }
        // By scalars, since a bar and a combining mark are one character.
        let escaped = { (text: String) in
            ShownText(text.unicodeScalars.map { $0 == "|" ? "\\|" : String($0) }.joined())
        }
        let body = rows.map { $0.map { escaped($0 ?? "") } }
        return ((widthsBefore == nil ? [headers.map(escaped), rule] : []) + body).map {
            "| \($0.joined(separator: " | ")) |\n"
        }.joined()
    }
}
