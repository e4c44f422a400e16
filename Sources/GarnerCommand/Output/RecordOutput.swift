import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

/// Writes one record, and the data of its stored files, in any output format.
struct RecordOutput {
    let setup: Setup
    let reader: ReadOnlyDatabase
    /// The time limit, which does not count the time that readers of the output take.
    let queryGuard: QueryGuard

    func write(_ place: RecordPlace, _ attachments: [StoredAttachment]) throws {
        let rows = try reader.rows(at: place)
        switch setup.format.family {
        case .delimited: try RowOutput(setup: setup, queryGuard: queryGuard).write(rows)
        case .objects:
            let text = try json(place, rows, attachments).text + "\n"
            try queryGuard.pausing { try StandardOutput.write(exactly: text) }
        case .table:
            let fields = try fields(of: rows)
            try queryGuard.pausing {
                try fields.write(to: setup)
                guard !attachments.isEmpty else { return }
                try StandardOutput.write("\n")
                try Report(records: attachments.map(\.fields)).write(to: setup)
            }
        }
    }

    private func json(
        _ place: RecordPlace, _ rows: RowCursor, _ attachments: [StoredAttachment]
    ) throws -> JSONText {
        let row = Bytes()
        try rows.write(as: .ndjson) { row.bytes += $0 }
        let files = attachments.map { JSONText.object($0.fields.map { ($0.name, $0.json) }) }
        return .object([
            ("table", .string(place.table)),
            ("record", .verbatim(String(decoding: row.bytes.dropLast(), as: UTF8.self))),
            ("attachments", .array(files)),
        ])
    }

    private func fields(of rows: RowCursor) throws -> Report {
        var record: [Report.Field] = []
        if let row = try rows.next() {
            record = rows.columns.enumerated().map { index, name in
                .init(name, row.kind(at: index) == .blob ? "a blob" : row.optionalText(at: index))
            }
        }
        return Report(fieldsOf: record, emptyHint: "The record has just gone.")
    }

    private final class Bytes {
        var bytes: [UInt8] = []
    }
}
