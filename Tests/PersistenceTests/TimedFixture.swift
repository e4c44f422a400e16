import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import Testing

/// A database of streams that are synchronised at the minutes that a test names.
struct TimedFixture {
    let fixture: Fixture
    private let clock = WallClock()

    init() throws { fixture = try Fixture(clock: clock) }

    static func animals(
        table: String = "animals", key: [String]? = nil, missing: DeleteMissing = .ignore, history: Bool = true,
        search: [String] = []
    ) -> StreamConfiguration {
        var stream = StreamConfiguration.animals(table: table, key: key, missing: missing, ratio: 1)
        stream.history = history
        stream.search = search
        return stream
    }

    /// One run at this minute.
    @discardableResult
    func sync(_ minute: Int64, _ stream: StreamConfiguration, _ pages: String...) async throws -> RunRecord {
        clock.set(to: minute)
        return try await fixture.sync(stream, pages: pages)
    }

    func set(to minute: Int64) { clock.set(to: minute) }

    func reader() throws -> ReadOnlyDatabase { try ReadOnlyDatabase(path: fixture.path) }

    /// The rows of a statement: their columns as SQL literals, joined by a space.
    func rows(_ cursor: RowCursor) throws -> [String] {
        var rows: [String] = []
        while let row = try cursor.next() { rows.append(cursor.literals(of: row)) }
        return rows
    }
}

extension RowCursor {
    func literals(of row: any Row) -> String {
        columns.indices.map { row.value(at: $0).literal }.joined(separator: " ")
    }
}
