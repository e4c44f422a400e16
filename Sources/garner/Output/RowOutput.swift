import Persistence
import SQLite

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Writes the rows of a statement in any output format, to standard output.
struct RowOutput {
    let setup: Setup
    /// Does not count the time that others take to read.
    var statementGuard: StatementGuard?

    func write(_ statement: Statement, of archive: Archive) throws {
        switch setup.format {
        case .json: try archive.write(statement, as: .json, to: write)
        case .ndjson: try archive.write(statement, as: .ndjson, to: write)
        case .csv: try archive.write(statement, as: .csv, to: write)
        case .tsv: try archive.write(statement, as: .tsv, to: write)
        case .table:
            let decoration = setup.decoration(on: STDOUT_FILENO)
            try writeGrid(statement, of: archive) { $0.text(decoration) }
        case .markdown: try writeGrid(statement, of: archive) { $0.markdown }
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard let statementGuard else { return try StandardOutput.write(bytes) }
        try statementGuard.pausing { try StandardOutput.write(bytes) }
    }

    /// In parts, each as wide as those before or wider, so that a long table takes no more memory than a short one.
    private func writeGrid(
        _ statement: Statement, of archive: Archive, _ rendering: (Grid) -> ShownText
    ) throws {
        var grid = Grid(headers: statement.columnNames)
        var isText: Set<Int> = []
        var length = 0
        func writePart() throws {
            grid.numeric = Set(grid.headers.indices).subtracting(isText)
            var text = rendering(grid).text
            try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
        }
        while try archive.translatingErrors(of: "the query", statement.step) {
            let row = grid.headers.indices.map { cell(at: Int32($0), of: statement, &isText) }
            length += row.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
            grid.rows.append(row)
            if grid.rows.count >= Self.partRows || length >= Self.partBytes {
                try writePart()
                grid = grid.continued
                length = 0
            }
        }
        if grid.widthsBefore == nil || !grid.rows.isEmpty { try writePart() }
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
