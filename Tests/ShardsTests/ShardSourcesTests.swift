import GarnerModel
import GarnerPersistence
import GarnerPostgres
import Testing

@testable import GarnerShards

/// Which source is in which shard.
struct ShardSourcesTests {
    /// A database with the rows of some shards.
    private static func database(shards: Int?) async throws -> TestDatabase {
        let database = try await TestDatabase()
        let place = ShardPlace(url: try database.url(), wantedShards: shards)
        try await place.claimed().release()
        return database
    }

    @Test func `a new database has as many shards as the URL says, and eight without a word`() async throws {
        for (wanted, count) in [(nil, 8), (3, 3)] as [(Int?, Int)] {
            let layout = try await Self.database(shards: wanted).place().layout()
            #expect(layout.shards.map(\.number) == Array(1...count))
            #expect(layout.shards.allSatisfy { $0.pageCount == 0 && $0.holder == nil } && layout.places.isEmpty)
        }
    }

    @Test func `a group goes where a member is, else to the shard with the fewest sources`() async throws {
        let database = try await Self.database(shards: 3)
        let connection = database.connection
        let first = try await ShardSources.place([["a", "b"], ["c"], ["d"], ["e"]], on: connection)
        #expect(first == ["a": 1, "b": 1, "c": 2, "d": 3, "e": 2])
        // Of members in several shards, the lowest counts, and who has a place keeps it.
        let second = try await ShardSources.place([["f", "d", "c"], ["b", "g"], ["h"]], on: connection)
        #expect(second.filter { !first.keys.contains($0.key) } == ["f": 2, "g": 1, "h": 3])
        #expect(try await database.place().layout().places == second)
    }

    @Test func `many workers give places at once`() async throws {
        let database = try await Self.database(shards: 8)
        let found = try await withThrowingTaskGroup(of: [String: Int].self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let connection = try await database.connect()
                    return try await ShardSources.place((0..<8).map { ["s\($0)"] }, on: connection)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(found).count == 1 && Set(found[0].values) == Set(1...8))
    }

    @Test func `tables with one shard keep one until the URL says more, and what is there stays in it`() async throws {
        let database = try await TestDatabase()
        let connection = database.connection
        try await database.place().claimed().release()
        // As the version with one shard has left them.
        try await connection.executeScript("DROP TABLE _garner.sources; UPDATE _garner.shards_version SET version = 1")
        #expect(try await database.place().layout().shards.count == 1)
        let place = ShardPlace(url: try database.url())
        let keeper = try await place.claimed()
        keeper.committed(counting(1))
        try await keeper.release()
        #expect(try await database.integer("SELECT version::bigint FROM _garner.shards_version") == 2)
        #expect(try await ShardSources.place([["a"], ["b"]], on: connection) == ["a": 1, "b": 1])
        let more = try await ShardSources.place([["a"], ["b"], ["c"]], shards: 3, on: connection)
        #expect(more == ["a": 1, "b": 1, "c": 1])
        #expect(try await place.layout().shards.map(\.number) == [1, 2, 3])
        #expect(
            try await ShardSources.place([["d"], ["e"]], shards: 3, on: connection).filter { $0.value > 1 }.count == 2)
        // With more than one, those that belong together stay together when others are added.
        let places = try await ShardSources.place([["d", "f"]], shards: 4, on: connection)
        #expect(places["f"] == places["d"] && places["f"] != 1)
        // Fewer than there are change nothing.
        _ = try await ShardSources.place([], shards: 2, on: connection)
        #expect(try await place.layout().shards.count == 4)
    }

    @Test func `where nothing has a place, what is stored is in the first shard`() async throws {
        let database = try await Self.database(shards: 4)
        let keeper = try await database.place().claimed()
        keeper.committed(counting(1))
        try await keeper.release()
        #expect(try await ShardSources.place([["a"], ["b"]], on: database.connection) == ["a": 1, "b": 1])
    }

    @Test func `there is no layout without a database`() async throws {
        let place = try await TestDatabase().place()
        #expect(await persistenceError { _ = try await place.layout() }?.kind == .missing)
    }

    @Test func `a source that has gone to another shard is told, and one without a place is not`() async {
        let layout = ShardLayout(shards: [], places: ["a": 1, "b": 2])
        #expect(await persistenceError { try layout.requirePlaces(of: ["a", "c"], in: 1) }?.kind == nil)
        let error = await persistenceError { try layout.requirePlaces(of: ["a", "b"], in: 1) }
        #expect(error?.kind == .locked && error?.message.contains("source b was moved") == true)
    }
}

/// Who claims how many shards.
struct ShardShareTests {
    private static func company(_ held: Set<Int>, of count: Int, others: [Int]) -> ShardCompany {
        let holder = ShardHolder(
            host: "h", process: 1, version: "1", until: Timestamp(millisecondsSince1970: 0), lastSeen: nil)
        return ShardCompany(
            layout: ShardLayout(
                shards: (1...count).map {
                    ShardState(number: $0, pageCount: 1, holder: held.contains($0) ? holder : nil)
                }, places: [:]), others: others)
    }

