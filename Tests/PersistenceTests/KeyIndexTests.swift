import GarnerCatalog
import GarnerDatabase
import Foundation
import GarnerModel
import TestSupport
import Testing

@testable import GarnerPersistence

/// Tables whose rows lie in the order in which they come, since their integer keys came in none.
@Suite(.timeLimit(.minutes(3)))
struct KeyIndexTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private static func json(_ ids: [Int], _ value: Int = 0) -> String {
        let text = String(repeating: "x", count: 2_000)
        return "[\(ids.map { #"{"id":\#($0),"a":"\#(text)","t":["x"],"b":\#(value)}"# }.joined(separator: ","))]"
    }

    /// Reads these pages, and returns the counts.
    @discardableResult
    private func sync(
        _ pages: [String], _ stream: StreamConfiguration = .animals(key: ["id"]), in fixture: Fixture? = nil,
        leavingAt last: Int? = nil, keeping kibibytes: Int = 2_100
    ) async throws -> RunCounts {
        let fixture = fixture ?? self.fixture
        await fixture.writer.keep(kibibytes)
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        let first = run.resumeAt.flatMap { Int($0.dropFirst("page=".count)) } ?? 1
        for number in first...pages.count {
            let page = try await fixture.page(pages[number - 1], number, of: pages.count, in: run)
            let progress = try await fixture.writer.commit(page, to: run.id)
            if let ended = progress.ended { return ended.counts }
            if number == last { break }
        }
        return try await fixture.writer.end(run: run.id, as: .failed).counts
    }

    private func hasKeyIndex(_ fixture: Fixture? = nil) throws -> Bool {
        let fixture = fixture ?? self.fixture
        return try fixture.rows("SELECT origin FROM pragma_index_list('animals') WHERE origin = 'pk'") != []
    }

    private static let inNoOrder = (0..<24).map { json(Fixture.shuffledKeys(onPage: $0)) }

