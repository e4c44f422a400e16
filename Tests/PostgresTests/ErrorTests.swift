@testable import GarnerPostgres
import PostgresCluster
import Testing

struct ErrorTests {
    /// A statement that fails, what comes before it, and the kind of its error.
    struct Case: Sendable, CustomTestStringConvertible {
        let kind: PostgresError.Kind
        let before: String
        let statement: String
        var testDescription: String { "\(kind)" }
    }

    static let cases = [
        Case(kind: .undefinedTable, before: "", statement: "SELECT * FROM nothing"),
        Case(kind: .undefinedColumn, before: "", statement: "SELECT nothing"),
        Case(kind: .undefinedSchema, before: "", statement: "CREATE TABLE nowhere.t (a int)"),
        Case(kind: .duplicateObject, before: "CREATE TABLE t (a int)", statement: "CREATE TABLE t (a int)"),
        Case(kind: .duplicateObject, before: "CREATE TABLE t (a int)", statement: "ALTER TABLE t ADD a int"),
        Case(
            kind: .uniqueViolation, before: "CREATE TABLE t (a int PRIMARY KEY); INSERT INTO t VALUES (1)",
            statement: "INSERT INTO t VALUES (1)"),
        Case(
            kind: .foreignKeyViolation,
            before: "CREATE TABLE t (a int PRIMARY KEY); CREATE TABLE u (a int REFERENCES t)",
            statement: "INSERT INTO u VALUES (1)"),
        Case(
            kind: .constraintViolation, before: "CREATE TABLE t (a int NOT NULL)",
            statement: "INSERT INTO t VALUES (NULL)"),
        Case(
            kind: .dependentObjects, before: "CREATE TABLE t (a int); CREATE VIEW v AS SELECT a FROM t",
            statement: "DROP TABLE t"),
        Case(
            kind: .dependentObjects, before: "CREATE TABLE t (a int); CREATE VIEW v AS SELECT a FROM t",
            statement: "ALTER TABLE t ALTER a TYPE text"),
        Case(kind: .other, before: "CREATE TABLE t (a int)", statement: "SELECT count(*) FROM t FOR UPDATE"),
        Case(kind: .invalidValue, before: "", statement: "SELECT 'a'::bigint"),
        Case(kind: .invalidValue, before: "", statement: "SELECT 9223372036854775807 + 1"),
        Case(
            kind: .limitExceeded, before: "CREATE TABLE t (a text PRIMARY KEY)",
            statement: "INSERT INTO t SELECT string_agg(gen_random_uuid()::text, '') FROM generate_series(1, 300)"),
        Case(kind: .readOnly, before: "SET default_transaction_read_only = on", statement: "CREATE TABLE t (a int)"),
        Case(kind: .notInTransaction, before: "", statement: "SAVEPOINT s"),
        Case(kind: .cancelled, before: "SET statement_timeout = 50", statement: "SELECT pg_sleep(60)"),
        Case(kind: .other, before: "", statement: "SELEC 1"),
        // A disk that is full cannot be had without rights of root.
        Case(kind: .diskFull, before: "", statement: "DO $$ BEGIN RAISE 'full' USING ERRCODE = '53100'; END $$"),
    ]

    @Test(arguments: cases) func `an error has its kind`(of test: Case) async throws {
        let place = try await Workplace()
        try await place.connection.executeScript(test.before)
        let error = await postgresError { try await place.connection.execute(test.statement) }
        #expect(error?.kind == test.kind, "\(String(describing: error))")
        #expect(error?.sqlState?.count == 5)
        #expect(await place.connection.isOpen)
    }

    @Test func `an error names its table and constraint`() async throws {
        let place = try await Workplace()
        try await place.connection.executeScript(
            "CREATE TABLE t (a int CONSTRAINT known PRIMARY KEY); INSERT INTO t VALUES (1)")
        let error = await postgresError { try await place.connection.execute("INSERT INTO t VALUES (1)") }
        #expect(error?.schema == place.name)
        #expect(error?.table == "t")
        #expect(error?.constraint == "known")
        #expect(error?.description == #"duplicate key value violates unique constraint "known" (SQLSTATE 23505)"#)
    }

