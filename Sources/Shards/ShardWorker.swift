import GarnerModel
import GarnerPersistence
import GarnerPostgres
import GarnerTasks

package enum ShardClaim: Sendable {
    /// Another worker has the shard, or a moment ago had.
    case held(ShardHolder)
    case claimed(ShardKeeper)
}

/// A worker that waits for shards: it says that it is there, claims, and ends sessions that stand still with a shard.
package actor ShardWorker {
    private let place: ShardPlace
    private var identity: WorkerIdentity
    private let stopwatch: Stopwatch
    private var connection: PostgresConnection?
    /// The keepers that it was given last, by the numbers of their shards.
    private var keepers: [Int: ShardKeeper] = [:]
    /// The shards that had pages. They are not begun anew then.
    private var seen: Set<Int> = []
    /// The time at which it last said that it is there, by the stopwatch.
    private var lastBeat: Duration?

    /// The time between two signs of life, and between two looks for sessions that stand still.
    static let beat: Duration = .seconds(10)

    package init(_ place: ShardPlace, as identity: WorkerIdentity) {
        (self.place, self.identity) = (place, identity)
        stopwatch = Stopwatch(ContinuousClock())
    }

    /// Tries once to claim a shard, or the one of its place. A service that waits for it calls this about once a second.
    ///
    /// - Parameter forgetsWorker: True if the worker ends with the keeper's `release`.
    package func claim(_ shard: Int? = nil, forgetsWorker: Bool = false) async throws -> ShardClaim {
        let place = shard.map(place.at) ?? place
        return try await describingLoss {
            if let keeper = keepers[place.shard], await keeper.pageCount > 0 { seen.insert(place.shard) }
            let connection = try await connected()
            try await beat(over: connection)
            // A shard that is given back between the two looks is there in the next round.
            for _ in 0..<3 {
                let start = stopwatch.elapsed
                if let claimed = try await claimFree(place, over: connection) {
                    let keeper = ShardKeeper(
                        place, identity, claimed, since: start, stopwatch, forgetsWorker: forgetsWorker)
                    await keeper.begin()
                    keepers[place.shard] = keeper
                    return .claimed(keeper)
                }
                if let holder = try await ShardRow.holder(of: place.shard, on: connection) {
                    if !seen.contains(place.shard) { try await look(at: place.shard, on: connection) }
                    return .held(holder)
                }
                try await refuseOther(place.shard, on: connection)
            }
            // Its lease has ended, but a transaction of its last holder has not.
            return .held(
                ShardHolder(
                    host: "", process: 0, version: "", until: Timestamp(millisecondsSince1970: 0), lastSeen: nil))
        }
    }

    /// Returns the shards, and what the other services hold of them.
    package func company() async throws -> ShardCompany {
        try await describingLoss {
            let connection = try await connected()
            try await beat(over: connection)
            let layout = try await ShardLayout.read(on: connection)
            seen.formUnion(layout.shards.lazy.filter { $0.pageCount > 0 }.map(\.number))
            return ShardCompany(
                layout: layout,
                others: try await WorkersTable.holdings(besides: identity.worker, on: connection),
                later: try await WorkersTable.laterReader(than: identity.worker, on: connection))
        }
    }

    /// Gives places to the sources that have none, unless another service has read another configuration later. Returns the places of all
    /// sources; nil if it gave none.
    ///
    /// It has a connection of its own, so that it may be called beside a claim.
    package func place(_ groups: [[String]]) async throws -> [String: Int]? {
        try await place.onConnection { connection -> [String: Int]? in
            try await connection.inTransaction { try await WorkersTable.beat(of: identity, on: connection) }
            guard try await WorkersTable.laterReader(than: identity.worker, on: connection) == nil else { return nil }
            return try await ShardSources.place(groups, shards: place.wantedShards, on: connection)
        }
    }

    /// Says that the worker has read its configuration again.
    package func note(configurationDigest: String) {
        identity.configurationDigest = configurationDigest
        lastBeat = nil
    }

    private func look(at shard: Int, on connection: PostgresConnection) async throws {
        if let row = try await ShardRow.read(shard, on: connection), row.pageCount > 0 { seen.insert(shard) }
    }

    private func describingLoss<R>(_ body: () async throws -> R) async throws -> R {
        do {
            return try await body()
        } catch let error as PostgresError {
            await disconnect()
            throw PersistenceError(error)
        }
    }

    /// Closes the connection. The next call of `claim` opens another one.
    package func disconnect() async {
        await connection?.close()
        connection = nil
    }

    /// Forgets the worker, and closes the connection.
    package func leave() async {
        if let connection {
            // Without an answer, the other workers forget it after a day.
            _ = try? await connection.execute(
                "DELETE FROM _garner.workers WHERE worker = $1", .uuid(identity.worker))
        }
        await disconnect()
    }

    private func connected() async throws -> PostgresConnection {
        if let connection, await connection.isOpen { return connection }
        let opened = try await PostgresConnection.open(place.url)
        do {
            if !seen.isEmpty {
                guard try await opened.execute("SELECT to_regclass('_garner.shards')::text").value?.text != nil else {
                    throw PersistenceError.gone
                }
            } else {
                try await ShardSchema.prepare(opened)
                try await ShardRow.begin(place.wantedShards, on: opened)
            }
        } catch {
            await opened.close()
            throw error
        }
        (connection, lastBeat) = (opened, nil)
        return opened
    }

    private func beat(over connection: PostgresConnection) async throws {
        let now = stopwatch.elapsed
        guard lastBeat.map({ now - $0 >= Self.beat }) ?? true else { return }
        try await connection.inTransaction { try await WorkersTable.beat(of: identity, on: connection) }
        try await ShardJanitor.sweep(on: connection)
        lastBeat = now
    }

    private func claimFree(_ place: ShardPlace, over connection: PostgresConnection) async throws -> ClaimedShard? {
        let token = PostgresUUID.random()
        // Whoever has let the lease end is not counted among those who share the work, until it says that it is there again: so says a
        // negative process.
        let row = try await connection.inTransaction {
            try await connection.execute(
                """
                WITH free AS (
                    SELECT shard, worker FROM _garner.shards
                    WHERE shard = $1 AND (token IS NULL OR until < clock_timestamp()) AND schema_version <= $4
                        AND (pages > 0 OR NOT $5)
                    FOR NO KEY UPDATE SKIP LOCKED),
                gone AS (
                    SELECT worker FROM _garner.workers WHERE worker = (SELECT worker FROM free) AND worker <> $3
                    FOR UPDATE SKIP LOCKED),
                forgetting AS (
                    UPDATE _garner.workers SET pid = -abs(pid) FROM gone
                    WHERE workers.worker = gone.worker)
                UPDATE _garner.shards AS held
                SET token = $2, worker = $3, until = clock_timestamp() + \(place.leaseInterval), claims = claims + 1
                FROM free WHERE held.shard = free.shard RETURNING stamp, pages, schema_version
                """, .integer(Int64(place.shard)), .uuid(token), .uuid(identity.worker),
                .integer(Int64(Migrator.newestVersion)), .boolean(seen.contains(place.shard))
            ).rows.first
        }
        guard let row, row.count == 3, case .uuid(let stamp) = row[0], let pages = row[1].integer,
            let version = row[2].integer
        else { return nil }
        return ClaimedShard(token: token, stamp: stamp, pageCount: Int(pages), schemaVersion: version)
    }

    private func refuseOther(_ shard: Int, on connection: PostgresConnection) async throws {
        let newest = Migrator.newestVersion
        let hasPages = seen.contains(shard)
        guard let row = try await ShardRow.read(shard, on: connection), row.pageCount > 0 || !hasPages else {
            throw PersistenceError.gone
        }
        if row.pageCount > 0 { seen.insert(shard) }
        guard row.schemaVersion > newest else { return }
        throw PersistenceError(
            .foreign,
            "the database was made by a newer garner (schema \(row.schemaVersion); this one knows \(newest))",
            hint: "install the newer version")
    }
}

