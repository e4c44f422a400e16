import Foundation
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPostgres
import GarnerSQLite
import PostgresCluster
import TestSupport
import Testing

@testable import GarnerShards

@Suite(.timeLimit(.minutes(2)))
struct KeeperTests {
    @Test func `of many workers one gets the shard, and the others learn who`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let claims = try await withThrowingTaskGroup(of: ShardClaim.self) { group in
            for number in 0..<6 {
                group.addTask { try await ShardKeeper.claim(place, as: .named("host\(number)")) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        var keepers: [ShardKeeper] = []
        for case .claimed(let keeper) in claims { keepers.append(keeper) }
        #expect(keepers.count == 1)
        let winner = try #require(keepers.first)
        let holder = try #require(try await place.holder())
        #expect(holder.host == winner.identity.host && holder.process == 7 && holder.version == "1.0")
        for case .held(let other) in claims { #expect(other.host == holder.host) }
        // Those that did not get it are gone, and so is the winner at its end.
        #expect(try await place.workers().map(\.host) == [holder.host])
        #expect(try await place.workers().first?.shards.keys.sorted() == [1])
        try await winner.release()
        #expect(try await place.workers().isEmpty)
        #expect(try await place.holder() == nil)
        #expect(await winner.untilLost().kind == .interrupted)
        try await place.claimed().release()
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `what is safe is copied page by page, whatever grows and shrinks`(seed: UInt64) async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        var model = PageModel(seed: seed)
        var random = SplitMix64(seed: seed)
        for _ in 0..<4 {
            let folder = try TemporaryFolder()
            let keeper = try await place.claimed()
            try await keeper.copy(into: folder.path("copy.db"))
            let copy = FileManager.default.contents(atPath: folder.path("copy.db"))
            #expect(copy.map { Array($0) } == (model.pages.isEmpty ? nil : model.bytes))
            for _ in 0..<12 {
                keeper.committed(model.commit(mostPages: Bool.random(using: &random) ? 200 : 20))
                if Bool.random(using: &random) { try await keeper.safe() }
            }
            try await keeper.release()
            let pages = try await database.integer("SELECT count(*) FROM _garner.pages")
            #expect(pages == Int64(model.pages.count))
            #expect(try await place.examine().damage == nil)
        }
        #expect(try await place.copied() == model.bytes)
    }

    @Test func `a page that is what it was is not stored again, unless it was gone meanwhile`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let keeper = try await place.claimed()
        let pages = (1...4).compactMap { counting($0).images[1] }
        func store(_ images: [UInt32: [UInt8]], pageCount: UInt32) async throws {
            keeper.committed(CommittedPages(images: images, pageCount: pageCount, pageSize: 4096))
            try await keeper.safe()
        }
        try await store([1: pages[0], 2: pages[1], 3: pages[2]], pageCount: 3)
        try await store([1: pages[3], 2: pages[1], 3: pages[2]], pageCount: 3)
        // A row that was locked before it was changed has a mark of that.
        #expect(try await database.integer("SELECT count(*) FROM _garner.pages WHERE xmax::text <> '0'") == 0)
        #expect(
            try await database.integer(
                "SELECT count(*) FROM _garner.pages WHERE page > 1 AND xmin = (SELECT xmin FROM _garner.pages WHERE page = 1)"
            ) == 0)
        try await store([1: pages[0]], pageCount: 1)
        try await store([1: pages[3], 2: pages[1], 3: pages[2]], pageCount: 3)
        try await store([3: pages[0]], pageCount: 3)
        try await database.connection.execute("DELETE FROM _garner.pages WHERE page = 2")
        try await store([2: pages[0], 3: pages[2]], pageCount: 3)
        try await keeper.release()
        #expect(try await place.copied() == pages[3] + pages[0] + pages[2])
    }

    @Test func `the copy is for its owner only, and takes no other file's place`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let folder = try TemporaryFolder()
        let first = try await place.claimed()
        #expect(first.isEmpty)
        try await first.copy(into: folder.path("none.db"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("none.db")))
        first.committed(counting(1))
        try await first.release()
        let second = try await place.claimed()
        #expect(!second.isEmpty)
        try await second.copy(into: folder.path("copy.db"))
        var status = stat()
        #expect(stat(folder.path("copy.db"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        try await second.release()
        let third = try await place.claimed()
        #expect(await persistenceError { try await third.copy(into: folder.path("copy.db")) }?.kind == .cannotCreate)
        try await third.release()
    }

