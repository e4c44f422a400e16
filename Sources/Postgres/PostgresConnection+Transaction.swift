extension PostgresConnection {
    /// What each transaction of Garner's begins with. Nothing outlives the transaction, since a pooler gives the next one another session.
    ///
    /// The limit of statements that an administrator gave the role is for people's queries: a first load takes longer. Types are read as
    /// PostgreSQL writes them without quotes. Names of PostgreSQL's own mean its own, and others are as they were for users' triggers.
    ///
    /// The server, too, notices a dead network: while it waits for rows of a COPY, nothing else ends a session, and its locks stay. A
    /// system that lacks one of the last two settings would say so in the log of the server each time.
    package static let transactionBeginning = """
        BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '2s'; \
        SET LOCAL synchronous_commit = on; SET LOCAL idle_in_transaction_session_timeout = '60s'; \
        SET LOCAL quote_all_identifiers = off; SELECT pg_catalog.set_config('search_path', pg_catalog.concat_ws( \
        ', ', 'pg_catalog', nullif(pg_catalog.current_setting('search_path'), '')), true); \
        SET LOCAL tcp_keepalives_idle = 10; SET LOCAL tcp_keepalives_interval = 5; \
        SELECT set_config(name, CASE WHEN version() LIKE '%linux%' THEN value ELSE '0' END, true) \
        FROM (VALUES ('tcp_keepalives_count', '3'), ('tcp_user_timeout', '30000')) AS s (name, value)
        """

    /// Runs `body` over a new connection, which is closed however it ends.
    package nonisolated(nonsending) static func over<R>(
        _ url: PostgresURL, _ body: (PostgresConnection) async throws -> R
    ) async throws -> R {
        let connection = try await open(url)
        let result: Result<R, any Error>
        do { result = .success(try await body(connection)) } catch { result = .failure(error) }
        await connection.close()
        return try result.get()
    }

    /// Runs `body` over a connection that was kept, or over a new one if that has broken, so that it may run twice. Returns the one to keep.
    ///
    /// - Parameter prepare: Called with a new connection.
    package nonisolated(nonsending) static func reusing<R>(
        _ kept: PostgresConnection?, or url: PostgresURL,
        preparing prepare: (PostgresConnection) async throws -> Void = { _ in },
        _ body: (PostgresConnection) async throws -> R
    ) async throws -> (connection: PostgresConnection, result: R) {
        if let kept {
            do {
                return (kept, try await body(kept))
            } catch let error as PostgresError where error.endsConnection {
                await kept.close()
            }
        }
        let opened = try await open(url)
        do {
            try await prepare(opened)
            return (opened, try await body(opened))
        } catch {
            await opened.close()
            throw error
        }
    }

    /// Runs `body` in a transaction with Garner's limits: it waits for no lock longer than two seconds.
    @discardableResult
    package nonisolated(nonsending) func inTransaction<R>(_ body: () async throws -> R) async throws -> R {
        try await executeScript(Self.transactionBeginning)
        let result: R
        do {
            result = try await body()
        } catch {
            if await isOpen { _ = try? await executeScript("ROLLBACK") }
            throw error
        }
        try await executeScript("COMMIT")
        return result
    }
}