extension ShardKeeper {
    /// Claims once, for a command: `release` also forgets the worker.
    package static func claim(_ place: ShardPlace, as identity: WorkerIdentity) async throws -> ShardClaim {
        let worker = ShardWorker(place, as: identity)
        let claim = try await worker.claim(forgetsWorker: true)
        if case .held = claim { await worker.leave() }
        await worker.disconnect()
        return claim
    }
}

/// Ends sessions that stand still within a transaction that has the row of a shard, after its lease has ended.
///
/// The row is locked as long as they do, and no limit of time of the server counts in the middle of a COPY: nobody could ever take over.
enum ShardJanitor {
    /// The time for which a session must have waited for its client.
    static let patience: Duration = .seconds(10)

    /// Returns how many sessions were ended.
    @discardableResult
    static func sweep(on connection: PostgresConnection, patience: Duration = patience) async throws -> Int {
        do {
            return try await connection.inTransaction {
                try await connection.execute(
                    """
                    SELECT pg_terminate_backend(session.pid) FROM _garner.shards
                    JOIN pg_locks AS holding ON holding.locktype = 'transactionid' AND holding.granted
                        AND holding.transactionid = shards.xmax
                    JOIN pg_stat_activity AS session ON session.pid = holding.pid
                    WHERE until < clock_timestamp() AND session.wait_event = 'ClientRead'
                        AND session.state_change < clock_timestamp() - $1 * interval '1 millisecond'
                    """, .double(Double(patience.wholeMilliseconds))
                ).count
            }
        } catch let error as PostgresError where error.kind == .insufficientPrivilege {
            // The session of another role, which only that one may end.
            return 0
        }
    }
}
