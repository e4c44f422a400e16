import Foundation
import GarnerPostgres
import PostgresCluster
import TestSupport
import Testing

/// Several `garner serve` of one database in PostgreSQL.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct WorkerTests {
    private typealias Server = ShardCommandTests.Server

    private static let everySecond = "primary_key: id, schedule: { every: 1s }"
    private static let lease = ["GARNER_LEASE": "3s"]

    /// Starts a worker with a folder of its own, and the file of the others.
    private static func worker(
        besides place: Workplace, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> (place: Workplace, process: GarnerProcess) {
        let other = try Workplace(place.text(of: "garner.yaml"))
        return (other, try other.start(["serve"] + arguments, environment: lease.merging(environment) { $1 }))
    }

    private static func nominals(_ place: Workplace) async throws -> [String] {
        let told = try await place.garner(
            "query", "SELECT nominal_at FROM _garner_runs WHERE nominal_at IS NOT NULL AND status <> 'interrupted'",
            "--format", "csv")
        try #require(told.code == 0, "\(told)")
        return told.output.split(separator: "\n").dropFirst().map(String.init)
    }

    @Test func `when the holder is killed, the other one goes on, and each instant is there once`() async throws {
        let server = try await Server()
        try await LoopbackServer.serve({ request in .json(#"[{"id":\#(request.number)}]"#) }) { api in
            let place = try ShardCommandTests.place(api.url, server.url, Self.everySecond)
            let first = try Self.worker(besides: place)
            try await eventually { api.requests.count >= 2 }
            let second = try Self.worker(besides: place)
            try await eventually { second.process.errorsSoFar.contains("Standing by") }
            #expect(second.process.errorsSoFar.contains("process \(first.process.id)"))

            let workers = try await place.garner("workers", "--json")
            #expect(
                workers.output.contains(#""holds":true"#) && workers.output.contains(#""holds":false"#), "\(workers)")
            let table = try await place.garner("workers").output.split(separator: "\n").map { $0.split(separator: " ") }
            let page = DocumentationPage("docs/postgres.md").text.split(separator: "\n").map {
                $0.split(separator: " ")
            }
            #expect(table.count == 3 && page.contains(table[0]), "\(table)")
            let sync = try await place.garner("sync", "--json")
            #expect(sync.code == 0 && sync.errors.contains("(process \(first.process.id)) did it"), "\(sync)")
            let trigger = try await place.garner("trigger", "animals", "--request-id", "one", "--json")
            #expect(trigger.code == 0, "\(trigger)")
            let status = try await place.garner("status")
            #expect(status.code == 0 && status.errors.contains("process \(first.process.id)."), "\(status)")
            for word in ["pause", "resume"] {
                let told = try await place.garner(word, "animals")
                #expect(told.code == 0, "\(told)")
                #expect(first.process.errorsSoFar.contains("Stream \(word)d"))
            }

            first.process.send(SIGKILL)
            _ = try await first.process.end()
            let before = api.requests.count
            try await eventually(within: .seconds(60)) { api.requests.count >= before + 3 }
            #expect(second.process.errorsSoFar.contains("Taking over"))
            second.process.send(SIGTERM)
            #expect(try await second.process.end().code == 0)
            #expect(try await !server.isHeld())

            let found = try await Self.nominals(place)
            #expect(Set(found).count == found.count && found.count >= 5, "\(found)")
            expectSound(try await place.garner("doctor", "--full"))
        }
    }

    @Test func `a worker that stood still beyond its lease stores nothing, and stands by`() async throws {
        let server = try await Server()
        try await LoopbackServer.serve({ request in .json(#"[{"id":\#(request.number)}]"#) }) { api in
            let place = try ShardCommandTests.place(api.url, server.url, Self.everySecond)
            let first = try Self.worker(besides: place)
            try await eventually { api.requests.count >= 2 }
            let second = try Self.worker(besides: place)
            try await eventually { second.process.errorsSoFar.contains("Standing by") }
            first.process.send(SIGSTOP)
            try await eventually(within: .seconds(60)) { second.process.errorsSoFar.contains("Run ended") }
            first.process.send(SIGCONT)
            try await eventually(within: .seconds(60)) {
                first.process.errorsSoFar.contains("Database lost") && first.process.errorsSoFar.contains("Standing by")
            }
            // It takes over again when the other one gives back.
            second.process.send(SIGTERM)
            #expect(try await second.process.end().code == 0)
            let before = api.requests.count
            try await eventually(within: .seconds(60)) { api.requests.count >= before + 2 }
            first.process.send(SIGTERM)
            #expect(try await first.process.end().code == 0)
            let found = try await Self.nominals(place)
            #expect(Set(found).count == found.count && found.count >= 4, "\(found)")
        }
    }

    @Test func `a standby shows everything, and its buttons ask the holder`() async throws {
        let server = try await Server()
        try await LoopbackServer.serve({ request in .json(#"[{"id":\#(request.number)}]"#) }) { api in
            let place = try ShardCommandTests.place(api.url, server.url, Self.everySecond)
            let first = try Self.worker(besides: place)
            try await eventually { api.requests.count >= 1 }
            let second = try Self.worker(besides: place, ["--listen", "127.0.0.1:0", "--log-format", "json"])
            try await eventually { second.process.errorsSoFar.contains("Dashboard ready") }
            try await eventually { second.process.errorsSoFar.contains("Standing by") }
            let url = try #require(second.process.errorsSoFar.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)).0
            func get(_ path: String, _ options: String = "") async throws -> GarnerProcess.Ending {
                try await place.shell("curl -sS \(options) '\(url)\(path)'")
            }
            #expect(try await get("/healthz").output == "ok\n")
            #expect(try await get("/metrics").output.contains("garner_"))
            let page = try await get("/")
            #expect(page.output.contains("stands by") && page.output.contains("process \(first.process.id)"), "\(page)")
            for action in ["sync", "pause", "retry"] {
                let told = try await get(
                    "/streams/zoo.animals/\(action)", "-H 'Origin: \(url)' -X POST -w '%{http_code}'")
                #expect(told.output.hasSuffix("303"), "\(told)")
            }
            #expect(first.process.errorsSoFar.contains("Run asked for"))
            #expect(first.process.errorsSoFar.contains("Stream paused"))
            let query = try await get("/query.json?sql=SELECT%20count(*)%20AS%20n%20FROM%20animals")
            #expect(query.output.contains("\"n\":"), "\(query)")
            for worker in [first, second] { worker.process.send(SIGTERM) }
            for worker in [first, second] { #expect(try await worker.process.end().code == 0) }
        }
    }

    @Test func `a worker with an older configuration claims nothing until it has read it again`() async throws {
        let server = try await Server()
        try await LoopbackServer.serve({ request in .json(#"[{"id":\#(request.number)}]"#) }) { api in
            let place = try ShardCommandTests.place(api.url, server.url, Self.everySecond)
            let first = try Self.worker(besides: place)
            try await eventually { api.requests.count >= 1 }
            let second = try Self.worker(besides: place)
            try await eventually { second.process.errorsSoFar.contains("Standing by") }
            for worker in [first, second] { try worker.place.replace("every: 1s", with: "every: 2s") }
            // Who has the shard goes on, and says that its file is the older one.
            second.process.send(SIGHUP)
            try await eventually(within: .seconds(60)) { first.process.errorsSoFar.contains("Claiming nothing more") }
            for worker in [first, second] { try worker.place.replace("every: 2s", with: "every: 3s") }
            first.process.send(SIGHUP)
            try await eventually { first.process.errorsSoFar.contains("Configuration reloaded") }
            try await eventually(within: .seconds(60)) {
                second.process.errorsSoFar.contains("has read another configuration later")
            }
            first.process.send(SIGTERM)
            #expect(try await first.process.end().code == 0)
            second.process.send(SIGHUP)
            try await eventually(within: .seconds(60)) { second.process.errorsSoFar.contains("Taking over") }
            second.process.send(SIGTERM)
            #expect(try await second.process.end().code == 0)
        }
    }

    @Test func `no refresh token is sent twice over a take-over`() async throws {
        let server = try await Server()
        let sent = Watched<[String]>([])
        try await LoopbackServer.serve({ request in
            guard request.method == "POST" else { return .json(#"[{"id":\#(request.number)}]"#) }
            let token = request.body.split(separator: "&").first { $0.hasPrefix("refresh_token=") } ?? ""
            let next = sent.change { sent in
                sent.append(String(token))
                return sent.count
            }
            return .json(
                #"{"access_token":"a\#(next)","token_type":"Bearer","expires_in":1,"refresh_token":"refresh-\#(next)"}"#
            )
        }) { api in
            let place = try ShardCommandTests.place(api.url, server.url, Self.everySecond)
            let client = "grant_type: refresh_token, token_url: \(api.url)/token, client_id: garner"
            try place.replace(
                "base_url:",
                with: "auth: { type: oauth2, \(client), refresh_token: \"${FIRST}\" }\n    base_url:")
            let environment = ["FIRST": "refresh-0"]
            let first = try Self.worker(besides: place, environment: environment)
            let second = try Self.worker(besides: place, environment: environment)
            try await eventually { sent.value.count >= 3 }
            // Whoever is killed between the answer and its storing loses the token, wherever that would be kept.
            let stored = "SELECT token FROM _garner.tokens WHERE token LIKE 'refresh-%'"
            while try await server.texts(stored) != ["refresh-\(sent.value.count)"] {}
            for worker in [first, second] where !worker.process.errorsSoFar.contains("Standing by") {
                worker.process.send(SIGKILL)
                _ = try await worker.process.end()
            }
            let before = sent.value.count
            try await eventually(within: .seconds(60)) { sent.value.count >= before + 2 }
            for worker in [first, second] where worker.process.isRunning {
                worker.process.send(SIGTERM)
                #expect(try await worker.process.end().code == 0)
            }
            #expect(Set(sent.value).count == sent.value.count, "\(sent.value)")
        }
    }

    @Test func `the tables that are published go on with the new holder`() async throws {
        let server = try await Server()
        try await LoopbackServer.serve({ request in .json(#"[{"id":\#(request.number)}]"#) }) { api in
            let place = try ShardCommandTests.place(api.url, server.url, Self.everySecond)
            try place.replace("version: 1", with: "version: 1\npublish: \"\(server.url)\"")
            let first = try Self.worker(besides: place)
            try await eventually { api.requests.count >= 2 }
            let second = try Self.worker(besides: place)
            try await eventually { second.process.errorsSoFar.contains("Standing by") }
            first.process.send(SIGKILL)
            _ = try await first.process.end()
            try await eventually(within: .seconds(60)) { second.process.errorsSoFar.contains("Run ended") }
            second.process.send(SIGTERM)
            #expect(try await second.process.end().code == 0)
            let publish = try await place.garner("publish")
            #expect(publish.code == 0, "\(publish)")
            let rows = try await place.garner("query", "SELECT id FROM animals ORDER BY id", "--format", "csv")
            let published = try await server.texts("SELECT id::text FROM animals ORDER BY id")
            #expect(rows.output.split(separator: "\n").dropFirst().map(String.init) == published)
        }
    }
}
