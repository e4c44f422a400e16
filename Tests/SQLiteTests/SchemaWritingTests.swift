import GarnerDatabase
import GarnerSQLite
import Testing

struct SchemaWritingTests {
    let connection: Connection
    private let database: Database

    init() throws {
        database = try Database()
        connection = try database.writer()
        try connection.executeScript(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER);
            CREATE INDEX by_a ON t (a);
            INSERT INTO t (a) VALUES (10), (9), (100);
            """)
    }

    private func redeclare() throws {
        let version = try connection.integer("PRAGMA schema_version") ?? 0
        try connection.writingSchema {
            try connection.execute(
                "UPDATE sqlite_schema SET sql = replace(sql, 'a INTEGER', 'a TEXT') WHERE name = 't'")
            try connection.executeScript("PRAGMA schema_version = \(version + 1)")
        }
        try connection.execute("UPDATE t SET a = CAST(a AS TEXT)")
        try connection.executeScript("REINDEX t")
    }

    @Test func `a column declared anew is sound, for others too`() throws {
        let other = try database.writer()
        #expect(try other.text("SELECT typeof(a) FROM t") == "integer")
        try connection.transaction { try redeclare() }
        for connection in [connection, other, try database.reader()] {
            #expect(try connection.text("PRAGMA integrity_check") == "ok")
            #expect(try connection.text("SELECT type FROM pragma_table_info('t') WHERE name = 'a'") == "TEXT")
            #expect(
                try connection.rows("SELECT a FROM t INDEXED BY by_a ORDER BY a") { $0.text(at: 0) } == [
                    "10", "100", "9",
                ])
        }
    }

    @Test func `what is rolled back leaves the old schema usable`() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try connection.transaction {
                try redeclare()
                throw Stop()
            }
        }
        try connection.execute("INSERT INTO t (a) VALUES ('11')")
        for connection in [connection, try database.reader()] {
            #expect(try connection.text("PRAGMA integrity_check") == "ok")
            #expect(try connection.text("SELECT type FROM pragma_table_info('t') WHERE name = 'a'") == "INTEGER")
            #expect(
                try connection.rows("SELECT a FROM t ORDER BY a") { $0.value(at: 0) } == [
                    .integer(9), .integer(10), .integer(11), .integer(100),
                ])
        }
        try connection.transaction { try redeclare() }
        #expect(try connection.text("SELECT typeof(a) FROM t") == "text")
    }

    @Test func `the schema is protected again afterwards`() throws {
        struct Stop: Error {}
        try? connection.writingSchema { throw Stop() }
        #expect(try connection.integer("PRAGMA writable_schema") == 0)
        try connection.executeScript("PRAGMA writable_schema = ON")
        #expect(sqliteError { try connection.execute("UPDATE sqlite_schema SET sql = 'x'") } != nil)
    }

    @Test func `statements from before know the new schema`() throws {
        let insert = try Statement("INSERT INTO t (a) VALUES (?1)", on: connection)
        try connection.transaction { try redeclare() }
        try insert.bind(.integer(5), at: 1)
        try insert.run()
        #expect(try connection.text("SELECT typeof(a) FROM t WHERE a = '5'") == "text")
    }
}