    @Test func `a short password changes neither the kind of an error nor the names in it`() async throws {
        let role = "r" + (try await Workplace()).name
        try await connection().execute("CREATE ROLE \(role) LOGIN PASSWORD '40'")
        let other = try await PostgresConnection.open(
            PostgresURL(PostgresCluster.shared().loopbackURL(user: role, password: "40")))
        let error = await postgresError {
            try await other.execute(
                "DO $$ BEGIN RAISE 'it is 40' USING ERRCODE = '40001', TABLE = 't40', CONSTRAINT = 'c40'; END $$")
        }
        #expect(error?.kind == .serialization)
        #expect(error?.sqlState == "40001")
        #expect(error?.table == "t40")
        #expect(error?.constraint == "c40")
        #expect(error?.message == "(words that hold the password)")
    }

    @Test func `a role without rights is told so`() async throws {
        let place = try await Workplace()
        let role = "r" + place.name
        try await place.connection.executeScript("CREATE TABLE t (a int); CREATE ROLE \(role); SET ROLE \(role)")
        let error = await postgresError { try await place.connection.execute("SELECT * FROM \(place.name).t") }
        #expect(error?.kind == .insufficientPrivilege)
    }

    @Test(.timeLimit(.minutes(5))) func `a lock that somebody holds is waited for only so long`() async throws {
        let place = try await Workplace()
        try await place.connection.executeScript("CREATE TABLE t (a int); COMMIT; BEGIN; LOCK TABLE t")
        let other = try await place.another()
        try await other.executeScript("BEGIN; SET LOCAL lock_timeout = '50ms'")
        let error = await postgresError { try await other.execute("SELECT * FROM t") }
        #expect(error?.kind == .lockTimeout)
        #expect(error?.isPassing == true)
        #expect(await other.transaction == .failed)
    }

    @Test func `two writers of a row cannot both go on`() async throws {
        let place = try await Workplace()
        try await place.connection.executeScript("CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
        let other = try await place.another()
        try await other.executeScript("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM t")
        try await place.connection.execute("UPDATE t SET a = 2")
        let error = await postgresError { try await other.execute("UPDATE t SET a = 3") }
        #expect(error?.kind == .serialization)
    }

    @Test(.timeLimit(.minutes(5))) func `two that wait for each other are told`() async throws {
        let place = try await Workplace()
        let (one, two) = (place.connection, try await place.another())
        try await one.executeScript("CREATE TABLE a (n int); CREATE TABLE b (n int); COMMIT; BEGIN; LOCK TABLE a")
        try await two.executeScript("SET deadlock_timeout = 50; COMMIT; BEGIN; LOCK TABLE b")
        async let first = postgresError { try await one.execute("LOCK TABLE b") }
        async let second = postgresError {
            try await two.execute("LOCK TABLE a")
            try await two.execute("COMMIT")
        }
        let kinds = await [first?.kind, second?.kind]
        #expect(kinds.compactMap { $0 } == [.deadlock])
    }

    @Test func `foreign text has no control characters`() async throws {
        let connection = try await connection()
        let error = await postgresError {
            try await connection.execute(
                "DO $$ BEGIN RAISE E'\\x1b[31mred\\nline\\u202e\\u2028end\\x07' USING HINT = E'a\\x1b'; END $$")
        }
        #expect(error?.message == "\u{FFFD}[31mred line\u{FFFD} end\u{FFFD}")
        #expect(error?.hint == "a\u{FFFD}")
    }

    static let masked: [(secrets: [String], text: String, shown: String)] = [
        (["s3cret!"], "password s3cret! is wrong: s3cret!", "password *** is wrong: ***"),
        (["abcd", "abcdef"], "abcdef abcd", "*** ***"),
        (["e\u{301}x?"], "e\u{301}x?\u{301}", "***\u{301}"),
        (["ab"], "a tab", "(words that hold the password)"),
        (["ab"], "nothing", "nothing"),
    ]

    @Test(arguments: masked) func `secrets are masked`(secrets: [String], text: String, shown: String) {
        #expect(ForeignText(secrets: secrets).shown(text) == shown)
    }

    @Test func `errors that may pass are told from those that stay`() {
        for state in ["57P01", "40001", "55P03", "53100", "57P03", "08006"] {
            #expect(PostgresError(.init(sqlState: state), "").isPassing)
        }
        for state in ["42501", "28P01", "42P01", "23505", "XX000"] {
            #expect(!PostgresError(.init(sqlState: state), "").isPassing)
        }
    }
}
