import Foundation
import GarnerLibC
import GarnerPersistence
import GarnerPostgres
import GarnerSQLite
import PostgresCluster
import TestSupport
import Testing

@testable import GarnerShards

/// What becomes of a shard when a worker, a connection or the server does not go on.
@Suite(.timeLimit(.minutes(3)))
struct TakeoverTests {
    @Test func `a holder that stands still within a COPY is overtaken, and none of its pages is there`() async throws {
        let database = try await TestDatabase()
        let place = try database.place(lease: .seconds(2))
        let first = try await place.claimed(by: "first")
        first.committed(counting(1))
        try await first.safe()
        let token = await first.token
        await first.end(.givenBack)
        // What it sends next, over a connection from which nothing more comes.
        let stopped = try await database.connect()
        let (stands, mayGoOn) = (Watched(false), Watched(false))
        let sending = Task {
            try await stopped.executeScript(
                """
                \(PostgresConnection.transactionBeginning);
                UPDATE _garner.shards SET stamp = gen_random_uuid(), pages = 500 WHERE token = '\(token)'
                """)
            var page: UInt32 = 1
            _ = try await stopped.copy("COPY _garner.pages (shard, page, image) FROM STDIN (FORMAT binary)") { rows in
                page += 1
                guard page < 500 else { return false }
                if page == 400 {
                    stands.value = true
                    await mayGoOn.until { $0 }
                }
                try rows.append(page: page, image: [UInt8](repeating: 1, count: 4096), of: 1)
                return true
            }
            try await stopped.executeScript("COMMIT")
        }
        await stands.until { $0 }
        let other = try await database.connect()
        while try await other.execute("SELECT FROM _garner.shards WHERE until < clock_timestamp()").count == 0 {}
        guard case .held = try await ShardKeeper.claim(place, as: .named("second")) else {
            Issue.record("the shard was taken from a transaction that may still be committed")
            return
        }
        while try await ShardJanitor.sweep(on: other, patience: .zero) == 0 {}
        let second = try await place.claimed(by: "second")
        mayGoOn.value = true
        await #expect(throws: PostgresError.self) { try await sending.value }
        #expect(try await database.integer("SELECT count(*) FROM _garner.pages") == 1)
        try await second.release()
        #expect(counted(try await place.copied()) == 1)
    }

