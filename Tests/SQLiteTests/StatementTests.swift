import GarnerDatabase
import GarnerSQLite
import Testing

struct StatementTests {
    let connection: Connection
    private let database: Database

    init() throws {
        database = try Database()
        connection = try database.writer()
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
    }

    @Test(arguments: [
        "SELECT 1; SELECT 2", "SELECT 1; DROP TABLE t", "SELECT 1;;SELECT 2", "SELECT 1; garbage",
        "SELECT 1; -- a\nSELECT 2",
    ])
    func `more than one statement is refused`(sql: String) throws {
        #expect(sqliteError { _ = try Statement(sql, on: connection) } != nil)
        #expect(try connection.integer("SELECT count(*) FROM sqlite_schema") == 1)
    }

    @Test(arguments: [
        "SELECT 1", "SELECT 1;", "SELECT 1 ; ", "SELECT 1; -- a comment", "SELECT 1 /* a */; /* b */\n",
        "-- a\nSELECT 1", "SELECT 1;;",
    ])
    func `comments and white space around a statement are fine`(sql: String) throws {
        #expect(try connection.integer(sql) == 1)
    }

    @Test(arguments: ["", " ", ";", "-- nothing", "/* nothing */"])
    func `an empty text is not a statement`(sql: String) {
        #expect(sqliteError { _ = try Statement(sql, on: connection) }?.message == "an empty statement")
    }

    @Test func `a statement says whether it writes`() throws {
        #expect(try Statement("SELECT * FROM t", on: connection).isReadOnly)
        #expect(try Statement("DELETE FROM t", on: connection).isReadOnly == false)
    }

    @Test func `a statement from the cache is the same, reset and without bindings`() throws {
        let first = try connection.statement("SELECT ?1 UNION ALL SELECT 2")
        try first.bind(.integer(7), at: 1)
        #expect(try first.step())
        #expect(first.integer(at: 0) == 7)
        let second = try connection.statement("SELECT ?1 UNION ALL SELECT 2")
        #expect(first === second)
        #expect(try second.step())
        #expect(second.kind(at: 0) == .null)
    }

    @Test func `the statement unused for longest leaves the cache`() throws {
        let first = try connection.statement("SELECT 0")
        let second = try connection.statement("SELECT 1")
        for number in 2..<64 { _ = try connection.statement("SELECT \(number)") }
        #expect(try connection.statement("SELECT 0") === first)
        _ = try connection.statement("SELECT 64")
        #expect(try connection.statement("SELECT 0") === first)
        #expect(try connection.statement("SELECT 1") !== second)
    }

    @Test func `texts that differ by Unicode form only are two statements`() throws {
        let composed = try connection.text("SELECT hex('caf\u{E9}')")
        let decomposed = try connection.text("SELECT hex('cafe\u{301}')")
        #expect(composed == "636166C3A9")
        #expect(decomposed == "63616665CC81")
    }

    @Test func `a reset statement runs again with its bindings`() throws {
        let insert = try Statement("INSERT INTO t (a) VALUES (?1)", on: connection)
        try insert.bind(.text("x"), at: 1)
        try insert.run()
        try insert.run()
        insert.clearBindings()
        try insert.run()
        #expect(try connection.rows("SELECT a FROM t ORDER BY id") { $0.optionalText(at: 0) } == ["x", "x", nil])
    }

    @Test func `a statement that failed runs again`() throws {
        let insert = try Statement("INSERT INTO t (id) VALUES (?1)", on: connection)
        try insert.bind(.integer(1), at: 1)
        try insert.run()
        #expect(sqliteError { try insert.run() }?.kind == .constraint)
        try insert.bind(.integer(2), at: 1)
        try insert.run()
        #expect(try connection.integer("SELECT count(*) FROM t") == 2)
    }

    @Test func `a statement survives a change of the schema`() throws {
        let select = try connection.statement("SELECT * FROM t")
        try connection.execute("INSERT INTO t (id, a) VALUES (1, 2)")
        try connection.execute("ALTER TABLE t ADD COLUMN b DEFAULT 3")
        #expect(try select.step())
        #expect(select.columnNames == ["id", "a", "b"])
        #expect(select.integer(at: 2) == 3)
    }

    @Test func `parameters have names and numbers`() throws {
        let statement = try Statement("SELECT :a, @b, $c, ?7, :a", on: connection)
        #expect(statement.parameterNames == [":a", "@b", "$c", nil, nil, nil, "?7"])
        #expect(statement.parameterIndex(named: "@b") == 2)
        #expect(statement.parameterIndex(named: "b") == nil)
    }

    @Test func `a parameter that is not there is an error`() throws {
        let statement = try Statement("SELECT ?1", on: connection)
        #expect(sqliteError { try statement.bind(.integer(1), at: 2) }?.code == 25)
        #expect(sqliteError { try statement.bind([.null, .null]) } != nil)
    }

    @Test func `the rows of an unfinished query do not keep a lock`() throws {
        try connection.execute("INSERT INTO t (a) VALUES (1), (2)")
        #expect(try connection.integer("SELECT a FROM t ORDER BY id") == 1)
        try database.writer().execute("DROP TABLE t")
    }
}
