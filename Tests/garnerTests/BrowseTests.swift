import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The dashboard as people start it.
@Suite(.timeLimit(.minutes(3)))
struct BrowseTests {
    /// Runs `body` with the address of a dashboard over a place with animals.
    private static func withDashboard(
        _ arguments: [String], _ body: @escaping @Sendable (String, Workplace, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 1h }")
            #expect(try await place.garner("sync").code == 0)
            let process = try place.start(arguments)
            try await eventually {
                (process.errorsSoFar + process.outputSoFar).firstMatch(of: /http:\/\/127\.0\.0\.1:\d+\//) != nil
            }
            let match = (process.errorsSoFar + process.outputSoFar).firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)
            try await body(String(try #require(match?.output)), place, server)
            process.send(15)
            #expect(try await process.end().code == 0)
        }
    }

    private struct Answer {
        let status: Int
        let headers: [AnyHashable: Any]
        let text: String
    }

    private static func ask(
        _ method: String, _ url: String, _ headers: [String: String] = [:]
    ) async throws -> Answer {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await URLSession.shared.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        return Answer(
            status: http.statusCode, headers: http.allHeaderFields, text: String(decoding: data, as: UTF8.self))
    }

    @Test func `a database is shown in a browser, and nothing is changed`() async throws {
        try await Self.withDashboard(["browse", "--listen", "127.0.0.1:0"]) { url, place, _ in
            let page = try await Self.ask("GET", "\(url)/")
            #expect(page.status == 200)
            #expect(page.text.contains("zoo.<wbr>animals"))
            #expect(!page.text.contains("Sync now"))
            let head = try await Self.ask("HEAD", "\(url)/tables/animals.json")
            let json = try await Self.ask("GET", "\(url)/tables/animals.json")
            #expect(head.status == 200 && head.text.isEmpty)
            #expect(head.headers["Content-Length"] as? String == "\(json.text.utf8.count)")
            #expect(json.text == (try await place.garner("rows", "animals", "--json").output))
            let csv = try await Self.ask("GET", "\(url)/tables/animals.csv")
            #expect(csv.text == (try await place.garner("export", "animals").output))
            #expect(try await Self.ask("POST", "\(url)/streams/zoo.animals/sync").status == 403)
            #expect(try await Self.ask("GET", "\(url)/healthz").text == "ok\n")
            #expect(try await Self.ask("GET", "\(url)/readyz").text == "ready\n")
        }
    }

    @Test func `a button of a service begins a run, and its page comes back`() async throws {
        try await Self.withDashboard(["serve", "--listen", "127.0.0.1:0"]) { url, place, _ in
            // The stream has a schedule, so the service begins a run by itself.
            try await eventually { try place.texts("SELECT status FROM _garner_runs") == ["succeeded", "succeeded"] }
            #expect(try await Self.ask("GET", "\(url)/").text.contains("Sync now"))
            let back = try await Self.ask("POST", "\(url)/streams/zoo.animals/sync", ["Referer": "\(url)/runs"])
            #expect(back.status == 200)
            #expect(back.text.contains("<h1>Runs</h1>"))
            let manual = "SELECT count(*) FROM _garner_runs WHERE trigger = 'manual'"
            #expect(try place.texts("\(manual) AND status = 'succeeded'") == ["2"])
            _ = try await Self.ask("POST", "\(url)/streams/zoo.animals/pause")
            #expect(try await Self.ask("GET", "\(url)/").text.contains("1 paused"))
            for headers in [["Origin": "http://evil.example"], ["Sec-Fetch-Site": "cross-site"]] {
                #expect(try await Self.ask("POST", "\(url)/streams/zoo.animals/sync", headers).status == 403)
            }
            #expect(try place.texts(manual) == ["2"])
        }
    }

    @Test func `a page that follows events does not keep a service that stops`() async throws {
        try await Self.withDashboard(["serve", "--listen", "127.0.0.1:0"]) { url, _, _ in
            let client = try RawClient(port: try #require(URL(string: url)?.port))
            client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually { client.hasAnswer }
            // It stays open until the service has ended.
            Task { _ = await client.readToEnd() }
        }
    }

    @Test func `one page is printed, and the exit code tells of an error`() async throws {
        let place = try Workplace(api: "http://127.0.0.1:9")
        #expect(try await place.garner("browse", "--get", "/").code == 66)
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url)
            _ = try await place.garner("sync")
            let page = try await place.garner("browse", "--get", "/index.json")
            #expect(page.code == 0)
            let age = /"age_seconds":\d+/
            let status = try await place.garner("status", "--json").output
            #expect(page.output.contains(age))
            #expect(page.output.replacing(age, with: "") == status.replacing(age, with: ""))
            #expect(try await place.garner("browse", "--get", "/tables/nothing").code == 66)
            let wrong = try await place.garner("browse", "--get", "/query?sql=selec%201")
            #expect(wrong.output.contains("syntax error") && wrong.output.contains("did you mean"))
            #expect(!wrong.output.contains("CommandError") && !wrong.output.contains("bug in Garner"))
            let forbidden = try await place.garner("browse", "--get", "/query.json?sql=DELETE%20FROM%20animals")
            #expect(forbidden.output.contains(#""code":64"#), "\(forbidden.output)")
            let query = try await place.garner("browse", "--get", "/query.csv?sql=SELECT%201%20AS%20one")
            #expect(query.output == "one\n1\n")
        }
    }

