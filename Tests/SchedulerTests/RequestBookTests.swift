import GarnerModel
import GarnerScheduler
import Testing

struct RequestBookTests {
    typealias Event = RequestBook<String>.Event

    /// Events, each with what the book does about it, as short lines: `ann: joined` answers Ann.
    struct Play: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [(Event, [String])]

        init(_ name: String, _ steps: (Event, [String])...) {
            testDescription = name
            self.steps = steps
        }
    }

    private static func ask(_ id: String, of stream: String = "animals", by asker: String) -> Event {
        .asked(RunRequest(id, of: .zoo(stream)), by: asker)
    }

    private static func began(_ ids: String) -> Event {
        .began(ids.split(separator: " ").map(String.init), of: .zoo("animals"))
    }

    private static func ended(_ ids: String, of stream: String = "animals", _ answer: RequestAnswer) -> Event {
        .ended(ids.split(separator: " ").map(String.init), of: .zoo(stream), answer)
    }

    private static func line(_ action: RequestBook<String>.Action) -> String {
        switch action {
        case .store(let request): "store \(request.stream.stream) \(request.id)"
        case .answer(let asker, .run(let run)): "\(asker): run \(run)"
        case .answer(let asker, .failed(let failure)): "\(asker): \(failure.message)"
        case .answer(let asker, let answer): "\(asker): \(answer)"
        case .run(let scope): "run\(scope.restarts ? " anew" : "")\(scope.maximumPages.map { ", \($0) pages" } ?? "")"
        }
    }

    private static let plays = [
        Play(
            "everybody who made a request hears of its end, also who made it again, and then it can be made anew",
            (ask("a", by: "ann"), ["store animals a", "ann: accepted"]), (ask("a", by: "bob"), ["bob: joined"]),
            (began("a"), ["run"]), (ask("a", by: "cid"), ["cid: joined"]),
            (ended("a", .run(7)), ["ann: run 7", "bob: run 7", "cid: run 7"]), (ended("a", .run(7)), []),
            (ask("a", by: "dan"), ["store animals a", "dan: accepted"])),
        Play(
            "another request joins the run that has not begun, and not one that has",
            (ask("a", by: "ann"), ["store animals a", "ann: accepted"]),
            (ask("b", by: "bob"), ["store animals b", "bob: joined"]), (began("a b"), ["run"]),
            (ask("c", by: "cid"), ["store animals c", "cid: accepted"]),
            (ended("a b", .stopped), ["ann: stopped", "bob: stopped"])),
        Play(
            "one ID may stand for requests of two streams",
            (ask("a", by: "ann"), ["store animals a", "ann: accepted"]),
            (ask("a", of: "keepers", by: "bob"), ["store keepers a", "bob: accepted"]),
            (ended("a", of: "keepers", .run(2)), ["bob: run 2"]), (ended("a", .run(1)), ["ann: run 1"])),
        Play(
            "a request that could not be stored is answered, and can be made again",
            (ask("a", by: "ann"), ["store animals a", "ann: accepted"]),
            (ended("a", .failed(RunFailure(.busy, kind: "locked", message: "no room"))), ["ann: no room"]),
            (ask("a", by: "ann"), ["store animals a", "ann: accepted"])),
        Play(
            "a closed book takes no request, and keeps the open ones waiting",
            (ask("a", by: "ann"), ["store animals a", "ann: accepted"]), (.closed, []),
            (ask("b", by: "bob"), ["bob: stopped"]), (ask("a", by: "bob"), ["bob: stopped"]), (began("a"), ["run"]),
            (ended("a", .run(1)), ["ann: run 1"])),
        Play(
            "a stop answers all that are left",
            (ask("b", by: "bob"), ["store animals b", "bob: accepted"]),
            (ask("a", by: "ann"), ["store animals a", "ann: joined"]), (.stopped, ["ann: stopped", "bob: stopped"]),
            (.stopped, []), (ask("c", by: "cid"), ["cid: stopped"])),
    ]

    @Test(arguments: plays)
    func `requests and answers`(play: Play) {
        var book = RequestBook<String>()
        for (event, lines) in play.steps { #expect(book.handle(event).map(Self.line) == lines, "\(event)") }
    }

    @Test(arguments: [
        ([RunScope(), .init()], "run"),
        ([.init(restarts: true), .init()], "run anew"),
        ([.init(maximumPages: 2), .init(maximumPages: 5)], "run, 5 pages"),
        ([.init(maximumPages: 2), .init()], "run"),
        ([.init(restarts: true, maximumPages: 2), .init(maximumPages: 1)], "run anew, 2 pages"),
    ])
    func `a run does what serves all that asked for it`(scopes: [RunScope], joined: String) {
        var book = RequestBook<String>()
        for (number, scope) in scopes.enumerated() {
            let request = RunRequest(
                "\(number)", of: .zoo("animals"), restarts: scope.restarts, maximumPages: scope.maximumPages)
            _ = book.handle(.asked(request, by: "ann"))
        }
        #expect(book.handle(.began(scopes.indices.map(String.init), of: .zoo("animals"))).map(Self.line) == [joined])
    }
}
