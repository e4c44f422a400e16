import Foundation
@testable import GarnerPostgres
import PostgresCluster
import Testing

struct ConnectionTests {
    @Test func `the server tells what it is`() async throws {
        let connection = try await connection()
        let server = await connection.server
        #expect(server.versionNumber >= 140_000)
        #expect(server.version.hasPrefix("PostgreSQL "))
        #expect(server.encoding == "UTF8")
        #expect(!server.isStandby)
        #expect(!connection.usesTLS)
        #expect(
            try await connection.execute("SELECT pg_backend_pid()").rows == [[.integer(Int64(connection.processID))]])
        #expect(
            try await connection.execute(
                "SELECT current_setting('application_name'), current_setting('client_encoding')"
            ).rows
                == [[.text("garner"), .text("UTF8")]])
    }

    @Test func `a transaction has a state`() async throws {
        let connection = try await connection()
        #expect(await connection.transaction == .none)
        try await connection.execute("BEGIN")
        #expect(await connection.transaction == .open)
        _ = await postgresError { try await connection.execute("SELECT nothing") }
        #expect(await connection.transaction == .failed)
        try await connection.execute("ROLLBACK")
        #expect(await connection.transaction == .none)
        await connection.close()
        #expect(await connection.transaction == .unknown)
        let error = await postgresError { try await connection.execute("SELECT 1") }
        #expect(error?.kind == .closed)
    }

    @Test func `rows that a statement touched are counted`() async throws {
        let place = try await Workplace()
        try await place.connection.execute("CREATE TABLE t (a bigint)")
        #expect(try await place.connection.execute("INSERT INTO t SELECT generate_series(1, 7)").count == 7)
        #expect(try await place.connection.execute("UPDATE t SET a = 0 WHERE a > $1", .integer(5)).count == 2)
        #expect(
            try await place.connection.execute(
                "DELETE FROM t USING unnest($1) AS gone (a) WHERE t.a = gone.a", .integers([1, 2, 99])
            ).count == 2)
        let script = try await place.connection.executeScript(
            "BEGIN; SET LOCAL lock_timeout = '2s'; SELECT 1 + 1 AS sum; COMMIT; SELECT 7 AS n")
        #expect(script.rows == [[.text("7")]])
    }

    @Test func `nothing is prepared by name, and notices are ignored`() async throws {
        let connection = try await connection()
        try await connection.execute("DROP TABLE IF EXISTS nothing_of_this_name")
        #expect(
            try await connection.execute("SELECT count(*) FROM pg_prepared_statements WHERE name <> ''").rows == [
                [.integer(0)]
            ])
    }

    @Test(.timeLimit(.minutes(5))) func `many statements wait at once, and others go on`() async throws {
        let watcher = try await connection()
        let name = "garner_waits_" + PostgresUUID.random().description
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    let waiting = try await connection()
                    try await waiting.execute("SELECT pg_sleep(600), '\(name)'")
                }
            }
            try await until(
                watcher, "SELECT count(*) = 20 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE $1",
                .text("%\(name)%"))
            group.cancelAll()
        }
    }

    @Test(.timeLimit(.minutes(5))) func `large results and statements pass`() async throws {
        let connection = try await connection()
        let text = String(repeating: "é", count: 5_000_000)
        let result = try await connection.execute("SELECT $1, length($1), repeat('x', 20000000)", .text(text))
        #expect(result.rows[0][0].text?.utf8.elementsEqual(text.utf8) == true)
        #expect(result.rows[0][2].text?.utf8.count == 20_000_000)
    }

    @Test(.timeLimit(.minutes(5))) func `a cancelled task stops its statement and closes the connection`() async throws
    {
        let connection = try await connection()
        let watcher = try await PostgresTests.connection()
        let process = PostgresValue.integer(Int64(connection.processID))
        let task = Task { try await connection.execute("SELECT pg_sleep(600)") }
        try await until(watcher, "SELECT wait_event = 'PgSleep' FROM pg_stat_activity WHERE pid = $1", process)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await !connection.isOpen)
        try await until(watcher, "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)", process)
    }

    @Test(.timeLimit(.minutes(5))) func `a server that says nothing for too long is left, and its statement stopped`()
        async throws
    {
        let url = try await PostgresURL(PostgresCluster.shared().socketURL())
        let connection = try await PostgresConnection.open(url, answerLimit: .seconds(1))
        let watcher = try await PostgresTests.connection()
        try await connection.execute("SELECT pg_sleep(1.5)", rows: .max)
        // Few rows have little more.
        let error = await postgresError { try await connection.execute("SELECT pg_sleep(600)", rows: 10) }
        #expect(error?.kind == .unanswered && error?.message == "no answer for 2 s")
        #expect(await !connection.isOpen)
        let process = PostgresValue.integer(Int64(connection.processID))
        try await until(watcher, "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)", process)
    }

    @Test(.timeLimit(.minutes(5))) func `a copy that goes on has no limit, and one that the server does not take has`()
        async throws
    {
        let place = try await Workplace()
        try await place.connection.execute("CREATE TABLE rows (id bigint)")
        let url = try await PostgresURL(PostgresCluster.shared().socketURL())
        let connection = try await PostgresConnection.open(url, answerLimit: .seconds(1))
        try await connection.execute("SET search_path = \(place.name)")
        var given = 0
        let stored = try await connection.copy("COPY rows FROM STDIN (FORMAT binary)") { rows in
            guard given < 4 else { return false }
            try await Task.sleep(for: .milliseconds(500))
            given += 1
            rows.beginRow(columns: 1)
            rows.append(Int64(given))
            return true
        }
        #expect(stored == 4)
        try await connection.executeScript(
            """
            CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); END $$;
            CREATE TRIGGER sleeps BEFORE INSERT ON rows FOR EACH ROW EXECUTE FUNCTION f()
            """)
        let error = await postgresError {
            _ = try await connection.copy("COPY rows FROM STDIN (FORMAT binary)") { rows in
                rows.beginRow(columns: 1)
                rows.append(Int64(1))
                return true
            }
        }
        #expect(error?.kind == .unanswered)
        #expect(await !connection.isOpen)
    }

    @Test(.timeLimit(.minutes(5))) func `a cancelled task ends its copy, and nothing is stored`() async throws {
        let place = try await Workplace()
        let connection = place.connection
        let watcher = try await place.another()
        try await connection.execute("CREATE TABLE rows (id bigint)")
        let (beginning, began) = AsyncStream<Void>.makeStream()
        let task = Task {
            var next: Int64 = 0
            return try await connection.copy("COPY rows FROM STDIN (FORMAT binary)") { rows in
                rows.beginRow(columns: 1)
                rows.append(next)
                next += 1
                if next == 1_000_000 { began.yield() }
                return true
            }
        }
        for await _ in beginning { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await !connection.isOpen)
        try await until(
            watcher, "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)",
            .integer(Int64(connection.processID)))
        #expect(try await watcher.execute("SELECT count(*) FROM rows").rows == [[.integer(0)]])
    }

    @Test func `a task that is cancelled before sends nothing, and leaves the connection open`() async throws {
        let connection = try await connection()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await connection.execute("SELECT pg_sleep(600)")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await connection.execute("SELECT 1").rows == [[.integer(1)]])
    }

    @Test(.timeLimit(.minutes(5))) func `a session that an operator ends is told as shutdown`() async throws {
        let connection = try await connection()
        let watcher = try await PostgresTests.connection()
        let process = PostgresValue.integer(Int64(connection.processID))
        async let ended = postgresError { try await connection.execute("SELECT pg_sleep(600)") }
        try await until(watcher, "SELECT wait_event = 'PgSleep' FROM pg_stat_activity WHERE pid = $1", process)
        try await watcher.execute("SELECT pg_terminate_backend($1::int)", process)
        let error = await ended
        #expect(error?.kind == .shutdown, "\(String(describing: error))")
        #expect(error?.sqlState == "57P01")
        #expect(await !connection.isOpen)
        // Between statements nobody reads what the server said.
        let idle = try await PostgresTests.connection()
        try await watcher.execute("SELECT pg_terminate_backend($1::int, 5000)", .integer(Int64(idle.processID)))
        let later = await postgresError { try await idle.execute("SELECT 1") }
        #expect([.shutdown, .connectionLost].contains(later?.kind), "\(String(describing: later))")
        #expect(await !idle.isOpen)
    }

    @Test(.timeLimit(.minutes(2))) func `a server that stops in mid-statement is lost, and then unreachable`()
        async throws
    {
        let cluster = try await PostgresCluster.start()
        let url = try PostgresURL(cluster.socketURL())
        let connection = try await PostgresConnection.open(url)
        let copying = try await PostgresConnection.open(url)
        let watcher = try await PostgresConnection.open(url)
        try await copying.execute("CREATE TABLE rows (id bigint)")
        async let statement = postgresError { try await connection.execute("SELECT pg_sleep(600)") }
        async let copy = postgresError {
            _ = try await copying.copy("COPY rows FROM STDIN (FORMAT binary)") { rows in
                rows.beginRow(columns: 1)
                rows.append(Int64(1))
                return true
            }
        }
        try await until(
            watcher, "SELECT count(*) = 2 FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()")
        cluster.stop()
        for error in await [statement, copy] {
            #expect([.shutdown, .connectionLost].contains(error?.kind), "\(String(describing: error))")
            #expect(error?.isPassing == true)
        }
        #expect(await !connection.isOpen)
        #expect(await !copying.isOpen)
        let after = await postgresError { _ = try await PostgresConnection.open(url) }
        #expect(after?.kind == .unreachable)
    }

    /// Waits until a statement returns true.
    private func until(_ connection: PostgresConnection, _ sql: String, _ parameters: PostgresValue...) async throws {
        while true {
            let result =
                if let parameter = parameters.first {
                    try await connection.execute(sql, parameter)
                } else {
                    try await connection.execute(sql)
                }
            if result.rows.first == [.boolean(true)] { return }
            try await connection.execute("SELECT pg_sleep(0.01)")
        }
    }
}
