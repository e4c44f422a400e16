package import GarnerCatalog
import GarnerJSON
package import GarnerModel
import GarnerPersistence
import GarnerPostgres
import Synchronization

/// The refresh tokens and the refused logins of all workers, in a table that only its owner may read. Its calls block.
///
/// A token is saved before it is used, and only the worker that has the turn for it renews it.
package struct ShardTokens: Sendable {
    private let place: ShardPlace
    private let session: TokenSession

    package init(_ place: ShardPlace) {
        self.place = place
        session = TokenSession(place)
    }

    /// Returns the token saved last under the key, by any worker; nil if there is none.
    package func load(_ key: String) throws -> Secret? {
        try session.run { try await Self.kept(key, on: $0) }.map { Secret($0) }
    }

    /// Saves the token. It survives a crash of the server once this returns; if it throws, the old or the new one is stored.
    ///
    /// Who has the turn for it saves it in the transaction that keeps the turn. So a worker that lost its turn meanwhile, and with it perhaps the
    /// token, overwrites nothing.
    package func save(_ token: Secret, for key: String) throws {
        if let turn = session.turn(for: key) {
            return try blockingResult { try await describingErrors { try await turn.save(token, for: key) } }
        }
        try session.run { connection in
            try await connection.execute(Self.saving, .text(key), .text(token.reveal()))
        }
    }

    /// Returns the sole right to renew the key's token, until the object is released; nil while another worker has it.
    package func lockForRenewal(of key: String) throws -> AnyObject? {
        let place = place
        let lock = try blockingResult { () -> RenewalLock? in
            try await describingErrors { try await RenewalLock.take(key, of: place) }
        }
        session.setTurn(lock, for: key)
        return lock
    }

    package func refusedLogins() throws -> [RefusedLogin] {
        try session.run { try await Self.kept(Self.refusedKey, on: $0) }.map(RefusedLogin.list) ?? []
    }

    /// Changes the refused logins. Other workers wait meanwhile.
    package func changeRefusedLogins(_ change: (inout [RefusedLogin]) -> Void) throws {
        // The change runs here, between two transactions; it is made again if somebody else was faster.
        while true {
            let found = try session.run { try await Self.kept(Self.refusedKey, on: $0) }
            var logins = found.map(RefusedLogin.list) ?? []
            change(&logins)
            let text = RefusedLogin.text(of: logins)
            let isStored = try session.run { connection in
                let result = try await connection.execute(
                    """
                    INSERT INTO _garner.tokens AS kept (key, token, saved_at) VALUES ($1, $2, clock_timestamp())
                    ON CONFLICT (key) DO UPDATE SET token = excluded.token, saved_at = excluded.saved_at
                    WHERE kept.token IS NOT DISTINCT FROM $3
                    """, .text(Self.refusedKey), .text(text), found.map { .text($0) } ?? .null)
                return result.count == 1
            }
            if isStored { return }
        }
    }

    fileprivate static func kept(_ key: String, on connection: PostgresConnection) async throws -> String? {
        try await connection.execute("SELECT token FROM _garner.tokens WHERE key = $1", .text(key)).value?.text
    }

    private static let refusedKey = "refused_logins"
    fileprivate static let saving = """
        INSERT INTO _garner.tokens (key, token, saved_at) VALUES ($1, $2, clock_timestamp())
        ON CONFLICT (key) DO UPDATE SET token = excluded.token, saved_at = excluded.saved_at
        """
}

extension ShardPlace {
    /// Returns the random bits with which all shards make their hashes, in hexadecimal digits. They are kept beside the tokens.
    ///
    /// - Parameter shard: Returns those of a shard that was made without them; nil stands for new ones.
    package func hashKey(of shard: (ShardPlace?) async throws -> String) async throws -> String {
        let name = "hash_key"
        if let key = try await inTransaction({ try await ShardTokens.kept(name, on: $0) }) { return key }
        let older = try await layout().shards.first { $0.pageCount > 0 }
        let found = try await shard(older.map { at($0.number) })
        return try await inTransaction { connection in
            // Another worker may make another shard at the same time.
            try await connection.execute(
                """
                INSERT INTO _garner.tokens (key, token, saved_at) VALUES ($1, $2, clock_timestamp())
                ON CONFLICT (key) DO NOTHING
                """, .text(name), .text(found))
            return try await ShardTokens.kept(name, on: connection)
        } ?? found
    }
}

/// A connection that is opened when it is first needed, and kept.
private final class TokenSession: Sendable {
    private let place: ShardPlace
    private let connection = Mutex<PostgresConnection?>(nil)
    /// The turns of this process, by their keys, as long as somebody has them.
    private let turns = Mutex<[String: Turn]>([:])

    private struct Turn {
        weak var lock: RenewalLock?
    }

    init(_ place: ShardPlace) { self.place = place }

