package import SQLite

/// A format that rows are written in one after the other.
package enum RowFormat: String, Sendable, CaseIterable {
    case csv, tsv, json, ndjson, markdown

    /// Whether a `DelimitedStyle` says anything about it.
    package var isDelimited: Bool { self == .csv || self == .tsv }
}

extension Archive {
    /// Writes all rows of a statement; returns how many there were.
    @discardableResult
    package func write(
        _ statement: Statement, as format: RowFormat, style: DelimitedStyle = DelimitedStyle(),
        to write: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int {
        var output = OutputBuffer(write)
        let columns = statement.columnNames
        var writer: any RowWriter =
            switch format {
            case .csv: DelimitedWriter(.csv, style)
            case .tsv: DelimitedWriter(.tsv, style)
            case .json: JSONWriter(of: statement, isArray: true)
            case .ndjson: JSONWriter(of: statement, isArray: false)
            case .markdown: MarkdownWriter(of: statement)
            }
        var rows = 0
        try writer.begin(columns, in: &output)
        while try translatingErrors(of: "the query", statement.step) {
            try writer.write(statement, isFirst: rows == 0, to: &output)
            rows += 1
            try output.flushIfFull()
        }
        statement.reset()
        writer.end(rows: rows, in: &output)
        try output.flush()
        return rows
    }
}

/// Writes rows in one format.
protocol RowWriter {
    func begin(_ columns: [String], in output: inout OutputBuffer) throws
    mutating func write(_ row: Statement, isFirst: Bool, to output: inout OutputBuffer) throws
    func end(rows: Int, in output: inout OutputBuffer)
}
