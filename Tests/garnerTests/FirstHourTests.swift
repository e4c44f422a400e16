import Foundation
import TestSupport
import Testing

/// The behaviour that a user meets in the first hour, apart from `init` and `add`.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct FirstHourTests {
    @Test func `a first sync says once what it took for granted, and nothing that the configuration says`() async throws
    {
        try await LoopbackServer.serve({ .page($0.page, of: 2) }) { server in
            let place = try Workplace(api: server.url, "delete_missing: ignore")
            let first = try await place.garner("sync")
            #expect(
                first.errors.contains("zoo.animals: taken for granted: records at $.data, key id, pages by $.next\n"))
            #expect(try await !place.garner("sync").errors.contains("taken for granted"))
            let told = try Workplace(
                api: server.url,
                "primary_key: id, record_selector: '$.data[*]', paginator: { type: json_link, next_url_path: $.next }")
            #expect(try await !told.garner("sync").errors.contains("taken for granted"))
        }
    }

    /// The setting of the paginator, what a first sync says of the end, and what it advises beside it.
    private static let ends: [(String, String, advice: String)] = [
        ("", "no sign of the end after 10 records", "are there more pages? Set the paginator that asks for them; "),
        (
            "paginator: { type: single_page }", "10 records are as many as a full page often has",
            "if there are more pages, choose another paginator; if not, all is there\n"
        ),
        (
            "paginator: { type: cursor, cursor_path: '$[0].no' }", "no sign of the end after 10 records",
            "check what paginator says of the last page\n"
        ),
    ]

    @Test(arguments: ends)
    func `a first sync says why the end is unknown, and advises only what is not set`(
        paginator: String, reason: String, advice: String
    ) async throws {
        let page = "[\((1...10).map { #"{"id":\#($0)}"# }.joined(separator: ","))]"
        try await LoopbackServer.serve({ _ in .json(page) }) { server in
            let line = "It is not certain that all records came: \(reason); \(advice)"
            let place = try Workplace(api: server.url, paginator)
            let sync = try await place.garner("sync")
            #expect(sync.errors.contains("zoo.animals: \(line)"), "\(sync.errors)")
            // Each later read says why, too.
            #expect(sync.errors.contains(", \(reason): unknown\n"), "\(sync.errors)")
            #expect(try await place.garner("sync").errors.contains(", \(reason): unknown\n"))
            let settings = "delete_missing: hard" + (paginator.isEmpty ? "" : ", \(paginator)")
            let deleting = try await Workplace(api: server.url, settings).garner("sync")
            #expect(deleting.errors.contains("missing rows were not deleted: \(reason); "), "\(deleting.errors)")
            #expect(
                deleting.errors.contains("; are there more pages? Set the") == paginator.isEmpty, "\(deleting.errors)")
        }
    }

    @Test func `a verbose sync tells each request`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 2) }) { server in
            let sync = try await Workplace(api: server.url).garner("sync", "-v")
            let lines = sync.errors.split(separator: "\n").filter { $0.contains(": HTTP 200, ") }
            #expect(lines.count == 2)
            #expect(lines.first?.hasPrefix("zoo.animals: \(server.url)/animals: HTTP 200, ") == true, "\(sync.errors)")
        }
    }

    @Test func `the folder of the database is made`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url)
            try place.replace("version: 1", with: "version: 1\ndatabase: ${D}/deep/er.db")
            #expect(try await place.garner("sync", environment: ["D": "a b"]).code == 0)
            #expect(try await place.garner("tables", environment: ["D": "a b"]).code == 0)
            #expect(try await place.garner("tables").code == 78)
            #expect(FileManager.default.fileExists(atPath: place.folder.path("a b/deep/er.db")))
        }
    }

    @Test func `a sync waits for another one as long as it is told to`() async throws {
        let goesOn = Watched(false)
        try await LoopbackServer.serve({ request in
            if request.number == 0 { await goesOn.until { $0 } }
            return .page(request.page, of: 1)
        }) { server in
            let place = try Workplace(api: server.url)
            let first = try place.start(["sync"])
            await server.requestsArrived(1)
            let refused = try await place.garner("sync")
            #expect(refused.code == 75)
            #expect(try await place.garner("sync", "--wait", "300ms").code == 75)
            let waiting = try place.start(["sync", "--wait", "2m"])
            try await eventually { waiting.errorsSoFar.contains("Waiting: the database ") }
            goesOn.value = true
            #expect(try await first.end().code == 0)
            #expect(try await waiting.end().code == 0)
            #expect(try await place.garner("sync", "--wait", "soon").code == 64)
        }
    }

    @Test func `status shows no run of a process that is gone as running`() async throws {
        try await LoopbackServer.serve({ request in
            request.number == 0 ? .page(1, of: 1) : LoopbackReply(.stall)
        }) { server in
            let place = try Workplace(api: server.url)
            #expect(try await place.garner("sync").code == 0)
            let second = try place.start(["sync"])
            await server.requestsArrived(2)
            let during = try await place.garner("status", "--json")
            #expect(during.output.contains(#""state":"running""#), "\(during.output)")
            second.send(SIGKILL)
            _ = try await second.end()
            let after = try await place.garner("status", "--json")
            #expect(after.output.contains(#""state":"interrupted""#), "\(after.output)")
        }
    }

    @Test func `what is stored is read without the variables that requests need`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(
                api: server.url, "primary_key: id, history: true, search: name, auth: { type: bearer, token: '${T}' }")
            let sync = try await place.garner("sync", environment: ["T": "t0ken"])
            #expect(sync.code == 0, "\(sync.errors)")
            let commands: [[String]] = [
                ["tables"], ["rows", "animals"], ["get", "animals", "1"], ["query", "SELECT 1"], ["export", "animals"],
                ["changes"], ["status"], ["runs"], ["runs", "show", "1"], ["quarantine", "list"], ["schema"],
                ["state", "show"], ["backup", "copy.db"], ["prune", "--dry-run"],
            ]
            for command in commands {
                let ending = try await place.start(command).end()
                #expect(ending.code == 0, "\(command): \(ending.errors)")
            }
            #expect(try await place.garner("sync").code == 78)
        }
    }

    @Test func `a service takes a new secret from its file, before a run and when the old one is refused`() async throws
    {
        let valid = Watched("first")
        try await LoopbackServer.serve({ request in
            request["authorization"] == "Bearer \(valid.value)" ? .page(1, of: 1) : .status(401)
        }) { server in
            let place = try Workplace(
                api: server.url,
                "primary_key: id, schedule: { every: 1s }, auth: { type: bearer, token: { file: token } }")
            try place.write("first\n", to: "token")
            let serve = try place.start(["serve"])
            try await eventually { server.requests.count >= 2 }
            try place.write("second\n", to: "token")
            valid.value = "second"
            let count = server.requests.count
            try await eventually { server.requests.count > count + 3 }
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
            #expect(server.requests.contains { $0["authorization"] == "Bearer second" })
            #expect(try place.integers("SELECT count(*) FROM _garner_runs WHERE status = 'failed'") == [0])
        }
    }

    @Test func `a service before a terminal says what is due next`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 1h }")
            let serve = try place.start(["serve"], output: .terminal)
            try await eventually { serve.outputSoFar.contains("Ctrl-C stops.") }
            #expect(serve.outputSoFar.contains("1 stream; zoo.animals due now. Ctrl-C stops."))
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
        }
    }
}
