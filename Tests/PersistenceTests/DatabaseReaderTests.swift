import GarnerDatabase
import Foundation
import GarnerModel
import GarnerSQLite
import TestSupport
import Testing

@testable import GarnerPersistence

@Suite(.timeLimit(.minutes(3)))
struct DatabaseReaderTests {
    private static let endless = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
        """

    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    @Test func `sixteen tasks see whole pages through four connections while others are stored`() async throws {
        let pool = DatabaseReader(path: fixture.path, maximumConnections: 4)
        let (isLoading, begun) = (Watched(true), Watched(0))
        let run = try await fixture.writer.beginReading(.animals(), identity: "page=1", restarting: true)
        _ = try await fixture.writer.commit(Self.page(1, of: 60), to: run)
        let rounds = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    // One that fails is not waited for either.
                    defer { begun.change { $0 += 16 } }
                    var rounds = 0
                    repeat {
                        let (rows, inserted) = try await pool.read { database in
                            (
                                try database.connection.integer("SELECT count(*) FROM animals"),
                                try database.runs(limit: 1).first?.counts.inserted
                            )
                        }
                        #expect(rows == inserted.map(Int64.init) && (rows ?? 1) % 2 == 0)
                        rounds += 1
                        if rounds == 1 { begun.change { $0 += 1 } }
                    } while isLoading.value
                    return rounds
                }
            }
            defer { isLoading.value = false }
            await begun.until { $0 >= 16 }
            for number in 2..<60 { _ = try await fixture.writer.commit(Self.page(number, of: 60), to: run) }
            _ = try await fixture.writer.commitLast(Self.page(60, of: 60), to: run)
            isLoading.value = false
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // A task that came too late would prove nothing.
        #expect(rounds.count == 16 && rounds.allSatisfy { $0 >= 2 }, "\(rounds)")
        try fixture.expectIntegrity()
    }

    @Test(arguments: [1, 2])
    func `no more reads than connections run at a time, and those that wait begin in order`(limit: Int) async throws {
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
        let pool = DatabaseReader(path: fixture.path, maximumConnections: limit)
        let active = Watched((now: 0, most: 0, order: [Int]()))
        let mayEnd = Watched(false)
        try await withThrowingDiscardingTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    try await pool.read { database in
                        _ = try database.scheduleStates()
                        active.change {
                            $0.now += 1
                            $0.most = max($0.most, $0.now)
                            $0.order.append(number)
                        }
                        while !mayEnd.value { Thread.sleep(forTimeInterval: 0.001) }
                        active.change { $0.now -= 1 }
                    }
                }
                // Each has a connection, or waits for one, before the next asks.
                while await pool.waitingReads + active.value.now <= number { await Task.yield() }
            }
            #expect(active.value.now == limit)
            mayEnd.value = true
        }
        #expect(active.value.most == limit)
        let order = active.value.order
        // Those that have a connection each begin at the same time.
        #expect(limit == 1 ? order == Array(0..<8) : order.sorted() == Array(0..<8), "\(order)")
    }

    @Test func `a cancelled read ends in the midst of its query and frees its connection`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
        let pool = DatabaseReader(path: fixture.path, maximumConnections: 1)
        let hasBegun = Watched(false)
        let read = Task {
            try await pool.read { database in
                hasBegun.value = true
                return try database.connection.integer(Self.endless)
            }
        }
        await hasBegun.until { $0 }
        read.cancel()
        await #expect(throws: CancellationError.self) { try await read.value }
        #expect(try await pool.read { try $0.runs(limit: 9).count } == 1)
    }

    @Test func `a read that is cancelled while it waits ends at once, and takes no connection`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
        let pool = DatabaseReader(path: fixture.path, maximumConnections: 1)
        let (hasBegun, mayEnd) = (Watched(false), Watched(false))
        let first = Task {
            try await pool.read { _ in
                hasBegun.value = true
                while !mayEnd.value { Thread.sleep(forTimeInterval: 0.001) }
            }
        }
        await hasBegun.until { $0 }
        let second = Task { try await pool.read { try $0.runs(limit: 9).count } }
        while await pool.waitingReads == 0 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(await pool.waitingReads == 0)
        mayEnd.value = true
        try await first.value
        #expect(try await pool.read { try $0.runs(limit: 9).count } == 1)
    }

    @Test func `a database that is missing is an error until it is there`() async throws {
        let path = fixture.folder.path("other.db")
        let pool = DatabaseReader(path: path, maximumConnections: 1)
        let error = await #expect(throws: PersistenceError.self) { try await pool.read { _ in } }
        #expect(error?.kind == .missing)
        await (try Fixture.store(at: path)).close()
        #expect(try await pool.read { try $0.runs(limit: 9).count } == 0)
    }

    @Test func `a read changes nothing`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
        let pool = DatabaseReader(path: fixture.path)
        let error = await #expect(throws: PersistenceError.self) {
            try await pool.read { try $0.connection.execute("DELETE FROM animals") }
        }
        #expect(error?.kind == .request)
        #expect(try await pool.read { try $0.connection.integer("SELECT count(*) FROM animals") } == 1)
    }

    private static func page(_ number: Int, of count: Int) throws -> PageCommit {
        try .page(
            #"[{"id":\#(number * 2)},{"id":\#(number * 2 + 1)}]"#, number,
            number == count ? .complete : .next("page=\(number + 1)"))
    }
}
