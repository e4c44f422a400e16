import LibC
import Persistence
import Presentation
import SQLite

/// Writes the rows of a statement to standard output in any format.
struct RowOutput {
    let setup: Setup
    /// The time limit, which does not count the time that readers of the output take.
    var statementGuard: StatementGuard?

    func write(_ statement: Statement, of reader: DatabaseReader) throws {
        switch setup.format {
        case .json: try reader.write(statement, as: .json, to: write)
        case .ndjson: try reader.write(statement, as: .ndjson, to: write)
        case .csv: try reader.write(statement, as: .csv, to: write)
        case .tsv: try reader.write(statement, as: .tsv, to: write)
        case .table:
            let layout = setup.tableLayout
            try writeTable(statement, of: reader) { $0.takeText(layout) }
        case .markdown: try writeTable(statement, of: reader) { $0.takeMarkdown() }
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard let statementGuard else { return try StandardOutput.write(bytes) }
        try statementGuard.pausing { try StandardOutput.write(bytes) }
    }

    /// Writes a table in parts, so that a long table takes no more memory than a short one.
    private func writeTable(
        _ statement: Statement, of reader: DatabaseReader, _ take: (inout TextTable) -> DisplayText
    ) throws {
        var table = TextTable(headers: statement.columnNames)
        var isText: Set<Int> = []
        var length = 0
        func writePart() throws {
            table.numeric = Set(table.headers.indices).subtracting(isText)
            var text = take(&table).text
            try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
            length = 0
        }
        while try reader.translatingErrors(of: "the query", statement.step) {
            let row = table.headers.indices.map { cell(at: Int32($0), of: statement, &isText) }
            length += row.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
            table.rows.append(row)
            if table.rows.count >= Self.partRows || length >= Self.partBytes { try writePart() }
        }
        if !table.isBegun || !table.rows.isEmpty { try writePart() }
        setup.tellOmitted(columns: table.omittedColumns)
    }

    private static let partRows = 5_000
    private static let partBytes = 4 << 20

    private func cell(at column: Int32, of statement: Statement, _ isText: inout Set<Int>) -> String? {
        switch statement.kind(at: column) {
        case .null: return nil
        case .integer: return String(statement.integer(at: column))
        case .real: return statement.real(at: column).description
        case .text:
            isText.insert(Int(column))
            return statement.text(at: column)
        case .blob:
            isText.insert(Int(column))
            return "(\(statement.bytes(at: column).count) bytes)"
        }
    }
}
