import GarnerModel
import GarnerScheduler
import Testing

@testable import GarnerRuntime

@Suite(.timeLimit(.minutes(5)))
struct ManualRunsTests {
    private let runs = ManualRuns()
    private let animals = StreamName(source: "zoo", stream: "animals")

    @Test func `the answers come in order, also if the end comes before anyone waits for it`() async {
        let first = runs.ask(RunRequest("a", of: animals, maximumPages: 2))
        let again = runs.ask(RunRequest("a", of: animals))
        #expect(first.isNew && !again.isNew)
        #expect(runs.begin(["a"], of: animals) == RunScope(maximumPages: 2))
        runs.end(["a"], of: animals, .run(7))
        var heard: [[RequestAnswer]] = []
        for answers in [first.answers, again.answers] { heard.append(await answers.reduce(into: []) { $0.append($1) }) }
        #expect(heard == [[.accepted, .run(7)], [.joined, .run(7)]])
    }

    @Test func `what is asked after the close hears that the service stops`() async {
        #expect(!runs.isClosed)
        runs.close()
        #expect(runs.isClosed)
        let late = runs.ask(RunRequest("b", of: animals))
        #expect(!late.isNew)
        #expect(await late.answers.reduce(into: []) { $0.append($1) } == [.stopped])
    }
}