    @Test func `pages without their row are not written over`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let keeper = try await place.claimed()
        keeper.committed(counting(1))
        try await keeper.release()
        try await database.connection.execute("DELETE FROM _garner.shards")
        let error = await #expect(throws: PersistenceError.self) {
            _ = try await ShardKeeper.claim(place, as: .named("other"))
        }
        #expect(error?.kind == .unusable)
        #expect(try await database.integer("SELECT count(*) FROM _garner.shards") == 0)
    }

    @Test(arguments: ["DROP SCHEMA _garner CASCADE", "UPDATE _garner.shards SET pages = 0"])
    func `a database that a worker has seen is not begun anew where it is gone`(loss: String) async throws {
        let database = try await TestDatabase()
        let worker = ShardWorker(try database.place(), as: .named("one"))
        guard case .claimed(let keeper) = try await worker.claim() else {
            Issue.record("it is held")
            return
        }
        keeper.committed(counting(1))
        try await keeper.release()
        try await database.connection.executeScript(loss)
        var error: (any Error)?
        for _ in 0..<2 { do { _ = try await worker.claim() } catch let found { error = found } }
        #expect((error as? PersistenceError)?.kind == .unusable, "\(String(describing: error))")
        await worker.disconnect()
        let tables = try await database.integer("SELECT count(*) FROM pg_tables WHERE schemaname = '_garner'") ?? 0
        #expect((tables == 0) == loss.hasPrefix("DROP"))
    }

    @Test func `a database is not begun anew that a worker has seen with another one`() async throws {
        let database = try await TestDatabase()
        let holder = try await database.place().claimed()
        holder.committed(counting(1))
        try await holder.safe()
        let worker = ShardWorker(try database.place(), as: .named("one"))
        _ = try await worker.company()
        try await database.connection.executeScript("DROP SCHEMA _garner CASCADE")
        for _ in 0..<3 { await #expect(throws: PersistenceError.self) { _ = try await worker.company() } }
        await worker.disconnect()
        #expect(try await database.integer("SELECT count(*) FROM pg_tables WHERE schemaname = '_garner'") == 0)
        await holder.end(.givenBack)
    }

    @Test func `a holder that works is not ended, however long its COPY lasts`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let keeper = try await place.claimed()
        let holder = try await database.connect()
        let transaction = "BEGIN; UPDATE _garner.shards SET claims = claims"
        // While the lease lasts, it may stand still.
        try await holder.executeScript(transaction)
        #expect(try await ShardJanitor.sweep(on: database.connection, patience: .zero) == 0)
        try await holder.executeScript("COMMIT")
        try await database.endLease()
        try await holder.executeScript(transaction)
        #expect(try await ShardJanitor.sweep(on: database.connection) == 0)
        try await holder.executeScript("COMMIT")
        await keeper.end(.givenBack)
    }

    @Test(.serialized, arguments: [false, true])
    func `a COMMIT without an answer is found out`(isStored: Bool) async throws {
        let database = try await TestDatabase()
        let proxy = try CuttingProxy(to: database.cluster)
        let place = ShardPlace(url: try PostgresURL(proxy.url(database: database.name)))
        let keeper = try await place.claimed()
        keeper.committed(counting(1))
        try await keeper.safe()
        let before = try await database.connection.execute("SELECT stamp FROM _garner.shards WHERE shard = 1").value
        proxy.cut(isStored ? .behindCommit : .beforeCommit)
        keeper.committed(counting(2))
        try await keeper.safe()
        #expect(proxy.hasCut)
        let after = try await database.connection.execute("SELECT stamp FROM _garner.shards WHERE shard = 1").value
        #expect(before != after)
        keeper.committed(counting(3))
        try await keeper.release()
        #expect(counted(try await place.copied()) == 3)
    }

    @Test func `a COMMIT without an answer is lost if another worker came before it`() async throws {
        let database = try await TestDatabase()
        let proxy = try CuttingProxy(to: database.cluster)
        let keeper = try await ShardPlace(url: PostgresURL(proxy.url(database: database.name))).claimed(by: "first")
        keeper.committed(counting(1))
        try await keeper.safe()
        proxy.isClosed = true
        keeper.committed(counting(2))
        let caller = Task { await persistenceError { try await keeper.safe() } }
        try await database.endLease()
        let place = try database.place()
        let second = try await place.claimed(by: "second")
        proxy.isClosed = false
        #expect(await caller.value?.kind == .lost)
        try await second.release()
        #expect(counted(try await place.copied()) == 1)
    }

    /// The server is set to tell of a commit before it is on the disk, and loses what it has not written at each restart.
    @Test func `what was told to be safe survives restarts of the server`() async throws {
        let cluster = try await PostgresCluster.start(settings: ["synchronous_commit=off", "wal_writer_delay=10s"])
        let database = try await TestDatabase(on: cluster)
        let place = try database.place(lease: .seconds(60))
        let keeper = try await place.claimed()
        let safe = Watched(0)
        let writer = Task {
            var number = 0
            while !Task.isCancelled {
                for _ in 0..<3 {
                    number += 1
                    keeper.committed(counting(number))
                }
                try await keeper.safe()
                safe.value = number
            }
            return number
        }
        for round in 1...5 {
            await safe.until { $0 >= round * 30 }
            let told = safe.value
            try await cluster.restart()
            let found = try await onThread {
                let reader = ShardPageSource(place)
                _ = try reader.begin()
                defer { reader.end() }
                return try reader.pages(from: 1, count: 1)[0]
            }
            #expect(try #require(counted(found)) >= told)
            await safe.until { $0 > told }
        }
        writer.cancel()
        let last = try await writer.value
        try await keeper.release()
        #expect(counted(try await place.copied()) == last)
    }

    @Test(arguments: [false, true])
    func `a server that was restored is not taken for the one before`(othersCount: Bool) async throws {
        let cluster = try await PostgresCluster.start()
        let database = try await TestDatabase(on: cluster)
        let place = try database.place(lease: .seconds(60))
        let first = try await place.claimed(by: "first")
        for number in 1...5 {
            first.committed(counting(number))
            try await first.safe()
        }
        try await cluster.save()
        for number in 6...10 {
            first.committed(counting(number))
            try await first.safe()
        }
        try await cluster.restore()
        let again = try await PostgresConnection.open(database.url())
        var last = 5
        if othersCount {
            try await again.execute("UPDATE _garner.shards SET until = clock_timestamp() - interval '1 second'")
            let second = try await place.claimed(by: "second")
            let folder = try TemporaryFolder()
            try await second.copy(into: folder.path("copy.db"))
            for number in 106...110 {
                second.committed(counting(number))
                try await second.safe()
            }
            last = 110
            try await second.release()
        }
        first.committed(counting(11))
        let error = await persistenceError { try await first.safe() }
        #expect(error?.kind == .lost)
        try await again.execute("UPDATE _garner.shards SET token = NULL")
        #expect(counted(try await place.copied()) == last)
    }
}

/// Runs what blocks on a thread of its own.
func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        DetachedThread.start { continuation.resume(with: Result { try body() }) }
    }
}
