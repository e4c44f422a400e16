import Foundation
import GarnerSQLite
import TestSupport
import Testing

struct ConnectionTests {
    let database: Database

    init() throws { database = try Database() }

    @Test(arguments: [
        ("foreign_keys", 1), ("trusted_schema", 0), ("query_only", 0), ("busy_timeout", 20), ("writable_schema", 0),
    ])
    func `a writer has the settings asked for`(pragma: String, value: Int64) throws {
        #expect(try database.writer().integer("PRAGMA \(pragma)") == value)
    }

    @Test(
        arguments: [
            (Duration.milliseconds(1), 1), (.milliseconds(250), 250), (.seconds(5), 5000), (.milliseconds(1500), 1500),
            (.zero, 0),
        ] as [(Duration, Int64)])
    func `the time to wait for a lock is kept to the millisecond`(timeout: Duration, milliseconds: Int64) throws {
        #expect(try database.writer(busyTimeout: timeout).integer("PRAGMA busy_timeout") == milliseconds)
    }

    @Test func `foreign keys are enforced`() throws {
        let connection = try database.writer()
        try connection.executeScript("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a INTEGER REFERENCES a)")
        let error = sqliteError { try connection.execute("INSERT INTO b VALUES (1)") }
        #expect(error?.kind == .constraint)
        #expect(error?.code == 787)  // SQLITE_CONSTRAINT_FOREIGNKEY: extended codes are on
    }

    @Test(arguments: ["SELECT \"nothing\"", "CREATE INDEX i ON t (\"nothing\")"])
    func `a name in double quotes is never a text`(sql: String) throws {
        let connection = try database.writer()
        try connection.execute("CREATE TABLE t (a)")
        #expect(sqliteError { try connection.execute(sql) }?.message.contains("no such column: nothing") == true)
    }

    @Test func `defensive mode protects the schema table`() throws {
        let connection = try database.writer()
        try connection.executeScript("CREATE TABLE t (a); PRAGMA writable_schema = ON")
        #expect(sqliteError { try connection.execute("UPDATE sqlite_schema SET sql = 'x'") } != nil)
    }

    @Test func `defensive mode forbids a journal that is off`() throws {
        let connection = try database.writer()
        try connection.executeScript("PRAGMA journal_mode = OFF")
        #expect(try connection.text("PRAGMA journal_mode") != "off")
    }

    @Test func `extensions cannot be loaded`() throws {
        #expect(sqliteError { try database.writer().execute("SELECT load_extension('x')") } != nil)
    }

    @Test(arguments: [
        "INSERT INTO t VALUES (1)", "CREATE TABLE u (a)", "DROP TABLE t", "PRAGMA user_version = 5", "DELETE FROM t",
    ])
    func `a reader writes nothing`(sql: String) throws {
        try database.writer().execute("CREATE TABLE t (a)")
        #expect(sqliteError { try database.reader().execute(sql) }?.kind == .readOnly)
        #expect(try database.writer().integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `a reader does not create its file`() throws {
        #expect(sqliteError { _ = try database.reader() }?.kind == .cannotOpen)
        #expect(!FileManager.default.fileExists(atPath: database.path))
    }

    @Test func `a reader sees one state within a snapshot`() throws {
        let writer = try database.writer()
        try writer.executeScript("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let reader = try database.reader()
        try reader.snapshot {
            #expect(try reader.integer("SELECT count(*) FROM t") == 1)
            try writer.execute("INSERT INTO t VALUES (2)")
            #expect(try reader.integer("SELECT count(*) FROM t") == 1)
        }
        #expect(try reader.integer("SELECT count(*) FROM t") == 2)
    }

    @Test func `a file that is no database is refused at once`() throws {
        try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: database.path))
        let error = sqliteError { _ = try database.writer() }
        #expect(error?.kind == .notADatabase)
        #expect(try Data(contentsOf: URL(filePath: database.path)) == Data(repeating: 0x41, count: 8192))
    }

    @Test func `a folder is no database`() throws {
        #expect(
            sqliteError { _ = try Connection(path: database.folder.path(""), mode: .readWrite) }?.kind == .cannotOpen)
    }

    @Test func `a damaged file is told from a sound one`() throws {
        let connection = try database.writer()
        try connection.executeScript(
            "CREATE TABLE t (a); INSERT INTO t SELECT randomblob(500) FROM pragma_function_list")
        connection.close()
        var bytes = try Data(contentsOf: URL(filePath: database.path))
        bytes.replaceSubrange(4096..<bytes.count, with: Data(repeating: 0xFF, count: bytes.count - 4096))
        try bytes.write(to: URL(filePath: database.path))
        #expect(sqliteError { _ = try database.writer().integer("SELECT sum(length(a)) FROM t") }?.kind == .corrupt)
    }

    @Test func `closing folds the log into the file, and a second time does nothing`() throws {
        let connection = try database.writer()
        try connection.executeScript("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
        #expect(FileManager.default.fileExists(atPath: database.path + "-wal"))
        connection.close()
        connection.close()
        #expect(!FileManager.default.fileExists(atPath: database.path + "-wal"))
    }

    @Test func `a closed connection refuses everything`() throws {
        let connection = try database.writer()
        try connection.execute("CREATE TABLE t (a)")
        connection.close()
        #expect(sqliteError { try connection.execute("INSERT INTO t VALUES (1)") } != nil)
        #expect(sqliteError { try connection.executeScript("INSERT INTO t VALUES (1)") } != nil)
        #expect(sqliteError { try connection.transaction {} } != nil)
        #expect(sqliteError { _ = try Statement("SELECT 1", on: connection) } != nil)
    }

    @Test func `a foreign lock is busy`() throws {
        let other = try database.writer()
        try other.executeScript("CREATE TABLE t (a); BEGIN EXCLUSIVE")
        let error = sqliteError { _ = try database.writer() }
        #expect(error?.kind == .busy)
    }

    @Test(
        arguments: [
            ("INSERT INTO t VALUES (NULL)", 1299), ("INSERT INTO t VALUES (1), (1)", 2067),
            ("INSERT INTO t VALUES (-1)", 275), ("SELECT nothing", 1),
            ("SELECT * FROM nowhere", 1), ("SELEC", 1),
        ] as [(String, Int32)])
    func `an error has its extended code and the statement`(sql: String, code: Int32) throws {
        let connection = try database.writer()
        try connection.execute("CREATE TABLE t (a NOT NULL UNIQUE CHECK (a > 0))")
        let error = sqliteError { try connection.execute(sql) }
        #expect(error?.code == code)
        #expect(error?.sql == sql)
        #expect(error?.kind == (code == 1 ? .other : .constraint))
        #expect(error?.description.contains(sql) == true)
    }

    @Test(
        arguments: [
            (5, SQLiteError.Kind.busy), (517, .busy), (6, .busy), (10, .io), (266, .io), (13, .full), (8, .readOnly),
            (1032, .readOnly), (14, .cannotOpen), (26, .notADatabase),
            (11, .corrupt), (267, .corrupt), (9, .interrupted), (19, .constraint), (2067, .constraint), (23, .denied),
            (3, .denied), (18, .tooBig), (1, .other), (21, .other),
        ] as [(Int32, SQLiteError.Kind)])
    func `a code has its kind`(code: Int32, kind: SQLiteError.Kind) {
        #expect(SQLiteError(code: code, message: "").kind == kind)
    }
}