    private var share = ShardShare(lease: .seconds(30))

    @Test mutating func `a worker claims as long as it has less than its share`() {
        let wanted = Set(1...5)
        #expect(
            share.decide(Self.company([1, 2, 3], of: 8, others: [3]), wanted: wanted, own: [], at: .zero).claims == [
                4, 5,
            ])
        #expect(
            share.decide(Self.company([1, 2, 3, 4], of: 8, others: [1]), wanted: wanted, own: [2, 3, 4], at: .zero)
                .claims
                == [])
        // Those without sources are nobody's.
        #expect(share.decide(Self.company([], of: 8, others: []), wanted: [2], own: [], at: .zero).claims == [2])
    }

    @Test mutating func `what is free for two leases is for everybody`() {
        let company = Self.company([1, 2], of: 3, others: [0])
        func claims(at seconds: Int) -> [Int] {
            share.decide(company, wanted: [1, 2, 3], own: [1, 2], at: .seconds(seconds)).claims
        }
        #expect(claims(at: 100) == [] && claims(at: 160) == [] && claims(at: 161) == [3])
        // It keeps that for a while: the other one seems not to be able to serve it.
        func gives(at seconds: Int) -> Bool {
            share.decide(
                Self.company([1, 2, 3], of: 3, others: [0]), wanted: [1, 2, 3], own: [1, 2, 3], at: .seconds(seconds)
            )
            .givesBack
        }
        #expect(!gives(at: 162) && !gives(at: 700) && gives(at: 761))
    }

    @Test mutating func `what somebody had meanwhile is free anew`() {
        let company = Self.company([1, 2], of: 3, others: [0])
        func claims(at seconds: Int) -> [Int] {
            share.decide(company, wanted: [1, 2, 3], own: [1, 2], at: .seconds(seconds)).claims
        }
        #expect(claims(at: 100) == [] && claims(at: 161) == [3])
        _ = share.decide(
            Self.company([1, 2, 3], of: 3, others: [1]), wanted: [1, 2, 3], own: [1, 2], at: .seconds(162))
        #expect(claims(at: 163) == [])
    }

    @Test mutating func `a worker with more than its share gives one back, while somebody has fewer`() {
        let wanted = Set(1...4)
        func gives(_ others: [Int], own: Set<Int>, at seconds: Int) -> Bool {
            share.decide(Self.company(wanted, of: 4, others: others), wanted: wanted, own: own, at: .seconds(seconds))
                .givesBack
        }
        #expect(gives([0], own: wanted, at: 1) && !gives([], own: wanted, at: 1) && !gives([2], own: [1, 2], at: 1))
        share.gave(at: .seconds(1))
        #expect(!gives([0], own: [1, 2, 3], at: 10) && gives([1], own: [1, 2, 3], at: 11))
        // Of three shards, two are no more than the share of two workers.
        #expect(
            !share.decide(Self.company([1, 2], of: 3, others: [1]), wanted: [1, 2, 3], own: [1, 2], at: .seconds(99))
                .givesBack)
    }
}

struct ShardCompanyTests {
    @Test func `a worker sees what the others hold, but not those with another configuration, or that are gone`()
        async throws
    {
        let database = try await TestDatabase()
        let place = ShardPlace(url: try database.url(), wantedShards: 4)
        let (one, two) = (ShardWorker(place, as: .named("one")), ShardWorker(place, as: .named("two")))
        let stranger = ShardWorker(
            place, as: WorkerIdentity(host: "x", process: 1, version: "1", configurationDigest: "another"))
        var keepers: [ShardKeeper] = []
        for (worker, shard) in [(one, 1), (one, 2), (two, 3), (stranger, 4)] {
            guard case .claimed(let keeper) = try await worker.claim(shard) else {
                Issue.record("\(shard) is held")
                return
            }
            keeper.committed(counting(shard))
            keepers.append(keeper)
        }
        for keeper in keepers { try await keeper.safe() }
        let company = try await two.company()
        #expect(company.others == [2])
        #expect(company.layout.shards.map { $0.holder?.host } == ["one", "one", "two", "x"])
        // Its lease has ended, so it is gone, also when another one has claimed what it had.
        for keeper in keepers[0...1] { await keeper.end(.givenBack) }
        try await database.connection.execute(
            "UPDATE _garner.shards SET until = clock_timestamp() - interval '1 second' WHERE shard <= 2")
        #expect(try await two.company().others == [])
        for shard in 1...2 { _ = try await two.claim(shard) }
        #expect(try await two.company().others == [])
        // Each shard has its own pages.
        for (number, keeper) in zip([3, 4], keepers[2...]) {
            try await keeper.release()
            #expect(counted(try await place.at(number).copied()) == number)
        }
    }
}
