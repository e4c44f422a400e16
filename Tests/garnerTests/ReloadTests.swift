import Foundation
import TestSupport
import Testing

/// SIGHUP at a running `garner serve`.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ReloadTests {
    private static let everySecond = "primary_key: id, schedule: { every: 1s }"

    /// Serves each second; the log and the requests tell what became of a reload.
    private static func serve(
        _ body: @escaping @Sendable (Workplace, LoopbackServer, GarnerProcess) async throws -> Void
    ) async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, everySecond)
            let serve = try place.start(["serve"])
            try await eventually { server.requests.count >= 1 }
            try await body(place, server, serve)
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
        }
    }

    @Test func `a stream that comes is served, and one that goes is not any more`() async throws {
        try await Self.serve { place, server, serve in
            try place.replace("animals: { path: animals", with: "plants: { path: plants")
            serve.send(SIGHUP)
            try await eventually { serve.errorsSoFar.contains("Configuration reloaded") }
            #expect(serve.errorsSoFar.contains("Stream added") && serve.errorsSoFar.contains("Stream removed"))
            try await eventually { server.requests.count { $0.target == "/plants" } >= 2 }
            let animals = server.requests.count { $0.target == "/animals" }
            let plants = server.requests.count { $0.target == "/plants" }
            try await eventually { server.requests.count { $0.target == "/plants" } > plants + 1 }
            #expect(server.requests.count { $0.target == "/animals" } == animals)
        }
    }

    @Test(arguments: [SIGHUP, SIGTERM])
    func `a signal while a starting service reads its file waits for the service`(signal: Int32) async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, Self.everySecond)
            #expect(mkfifo(place.folder.path("pipe.yaml"), 0o600) == 0)
            let serve = try place.start(["serve", "-c", "pipe.yaml"])
            // The pipe opens as soon as garner reads it. What is read again is a file.
            let sent = try await place.shell(
                """
                exec 3> pipe.yaml; kill -\(signal) \(serve.id)
                rm pipe.yaml; cp garner.yaml pipe.yaml; cat pipe.yaml >&3
                """)
            try #require(sent.code == 0, "\(sent)")
            if signal == SIGHUP {
                try await eventually { serve.errorsSoFar.contains("Configuration reloaded") }
                serve.send(SIGTERM)
            }
            let ended = try await serve.end()
            #expect(ended.code == 0 && ended.errors.contains("Scheduler stopped"), "\(ended)")
        }
    }

    @Test func `a reload logs streams with another name or key, and the line for a name goes on with the rows`()
        async throws
    {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, streams: ["animals", "plants"], Self.everySecond)
            let serve = try place.start(["serve"])
            try await eventually { server.requests.count >= 4 }
            let text = try place.text(of: "garner.yaml")
            try place.write(
                text.replacing("animals: { path", with: "beasts: { path").replacing(
                    "path: plants, primary_key: id", with: "path: plants, primary_key: [id, name]"), to: "garner.yaml")
            serve.send(SIGHUP)
            try await eventually {
                serve.errorsSoFar.contains("zoo.beasts looks like zoo.animals, which has 2 rows")
                    && serve.errorsSoFar.contains("Configuration reloaded")
            }
            let log = serve.errorsSoFar
            #expect(log.contains("Stream renamed") && !log.contains("Stream removed"), "\(log)")
            #expect(log.contains("Key changed") && log.contains("id, name"), "\(log)")
            let misfit = log.split(separator: "\n").first { $0.contains("Stream does not fit its table") } ?? ""
            #expect(misfit.contains("the table plants has the primary key"), "\(log)")
            let drop = try #require(misfit.firstMatch(of: /'(garner drop [^']+)'.*; stop the service before that/)?.1)
            let busy = try await place.shell("\(drop) --yes")
            #expect(busy.code == 75, "\(busy)")
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
            let line = try #require(log.firstMatch(of: /run '(garner rename [^']+)', and start/)?.1)
            #expect(try await place.shell(String(line)).code == 0)
            #expect(try await place.garner("sync", "beasts").code == 0)
            #expect(try await place.shell("\(drop) --yes && garner sync plants").code == 0)
            #expect(try place.integers("SELECT count(*) FROM beasts") == [2])
        }
    }

    @Test func `a name that had no table and is gone again is no former name, and a file without streams is told of`()
        async throws
    {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 1h }")
            let serve = try place.start(["serve"])
            try await eventually { serve.errorsSoFar.contains("Run ended") }
            let text = try place.text(of: "garner.yaml")
            func reload(_ text: String, telling words: String) async throws {
                try place.write(text, to: "garner.yaml")
                serve.send(SIGHUP)
                try await eventually { serve.errorsSoFar.contains(words) }
            }
            try await reload(text.replacing("animals: { path", with: "beasts: { path"), telling: "Stream renamed")
            try await reload(text, telling: "Stream removed")
            #expect(serve.errorsSoFar.contains("Stream added"), "\(serve.errorsSoFar)")
            #expect(serve.errorsSoFar.components(separatedBy: "Stream renamed").count == 2, "\(serve.errorsSoFar)")
            try await reload("version: 1\n", telling: "No stream is configured any more")
            let line = try #require(
                serve.errorsSoFar.firstMatch(of: /garner\.yaml again, and reload it with: (kill -HUP \d+)/)?.1)
            try place.write(text, to: "garner.yaml")
            #expect(try await place.shell(String(line)).code == 0)
            try await eventually {
                serve.errorsSoFar.components(separatedBy: "Configuration reloaded").count == 5
            }
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
        }
    }

    @Test func `a reload with another database is refused until a restart`() async throws {
        try await Self.serve { place, _, serve in
            try place.replace("version: 1", with: "version: 1\ndatabase: other.db")
            serve.send(SIGHUP)
            try await eventually { serve.errorsSoFar.contains("the database is another one") }
            #expect(!place.names.contains("other.db"))
        }
    }

    @Test func `what a service does not use is told by status, by its check and on every page until it is settled`()
        async throws
    {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 1h }")
            let serve = try place.start(["serve", "--listen", "127.0.0.1:0"])
            try await eventually {
                serve.errorsSoFar.contains("Dashboard ready") && serve.errorsSoFar.contains("Run ended")
            }
            let port = try #require(serve.errorsSoFar.firstMatch(of: /127\.0\.0\.1:(\d+)/)?.1)
            func pages() async throws -> [String] {
                var pages: [String] = []
                for path in ["", "runs", "streams/zoo.animals"] {
                    pages.append(try await place.shell("curl -s http://127.0.0.1:\(port)/\(path)").output)
                }
                return pages
            }
            #expect(try await place.garner("status", "--check").code == 0)
            #expect(try await pages().allSatisfy { !$0.contains("role=\"status\"") && !$0.contains("<title>!") })

            let good = try place.text(of: "garner.yaml")
            try place.write(good.replacing("every: 1h", with: "evry: 1h"), to: "garner.yaml")
            #expect(try await pages().allSatisfy { $0.contains("has changed since the service read it") })
            serve.send(SIGHUP)
            try await eventually { serve.errorsSoFar.contains("Configuration not reloaded") }
            // The file is mended, but the service does not know it yet.
            try place.write(good.replacing("every: 1h", with: "every: 2h"), to: "garner.yaml")
            let refused = try await place.garner("status", "--check")
            #expect(refused.code == 3)
            #expect(refused.errors.contains("was refused, and the configuration before it is in use"), "\(refused)")
            #expect(refused.errors.contains("unknown key 'evry'"), "\(refused)")
            for page in try await pages() {
                #expect(page.contains("was refused, and the configuration before it is in use"), "\(page)")
                #expect(page.contains("<title>!"))
            }
            #expect(try await place.garner("browse", "--get", "/").output.contains("was refused"))

            serve.send(SIGHUP)
            try await eventually { serve.errorsSoFar.contains("Configuration reloaded") }
            #expect(try await place.garner("status", "--check").errors == "")
            #expect(try await pages().allSatisfy { !$0.contains("role=\"status\"") })
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
        }
    }

    @Test func `a port that another program has is told before anything runs`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, Self.everySecond)
            let address = server.url.dropFirst("http://".count).prefix { $0 != "/" }
            let serve = try await place.garner("serve", "--listen", "\(address)")
            #expect(serve.code == 69)
            #expect(serve.errors.contains("another program listens on \(address)"), "\(serve)")
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a warning is logged when it begins and when it ends`() async throws {
        let isOdd = Watched(true)
        try await LoopbackServer.serve({ _ in
            .json(#"[{"id":1,"age":3},{"id":2,"age":\#(isOdd.value ? "\"n/a\"" : "4")}]"#)
        }) { server in
            let place = try Workplace(api: server.url, Self.everySecond)
            let serve = try place.start(["serve"])
            try await eventually { server.requests.count >= 3 }
            isOdd.value = false
            try await eventually { serve.errorsSoFar.contains("Run warns no more") }
            let count = server.requests.count
            try await eventually { server.requests.count >= count + 2 }
            serve.send(SIGTERM)
            let log = try await serve.end().errors
            for words in ["Run warned", "Run warns no more"] {
                #expect(log.components(separatedBy: words).count == 2, "\(words): \(log)")
            }
        }
    }

    @Test func `a second service on a database ends with the process that has it`() async throws {
        try await Self.serve { place, _, serve in
            try await eventually { place.names.contains("garner.db.sock") }
            let second = try await place.garner("serve")
            #expect(second.code == 75)
            #expect(second.errors.contains("the running service (process \(serve.id)) already syncs"), "\(second)")
            #expect(second.errors.contains("'garner status'") && second.errors.contains("'kill \(serve.id)'"))
        }
    }

    @Test func `a command tells that the service has the older file, with the line that mends it`() async throws {
        try await Self.serve { place, _, serve in
            try await eventually { place.names.contains("garner.db.sock") }
            let good = try place.text(of: "garner.yaml")
            try place.write(good + "\n", to: "garner.yaml")
            let line = "kill -HUP \(serve.id)"
            // A check does not ask for a check.
            #expect(try await !place.garner("check").errors.contains("garner check"))
            for command in [["sync"], ["trigger", "animals"], ["schedule"], ["check"], ["status"]] {
                let told = try await place.start(command).end()
                #expect(told.errors.contains("the service goes on with the older file\nTry: "), "\(command): \(told)")
                #expect(told.errors.contains(line), "\(command): \(told)")
            }
            #expect(try await place.shell(line).code == 0)
            try await eventually { serve.errorsSoFar.contains("Configuration reloaded") }
            #expect(try await !place.garner("check").errors.contains("older file"))

            try place.write("version: 1\nsources: [\n", to: "garner.yaml")
            let broken = try await place.garner("status")
            #expect(broken.code == 78)
            #expect(broken.errors.contains("the service goes on with the older file"), "\(broken)")
            #expect(broken.errors.components(separatedBy: "Try: ").count == 2, "\(broken)")
            try place.write(good, to: "garner.yaml")
        }
    }

    @Test func `a variable that a reload misses comes with a new start, and a file with another reload`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, Self.everySecond)
            let text = try place.text(of: "garner.yaml")
            func write(key value: String) throws {
                let settings = "primary_key: id, headers: { X-Key: \(value) }"
                try place.write(text.replacing("primary_key: id", with: settings), to: "garner.yaml")
            }
            let first = try place.start(["serve"])
            try await eventually { server.requests.count >= 1 && place.names.contains("garner.db.sock") }
            try write(key: "\"${NOPE}\"")
            first.send(SIGHUP)
            try await eventually { first.errorsSoFar.contains("Configuration not reloaded") }
            let told = try await place.garner("status")
            let advice = try #require(
                told.errors.firstMatch(
                    of:
                        /Try: export NOPE=…, and start the service again; or (\{ file: )path \} in its place, and reload it with: (.+)\n/
                ), "\(told)")
            try place.write("of the file", to: "key")
            try write(key: "\(advice.1)key }")
            #expect(try await place.shell("\(advice.2)").code == 0)
            try await eventually { server.requests.last?["x-key"] == "of the file" }
            first.send(SIGTERM)
            #expect(try await first.end().code == 0)

            try write(key: "\"${NOPE}\"")
            let second = try place.start(["serve"], environment: ["NOPE": "exported"])
            try await eventually { server.requests.last?["x-key"] == "exported" }
            second.send(SIGTERM)
            #expect(try await second.end().code == 0)
        }
    }

    @Test func `a file that is gone is to be put back, and not written anew`() async throws {
        try await Self.serve { place, _, serve in
            try await eventually { place.names.contains("garner.db.sock") }
            #expect(try await place.shell("mv garner.yaml aside").code == 0)
            serve.send(SIGHUP)
            try await eventually { serve.errorsSoFar.contains("Configuration not reloaded") }
            #expect(serve.errorsSoFar.contains("put garner.yaml back in its place"))
            #expect(!serve.errorsSoFar.contains("garner init"))
            #expect(try await place.shell("mv aside garner.yaml").code == 0)
            let status = try await place.garner("status")
            #expect(status.errors.contains("Try: put garner.yaml back in its place; then reload it with: kill -HUP "))
        }
    }
}
