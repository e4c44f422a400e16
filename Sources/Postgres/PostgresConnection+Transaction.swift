extension PostgresConnection {
    /// What each transaction of Garner's begins with. Nothing outlives the transaction, since a pooler gives the next one another session.
    ///
    /// The limit of statements that an administrator gave the role is for people's queries: a first load takes longer. Types are read as
    /// PostgreSQL writes them without quotes. Names of PostgreSQL's own mean its own, and others are as they were for users' triggers.
    package static let transactionBeginning = """
        BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '2s'; \
        SET LOCAL synchronous_commit = on; SET LOCAL idle_in_transaction_session_timeout = '60s'; \
        SET LOCAL quote_all_identifiers = off; SELECT pg_catalog.set_config('search_path', pg_catalog.concat_ws( \
        ', ', 'pg_catalog', nullif(pg_catalog.current_setting('search_path'), '')), true)
        """

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
