import GarnerPostgres
import Synchronization
import Testing

struct CopyTests {
    private struct Failure: Error {}

    @Test(.timeLimit(.minutes(2))) func `a hundred thousand rows are stored exactly`() async throws {
        let place = try await Workplace()
        let connection = place.connection
        try await connection.execute(
            "CREATE TABLE rows (id bigint PRIMARY KEY, name text, price float8, seen timestamptz, ok boolean)")
        var next: Int64 = 0
        let count = try await connection.copy("COPY rows FROM STDIN (FORMAT binary)") { rows in
            guard next < 100_000 else { return false }
            for _ in 0..<50 {
                rows.beginRow(columns: 5)
                rows.append(next)
                try rows.append("name \(next) é")
                if next % 3 == 0 { rows.appendNull() } else { rows.append(Double(next) / 10) }
                try rows.append(.instant(next))
                rows.append(next % 2 == 0)
                next += 1
            }
            return true
        }
        #expect(count == 100_000)
        let wrong = try await connection.execute(
            """
            SELECT count(*) FROM rows WHERE name IS DISTINCT FROM 'name ' || id || ' é' OR ok IS DISTINCT FROM (id % 2 = 0)
                OR price IS DISTINCT FROM CASE WHEN id % 3 > 0 THEN id::float8 / 10 END
                OR seen IS DISTINCT FROM 'epoch'::timestamptz + id * interval '1 microsecond'
            """)
        #expect(wrong.rows == [[.integer(0)]])
        #expect(
            try await connection.execute("SELECT count(*), max(id) FROM rows").rows == [
                [.integer(100_000), .integer(99_999)]
            ])
    }

    @Test(.timeLimit(.minutes(5))) func `rows are asked for no faster than the server takes them`() async throws {
        let place = try await Workplace()
        let watcher = try await place.another()
        // The server stops at the first row until the watcher lets it go on.
        try await place.connection.executeScript(
            """
            CREATE TABLE rows (text text);
            CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN PERFORM pg_advisory_xact_lock_shared(hashtext(TG_TABLE_SCHEMA)); RETURN NEW; END';
            CREATE TRIGGER wait BEFORE INSERT ON rows FOR EACH ROW EXECUTE FUNCTION wait()
            """)
        try await watcher.execute("SELECT pg_advisory_lock(hashtext($1))", .text(place.name))
        let asked = Mutex(0)
        async let count = place.connection.copy("COPY rows FROM STDIN (FORMAT binary)") { rows in
            guard asked.withLock({ $0 < 2_000 }) else { return false }
            asked.withLock { $0 += 1 }
            rows.beginRow(columns: 1)
            try rows.append(Self.long)
            return true
        }
        while try await watcher.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'",
            .integer(Int64(place.connection.processID))
        ).rows != [[.integer(1)]] {}
        var early = -1
        while early != asked.withLock({ $0 }) {
            early = asked.withLock { $0 }
            try await watcher.execute("SELECT pg_sleep(0.3)")
        }
        #expect(early < 1_000)
        try await watcher.execute("SELECT pg_advisory_unlock_all()")
        #expect(try await count == 2_000)
    }

    private static let long = String(repeating: "0123456789", count: 2_000)

    @Test func `values of each type are copied`() async throws {
        let place = try await Workplace()
        let uuid = PostgresUUID.random()
        try await place.connection.execute(
            "CREATE TABLE rows (a text, b bytea, c uuid, d jsonb, e float8, f text, g jsonb)")
        let count = try await place.connection.copy("COPY rows FROM STDIN (FORMAT binary)") { rows in
            guard rows.size < 50 else { return false }
            rows.beginRow(columns: 7)
            try rows.append("")
            try [UInt8(0), 255].withUnsafeBytes { try rows.append(bytes: $0) }
            try rows.append(.uuid(uuid))
            try rows.append(.json("[1, 2]"))
            rows.append(Double.infinity)
            try rows.append(.null)
            try Array("{}".utf8).withUnsafeBytes { try rows.append(json: $0) }
            return true
        }
        #expect(count == 1)
        #expect(
            try await place.connection.execute("SELECT * FROM rows").rows == [
                [.text(""), .bytes([0, 255]), .uuid(uuid), .json("[1, 2]"), .double(.infinity), .null, .json("{}")]
            ])
    }

    @Test func `no rows are a result, too`() async throws {
        let place = try await Workplace()
        try await place.connection.execute("CREATE TABLE rows (id bigint)")
        #expect(try await place.connection.copy("COPY rows FROM STDIN (FORMAT binary)") { _ in false } == 0)
    }

    @Test(arguments: [0, 200_000]) func `rows that end early are not stored`(size: Int) async throws {
        let place = try await Workplace()
        let connection = place.connection
        try await connection.execute("CREATE TABLE rows (id bigint)")
        await #expect(throws: Failure.self) {
            var sent = 0
            _ = try await connection.copy("COPY rows FROM STDIN (FORMAT binary)") { rows in
                rows.beginRow(columns: 1)
                rows.append(Int64(sent))
                sent += 1
                if sent > size { throw Failure() }
                return true
            }
        }
        #expect(await connection.transaction == .none)
        #expect(try await connection.execute("SELECT count(*) FROM rows").rows == [[.integer(0)]])
    }

    @Test func `a key that is there fails all rows`() async throws {
        let place = try await Workplace()
        let connection = place.connection
        try await connection.executeScript(
            "CREATE TABLE rows (id bigint PRIMARY KEY); INSERT INTO rows VALUES (7); COMMIT; BEGIN")
        var next: Int64 = 0
        let error = await postgresError {
            _ = try await connection.copy("COPY rows FROM STDIN (FORMAT binary)") { rows in
                guard next < 500_000 else { return false }
                rows.beginRow(columns: 1)
                rows.append(next)
                next += 1
                return true
            }
        }
        #expect(error?.kind == .uniqueViolation)
        #expect(error?.constraint == "rows_pkey")
        #expect(await connection.transaction == .failed)
        try await connection.execute("ROLLBACK")
        #expect(try await connection.execute("SELECT id FROM rows").rows == [[.integer(7)]])
    }

    @Test func `a text with NUL is refused by its kind`() async throws {
        let place = try await Workplace()
        try await place.connection.execute("CREATE TABLE rows (name text)")
        let error = await postgresError {
            _ = try await place.connection.copy("COPY rows FROM STDIN (FORMAT binary)") { rows in
                rows.beginRow(columns: 1)
                try rows.append("a\0")
                return true
            }
        }
        #expect(error?.kind == .textWithNUL)
        #expect(await place.connection.isOpen)
    }

    @Test func `other statements are refused meanwhile, and a statement that is no copy as well`() async throws {
        let place = try await Workplace()
        let connection = place.connection
        try await connection.execute("CREATE TABLE rows (name text)")
        var error: PostgresError?
        _ = try await connection.copy("COPY rows FROM STDIN (FORMAT binary)") { _ in
            error = await postgresError { try await connection.execute("SELECT 1") }
            return false
        }
        #expect(error?.message == "the connection copies rows")
        let other = await postgresError { _ = try await connection.copy("SELECT 1") { _ in false } }
        #expect(other?.message == "the statement is no COPY … FROM STDIN")
        #expect(try await connection.execute("SELECT 1").rows == [[.integer(1)]])
    }

    @Test(.timeLimit(.minutes(5))) func `a copy that is cancelled at its end leaves a connection that works or none`()
        async throws
    {
        let place = try await Workplace()
        try await place.connection.execute("CREATE TABLE rows (name text)")
        var connection = place.connection
        for round in 0..<400 {
            if await !connection.isOpen { connection = try await place.another() }
            let isAtEnd = Mutex(false)
            let task = Task { [connection] in
                try await connection.copy("COPY rows FROM STDIN (FORMAT binary)") { rows in
                    rows.beginRow(columns: 1)
                    try rows.append(Self.long)
                    isAtEnd.withLock { $0 = true }
                    return false
                }
            }
            while !isAtEnd.withLock({ $0 }) { await Task.yield() }
            // Another moment each time.
            for _ in 0..<(round % 100) { await Task.yield() }
            task.cancel()
            _ = try? await task.value
            guard await connection.isOpen else { continue }
            #expect(try await connection.execute("SELECT 1").rows == [[.integer(1)]])
        }
    }

    @Test func `a copy without rows of ours does not hang`() async throws {
        let place = try await Workplace()
        try await place.connection.execute("CREATE TABLE rows (name text)")
        let into = await postgresError { try await place.connection.execute("COPY rows FROM STDIN") }
        #expect(into?.kind == .cancelled)
        let out = await postgresError { try await place.connection.execute("COPY rows TO STDOUT") }
        #expect(out?.message == "the statement copies rows out of PostgreSQL")
        #expect(await !place.connection.isOpen)
    }
}