    @Test func `keys in no order get an index, and rows lie as they come`() async throws {
        #expect(try await sync(Self.inNoOrder).inserted == 4_800)
        #expect(try hasKeyIndex())
        let last = Fixture.shuffledKeys(onPage: 23).map(String.init)
        #expect(try fixture.rows("SELECT id FROM animals ORDER BY _rowid_ DESC LIMIT 200") == last.reversed())
        #expect(try fixture.rows("SELECT max(_rowid_) FROM animals") == ["4800"])
        let all = (0..<24).flatMap(Fixture.shuffledKeys).sorted().map(String.init)
        #expect(try fixture.rows("SELECT id FROM animals ORDER BY id") == all)
        #expect(
            try fixture.rows("SELECT type, pk FROM pragma_table_info('animals') WHERE name = 'id'") == ["'INTEGER' 1"])
        try fixture.expectIntegrity()
    }

    @Test func `a dashboard that sorts by the key shows them in its order`() async throws {
        try await sync(Self.inNoOrder)
        let reader = try ReadOnlyDatabase(path: fixture.path)
        let relation = try reader.relation("animals")
        let key = try #require(relation.index(of: "id"))
        let first = try reader.numbers(of: RowSelection(relation, order: .init(column: key)), limit: 3).rows
        #expect(try fixture.rows("SELECT _rowid_ FROM animals ORDER BY id LIMIT 3") == first.map(String.init))
    }

    @Test(arguments: [DeleteMissing.ignore, .hard, .soft])
    func `later reads find the rows, change them, and miss them`(_ missing: DeleteMissing) async throws {
        let stream = StreamConfiguration.animals(key: ["id"], missing: missing)
        try await sync(Self.inNoOrder, stream)
        #expect(try hasKeyIndex())
        #expect(try await sync(Self.inNoOrder, stream).unchanged == 4_800)
        let changed = (0..<24).map { Self.json(Array(Fixture.shuffledKeys(onPage: $0).dropFirst()), $0 == 3 ? 1 : 0) }
        let counts = try await sync(changed, stream)
        #expect(counts.updated == 199)
        #expect(counts.inserted == 0)
        #expect(counts.deleted == (missing == .ignore ? 0 : 24))
        #expect(try fixture.rows("SELECT count(*) FROM animals") == [missing == .hard ? "4776" : "4800"])
        #expect(try fixture.rows("SELECT count(*) FROM animals WHERE b = 1") == ["199"])
    }

    @Test func `a key that becomes text later keeps its rows`() async throws {
        try await sync(Self.inNoOrder)
        #expect(try hasKeyIndex())
        try fixture.alter("CREATE TRIGGER mine AFTER DELETE ON ANIMALS BEGIN SELECT 1; END")
        let text = #"[{"id":"x","b":1},{"id":\#(Fixture.shuffledKeys(onPage: 0)[0]),"b":7}]"#
        let counts = try await sync([text])
        #expect(counts.inserted == 1)
        #expect(counts.updated == 1)
        #expect(
            try fixture.rows("SELECT count(*), count(DISTINCT id) FROM animals WHERE typeof(id) = 'text'") == [
                "4801 4801"
            ])
        #expect(try fixture.rows("SELECT id FROM animals WHERE b = 7") == ["'\(Fixture.shuffledKeys(onPage: 0)[0])'"])
        #expect(try fixture.rows("SELECT 1 FROM sqlite_schema WHERE name = 'animals' AND sql LIKE '%DESC%'") == [])
        #expect(try fixture.rows("SELECT tbl_name FROM sqlite_schema WHERE name = 'mine'") == ["'ANIMALS'"])
        try fixture.expectIntegrity()
    }

    @Test func `a first read that goes on keeps the order of its rows`() async throws {
        try await sync(Self.inNoOrder, leavingAt: 20)
        #expect(try hasKeyIndex())
        let next = try Fixture(reopening: fixture)
        try await sync(Self.inNoOrder, in: next)
        #expect(try hasKeyIndex(next))
        #expect(try next.rows("SELECT count(*) FROM animals") == ["4800"])
    }

    @Test func `it comes as well where the read had been left before`() async throws {
        try await sync(Self.inNoOrder, leavingAt: 2)
        #expect(try !hasKeyIndex())
        try await sync(Self.inNoOrder)
        #expect(try hasKeyIndex())
    }

    @Test func `pages that a new process has not read yet do not count`() async throws {
        try await sync(Self.inNoOrder, leavingAt: 12, keeping: 64 << 10)
        let next = try Fixture(reopening: fixture)
        try await sync(Self.inNoOrder, in: next, keeping: 64 << 10)
        #expect(try next.rows("SELECT count(*) FROM animals") == ["4800"])
        #expect(try !hasKeyIndex(next))
    }

    @Test func `versions and tables of arrays stay beside it`() async throws {
        var stream = StreamConfiguration.animals(key: ["id"], missing: .hard)
        (stream.history, stream.childTables) = (true, true)
        let pages = (0..<24).map {
            Self.json(Fixture.shuffledKeys(onPage: $0)).replacingOccurrences(of: #"["x"]"#, with: #"[{"c":1}]"#)
        }
        try await sync(pages, stream)
        #expect(try hasKeyIndex())
        try await sync(Array(pages.dropLast()), stream)
        #expect(try fixture.rows("SELECT count(*) FROM animals") == ["4600"])
        #expect(try fixture.rows("SELECT count(*) FROM animals__t JOIN animals ON id = _parent_id") == ["4600"])
        #expect(
            try fixture.rows("SELECT count(*) FROM _garner_history_animals WHERE _garner_valid_to IS NULL") == ["4600"])
    }

    @Test func `keys that ascend get none`() async throws {
        try await sync((0..<24).map { page in Self.json((1...200).map { page * 200 + $0 }) })
        #expect(try !hasKeyIndex())
    }

    @Test func `a table that has been read gets none`() async throws {
        try await sync([Self.json([1])])
        try await sync(Self.inNoOrder)
        #expect(try !hasKeyIndex())
    }

    @Test func `a table that can be searched gets none`() async throws {
        var stream = StreamConfiguration.animals(key: ["id"])
        stream.search = ["a"]
        try await sync(Self.inNoOrder, stream)
        #expect(try !hasKeyIndex())
        try fixture.expectIntegrity()
    }

    @Test(
        arguments: [
            "ALTER TABLE animals ADD COLUMN mine INTEGER", "ALTER TABLE animals ADD COLUMN twice AS (b * 2)",
            "ALTER TABLE animals ADD COLUMN \"more\" TEXT CHECK (\"more\" IS NULL)",
            "CREATE INDEX mine ON Animals (b)",
            "CREATE TRIGGER mine AFTER INSERT ON ANIMALS BEGIN SELECT RAISE(FAIL, 'no') WHERE NEW.id < 0; END",
            "CREATE TABLE notes (animal INTEGER REFERENCES Animals (id))", "CREATE TABLE _garner_rebuilt_1 (a)",
        ])
    func `a table to which its owner has added something gets none`(_ statement: String) async throws {
        try await sync(Self.inNoOrder, leavingAt: 1)
        try fixture.alter(statement)
        let before = try fixture.rows("SELECT sql FROM sqlite_schema WHERE sql LIKE '%animals%' AND type = 'table'")
        try await sync(Self.inNoOrder)
        #expect(try !hasKeyIndex())
        #expect(try fixture.rows("SELECT count(*) FROM animals") == ["4800"])
        #expect(
            try fixture.rows("SELECT sql FROM sqlite_schema WHERE sql LIKE '%animals%' AND type = 'table'") == before)
    }

    @Test(arguments: [
        ("CREATE TABLE a (\n    b INTEGER PRIMARY KEY,\n    \"c, d\" TEXT\n)", true),
        ("CREATE TABLE a (b INTEGER PRIMARY KEY, \"c, d\" TEXT, e TEXT)", false),
        ("CREATE TABLE a (b INTEGER PRIMARY KEY, \"c, d\" TEXT CHECK (1))", false),
        ("CREATE TABLE a (b INTEGER PRIMARY KEY)", false),
        ("CREATE TABLE a (b INTEGER PRIMARY KEY, \"c, d\" TEXT) STRICT", false),
        ("CREATE TABLE a AS SELECT 1", false),
    ])
    func `a declaration is Garner's own if it has its columns and nothing else`(_ sql: String, _ isOwn: Bool) {
        let columns = ["b INTEGER PRIMARY KEY", "\"c, d\" TEXT"]
        #expect(TableDeclaration(Array(sql.utf8)).declares(columns) == isOwn)
    }

    @Test func `a view of the owner stays`() async throws {
        try await sync(Self.inNoOrder, leavingAt: 1)
        try fixture.alter("CREATE VIEW odd AS SELECT id FROM animals WHERE id % 2")
        try await sync(Self.inNoOrder)
        #expect(try hasKeyIndex())
        let difference = "SELECT count(*) - (SELECT count(*) FROM animals WHERE id % 2) FROM odd"
        #expect(try fixture.rows(difference) == ["0"])
    }
}

extension DatabaseWriter {
    /// Sets the memory for pages that come in no order, which tables of a few MiB are to outgrow.
    fileprivate func keep(_ kibibytes: Int) { cache = PageCache(large: kibibytes) }
}
