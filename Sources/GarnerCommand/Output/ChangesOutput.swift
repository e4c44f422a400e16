import GarnerCatalog
import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

/// Writes the changes that runs made to records: a JSON object per line, or a line for each field.
struct ChangesOutput {
    /// The greatest length of a value on a terminal, so that both values of a change have room.
    private static let maximumValueLength = 40

    let setup: Setup
    let reader: ReadOnlyDatabase

    /// Returns true if the limit leaves earlier changes out.
    func write(_ request: ChangeRequest) throws -> Bool {
        switch setup.format.family {
        case .objects:
            var output = OutputBuffer(StandardOutput.write)
            let leavesOut = try reader.forEachChange(request) { change in
                output.append(change.json.text + "\n")
                try output.flushIfFull()
            }
            try output.flush()
            return leavesOut
        case .table:
            let length = setup.cutsValues ? Self.maximumValueLength : .max
            return try write(request) { Self.shown($0, valueLength: length) }
        case .delimited: return try write(request, Self.fields)
        }
    }

    private func write(_ request: ChangeRequest, _ fields: (RecordChange) -> [[Report.Field]]) throws -> Bool {
        var records: [[Report.Field]] = []
        let leavesOut = try reader.forEachChange(request) { records += fields($0) }
        try Report(
            records: records,
            emptyHint: "No change was noted; they are noted from the end of a stream's first read on."
        ).write(to: setup)
        return leavesOut
    }

    /// Returns a row for each field of an update, and a single row for an added or deleted record.
    private static func shown(_ change: RecordChange, valueLength: Int) -> [[Report.Field]] {
        func short(_ value: Value) -> String {
            let text = value.text ?? "NULL"
            return text.count > valueLength ? "\(text.prefix(valueLength))…" : text
        }
        let fields = change.operation == .update ? change.fields ?? [] : []
        let lines = fields.map { ($0.name, "\(short($0.old)) → \(short($0.new))") as (String?, String?) }
        return (lines.isEmpty ? [(nil, nil)] : lines).map { field, difference in
            [
                .init("run_id", change.run), .init("stream", change.stream),
                .init("op", change.operation.rawValue), .init("key", change.key.text), .init("field", field),
                .init("change", difference),
            ]
        }
    }

    private static func fields(_ change: RecordChange) -> [[Report.Field]] {
        let fields = (change.fields ?? []).map { ($0.name, $0.old.text, $0.new.text) as (String?, String?, String?) }
        return (fields.isEmpty ? [(nil, nil, nil)] : fields).map { name, old, new in
            [
                .init("stream", change.stream), .init("key", change.key.text),
                .init("op", change.operation.rawValue), .init("run_id", change.run),
                .init("at", change.at), .init("field", name), .init("old", old), .init("new", new),
            ]
        }
    }
}
