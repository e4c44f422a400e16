import GarnerDatabase
import GarnerSQLite
import TestSupport
import Testing

/// Reads a database that is no file and has several parts.
struct RemotePartsTests {
    private let databases: [Database]
    private let writers: [Connection]
    private let kept: [KeptDatabase]

    init() throws {
        databases = try (0..<3).map { _ in try Database() }
        kept = databases.map { _ in KeptDatabase() }
        writers = try databases.map { try $0.writer() }
        for (index, writer) in writers.enumerated() {
            try writer.executeScript("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL")
            try writer.observeCommits { [kept] in kept[index].receive($0) }
            try writer.executeScript(
                """
                CREATE TABLE books (n INTEGER PRIMARY KEY, text TEXT); CREATE TABLE own\(index) (a, b);
                CREATE TABLE texts (text TEXT PRIMARY KEY); INSERT INTO texts VALUES ('same'), ('\(index)');
                INSERT INTO books VALUES (\(index << 32 + 1), 'first'), (\(index << 32 + 2), 'second');
                INSERT INTO own\(index) VALUES (\(index), 'x'), (\(index), 'y')
                """)
        }
    }

    private func reader(_ path: String) throws -> Connection { try Connection(path: path, mode: .readOnly) }

    private func texts(_ sql: String, _ connection: Connection) throws -> [String] {
        try connection.rows(sql) { row in (0..<row.columnCount).map { row.text(at: $0) }.joined(separator: " ") }
    }

    @Test func `each table is found in whichever part it is, by its name`() throws {
        let reader = try reader(KeptDatabase.register(kept))
        #expect(reader.hasParts && reader.schemas == ["main", "shard2", "shard3"])
        for part in 0..<3 {
            #expect(try texts("SELECT _rowid_, a, b FROM own\(part)", reader) == ["1 \(part) x", "2 \(part) y"])
            #expect(try reader.hasTable("OWN\(part)") && reader.hasColumn("b", of: "own\(part)"))
            #expect(try reader.schema(of: "own\(part)") == reader.schemas[part])
            #expect(try texts("SELECT name FROM pragma_table_info('own\(part)')", reader) == ["a", "b"])
        }
        #expect(try !reader.hasTable("own3") && !reader.hasColumn("c", of: "own1"))
        #expect(try reader.schema(of: "own3") == "main")
    }

    @Test func `what the schema has is what all parts have, each name once`() throws {
        let reader = try reader(KeptDatabase.register(kept))
        let expected = ["books", "own0", "own1", "own2", "texts"]
        for name in ["sqlite_schema", "sqlite_master", "SQLITE_Schema"] {
            #expect(try texts("SELECT name FROM \(name) WHERE type = 'table' ORDER BY 1", reader) == expected)
        }
        #expect(try texts("SELECT sqlite_schema.name FROM sqlite_schema WHERE name = 'own2'", reader) == ["own2"])
        #expect(try texts("SELECT name FROM main.sqlite_schema WHERE name GLOB 'own*'", reader) == ["own0"])
        #expect(
            try texts("SELECT 'sqlite_schema', \"sqlite_master\".name FROM \"sqlite_master\" LIMIT 1", reader).count
                == 1)
        #expect(try texts("SELECT 'sqlite_schema'", reader) == ["sqlite_schema"])
        try writers[1].executeScript("CREATE TABLE later (c)")
        #expect(try reader.hasTable("later") && texts("SELECT name FROM sqlite_schema", reader).contains("later"))
    }

    @Test func `tables that all parts have are shown as one`() throws {
        let reader = try reader(KeptDatabase.register(kept))
        try reader.unite([("books", nil), ("texts", "text")])
        #expect(try reader.integer("SELECT count(*) FROM books") == 6)
        #expect(try texts("SELECT text FROM texts ORDER BY text", reader) == ["0", "1", "2", "same"])
        #expect(try reader.integer("SELECT n FROM books ORDER BY n DESC LIMIT 1") == 2 << 32 + 2)
        let plan = try texts("EXPLAIN QUERY PLAN SELECT text FROM books WHERE n = 1", reader).joined()
        #expect(!plan.contains("SCAN"), "\(plan)")
        #expect(throws: SQLiteError.self) { try reader.execute("INSERT INTO own1 VALUES (1, 2)") }
    }

    @Test func `a commit in any part is noticed, and seen`() throws {
        let reader = try reader(KeptDatabase.register(kept))
        var mark = try reader.sumOfParts("data_version")
        #expect(try reader.sumOfParts("data_version") == mark)
        for (index, writer) in writers.enumerated() {
            try writer.execute("DELETE FROM own\(index) WHERE b = 'x'")
            let next = try reader.sumOfParts("data_version")
            #expect(next != mark)
            mark = next
            #expect(try reader.integer("SELECT count(*) FROM own\(index)") == 1)
        }
    }

    @Test func `a part is read alone, too, and others are told when there is another one`() throws {
        let path = KeptDatabase.register(Array(kept.prefix(2)))
        let part = try reader(RemoteDatabase.path(ofPart: 2, of: path))
        #expect(!part.hasParts && part.partNumber == 2)
        #expect(try part.hasTable("own1") && !part.hasTable("own0"))
        let whole = try reader(path)
        let own = try whole.connectionsToParts()
        #expect(try own.map { try $0.integer("SELECT min(n) FROM books") } == [1, 1 << 32 + 1])
        #expect(throws: SQLiteError.self) { try reader(RemoteDatabase.path(ofPart: 3, of: path)) }
        #expect(throws: SQLiteError.self) { try reader(path + "#") }
        #expect(!whole.isOutdated)
        KeptDatabase.register(kept, as: path)
        _ = try whole.integer("SELECT count(*) FROM own1")
        #expect(whole.isOutdated)
        #expect(try reader(path).schemas.count == 3)
    }

    @Test func `the sizes of all parts count, and a failure of one is that of the whole`() throws {
        struct Outage: Error {}
        let path = KeptDatabase.register(kept)
        let reader = try reader(path)
        #expect(RemoteDatabase.size(at: path) == kept.reduce(0) { $0 + Int($1.pageCount) * 4096 })
        kept[2].failure = Outage()
        #expect(throws: SQLiteError.self) { try reader.integer("SELECT count(*) FROM own2") }
        #expect(RemoteDatabase.failure(at: path) is Outage)
        #expect(try reader.integer("SELECT count(*) FROM own0") == 2)
        kept[2].failure = nil
        #expect(try reader.integer("SELECT count(*) FROM own2") == 2)
        #expect(RemoteDatabase.failure(at: path) == nil)
    }
}
