import GarnerDatabase
import GarnerSQLite
import Testing

struct ChangeObserverTests {
    /// Notes what it is told.
    private final class Notebook: ChangeObserver {
        var words: [String] = []
        var keyPlace: Int32?
        var tables = ["t"]
        var questions = 0
        var refusal: SQLiteError?

        func didBegin(on connection: Connection) throws { words.append("begin") }
        func willCommit(on connection: Connection) throws {
            words.append("commit")
            if let refusal { throw refusal }
            try connection.execute("INSERT INTO log VALUES (?1)", .integer(Int64(words.count)))
        }
        func didCommit() { words.append("committed") }
        func didRollBack() { words.append("undone") }
        func number(ofTable name: String) -> Int? {
            questions += 1
            return tables.firstIndex(of: name)
        }
        func note(_ change: ObservedRow, ofTable number: Int) {
            let key = change.operation == .insert ? nil : keyPlace.map { change.oldValue(at: $0) }
            let rows = change.row == change.newRow ? "\(change.row)" : "\(change.row)>\(change.newRow)"
            var words = ["\(change.operation)", rows] + (key.map { ["\($0)"] } ?? [])
            if change.operation == .update, let keyPlace, change.changesValue(at: keyPlace) { words.append("changed") }
            if !change.isInTransaction { words.append("alone") }
            self.words.append(words.joined(separator: " "))
        }
        func take() -> [String] {
            defer { words = [] }
            return words
        }
    }

    private let database: Database
    private let connection: Connection
    private let notebook = Notebook()

    init() throws {
        database = try Database()
        connection = try database.writer()
        try connection.executeScript(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT UNIQUE, n); CREATE TABLE log (n); CREATE TABLE other (n)")
        try connection.observe(with: notebook)
    }

    @Test func `each row of a statement is told`() throws {
        try connection.transaction {
            try connection.execute("INSERT INTO t (id, k) VALUES (1, 'a'), (2, 'b'), (5, 'c')")
            try connection.execute("UPDATE t SET n = 1 WHERE id < 5")
            try connection.execute("INSERT INTO other VALUES (1)")
            try connection.execute(
                "INSERT INTO t (id, k) VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET n = 2 WHERE n <> 1")
            try connection.execute("UPDATE t SET id = 9 WHERE id = 5")
        }
        #expect(
            notebook.take() == [
                "begin", "insert 1", "insert 2", "insert 5", "update 1", "update 2", "update 5>9", "commit",
                "committed",
            ])
        // A trigger's changes are told, too; those of an attached or temporary table are not.
        try connection.executeScript(
            """
            CREATE TRIGGER follow AFTER INSERT ON other BEGIN UPDATE t SET n = 3 WHERE id = 1; END;
            CREATE TEMP TABLE temporary (n); CREATE TEMP TABLE t2 (n);
            """)
        try connection.transaction {
            try connection.execute("INSERT INTO other VALUES (1)")
            try connection.execute("INSERT INTO temporary VALUES (1)")
        }
        #expect(notebook.take() == ["begin", "update 1", "commit", "committed"])
    }

    @Test func `rows that statements pass by are told with their keys`() throws {
        notebook.keyPlace = 1
        try connection.transaction {
            try connection.execute("INSERT INTO t (id, k) VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, x'00')")
        }
        _ = notebook.take()
        try connection.transaction {
            try connection.execute("INSERT OR REPLACE INTO t (id, k) VALUES (1, 'b')")
            try connection.execute("DELETE FROM t")
        }
        #expect(
            Set(notebook.take()) == [
                "begin", #"delete 1 text("a")"#, #"delete 2 text("b")"#, "insert 1", #"delete 1 text("b")"#,
                #"delete 3 text("c")"#, "delete 4 blob([0])", "commit", "committed",
            ])
    }

    @Test(arguments: [
        (1, "'a'", "n = 1", false), (1, "'a'", "k = 'a'", false), (1, "'a'", "k = 'A'", true),
        (1, "'a'", "k = 'ab'", true), (1, "'a'", "k = x'61'", true), (1, "'a'", "k = NULL", true),
        (1, "NULL", "n = 1", false), (1, "NULL", "k = ''", true), (1, "x'00'", "k = x'00'", false),
        (2, "5", "k = 'a'", false), (2, "5", "n = 5.0", false), (2, "5.5", "n = 5", true), (2, "5", "n = '5'", true),
    ])
    func `an update tells whether it changes a column`(
        place: Int32, value: String, setting: String, isChange: Bool
    ) throws {
        try connection.transaction {
            try connection.execute("INSERT INTO t (id, \(place == 1 ? "k" : "n")) VALUES (1, \(value))")
        }
        notebook.keyPlace = place
        _ = notebook.take()
        try connection.transaction { try connection.execute("UPDATE t SET \(setting)") }
        #expect(notebook.take().filter { $0.hasSuffix(" changed") }.count == (isChange ? 1 : 0))
    }

    @Test func `a transaction that is undone, and one that may not be committed`() throws {
        struct Undone: Error {}
        #expect(throws: Undone.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO t (id) VALUES (1)")
                throw Undone()
            }
        }
        #expect(notebook.take().prefix(3) == ["begin", "insert 1", "undone"])
        notebook.refusal = SQLiteError(code: 1, message: "no")
        #expect(throws: SQLiteError.self) {
            try connection.transaction { try connection.execute("INSERT INTO t (id) VALUES (1)") }
        }
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
        #expect(!connection.isInTransaction)
        notebook.refusal = nil
        _ = notebook.take()
        // A savepoint is no transaction of its own.
        try connection.transaction {
            try? connection.transaction {
                try connection.execute("INSERT INTO t (id) VALUES (1)")
                throw Undone()
            }
        }
        #expect(notebook.take() == ["begin", "insert 1", "commit", "committed"])
        #expect(try connection.integer("SELECT count(*) FROM log") == 1)
    }

    @Test func `a statement alone is told as such`() throws {
        try connection.execute("INSERT INTO t (id) VALUES (1)")
        #expect(notebook.take() == ["insert 1 alone"])
    }

    @Test func `a table is asked for once, also after its name was another's`() throws {
        try connection.transaction {
            for id in 1...100 {
                try connection.execute("INSERT INTO t (id) VALUES (?1)", .integer(Int64(id)))
                try connection.execute("INSERT INTO other VALUES (1)")
            }
        }
        #expect(notebook.questions == 3)
        try connection.executeScript("ALTER TABLE t RENAME TO aside; ALTER TABLE other RENAME TO t")
        _ = notebook.take()
        try connection.transaction {
            try connection.execute("INSERT INTO t VALUES (1)")
            try connection.execute("INSERT INTO aside (id) VALUES (500)")
        }
        #expect(notebook.take() == ["begin", "insert 101", "commit", "committed"])
        notebook.tables = ["aside"]
        connection.forgetObservedTables()
        try connection.transaction { try connection.execute("INSERT INTO aside (id) VALUES (501)") }
        #expect(notebook.take() == ["begin", "insert 501", "commit", "committed"])
    }

    @Test func `the log is written out, also where there is none`() throws {
        try connection.executeScript("PRAGMA journal_mode = WAL; INSERT INTO other VALUES (1)")
        try connection.syncLog()
        let reader = try database.reader()
        try reader.syncLog()
        try Connection(path: ":memory:", mode: .readWrite).syncLog()
    }
}
