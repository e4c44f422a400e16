import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// The changes of a stream's table, with the versions of its rows if they are kept.
final class ChangedTable {
    let stream: String
    private let isComposite: Bool
    private let columns: [(name: String, wasSpelledFromBoolean: Bool)]
    /// The statements for the version that a run only ended, and for the one that it only began; nil without versions.
    private let versions: (old: Statement, new: Statement)?

    struct Difference {
        let fields: [RecordChange.Field]
        let at: Timestamp?
    }

    init(streamID: StreamID, on connection: Connection) throws {
        let known = try connection.firstRow(
            "SELECT name, table_name FROM _garner_streams WHERE stream_id = ?1", [.id(streamID)]
        ) { (stream: $0.text(at: 0), table: $0.text(at: 1)) }
        stream = known?.stream ?? ""
        let table = known?.table ?? ""
        let key = try TableSchema(streamID: streamID, table: table, on: connection)?.key ?? []
        isComposite = key.count > 1
        let history = HistoryTable(of: table, on: connection)
        guard !key.isEmpty, try history.exists() else {
            columns = []
            versions = nil
            return
        }
        let respelled = try HistoryTable.respelledBooleans(of: streamID, on: connection)
        columns = try history.rowColumns().map { ($0, respelled.contains(Array($0.utf8))) }
        let names = columns.map { quoted($0.name) }.joined(separator: ", ")
        let parts = key.enumerated().map { position, column in
            "\(quoted(column.name)) = \(key.count == 1 ? "?1" : "json_extract(?1, '$[\(position)]')")"
        }
        let select = { (own: String) in
            "SELECT \(own), \(names) FROM \(quoted(history.name)) WHERE \(parts.joined(separator: " AND "))"
        }
        versions = (
            old: try Statement(
                "\(select("_garner_valid_to")) AND _garner_end_run = ?2 AND _garner_run IS NOT ?2", on: connection),
            new: try Statement(
                "\(select("_garner_valid_from")) AND _garner_run = ?2 AND _garner_end_run IS NOT ?2", on: connection)
        )
    }

    func key(_ noted: Value) -> RecordChange.Key {
        if isComposite, case .text(let json) = noted { return .composite(json) }
        return .single(noted)
    }

    /// Returns the change that a run made to a record; nil if there are no versions of it.
    func difference(_ operation: RecordChange.Operation, of key: Value, run: RunID) throws -> Difference? {
        guard let versions else { return nil }
        let old = operation == .insert ? nil : try row(versions.old, key, run)
        let new = try row(versions.new, key, run)
        // A row that was marked as deleted also has a new version.
        guard operation == .insert || old != nil, operation == .delete || new != nil else { return nil }
        let fields = columns.enumerated().compactMap { index, column -> RecordChange.Field? in
            let (before, after) = (old?[index + 1] ?? .null, new?[index + 1] ?? .null)
            let isSame =
                before.isSame(as: after) || before.isSpelled(by: after, asBoolean: column.wasSpelledFromBoolean)
            return isSame ? nil : RecordChange.Field(name: column.name, old: before, new: after)
        }
        guard case .text(let at)? = (new ?? old)?.first else { return nil }
        return try Difference(fields: fields, at: Timestamp(stored: at))
    }

    private func row(_ statement: Statement, _ key: Value, _ run: RunID) throws -> [Value]? {
        try statement.bind([key, .id(run)])
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return statement.wholeValues
    }
}

extension Value {
    /// Returns true for equal values. Texts are compared by bytes: Swift's are equal whatever their Unicode form.
    func isSame(as other: Value) -> Bool {
        if case (.text(let text), .text(let other)) = (self, other) { return text.utf8.elementsEqual(other.utf8) }
        return self == other
    }

    /// Returns true if `other` is only the respelling of this value by a wider type, which is no change of the record.
    func isSpelled(by other: Value, asBoolean: Bool) -> Bool {
        switch (self, other) {
        case (.integer(let integer), .text(let text)):
            text == String(integer) || (asBoolean && text == (integer == 0 ? "false" : "true"))
        case (.real(let real), .text(let text)): text == real.description
        case (.integer(let integer), .real(let real)): Double(integer) == real
        case (.text(let text), .integer(let integer)): text == String(integer)
        case (.text(let text), .real(let real)): text == real.description
        default: false
        }
    }
}
