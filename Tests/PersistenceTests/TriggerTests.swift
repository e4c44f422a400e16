import GarnerCatalog
import GarnerModel
@testable import GarnerMaintenance
import GarnerPersistence
import GarnerSQLite
import Testing

/// Requests for runs, each of which is served once.
struct TriggerTests {
    private let fixture: Fixture
    private let clock = WallClock()
    private let stream = StreamConfiguration.animals()

    init() throws { fixture = try Fixture(clock: clock) }

    private func begin(_ requests: String..., of stream: StreamConfiguration? = nil) async throws -> RunID {
        try await fixture.writer.begin(
            stream ?? self.stream, identity: "page=1", occasion: .manual(requests: requests))
    }

    @Test func `a request waits until a run serves it`() async throws {
        let writer = fixture.writer
        #expect(try await writer.note(RunRequest("a", of: stream.name), of: stream) == .new)
        clock.set(to: 1)
        #expect(
            try await writer.note(RunRequest("a", of: stream.name), of: stream) == .waiting(since: WallClock.instant(0))
        )
        #expect(try await writer.note(RunRequest("b", of: stream.name), of: stream) == .new)
        #expect(
            try ReadOnlyDatabase(path: fixture.path).waitingRequests() == [
                RunRequest("a", of: stream.name),
                RunRequest("b", of: stream.name),
            ])
        let run = try await begin("a", "b")
        #expect(try await writer.note(RunRequest("a", of: stream.name), of: stream) == .served(run: run))
        #expect(try ReadOnlyDatabase(path: fixture.path).waitingRequests() == [])
    }

    @Test func `a run for requests that were all served does not begin, and says by which`() async throws {
        let first = try await begin("a")
        _ = try await fixture.writer.end(run: first, as: .failed)
        let second = try await begin("b")
        _ = try await fixture.writer.end(run: second, as: .cancelled)
        let answer = await #expect(throws: AlreadyServedError.self) { try await begin("b", "a") }
        #expect(answer == AlreadyServedError(runs: ["a": first, "b": second]))
        #expect(try fixture.rows("SELECT count(*) FROM _garner_runs") == ["2"])
    }

    @Test func `a run that is not for all the same requests serves the others`() async throws {
        let first = try await begin("a")
        _ = try await fixture.writer.end(run: first, as: .failed)
        let second = try await begin("a", "b")
        #expect(
            try fixture.rows("SELECT request_id, run_id FROM _garner_triggers") == ["'a' \(first)", "'b' \(second)"])
    }

    @Test func `requests of different streams are different`() async throws {
        let plants = StreamConfiguration.animals(table: "plants")
        let first = try await begin("a")
        let second = try await begin("a", of: plants)
        #expect(try await fixture.writer.note(RunRequest("a", of: stream.name), of: stream) == .served(run: first))
        #expect(try await fixture.writer.note(RunRequest("a", of: plants.name), of: plants) == .served(run: second))
    }

    @Test func `runs without request IDs always begin`() async throws {
        for _ in 1...2 { _ = try await fixture.writer.end(run: begin(), as: .failed) }
        #expect(try fixture.rows("SELECT count(*) FROM _garner_triggers") == ["0"])
    }

    @Test func `a run that could not begin has served nothing`() async throws {
        _ = try await fixture.writer.note(RunRequest("a", of: stream.name), of: stream)
        let foreign = try Connection(path: fixture.path, mode: .readWrite)
        try foreign.executeScript("BEGIN IMMEDIATE")
        await #expect(throws: PersistenceError.self) { try await begin("a") }
        try foreign.executeScript("ROLLBACK")
        #expect(
            try await fixture.writer.note(RunRequest("a", of: stream.name), of: stream)
                == .waiting(since: WallClock.instant(0)))
    }

    @Test func `a request outlives the process`() async throws {
        let requests = [
            RunRequest("a", of: stream.name, restarts: true, maximumPages: 3), RunRequest("b", of: stream.name),
        ]
        for request in requests { _ = try await fixture.writer.note(request, of: stream) }
        await fixture.writer.close()
        let again = try Fixture(reopening: fixture)
        #expect(try ReadOnlyDatabase(path: again.path).waitingRequests() == requests)
    }

    @Test func `a request is forgotten after a week, and its run may be then`() async throws {
        let first = try await begin("a")
        _ = try await fixture.writer.end(run: first, as: .failed)
        let week: Int64 = 7 * 24 * 60
        clock.set(to: week)
        _ = try await fixture.writer.end(run: begin("b"), as: .failed)
        #expect(try fixture.rows("SELECT request_id FROM _garner_triggers") == ["'a'", "'b'"])
        clock.set(to: week + 1)
        _ = try await fixture.writer.end(run: begin("c"), as: .failed)
        #expect(try fixture.rows("SELECT request_id FROM _garner_triggers") == ["'b'", "'c'"])
        await fixture.writer.close()
        var request = PruneRequest()
        request.runsBefore = WallClock.instant(2 * week)
        #expect(try DatabasePruning(of: fixture.path, request).run().runs == 1)
        #expect(try fixture.rows("SELECT request_id FROM _garner_triggers") == ["'b'", "'c'"])
        try fixture.expectIntegrity()
    }
}