    @Test func `many callers wait at once`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let keeper = try await place.claimed()
        keeper.committed(counting(1))
        try await keeper.safe()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 2...101 {
                keeper.committed(counting(number))
                group.addTask { try await keeper.safe() }
            }
            try await group.waitForAll()
        }
        try await keeper.release()
        #expect(counted(try await place.copied()) == 101)
    }

    @Test func `a worker whose lease has ended is overtaken, and stores nothing more`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let first = try await place.claimed(by: "first")
        first.committed(counting(1))
        try await first.safe()
        guard case .held(let holder) = try await ShardKeeper.claim(place, as: .named("second")) else {
            Issue.record("the shard was claimed twice")
            return
        }
        #expect(holder.host == "first" && holder.lastSeen != nil)
        try await database.endLease()
        let second = try await place.claimed(by: "second")
        let folder = try TemporaryFolder()
        try await second.copy(into: folder.path("copy.db"))
        first.committed(counting(100))
        let error = await persistenceError { try await first.safe() }
        #expect(error?.kind == .lost && error?.message.contains("second") == true)
        #expect(await first.untilLost().kind == .lost)
        #expect(await persistenceError { try await first.release() }?.kind == .lost)
        second.committed(counting(2))
        try await second.safe()
        try await second.release()
        #expect(counted(try await place.copied()) == 2)
    }

    @Test func `the table of workers says who has died, and when it was seen last`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let command = WorkerIdentity(host: "command", process: 8, version: "1.0", configurationDigest: "")
        for identity in [WorkerIdentity.named("service"), command] {
            guard case .claimed(let keeper) = try await ShardKeeper.claim(place, as: identity) else {
                throw NotClaimed(claim: identity.host)
            }
            await keeper.end(.givenBack)
            let live = try await place.workers().filter(\.isLive)
            #expect(live.map(\.host) == [identity.host] && live.first?.shards.keys.sorted() == [1])
            try await database.connection.execute(
                "UPDATE _garner.workers SET seen_at = seen_at - interval '30 seconds' WHERE worker = $1",
                .uuid(identity.worker))
            try await database.endLease()
            let reports = try await place.workers()
            #expect(reports.allSatisfy { !$0.isLive && $0.shards.isEmpty })
        }
        let seen = try await place.workers().first { $0.host == "service" }?.lastSeen
        let third = try await place.claimed(by: "third")
        let reports = try await place.workers()
        #expect(
            reports.map(\.host) == ["third", "command", "service"] && reports.map(\.isLive) == [true, false, false])
        #expect(reports.last?.lastSeen == seen && reports.last?.process == 7)
        // A command is forgotten soon, by the next one that comes.
        try await database.connection.execute("UPDATE _garner.workers SET seen_at = seen_at - interval '1 minute'")
        guard case .held = try await ShardKeeper.claim(place, as: .named("fourth")) else {
            throw NotClaimed(claim: "fourth")
        }
        let rest = try await place.workers()
        #expect(Set(rest.map(\.host)) == ["third", "service"])
        try await third.release()
    }

    @Test func `an idle worker keeps its lease`() async throws {
        let database = try await TestDatabase()
        let place = try database.place(lease: .seconds(3))
        let keeper = try await place.claimed()
        let first = try #require(try await place.holder()).until
        // Its claim alone would have ended by then.
        while let until = try await place.holder()?.until, until < first.advanced(by: .seconds(2)) {}
        #expect(try await place.holder()?.host == "one")
        keeper.committed(counting(1))
        try await keeper.release()
    }

    @Test func `a worker that PostgreSQL does not answer stops before its lease ends`() async throws {
        let cluster = try await PostgresCluster.start()
        let database = try await TestDatabase(on: cluster)
        let keeper = try await database.place(lease: .seconds(3)).claimed()
        keeper.committed(counting(1))
        try await keeper.safe()
        cluster.stop()
        keeper.committed(counting(2))
        #expect(await persistenceError { try await keeper.safe() }?.kind == .server)
        #expect(await keeper.untilLost().kind == .server)
    }

    @Test func `a log that cannot be read ends the work, and gives the shard back`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let keeper = try await place.claimed()
        keeper.committed(counting(1))
        try await keeper.safe()
        keeper.committed(nil)
        keeper.committed(counting(2))
        #expect(await persistenceError { try await keeper.safe() }?.kind == .inputOutput)
        #expect(await keeper.untilLost().kind == .inputOutput)
        #expect(await persistenceError { try await keeper.release() }?.kind == .inputOutput)
        #expect(counted(try await place.copied()) == 1)
    }

    @Test func `a newer Garner's database is not claimed`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let keeper = try await place.claimed()
        var pages = counting(1)
        pages.images[1]?[63] = 200
        keeper.committed(pages)
        try await keeper.release()
        #expect(try await database.integer("SELECT schema_version::bigint FROM _garner.shards") == 200)
        let error = await persistenceError { _ = try await ShardKeeper.claim(place, as: .named("old")) }
        #expect(error?.kind == .foreign)
    }

    @Test(arguments: [
        "UPDATE _garner.pages SET image = set_byte(image, 300, get_byte(image, 300) # 1) WHERE page = 2",
        "UPDATE _garner.pages SET page = -page WHERE page IN (3, 9); UPDATE _garner.pages SET page = 12 + page WHERE page < 0",
        "DELETE FROM _garner.pages WHERE page = 5", "DELETE FROM _garner.pages WHERE page = 12",
    ])
    func `pages that somebody has changed are not taken for the database`(change: String) async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let keeper = try await place.claimed()
        var pages = counting(1)
        for page in 2...12 as ClosedRange<UInt32> { pages.images[page] = [UInt8](repeating: UInt8(page), count: 4096) }
        pages.pageCount = 12
        keeper.committed(pages)
        try await keeper.release()
        #expect(try await place.examine().damage == nil)
        try await database.connection.executeScript(change)
        #expect(try await place.examine().damage != nil)
        let folder = try TemporaryFolder()
        let next = try await place.claimed()
        #expect(await persistenceError { try await next.copy(into: folder.path("copy.db")) }?.kind == .unusable)
        #expect(!FileManager.default.fileExists(atPath: folder.path("copy.db")))
        try await next.release()
    }
}
