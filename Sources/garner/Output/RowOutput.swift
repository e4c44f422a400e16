import Persistence
import SQLite

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Writes the rows of a statement in any output format.
struct RowOutput {
    let setup: Setup

    func write(_ statement: Statement, of archive: Archive) throws {
        switch setup.format {
        case .json: try archive.write(statement, as: .json, to: StandardOutput.write)
        case .ndjson: try archive.write(statement, as: .ndjson, to: StandardOutput.write)
        case .csv: try archive.write(statement, as: .csv, to: StandardOutput.write)
        case .tsv: try archive.write(statement, as: .tsv, to: StandardOutput.write)
        case .table: try StandardOutput.write(grid(statement, of: archive).text(setup.decoration(on: STDOUT_FILENO)))
        case .markdown: try StandardOutput.write(grid(statement, of: archive).markdown)
        }
    }

    private func grid(_ statement: Statement, of archive: Archive) throws -> Grid {
        var grid = Grid(headers: statement.columnNames)
        var isText: Set<Int> = []
        while try archive.translatingErrors(of: "the query", statement.step) {
            grid.rows.append(
                grid.headers.indices.map { column in
                    switch statement.value(at: Int32(column)) {
                    case .null: return nil
                    case .integer(let integer): return String(integer)
                    case .real(let real): return real.description
                    case .text(let text):
                        isText.insert(column)
                        return text
                    case .blob(let bytes):
                        isText.insert(column)
                        return "(\(bytes.count) bytes)"
                    }
                })
        }
        grid.numeric = Set(grid.headers.indices).subtracting(isText)
        return grid
    }
}
