import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

struct RecordFacts: Sendable {
    static let mostVersions = 50
    /// The bytes of a value that are shown, and those of all values together, of which each has its share.
    private static let (shownBytes, allBytes) = (20_000, 1_000_000)
    private static let childRows = 10

    let relation: Relation
    let key: [String]
    let place: RecordPlace
    let cells: [TableRows.Cell]
    let json: String
    let attachments: [StoredAttachment]
    let history: RecordHistory?
    let children: [(rows: ChildRows, first: TableRows)]

    /// The time since when the source lacks the record, whose row is kept; nil if the source has it.
    var deletedAt: Timestamp? {
        guard let index = relation.columns.firstIndex(where: \.isDeletionTime), case .text(let text, _) = cells[index]
        else { return nil }
        return Timestamp(rfc3339: text)
    }

    init(_ name: String, key: [String], in database: ReadOnlyDatabase) throws {
        let relation = try database.relation(name)
        place = try MissingPage.translating { try database.place(in: name, key: key) }
        (self.relation, self.key) = (relation, key)
        let (columns, cursor) = (relation.columns, try database.rows(at: place))
        var cells: [TableRows.Cell] = []
        if let row = try cursor.next() {
            let shown = min(Self.shownBytes, Self.allBytes / max(columns.count, 1))
            cells = columns.indices.map { TableRows.cell(of: row, at: $0, columns[$0], bytes: shown) }
        }
        self.cells = cells
        attachments = try database.attachments(of: place)
        json = try Self.json(of: place, attachments, in: database)
        history = try database.history(of: place, limit: Self.mostVersions)
        let isDeleted = try database.deletionTime(of: place) != nil
        children = try database.children(of: place).map { child in
            let relation = try database.relation(child.table)
            let filters = child.key.compactMap { part in
                relation.index(of: part.column).map { TableAddress.filter(relation.columns[$0], part.value) }
            }
            var selection = RowSelection(relation, filters: filters)
            if isDeleted { selection.deleted = .shown }
            return (child, try TableRows(selection, limit: Self.childRows, in: database))
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
        guard request.format == nil else { return try await recordAsJSON(name, key) }
        let found = try await read { database in
            try Self.orGone(name, key, in: database) { try RecordFacts(name, key: key, in: database) }
        }
        guard case .stored(let facts) = found else {
            guard case .gone(let record, let relation) = found else { throw DashboardError.noPage(request.link) }
            return response(
                Page(
                    title: "\(key.joined(separator: ", ")) · \(relation.name)", section: .tables,
                    content: GoneRecordPage(record: record, relation: relation, key: key, now: now()).html,
                    twins: [("JSON", request.link.as(.json))]))
        }
        let origin = await origin(of: facts)
        return response(
            Page(
                title: "\(facts.title) · \(facts.relation.name)", section: .tables,
                content: RecordPage(facts: facts, origin: origin, now: now()).html,
                twins: [("JSON", request.link.as(.json))]))
    }

    /// Returns the run that last changed a record; nil if that is unknown.
    private func origin(of facts: RecordFacts) async -> RecordOrigin? {
        let isDeleted = facts.deletedAt != nil
        // A version tells its run, but the first one may have begun after the deletion.
        if let version = facts.history?.versions.first, !(isDeleted && version.isFirst) {
            return version.run.map { run in
                let operation: RecordChange.Operation? = version.isFirst ? nil : .update
                return RecordOrigin(run: run, at: version.from, operation: isDeleted ? .delete : operation)
            }
        }
        // Else the changes of the stream are looked through, if that is quick.
        let origin: RecordOrigin?? = await readInTime { database in
            guard let change = try database.lastChange(of: facts.place) else { return nil }
            return RecordOrigin(
                run: change.run, at: try database.run(change.run).endedAt, operation: change.operation)
        }
        guard let origin = origin ?? nil else { return nil }
        return isDeleted && origin.operation != .delete ? nil : origin
    }

    private func recordAsJSON(_ name: String, _ key: [String]) async throws -> WebResponse {
        let found = try await read { database in
            try Self.orGone(name, key, in: database) {
                let place = try MissingPage.translating { try database.place(in: name, key: key) }
                return try RecordFacts.json(of: place, database.attachments(of: place), in: database)
            }
        }
        switch found {
        case .stored(let json): return WebResponse(type: "application/json", .bytes(Array("\(json)\n".utf8)))
        case .gone(let record, _): return .json(record.json)
        }
    }

    /// A record that is in its table, or what is known of one that was.
    private enum Found<Stored: Sendable>: Sendable {
        case stored(Stored)
        case gone(GoneRecord, Relation)
    }

    /// Returns what `body` reads of a record; if the record is missing, what runs have noted of it. Throws if nothing is known.
    private static func orGone<Stored: Sendable>(
        _ name: String, _ key: [String], in database: ReadOnlyDatabase, _ body: () throws -> Stored
    ) throws -> Found<Stored> {
        do {
            return .stored(try body())
        } catch let missing as MissingPage {
            let record = try MissingPage.translating {
                try database.goneRecord(in: name, key: key, limit: RecordFacts.mostVersions)
            }
            guard let record else { throw missing }
            return .gone(record, try database.relation(name))
        }
    }
}

/// The run that last changed a record.
struct RecordOrigin: Sendable {
    let run: RunID
    let at: Timestamp?
    let operation: RecordChange.Operation?
}
