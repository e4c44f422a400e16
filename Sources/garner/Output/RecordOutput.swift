import Persistence
import Presentation
import SQLite

/// Writes one record, and the data of its stored files, in any output format.
struct RecordOutput {
    let setup: Setup
    let reader: DatabaseReader
    /// The time limit, which does not count the time that readers of the output take.
    let statementGuard: StatementGuard

    func write(_ place: RecordPlace, _ attachments: [StoredAttachment]) throws {
        let statement = try reader.statement(for: place.request)
        switch setup.format {
        case .csv, .tsv: try RowOutput(setup: setup, statementGuard: statementGuard).write(statement, of: reader)
        case .json, .ndjson:
            let text = try json(place, statement, attachments).text + "\n"
            try statementGuard.pausing { try StandardOutput.write(exactly: text) }
        case .table, .markdown:
            let fields = try fields(of: statement)
            try statementGuard.pausing {
                try fields.write(to: setup)
                guard !attachments.isEmpty else { return }
                try StandardOutput.write("\n")
                try Report(records: attachments.map(\.fields), emptyHint: "").write(to: setup)
            }
        }
    }

    private func json(
        _ place: RecordPlace, _ statement: Statement, _ attachments: [StoredAttachment]
    ) throws -> JSONText {
        let row = Bytes()
        try reader.write(statement, as: .ndjson) { row.bytes += $0 }
        let files = attachments.map { JSONText.object($0.fields.map { ($0.name, $0.json) }) }
        return .object([
            ("table", .string(place.table)),
            ("record", .verbatim(String(decoding: row.bytes.dropLast(), as: UTF8.self))),
            ("attachments", .array(files)),
        ])
    }

    private func fields(of statement: Statement) throws -> Report {
        var record: [Report.Field] = []
        if try reader.translatingErrors(of: "the record", statement.step) {
            for (index, name) in statement.columnNames.enumerated() {
                let value =
                    statement.kind(at: Int32(index)) == .blob ? "a blob" : statement.optionalText(at: Int32(index))
                record.append(.init(name, value))
            }
        }
        statement.reset()
        return Report(fieldsOf: record, emptyHint: "The record has just gone.")
    }

    private final class Bytes {
        var bytes: [UInt8] = []
    }
}

extension StoredAttachment {
    fileprivate var fields: [Report.Field] {
        [
            .init("field", field), .init("media_type", mediaType), .init("length", length), .init("sha256", sha256),
            .init("url", url), .init("error", error),
        ]
    }
}
