import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPostgres
import TestSupport
import Testing

@testable import GarnerShards

@Suite(.timeLimit(.minutes(1)))
struct TokenTests {
    @Test func `one worker renews a token, and the other one reads it`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        try await onThread {
            let (first, second) = (ShardTokens(place), ShardTokens(place))
            #expect(try first.load("key") == nil)
            var turn = try first.lockForRenewal(of: "key")
            #expect(turn != nil)
            #expect(try second.lockForRenewal(of: "key") == nil)
            // Another token has a turn of its own.
            #expect(try second.lockForRenewal(of: "other") != nil)
            try first.save(Secret("fresh"), for: "key")
            #expect(try second.load("key")?.reveal() == "fresh")
            #expect(try second.lockForRenewal(of: "key") == nil)
            turn = nil
            var next: AnyObject?
            while next == nil { next = try second.lockForRenewal(of: "key") }
            try second.save(Secret("fresher"), for: "key")
            #expect(try first.load("key")?.reveal() == "fresher")
            _ = turn
        }
    }

    @Test func `who has lost the turn overwrites no token`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let ending = try await database.connect()
        try await onThread {
            let (first, second) = (ShardTokens(place), ShardTokens(place))
            let lost = try #require(try first.lockForRenewal(of: "key"))
            try first.save(Secret("one"), for: "key")
            // The turn outlives what was saved in it.
            #expect(try second.lockForRenewal(of: "key") == nil)
            try blockingResult {
                _ = try await ending.execute(
                    """
                    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                    WHERE datname = current_database() AND state = 'idle in transaction'
                    """)
            }
            let turn = try #require(try second.lockForRenewal(of: "key"))
            try second.save(Secret("two"), for: "key")
            #expect(throws: PersistenceError.self) { try first.save(Secret("late"), for: "key") }
            #expect(try first.load("key")?.reveal() == "two")
            withExtendedLifetime((lost, turn)) {}
        }
    }

    @Test func `a turn lasts as long as its worker goes on`() async throws {
        let database = try await TestDatabase()
        let place = try database.place(lease: .seconds(2))
        let other = try await database.connect()
        try await onThread {
            let (first, second) = (ShardTokens(place), ShardTokens(place))
            let turn = try #require(try first.lockForRenewal(of: "key"))
            // Of one that stands still, the server would have ended the session by then.
            let lasting = """
                SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'
                    AND state_change > xact_start + interval '2500 milliseconds'
                """
            var lasts = false
            while !lasts {
                lasts = try blockingResult { () async throws -> Bool in
                    try await other.execute("SELECT pg_sleep(0.1)")
                    return try await other.execute(lasting).count > 0
                }
            }
            #expect(try second.lockForRenewal(of: "key") == nil)
            withExtendedLifetime(turn) {}
        }
    }

    @Test func `a connection that has broken is opened anew`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let ending = try await database.connect()
        try await onThread {
            let tokens = ShardTokens(place)
            try tokens.save(Secret("one"), for: "key")
            try blockingResult {
                _ = try await ending.execute(
                    """
                    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'garner'
                    """)
            }
            #expect(try tokens.load("key")?.reveal() == "one")
        }
    }

    @Test func `refused logins of many workers are all kept`() async throws {
        let database = try await TestDatabase()
        let place = try database.place()
        let at = Timestamp(millisecondsSince1970: 1_800_000_000_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask {
                    try await onThread {
                        let tokens = ShardTokens(place)
                        for round in 0..<4 {
                            try tokens.changeRefusedLogins {
                                $0.append(RefusedLogin(salt: "\(number)", code: "\(round)", at: at, count: 1))
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let found = try await onThread { try ShardTokens(place).refusedLogins() }
        #expect(
            found.count == 20 && Set(found.map { $0.salt + $0.code }).count == 20 && found.allSatisfy { $0.at == at })
    }
}
