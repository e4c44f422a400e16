import Database
import JSON
import Model
import Persistence
import Presentation
import Reports

/// All that is known of one record.
struct RecordFacts: Sendable {
    /// The most versions that are shown.
    static let mostVersions = 50
    /// The bytes of a value that are shown.
    private static let shownBytes = 20_000
    /// The rows of each child table that are shown.
    private static let childRows = 10

    let relation: Relation
    let key: [String]
    let place: RecordPlace
    let cells: [TableRows.Cell]
    let json: String
    let attachments: [StoredAttachment]
    let history: RecordHistory?
    let children: [(rows: ChildRows, first: TableRows)]

    init(_ name: String, key: [String], in database: ReadOnlyDatabase) throws {
        relation = try database.relation(name)
        place = try MissingPage.translating { try database.place(in: name, key: key) }
        self.key = key
        let (columns, cursor) = (relation.columns, try database.rows(at: place))
        var cells: [TableRows.Cell] = []
        if let row = try cursor.next() {
            cells = columns.indices.map { TableRows.cell(of: row, at: $0, columns[$0], bytes: Self.shownBytes) }
        }
        self.cells = cells
        attachments = try database.attachments(of: place)
        json = try Self.json(of: place, attachments, in: database)
        history = try database.history(of: place, limit: Self.mostVersions)
        children = try database.children(of: place).map { child in
            let relation = try database.relation(child.table)
            let filters = child.key.compactMap { part in
                relation.index(of: part.column).map { TableAddress.filter(relation.columns[$0], part.value) }
            }
            return (child, try TableRows(RowSelection(relation, filters: filters), limit: Self.childRows, in: database))
        }
    }

    /// Returns the record with its files, as `garner get --json` does.
    static func json(
        of place: RecordPlace, _ attachments: [StoredAttachment], in database: ReadOnlyDatabase
    ) throws -> String {
        let row = try database.rows(at: place).collected(as: .ndjson)
        let files = attachments.map { JSONText.object($0.fields.map { ($0.name, $0.json) }) }
        return JSONText.object([
            ("table", .string(place.table)),
            ("record", .verbatim(String(decoding: row.dropLast(), as: UTF8.self))),
            ("attachments", .array(files)),
        ]).text
    }
}

extension Dashboard {
    /// A record: its fields, files, versions, and the rows that belong to it.
    func recordPage(_ request: WebRequest) async throws -> WebResponse {
        let name = request.components[1]
        let parts = request.query.filter { $0.name == Link.keyParameter }.map(\.value)
        let key = parts.isEmpty ? Array(request.components.dropFirst(2)) : parts
        guard request.format == .html else {
            let json = try await read { database in
                let place = try MissingPage.translating { try database.place(in: name, key: key) }
                return try RecordFacts.json(of: place, database.attachments(of: place), in: database)
            }
            return WebResponse(type: "application/json", .bytes(Array("\(json)\n".utf8)))
        }
        let facts = try await read { try RecordFacts(name, key: key, in: $0) }
        var origin: RecordOrigin?
        // A version tells its run. Else the changes of the stream are looked through, if that is quick.
        if let version = facts.history?.versions.first {
            origin = version.run.map { run in
                RecordOrigin(run: run, at: version.from, operation: version.isFirst ? nil : .update)
            }
        } else {
            origin =
                await readInTime { database in
                    guard let change = try database.lastChange(of: facts.place) else { return nil }
                    return RecordOrigin(
                        run: change.run, at: try database.run(change.run).endedAt, operation: change.operation)
                } ?? nil
        }
        return response(
            Page(
                title: "\(facts.title) · \(facts.relation.name)", section: .tables,
                content: RecordPage(facts: facts, origin: origin, now: now()).html,
                twins: [("JSON", request.link.as(.json))]))
    }
}

/// The run that last changed a record.
struct RecordOrigin: Sendable {
    let run: RunID
    let at: Timestamp?
    let operation: RecordChange.Operation?
}
