import GarnerSQLite
import Testing

/// What a connection knows of a schema that others change, too.
struct SchemaTests {
    let database: Database

    init() throws { database = try Database() }

    private static let names: [(String, Bool)] = [
        ("t", true), ("T", true), ("words", true), ("Ä", true), ("ä", false), ("v", false), ("i", false), ("u", false),
        ("json_each", false), ("", false),
    ]

    @Test(arguments: names)
    func `a table is there if one has this name`(name: String, isTable: Bool) throws {
        let connection = try database.writer()
        try connection.executeScript(
            """
            CREATE TABLE t (a); CREATE TABLE "Ä" (a); CREATE VIRTUAL TABLE words USING fts5(a);
            CREATE VIEW v AS SELECT 1; CREATE INDEX i ON t (a)
            """)
        #expect(try connection.hasTable(name) == isTable)
        #expect(try database.reader().hasTable(name) == isTable)
    }

    @Test(arguments: [("a", true), ("A", true), ("b", false)])
    func `a table has its columns`(name: String, isColumn: Bool) throws {
        let connection = try database.writer()
        try connection.execute("CREATE TABLE t (a)")
        #expect(try connection.hasColumn(name, of: "T") == isColumn)
        #expect(try !connection.hasColumn(name, of: "u"))
    }

    @Test func `tables that others make and drop are seen, but not within a snapshot`() throws {
        let (connection, other) = try (database.writer(), database.writer())
        try connection.executeScript("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
        #expect(try other.hasTable("t"))
        try connection.executeScript("DROP TABLE t; CREATE TABLE u (a)")
        #expect(try !other.hasTable("t") && other.hasTable("u"))
        try other.snapshot {
            #expect(try other.hasTable("u"))
            try connection.execute("DROP TABLE u")
            #expect(try other.hasTable("u"))
        }
        #expect(try !other.hasTable("u"))
    }

    private static func trigger(_ name: String, on table: String = "t") -> String {
        "CREATE TRIGGER \(name) AFTER DELETE ON \(table) BEGIN SELECT 1; END"
    }

    @Test func `triggers that others make and drop are seen`() throws {
        let (connection, other) = try (database.writer(), database.writer())
        func found() throws -> [[String]] {
            // The first look reads those of one table, and the second one all.
            try (0...2).map { _ in try connection.triggers(of: "T").map(\.name).sorted() }
        }
        try connection.executeScript("CREATE TABLE t (a); CREATE TABLE u (a); \(Self.trigger("own_1"))")
        #expect(try found() == [["own_1"], ["own_1"], ["own_1"]])
        #expect(try connection.triggers(of: "u").isEmpty)
        #expect(try !connection.hasTriggers(besides: "own_"))
        try other.execute(Self.trigger("owner", on: "u"))
        #expect(try found() == [["own_1"], ["own_1"], ["own_1"]])
        #expect(try connection.triggers(of: "u").map(\.sql) == [Self.trigger("owner", on: "u")])
        #expect(try connection.hasTriggers(besides: "own_"))
        try other.executeScript("DROP TRIGGER owner; DROP TABLE t; CREATE TABLE t (a)")
        #expect(try found() == [[], [], []])
        #expect(try !connection.hasTriggers(besides: "own_"))
    }

    @Test(arguments: [false, true])
    func `triggers of others are known beside those that are made`(areThere: Bool) throws {
        let (connection, other) = try (database.writer(), database.writer())
        try other.executeScript("CREATE TABLE t (a); CREATE TABLE u (a)")
        if areThere { try other.execute(Self.trigger("owner", on: "u")) }
        #expect(try connection.hasTriggers(besides: "own_") == areThere)
        try connection.transaction {
            try connection.makingTriggers(named: "own_") { try connection.execute(Self.trigger("own_1")) }
        }
        #expect(try connection.hasTriggers(besides: "own_") == areThere)
        #expect(try connection.triggers(of: "t").map(\.name) == ["own_1"])
        try other.execute(areThere ? "DROP TRIGGER owner" : Self.trigger("owner", on: "u"))
        #expect(try connection.hasTriggers(besides: "own_") != areThere)
    }

    @Test(arguments: [false, true])
    func `triggers that were undone are no answer for a later schema of the same version`(isPart: Bool) throws {
        struct Undone: Error {}
        let (connection, other) = try (database.writer(), database.writer())
        try connection.executeScript("CREATE TABLE t (a)")
        func undo() throws {
            #expect(throws: Undone.self) {
                try connection.transaction {
                    try connection.execute(Self.trigger("undone"))
                    for _ in 0...1 { #expect(try connection.triggers(of: "t").map(\.name) == ["undone"]) }
                    #expect(try !connection.hasTriggers(besides: "und"))
                    throw Undone()
                }
            }
        }
        if isPart { try connection.transaction(undo) } else { try undo() }
        try other.execute(Self.trigger("owner"))
        for _ in 0...1 { #expect(try connection.triggers(of: "t").map(\.name) == ["owner"]) }
        #expect(try connection.hasTriggers(besides: "und"))
    }
}
