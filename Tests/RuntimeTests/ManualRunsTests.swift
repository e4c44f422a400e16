import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

@testable import GarnerRuntime

@Suite(.timeLimit(.minutes(1)))
struct ManualRunsTests {
    private let runs = ManualRuns()
    private let animals = StreamName(source: "zoo", stream: "animals")
    private let keepers = StreamName(source: "zoo", stream: "keepers")

    private func end(of ticket: ManualRuns.Ticket?) async throws -> RunID? {
        for await end in try #require(ticket).end {
            if case .run(let run) = end { return run }
        }
        return nil
    }

    @Test func `everybody who asked hears of the end, also who asks the same again`() async throws {
        let first = try #require(runs.want(RunRequest("a", of: animals)))
        let again = try #require(runs.want(RunRequest("a", of: animals)))
        #expect(first.isNew && first.isAlone)
        #expect(!again.isNew && !again.isAlone)
        runs.end(["a"], of: animals, .run(7))
        // The end may come before anyone waits for it.
        #expect(try await end(of: first) == 7)
        #expect(try await end(of: again) == 7)
        #expect(runs.want(RunRequest("a", of: animals))?.isNew == true)
    }

    @Test func `another request joins the run that has not begun, and not one that has`() throws {
        #expect(runs.want(RunRequest("a", of: animals))?.isAlone == true)
        #expect(runs.want(RunRequest("b", of: animals))?.isAlone == false)
        _ = runs.begin(["a", "b"], of: animals)
        #expect(runs.want(RunRequest("c", of: animals))?.isAlone == true)
    }

    @Test func `one name may stand for wishes of two streams`() async throws {
        let first = runs.want(RunRequest("a", of: animals))
        let second = runs.want(RunRequest("a", of: keepers))
        #expect(second?.isNew == true && second?.isAlone == true)
        runs.end(["a"], of: keepers, .run(2))
        runs.end(["a"], of: animals, .run(1))
        #expect(try await end(of: first) == 1)
        #expect(try await end(of: second) == 2)
    }

    @Test(arguments: [
        ([RunScope(), .init()], RunScope()),
        ([.init(restarts: true), .init()], .init(restarts: true)),
        ([.init(maximumPages: 2), .init(maximumPages: 5)], .init(maximumPages: 5)),
        ([.init(maximumPages: 2), .init()], .init()),
        ([.init(restarts: true, maximumPages: 2), .init(maximumPages: 1)], .init(restarts: true, maximumPages: 2)),
    ])
    func `a run does what serves all that asked for it`(scopes: [RunScope], joined: RunScope) {
        let ids = scopes.indices.map(String.init)
        for (id, scope) in zip(ids, scopes) {
            let request = RunRequest(id, of: animals, restarts: scope.restarts, maximumPages: scope.maximumPages)
            _ = runs.want(request)
        }
        #expect(runs.begin(ids, of: animals) == joined)
    }

    @Test func `closed manual runs refuse new requests and keep open ones waiting`() async throws {
        let ticket = runs.want(RunRequest("a", of: animals))
        #expect(!runs.isClosed)
        runs.close()
        #expect(runs.isClosed)
        #expect(runs.want(RunRequest("b", of: animals)) == nil)
        runs.end(["a"], of: animals, .run(1))
        #expect(try await end(of: ticket) == 1)
    }

    @Test func `a stop tells those who wait, and takes nobody any more`() async throws {
        let ticket = try #require(runs.want(RunRequest("a", of: animals)))
        runs.stop()
        var ends = ticket.end.makeAsyncIterator()
        guard case .stopped = await ends.next() else { Issue.record("nobody was told"); return }
        #expect(runs.want(RunRequest("b", of: animals)) == nil)
    }
}