    func turn(for key: String) -> RenewalLock? { turns.withLock { $0[key]?.lock } }

    func setTurn(_ lock: RenewalLock?, for key: String) { turns.withLock { $0[key] = Turn(lock: lock) } }

    /// Runs a transaction. Each of the statements may be run twice.
    @discardableResult
    func run<R: Sendable>(_ body: @escaping @Sendable (PostgresConnection) async throws -> R) throws -> R {
        // One caller at a time, as a file's lock has it.
        try connection.withLock { kept in
            let (place, old) = (place, kept)
            let used = try blockingResult {
                try await describingErrors {
                    try await PostgresConnection.reusing(old, or: place.url, preparing: ShardSchema.prepare) {
                        connection in
                        try await connection.inTransaction { try await body(connection) }
                    }
                }
            }
            kept = used.connection
            return used.result
        }
    }
}

/// The lock of a row, which a connection of its own holds until this object is released, and the connection with it.
private final class RenewalLock: Sendable {
    let connection: PostgresConnection
    private let lease: Duration

    private init(_ connection: PostgresConnection, _ lease: Duration) {
        (self.connection, self.lease) = (connection, lease)
    }

    /// Returns nil if another worker has it.
    static func take(_ key: String, of place: ShardPlace) async throws -> RenewalLock? {
        let connection = try await PostgresConnection.open(place.url)
        do {
            try await ShardSchema.prepare(connection)
            try await connection.inTransaction {
                try await connection.execute(
                    "INSERT INTO _garner.tokens (key) VALUES ($1) ON CONFLICT (key) DO NOTHING", row(of: key))
            }
            if try await lock(key, for: place.lease, on: connection) {
                let lock = RenewalLock(connection, place.lease)
                await RenewalBeat(of: lock).begin(every: place.lease / 3)
                return lock
            }
            await connection.close()
            return nil
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Saves a token by the commit of the transaction that has kept the turn until now, and goes on to keep it.
    func save(_ token: Secret, for key: String) async throws {
        try await connection.execute(ShardTokens.saving, .text(key), .text(token.reveal()))
        try await connection.executeScript("COMMIT")
        // Who is faster reads what was saved. Then this worker has no turn any longer, and can save nothing more.
        if try await !Self.lock(key, for: lease, on: connection) { await connection.close() }
    }

    /// A row of its own: the token's is written while this one is locked.
    private static func row(of key: String) -> PostgresValue { .text("turn of \(key)") }

    /// Begins a transaction that has the turn, until its worker stands still for a lease. Returns false if another worker has it.
    private static func lock(_ key: String, for lease: Duration, on connection: PostgresConnection) async throws -> Bool
    {
        try await connection.executeScript(
            """
            \(PostgresConnection.transactionBeginning);
            SET LOCAL idle_in_transaction_session_timeout = \(max(1, lease.wholeMilliseconds))
            """)
        return try await connection.execute(
            "SELECT FROM _garner.tokens WHERE key = $1 FOR UPDATE SKIP LOCKED", row(of: key)
        ).count == 1
    }
}

/// Says to the server that the worker goes on, as long as somebody has the turn. Like a keeper, it needs no thread of the concurrency pool.
private actor RenewalBeat {
    private nonisolated let thread = OwnThread()
    private nonisolated let pause = Alarm()
    private weak var lock: RenewalLock?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(of lock: RenewalLock) { self.lock = lock }

    deinit { thread.end() }

    func begin(every time: Duration) {
        Task {
            repeat {
                await self.pause.wait(atMost: time)
            } while await self.beat()
        }
    }

    /// Returns false if the turn has ended.
    private func beat() async -> Bool {
        guard let connection = lock?.connection else { return false }
        return (try? await connection.execute("SELECT 1")) != nil
    }
}

extension RefusedLogin {
    /// Reads what `text` has written. What is something else counts as none.
    fileprivate static func list(_ text: String) -> [RefusedLogin] {
        let found = try? Document(parsing: Bytes(Array(text.utf8))).withRoot { root in
            root.elements.compactMap { node -> RefusedLogin? in
                guard let salt = node["salt"]?.string, let code = node["code"]?.string,
                    let at = node["at"]?.string.flatMap(Timestamp.init(rfc3339:)),
                    let count = node["count"].flatMap({ Int($0.text) }), count > 0
                else { return nil }
                return RefusedLogin(salt: salt, code: code, at: at, count: count)
            }
        }
        return found ?? []
    }

    fileprivate static func text(of logins: [RefusedLogin]) -> String {
        let objects = logins.map { login in
            #"{"salt": \#(JSONText.quoted(login.salt)), "code": \#(JSONText.quoted(login.code)), "#
                + #""at": "\#(login.at)", "count": \#(login.count)}"#
        }
        return "[\(objects.joined(separator: ", "))]"
    }
}