    @Test(arguments: [
        (["browse", "--listen", "0.0.0.0:8787"], "can be reached from other machines"),
        (["browse", "--listen", "nowhere"], "is no address"),
        (["browse", "--get", "index"], "write the path with a slash"),
        (["browse", "--get", "/", "--open"], "--get listens nowhere"),
        (["demo", "--listen", "127.0.0.1:0"], "--listen needs --browse"),
    ])
    func `a listener that others reach needs a token, and mistakes are told`(
        arguments: [String], message: String
    ) async throws {
        let ending = try await Workplace(api: "http://127.0.0.1:9").start(arguments).end()
        #expect(ending.code == 64)
        #expect(ending.errors.contains(message), "\(ending.errors)")
    }

    @Test func `a token file is read, and a short one refused`() async throws {
        let place = try Workplace(api: "http://127.0.0.1:9")
        try place.write("short\n", to: "token")
        for (file, message) in [("none", "cannot be read"), ("token", "fewer than 16 characters")] {
            let ending = try await place.garner("serve", "--listen", "0.0.0.0:0", "--auth-token-file", file)
            #expect(ending.errors.contains(message), "\(ending.errors)")
        }
        let none = try await place.garner("serve", "--listen", "0.0.0.0:0", "--auth-token-file", "none")
        let line = try #require(none.errors.firstMatch(of: /Try: write one with: (.*)\n/)?.1)
        #expect(try await place.shell(String(line)).code == 0)
        let written = try await place.garner("serve", "--listen", "0.0.0.0:0", "--auth-token-file", "none")
        #expect(written.code == 78 && !written.errors.contains("the token"), "\(written)")
    }

    @Test func `a token that others may read is warned of, and one of its owner is not`() async throws {
        let place = try Workplace(api: "http://127.0.0.1:9")
        try place.write("a-token-of-24-characters\n", to: "token")
        for (mode, isOpen) in [(0o644, true), (0o620, true), (0o600, false), (0o400, false)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: place.folder.path("token"))
            // Without a schedule, the command ends after it has read the token.
            let ending = try await place.garner("serve", "--listen", "0.0.0.0:0", "--auth-token-file", "token")
            #expect(ending.code == 78)
            #expect(ending.errors.contains("Try: chmod 600 token") == isOpen, "\(ending.errors)")
        }
    }

    @Test func `the service listens where its configuration says, and an option wins`() async throws {
        let text = """
            version: 1
            listen: 127.0.0.1:0
            sources:
              zoo:
                base_url: http://127.0.0.1:9/
                schedule: { every: 1000d }
                streams: { animals: { path: animals } }
            """
        let place = try Workplace(text)
        let process = try place.start(["serve"])
        try await eventually { process.errorsSoFar.contains("Dashboard ready") }
        let match = process.errorsSoFar.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)
        let url = String(try #require(match?.output))
        #expect(try await Self.ask("GET", "\(url)/readyz").text == "ready\n")
        process.send(15)
        #expect(try await process.end().code == 0)

        try place.write(text.replacing("127.0.0.1:0", with: "0.0.0.0:0"), to: "garner.yaml")
        let refused = try await place.garner("serve")
        #expect(refused.code == 78)
        #expect(
            refused.errors.contains("can be reached from other machines\nTry: add --auth-token-file"),
            "\(refused.errors)")
        let check = try await place.garner("check")
        #expect(check.code == 0 && check.errors.contains("garner.yaml:2: 0.0.0.0:0 can be reached"), "\(check)")
        let shown = try await place.garner("config", "show", "--json")
        #expect(shown.output.contains(#""key":"listen","value":"0.0.0.0:0","origin":"file, line 2""#))
        let other = try place.start(["serve", "--listen", "127.0.0.1:0"])
        try await eventually { other.errorsSoFar.contains("Dashboard ready") }
        other.send(15)
        #expect(try await other.end().code == 0)
    }
}
