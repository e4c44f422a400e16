import GarnerDatabase
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation

/// Writes the rows of a statement to standard output in any format.
struct RowOutput {
    let setup: Setup
    /// The time limit, which does not count the time that readers of the output take.
    var queryGuard: QueryGuard?

    func write(_ rows: RowCursor) throws {
        if setup.format.isForPeople { try writeTable(rows) } else { try rows.write(as: setup.format, to: write) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard let queryGuard else { return try StandardOutput.write(bytes) }
        try queryGuard.pausing { try StandardOutput.write(bytes) }
    }

    /// Writes a table in parts, so that a long table takes no more memory than a short one.
    private func writeTable(_ rows: RowCursor) throws {
        let layout = setup.tableLayout
        var table = TextTable(headers: rows.columns)
        var isText: Set<Int> = []
        var length = 0
        func writePart() throws {
            table.numeric = Set(table.headers.indices).subtracting(isText)
            var text = table.take(as: setup.format, layout).text
            try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
            length = 0
        }
        while let row = try rows.next() {
            let cells = table.headers.indices.map { cell(at: $0, of: row, &isText) }
            length += cells.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
            table.rows.append(cells)
            if table.rows.count >= Self.partRows || length >= Self.partBytes { try writePart() }
        }
        if !table.isBegun || !table.rows.isEmpty { try writePart() }
        setup.tellOmitted(columns: table.omittedColumns)
    }

    private static let partRows = 5_000
    private static let partBytes = 4 << 20

    private func cell(at column: Int, of row: any Row, _ isText: inout Set<Int>) -> String? {
        switch row.kind(at: column) {
        case .null: return nil
        case .integer: return String(row.integer(at: column))
        case .real: return row.real(at: column).description
        case .text:
            isText.insert(column)
            return row.text(at: column)
        case .blob:
            isText.insert(column)
            return "(\(row.bytes(at: column).count) bytes)"
        }
    }
}
