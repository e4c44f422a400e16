import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

/// Rows that `delete_missing: soft` keeps although the source lacks their records.
struct DeletedRowsTests {
    let timed: TimedFixture

    init() throws { timed = try TimedFixture() }

    private static func stream(key: [String]? = nil) -> StreamConfiguration {
        var stream = TimedFixture.animals(key: key, missing: .soft, search: ["name"])
        stream.childTables = true
        return stream
    }

    /// Kea and Dodo with an egg each, of which Dodo goes.
    private func loseDodo() async throws {
        try await timed.sync(
            0, Self.stream(), #"[{"id":1,"name":"Kea","eggs":[{"n":1}]},{"id":2,"name":"Dodo","eggs":[{"n":2}]}]"#)
        try await timed.sync(1, Self.stream(), #"[{"id":1,"name":"Kea","eggs":[{"n":1}]}]"#)
    }

    private func rows(_ request: RowRequest) throws -> [String] {
        let reader = try timed.reader()
        return try withExtendedLifetime(reader) { try timed.rows(reader.rows(for: request)) }
    }

    private static let kea = "1 'Kea' NULL"
    private static let dodo = "2 'Dodo' '2026-01-31T08:01:00.000Z'"

    @Test func `marked rows are left out and counted, and shown on demand`() async throws {
        try await loseDodo()
        #expect(try rows(RowRequest(table: "animals")) == [Self.kea])
        #expect(try rows(RowRequest(table: "animals", deleted: .shown)) == [Self.kea, Self.dodo])
        #expect(try rows(RowRequest(table: "animals", deleted: .alone)) == [Self.dodo])
        let reader = try timed.reader()
        #expect(try reader.rowsLeftOut(by: RowRequest(table: "animals")) == 1)
        #expect(try reader.rowsLeftOut(by: RowRequest(table: "animals", deleted: .shown)) == 0)
        #expect(try reader.rowsLeftOut(by: RowRequest(table: "animals", condition: "id = 1 OR 0")) == 0)
        #expect(
            try reader.rowsLeftOut(by: RowRequest(table: "animals", condition: "name = 'Dodo' -- so", limit: 1)) == 1)
        let since = WallClock.instant(1)
        #expect(try reader.rowsLeftOut(by: RowRequest(table: "animals", changedSince: since)) == 1)
        #expect(try rows(RowRequest(table: "animals", columns: ["id"], changedSince: since)) == [])
    }

    @Test(arguments: [nil, ["id", "name"]] as [[String]?])
    func `rows of arrays follow their record`(key: [String]?) async throws {
        let stream = Self.stream(key: key)
        let (kea, dodo) = (#"{"id":1,"name":"Kea","eggs":[{"n":1}]}"#, #"{"id":2,"name":"Dodo","eggs":[{"n":2}]}"#)
        try await timed.sync(0, stream, "[\(kea),\(dodo)]")
        try await timed.sync(1, stream, "[\(kea)]")
        let eggs = RowRequest(table: "animals__eggs", columns: ["n"])
        #expect(try rows(eggs) == ["1"])
        var all = eggs
        all.deleted = .shown
        #expect(try rows(all) == ["1", "2"])
        #expect(try timed.reader().rowsLeftOut(by: eggs) == 1)
        try await timed.sync(2, stream, "[\(kea),\(dodo)]")
        #expect(try rows(eggs) == ["1", "2"])
        #expect(try timed.reader().rowsLeftOut(by: eggs) == 0)
    }

    @Test func `the past has the rows that were not marked then`() async throws {
        try await loseDodo()
        func ids(_ table: String, _ column: String, at minute: Int64) throws -> [String] {
            let reader = try timed.reader()
            return try reader.viewing(asOf: WallClock.instant(minute)) {
                try timed.rows(reader.rows(for: RowRequest(table: table, columns: [column], order: column)))
            }
        }
        #expect(try ids("animals", "id", at: 0) == ["1", "2"])
        #expect(try ids("animals", "id", at: 1) == ["1"])
    }

    @Test func `counts tell both numbers`() async throws {
        try await loseDodo()
        let reader = try timed.reader()
        let tables = try reader.tables()
        #expect(tables.map(\.table) == ["animals", "animals__eggs"])
        #expect(tables.map(\.count) == [RowCount(all: 2, deleted: 1), RowCount(all: 2, deleted: 1)])
        #expect(tables.map { $0.count?.text() } == ["1, and 1 deleted", "1, and 1 deleted"])
        let history = try reader.history(of: Self.stream().name) { _ in false }
        #expect(history?.count == RowCount(all: 2, deleted: 1))
    }

    @Test func `a search finds what the source has`() async throws {
        try await loseDodo()
        let reader = try timed.reader()
        func found(_ words: String, _ deleted: DeletedRows = .leftOut) throws -> [String] {
            try timed.rows(reader.search("animals", for: .words(words), limit: 5, deleted: deleted))
        }
        #expect(try found("kea") == [Self.kea])
        #expect(try found("dodo") == [])
        #expect(try found("dodo", .shown) == [Self.dodo])
        #expect(try reader.deletedMatches("animals", for: .words("dodo")) == 1)
        #expect(try reader.deletedMatches("animals", for: .words("kea")) == 0)
    }

    @Test func `a record says since when the source lacks it, and so does a row of its arrays`() async throws {
        try await loseDodo()
        let reader = try timed.reader()
        func time(_ table: String, _ key: String...) throws -> String? {
            try reader.deletionTime(of: reader.place(in: table, key: key))
        }
        #expect(try time("animals", "1") == nil)
        #expect(try time("animals", "2") == "2026-01-31T08:01:00.000Z")
        #expect(try time("animals__eggs", "1", "0") == nil)
        #expect(try time("animals__eggs", "2", "0") == "2026-01-31T08:01:00.000Z")
        #expect(try timed.rows(reader.rows(at: reader.place(in: "animals", key: ["2"]))) == [Self.dodo])
    }
}
