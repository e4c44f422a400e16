import GarnerDatabase
import GarnerSQLite
import Testing

struct RowChangeTests {
    let connection: Connection
    private let database: Database
    private let upsert = """
        INSERT INTO t (id, a) VALUES (?1, ?2)
        ON CONFLICT (id) DO UPDATE SET a = excluded.a WHERE (t.a) IS NOT (excluded.a)
        """

    init() throws {
        database = try Database()
        connection = try database.writer()
        try connection.execute("CREATE TABLE t (id TEXT PRIMARY KEY, a)")
    }

    @Test func `an upsert inserts, updates, or does nothing`() throws {
        try connection.execute(upsert, .text("x"), .integer(1))
        #expect(connection.takeRowChange() == .inserted(row: 1))
        try connection.execute(upsert, .text("y"), .integer(1))
        #expect(connection.takeRowChange() == .inserted(row: 2))
        try connection.execute(upsert, .text("x"), .integer(2))
        #expect(connection.takeRowChange() == .updated(row: 1))
        try connection.execute(upsert, .text("x"), .integer(2))
        #expect(connection.takeRowChange() == .none)
        try connection.execute(upsert, .text("x"), .null)
        #expect(connection.takeRowChange() == .updated(row: 1))
        try connection.execute(upsert, .text("x"), .null)
        #expect(connection.takeRowChange() == .none)
    }

    @Test func `a row is deleted`() throws {
        try connection.execute("INSERT INTO t (rowid, id) VALUES (7, 'x')")
        _ = connection.takeRowChange()
        try connection.execute("DELETE FROM t WHERE id = 'x'")
        #expect(connection.takeRowChange() == .deleted(row: 7))
    }

    @Test func `a noted row change is forgotten once it is read`() throws {
        try connection.execute("INSERT INTO t (id) VALUES ('x')")
        _ = connection.takeRowChange()
        #expect(connection.takeRowChange() == .none)
    }

    @Test func `what a trigger does to another table is not noted`() throws {
        try connection.executeScript(
            """
            CREATE TABLE log (a);
            CREATE TRIGGER before_insert BEFORE INSERT ON t BEGIN INSERT INTO log VALUES (1); END;
            CREATE TRIGGER after_update AFTER UPDATE ON t BEGIN INSERT INTO log VALUES (2); DELETE FROM log; END;
            """)
        connection.observeChanges(ofTable: "t")
        try connection.execute(upsert, .text("x"), .integer(1))
        #expect(connection.takeRowChange() == .inserted(row: 1))
        try connection.execute(upsert, .text("x"), .integer(2))
        #expect(connection.takeRowChange() == .updated(row: 1))
        try connection.execute(upsert, .text("x"), .integer(2))
        #expect(connection.takeRowChange() == .none)
    }

    @Test func `what a trigger adds to a change is not noted`() throws {
        try connection.executeScript(
            "CREATE TRIGGER doubled AFTER INSERT ON t BEGIN UPDATE t SET a = NEW.a * 2 WHERE id = NEW.id; END")
        try connection.execute(upsert, .text("x"), .integer(1))
        #expect(connection.takeRowChange() == .inserted(row: 1))
        #expect(try connection.integer("SELECT a FROM t") == 2)
    }

    @Test func `the number of changed rows is that of the last statement`() throws {
        try connection.execute("INSERT INTO t (id) VALUES ('x'), ('y'), ('z')")
        #expect(connection.changes == 3)
        #expect(connection.lastInsertedRow == 3)
        try connection.execute("DELETE FROM t WHERE id = 'x'")
        #expect(connection.changes == 1)
    }
}
