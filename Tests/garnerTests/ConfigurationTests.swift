import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct ConfigurationTests {
    @Test func `init writes a file that check accepts`() async throws {
        let place = try Workplace()
        let written = try await place.garner("init")
        #expect(written.code == 0)
        #expect(written.output == "")
        #expect(place.names == ["garner.yaml"])
        let check = try await place.garner("check")
        #expect(check.code == 0)
        #expect(check.output.contains("zoo.animals"))
        #expect(check.errors == "")
    }

    @Test func `init takes a URL and another file, and names it in what comes next`() async throws {
        let place = try Workplace()
        let written = try await place.garner(
            "init", "https://api.example.org/v1/birds", "--offline", "--config", "mine.yaml")
        #expect(written.code == 0)
        #expect(place.names == ["mine.yaml"])
        let steps = written.errors.split(separator: "\n").filter { $0.hasPrefix("  garner ") }
        #expect(
            steps == [
                "  garner check --config mine.yaml", "  garner sync --config mine.yaml",
                "  garner tables --config mine.yaml",
            ])
        let check = try await place.garner("check", "--config", "mine.yaml", "--json")
        #expect(check.output.contains(#""stream":"example.birds""#))
    }

    @Test func `init never overwrites a file`() async throws {
        let place = try Workplace()
        try place.write("mine", to: "garner.yaml")
        #expect(try await place.garner("init").code == 73)
        #expect(try place.text(of: "garner.yaml") == "mine")
        let named = try await place.garner("init", environment: ["GARNER_CONFIG": "other.yaml"])
        #expect(named.code == 0)
        #expect(place.names == ["garner.yaml", "other.yaml"])
    }

    @Test func `one of several concurrent inits writes the file`() async throws {
        let place = try Workplace()
        let urls = (1...6).map { "https://api\($0).example.org/items" }
        let processes = try urls.map { try place.start(["init", $0, "--offline"]) }
        var codes: [Int32] = []
        for process in processes { codes.append(try await process.end().code) }
        #expect(codes.filter { $0 == 0 }.count == 1)
        #expect(codes.filter { $0 == 73 }.count == 5)
        #expect(place.names == ["garner.yaml"])
    }

    @Test func `check tells every mistake with its place`() async throws {
        let place = try Workplace(
            """
            version: 1
            sources:
              zoo:
                base_url: http://127.0.0.1:9
                streams:
                  animals: { pth: /a }
                  plants: { schedule: { every: 1 fortnight } }

            """)
        let check = try await place.garner("check")
        #expect(check.code == 78)
        #expect(check.output == "")
        #expect(check.errors.contains("garner.yaml:6:"))
        #expect(check.errors.contains("garner.yaml:7:"))
        #expect(check.errors.contains("did you mean 'path'?"))
    }

    @Test func `no stream is fine, with a hint`() async throws {
        let place = try Workplace("version: 1\nsources:\n")
        for command in ["check", "sync", "schedule"] {
            let told = try await place.garner(command)
            #expect(told.code == 0)
            #expect(told.output == "")
            #expect(!told.errors.isEmpty, "\(command)")
        }
    }

    @Test func `no secret is ever printed or stored`() async throws {
        let canary = "canary-5e1f0c"
        let echo = "<p>\(canary) &amp; \(canary)"
        try await LoopbackServer.serve({ request in
            switch request.target.prefix(7) {
            case "/animal": .page(request.page, of: 2)
            case "/plants": .response(status: 401, body: canary)
            case "/fungi?": .response(headers: [("Content-Type", "text/html")], body: echo)
            default: .response(status: 500, body: "{\"said\":\"\(request.target)\"}")
            }
        }) { server in
            let place = try Workplace(
                """
                version: 1
                sources:
                  zoo:
                    base_url: \(server.url)
                    retry: { max_attempts: 1 }
                    auth: { type: api_key, name: key, in: query, value: "${KEY}" }
                    headers: { X-Token: "${KEY}" }
                    streams:
                      animals: { path: animals, primary_key: id }
                      plants: { path: plants }
                      fungi: { path: fungi }
                      rocks: { path: rocks, auth: { type: bearer, token: "${KEY}" } }
                      stars: { path: stars, auth: { type: http_basic, username: me, password: "${KEY}" } }

                """)
            let commands = [
                ["config", "show"], ["config", "show", "--json"], ["check", "--json"], ["sync", "-v"],
                ["sync", "--json"],
                ["status", "--json"], ["runs", "--json"], ["runs", "show", "2"], ["schema", "--json"],
                ["rows", "animals"],
                ["query", "SELECT * FROM _garner_runs", "--json"],
            ]
            var said = ""
            for command in commands {
                let ending = try await place.start(command, environment: ["KEY": canary]).end()
                said += ending.output + ending.errors
            }
            #expect(said.contains("***"))
            #expect(said.contains("HTTP 401"))
            #expect(said.contains("instead of JSON"))
            #expect(!said.contains(canary))
            #expect(server.requests.contains { $0.target.contains("key=\(canary)") })
            #expect(
                server.requests.contains {
                    $0.target.hasPrefix("/rocks") && $0["Authorization"] == "Bearer \(canary)"
                })
            for name in place.names where name.hasPrefix("garner.db") {
                let bytes = try Data(contentsOf: place.folder.url.appending(path: name))
                #expect(bytes.firstRange(of: Data(canary.utf8)) == nil, "\(name)")
            }
        }
    }

    @Test func `a secret that is not set is told without a request`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, "auth: { type: bearer, token: \"${NOT_THERE}\" }")
            let sync = try await place.garner("sync")
            #expect(sync.code == 78)
            #expect(sync.errors.contains("NOT_THERE"))
            #expect(server.requests.isEmpty)
        }
    }
}
