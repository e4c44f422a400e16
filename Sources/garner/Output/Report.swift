import Catalog

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A list of records of the program's own (runs, tables, streams) in any output format.
struct Report {
    struct Field {
        let name: String
        let json: JSONText
        /// nil for what the table leaves out or has no value for.
        let text: String?

        init(_ name: String, _ text: String?) { (self.name, self.text, json) = (name, text, JSONText(text)) }
        init(_ name: String, _ number: Int?) {
            (self.name, text, json) = (name, number.map(String.init), JSONText(number))
        }
        init(_ name: String, _ instant: Timestamp?) {
            (self.name, text, json) = (name, instant?.description, JSONText(instant))
        }
        init(_ name: String, json: JSONText, text: String?) { (self.name, self.text, self.json) = (name, text, json) }
    }

    /// All records have the same fields.
    var records: [[Field]]
    /// The fields that tables for people show; nil for all.
    var shown: [String]?
    /// Said where there are no records.
    var emptyHint: String

    func write(to setup: Setup) throws {
        switch setup.format {
        case .json: try StandardOutput.write(exactly: JSONText.list(records.map(object)))
        case .ndjson: try StandardOutput.write(exactly: records.map { object($0).text + "\n" }.joined())
        case .table: try writeGrid { $0.text(setup.decoration(on: STDOUT_FILENO)) }
        case .markdown: try writeGrid(\.markdown)
        case .csv: try writeDelimited(by: ",")
        case .tsv: try writeDelimited(by: "\t")
        }
    }

    private func object(_ record: [Field]) -> JSONText { .object(record.map { ($0.name, $0.json) }) }

    private func writeGrid(_ rendering: (Grid) -> ShownText) throws {
        guard let first = records.first else {
            StandardError.write("\(emptyHint)\n")
            return
        }
        let visible = first.indices.filter { shown?.contains(first[$0].name) ?? true }
        var grid = Grid(headers: visible.map { first[$0].name })
        grid.rows = records.map { record in visible.map { record[$0].text } }
        for (column, index) in visible.enumerated() {
            if case .integer = first[index].json { grid.numeric.insert(column) }
        }
        try StandardOutput.write(rendering(grid))
    }

    private func writeDelimited(by separator: String) throws {
        guard let first = records.first else {
            StandardError.write("\(emptyHint)\n")
            return
        }
        let lines = [first.map(\.name)] + records.map { $0.map { cell($0.text, separator) } }
        try StandardOutput.write(exactly: lines.map { $0.joined(separator: separator) + "\n" }.joined())
    }

    /// By scalars, since `"` and a combining mark are one character.
    private func cell(_ text: String?, _ separator: String) -> String {
        guard let scalars = text?.unicodeScalars else { return "" }
        let escapes: [Unicode.Scalar: String] =
            separator == "\t" ? ["\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"] : ["\"": "\"\""]
        let escaped = scalars.map { escapes[$0] ?? String($0) }.joined()
        let isPlain =
            separator == "\t" || !scalars.isEmpty && !scalars.contains { ",\"\n\r".unicodeScalars.contains($0) }
        return isPlain ? escaped : "\"\(escaped)\""
    }
}
