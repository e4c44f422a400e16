import Foundation
import GarnerDatabase
import GarnerLibC
import GarnerPersistence
import GarnerPostgres
import GarnerSQLite
import TestSupport
import Testing

@testable import GarnerShards

@Suite(.timeLimit(.minutes(2)))
struct PageSourceTests {
    @Test func `a snapshot has the pages of one stamp, and the next one has another`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let keeper = try await place.claimed()
        var model = PageModel(seed: 5)
        keeper.committed(model.commit(mostPages: 600))
        try await keeper.safe()
        let (old, oldPages) = (try await version(place), model.pages)
        let (asked, mayRead) = (Watched(false), Watched(false))
        let reading = Task {
            try await onThread {
                let source = ShardPageSource(place)
                let snapshot = try source.begin()
                asked.value = true
                while !mayRead.value { usleep(1000) }
                let pages = try source.pages(from: 1, count: 100_000)
                source.end()
                let next = try source.begin()
                let nextPages = try source.pages(from: 1, count: 100_000)
                source.end()
                let again = try source.begin()
                source.end()
                return (snapshot, pages, next, nextPages, again)
            }
        }
        await asked.until { $0 }
        for _ in 0..<5 {
            keeper.committed(model.commit(mostPages: 600))
            try await keeper.safe()
        }
        mayRead.value = true
        let (first, firstPages, second, secondPages, third) = try await reading.value
        #expect(first.version == old && first.pageSize == 4096)
        #expect(first.pageCount == UInt32(oldPages.count) && firstPages == oldPages)
        #expect(second.version != first.version && second.version.count == 16)
        #expect(second.pageCount == UInt32(model.pages.count) && secondPages == model.pages)
        #expect(third.version == second.version)
        try await keeper.release()
    }

    private func version(_ place: ShardPlace) async throws -> [UInt8] {
        try await onThread {
            let source = ShardPageSource(place)
            defer { source.end() }
            return try source.begin().version
        }
    }

    @Test func `pages come from anywhere, and fewer at the end`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let keeper = try await place.claimed()
        var model = PageModel(seed: 9)
        keeper.committed(model.commit(mostPages: 300))
        try await keeper.release()
        let pages = model.pages
        try await onThread {
            var random = SplitMix64(seed: 1)
            let source = ShardPageSource(place)
            let count = Int(try source.begin().pageCount)
            for _ in 0..<50 {
                let first = Int.random(in: 1...count, using: &random)
                let wanted = Int.random(in: 1...20, using: &random)
                let found = try source.pages(from: UInt32(first), count: wanted)
                #expect(found == Array(pages[(first - 1)..<min(first - 1 + wanted, count)]))
            }
            #expect(try source.pages(from: UInt32(count + 1), count: 4).isEmpty)
            source.end()
        }
    }

    @Test func `several shards are read in one transaction, by one connection`() async throws {
        let database = try await TestDatabase()
        let keepers = [
            try await database.place(shards: 3).claimed(), try await database.place().at(3).claimed(),
        ]
        for (keeper, number) in zip(keepers, [1, 3]) {
            keeper.committed(counting(number))
            try await keeper.safe()
        }
        let place = try database.place()
        let (asked, mayRead) = (Watched(false), Watched(false))
        let reading = Task {
            try await onThread {
                // A shard without pages is none.
                let parts = try ShardReading(place, HolderSight()).parts()
                let (first, third) = (parts[0].source, parts[1].source)
                _ = try first.begin()
                asked.value = true
                while !mayRead.value { usleep(1000) }
                let other = try third.begin()
                let old = counted(try third.pages(from: 1, count: 1)[0])
                first.end()
                let same = try third.pages(from: 1, count: 1).count
                third.end()
                let isCurrent = !first.isOutdated
                let next = try third.begin()
                let new = counted(try third.pages(from: 1, count: 1)[0])
                third.end()
                return (parts.map(\.number), old, same, new, other.version != next.version, isCurrent, first.isOutdated)
            }
        }
        await asked.until { $0 }
        keepers[1].committed(counting(30))
        try await keepers[1].safe()
        let added = try await database.place().at(2).claimed()
        added.committed(counting(2))
        try await added.release()
        let readers = try await database.integer(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%WHERE pages > 0%' AND pid <> pg_backend_pid()"
        )
        mayRead.value = true
        let (numbers, old, same, new, differs, isCurrent, isOutdated) = try await reading.value
        #expect(numbers == [1, 3] && old == 3 && same == 1 && new == 30 && differs)
        #expect(isCurrent && isOutdated && readers == 1)
        for keeper in keepers { try await keeper.release() }
    }

    @Test func `a lost connection fails the read, and the next snapshot has another one`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let keeper = try await place.claimed()
        keeper.committed(counting(3))
        try await keeper.release()
        let ending = try await database.connect()
        try await onThread {
            let source = ShardPageSource(place)
            let end = {
                try blockingResult {
                    _ = try await ending.execute(
                        """
                        SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                        WHERE datname = current_database() AND query LIKE '%_garner.%' AND pid <> pg_backend_pid()
                        """)
                }
            }
            _ = try source.begin()
            try end()
            #expect(throws: PersistenceError.self) { try source.pages(from: 1, count: 1) }
            source.end()
            _ = try source.begin()
            #expect(counted(try source.pages(from: 1, count: 1)[0]) == 3)
            source.end()
            try end()
            // Between two snapshots nobody notices.
            _ = try source.begin()
            source.end()
        }
    }

    @Test func `where there is no database, or none of Garner's, it is missing`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        for step in 0..<2 {
            let kind = try await onThread {
                do {
                    _ = try ShardPageSource(place).begin()
                    return nil as PersistenceError.Kind?
                } catch let error as PersistenceError { return error.kind }
            }
            #expect(kind == .missing)
            if step == 0 { try await place.claimed().release() }
        }
        #expect(!place.remoteDatabase().isWritten)
    }

    @Test func `what SQLite writes is read by SQLite elsewhere`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let folder = try TemporaryFolder()
        let path = folder.path("local.db")
        let keeper = try await place.claimed()
        // One registry serves all tests of the process.
        let remote = "garner-shard:\(database.name)"
        RemoteDatabase.register(place.remoteDatabase(), as: remote)
        for round in 1...3 {
            try await onThread {
                let connection = try Connection(path: path, mode: .readWrite)
                if round == 1 {
                    try connection.executeScript("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL")
                }
                try connection.observeCommits { keeper.committed($0) }
                if round == 1 {
                    try connection.executeScript("CREATE TABLE animals (id INTEGER PRIMARY KEY, name TEXT)")
                }
                for batch in 0..<20 {
                    try connection.transaction {
                        for row in 0..<50 {
                            try connection.execute(
                                "INSERT OR REPLACE INTO animals VALUES (?1, ?2)",
                                .integer(Int64(batch * 40 + row * round)),
                                .text(String(repeating: "\(round) \(row) ", count: row)))
                        }
                        try connection.execute("DELETE FROM animals WHERE id % 7 = ?1", .integer(Int64(batch % 7)))
                    }
                }
                if round == 2 { try connection.executeScript("VACUUM") }
                connection.close()
            }
            try await keeper.safe()
            let query = "SELECT group_concat(id || name) FROM (SELECT * FROM animals ORDER BY id)"
            let (local, other) = try await onThread {
                let local = try Connection(path: path, mode: .readOnly)
                let other = try Connection(path: remote, mode: .readOnly)
                defer {
                    local.close()
                    other.close()
                }
                return (try local.text(query), try other.text(query))
            }
            #expect(local != nil && local == other)
        }
        #expect(RemoteDatabase.at(remote)?.isWritten == true)
        try await keeper.release()
        let next = try await place.claimed()
        try await next.copy(into: folder.path("copy.db"))
        try await next.release()
        let check = try await onThread {
            let copy = try Connection(path: folder.path("copy.db"), mode: .readOnly)
            defer { copy.close() }
            return try copy.text("PRAGMA integrity_check")
        }
        #expect(check == "ok")
    }

    @Test func `a whole file becomes a shard, once`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let folder = try TemporaryFolder()
        let path = folder.path("whole.db")
        try await onThread {
            let connection = try Connection(path: path, mode: .readWrite)
            try connection.executeScript(
                """
                PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA user_version = 3;
                CREATE TABLE animals (id INTEGER PRIMARY KEY, name TEXT);
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                INSERT INTO animals SELECT i, 'animal ' || i FROM n; PRAGMA wal_checkpoint(TRUNCATE)
                """)
            connection.close()
        }
        try Data("no database".utf8).write(to: URL(filePath: folder.path("text")))
        let text = folder.path("text")
        let other = await persistenceError { try await place.store([], as: .named("mover")) { _ in [1: text] } }
        #expect(other?.kind == .unusable)
        try await place.store([], as: .named("mover")) { _ in [1: path] }
        let bytes = FileManager.default.contents(atPath: path).map { Array($0) }
        #expect(try await place.copied() == bytes)
        #expect(try await place.examine().damage == nil)
        #expect(try await database.integer("SELECT schema_version::bigint FROM _garner.shards WHERE shard = 1") == 3)
        let again = await persistenceError { try await place.store([], as: .named("mover")) { _ in [1: path] } }
        #expect(again?.kind == .cannotCreate)
        #expect(try await place.holder() == nil)
        let holder = try await place.claimed()
        #expect(
            await persistenceError { try await place.store([], as: .named("mover")) { _ in [1: path] } }?.kind
                == .cannotCreate)
        try await holder.release()
    }

    @Test func `files wait for the lease of a worker that is gone, and not for one that lives`() async throws {
        let database = try await TestDatabase()
        let place = try database.place(lease: .seconds(3))
        let folder = try TemporaryFolder()
        let path = folder.path("small.db")
        try await onThread {
            let connection = try Connection(path: path, mode: .readWrite)
            try connection.executeScript("PRAGMA page_size = 4096; CREATE TABLE animals (id INTEGER)")
            connection.close()
        }
        let other = try await place.claimed(by: "other")
        let error = await persistenceError { try await place.store([], as: .named("mover")) { _ in [1: path] } }
        #expect(error?.kind == .locked && error?.message.contains("other, process 7") == true)
        await other.end(.givenBack)
        var told: [ShardHolder] = []
        try await place.store([], as: .named("mover"), waiting: { told.append($0) }) { _ in [1: path] }
        #expect(told.map(\.host) == ["other"] && told.allSatisfy { $0.rest > .zero && $0.rest <= .seconds(3) })
        let bytes = FileManager.default.contents(atPath: path).map { Array($0) }
        #expect(try await place.copied() == bytes)
    }

    @Test func `files become shards where nobody has begun one`() async throws {
        let database = try await TestDatabase()
        let place = try database.place(shards: 2)
        let folder = try TemporaryFolder()
        let path = folder.path("whole.db")
        try await onThread {
            let connection = try Connection(path: path, mode: .readWrite)
            try connection.executeScript(
                "PRAGMA page_size = 4096; CREATE TABLE animals (id INTEGER); INSERT INTO animals VALUES (1)")
            connection.close()
        }
        try await place.claimed().release()
        try await database.connection.execute("INSERT INTO _garner.tokens (key, token) VALUES ('hash_key', 'other')")
        let begun = await persistenceError {
            try await place.store([], as: .named("mover")) { _ in
                let keeper = try await place.at(2).claimed()
                keeper.committed(counting(7))
                try await keeper.release()
                return [1: path, 2: path]
            }
        }
        #expect(begun?.kind == .cannotCreate)
        #expect(counted(try await place.at(2).copied()) == 7)
        try await database.connection.execute("DELETE FROM _garner.pages")
        try await database.connection.execute("UPDATE _garner.shards SET pages = 0, checksum = 0")
        try await place.store([], as: .named("mover")) { _ in [1: path, 2: path] }
        let bytes = FileManager.default.contents(atPath: path).map { Array($0) }
        for shard in 1...2 { #expect(try await place.at(shard).copied() == bytes) }
        #expect(try await database.integer("SELECT count(*) FROM _garner.tokens WHERE key = 'hash_key'") == 0)
    }
}
