import Foundation
import TestSupport
import Testing

/// Variables and files that are not there.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct MissingSecretTests {
    private static func file(_ url: String, _ more: String = "") -> String {
        """
        version: 1
        sources:
          zoo:
            base_url: \(url)
            auth: { type: bearer, token: "${ZOO_TOKEN}" }
            streams:
              animals: { path: animals, primary_key: id }
              plants: { path: plants, primary_key: id, auth: { type: none } }
          toys:
            base_url: "${TOYS}"
            streams:
              bears: { path: bears, primary_key: id }\(more)

        """
    }

    @Test func `a missing variable fails the streams that need it, and the others run`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1}]"#) }) { server in
            let place = try Workplace(Self.file(server.url))
            let sync = try await place.garner("sync")
            #expect(sync.code == 2)
            #expect(
                sync.errors.contains(
                    "Error: zoo.animals: environment variable 'ZOO_TOKEN' is not set (garner.yaml:5:34)"), "\(sync)")
            #expect(sync.errors.contains("Try: export ZOO_TOKEN=…\n"))
            #expect(
                sync.errors.contains("Error: toys.bears: environment variable 'TOYS' is not set (garner.yaml:10:15)"))
            #expect(server.requests.map(\.target) == ["/plants"])
            #expect(try await place.garner("status", "--check").code == 3)
            let good = try await place.garner("sync", environment: ["ZOO_TOKEN": "t0ken", "TOYS": server.url])
            #expect(good.code == 0)
            #expect(server.requests.first { $0.target == "/animals" }?["authorization"] == "Bearer t0ken")
        }
    }

    @Test func `a variable in a file that nothing reads is told with what reads it`() async throws {
        let place = try Workplace(Self.file("https://zoo.example"))
        try place.write("# keys\nZOO_TOKEN=t0ken\nexport TOYS=https://toys.example\n", to: ".env")
        let told = try await place.garner("check")
        #expect(told.code == 78 && !told.errors.contains("t0ken"), "\(told)")
        #expect(
            told.errors.contains("Try: set -a; . ./.env; set +a (Garner does not read .env by itself)\n"), "\(told)")
        let pasted = try await place.shell("set -a; . ./.env; set +a\ngarner check")
        #expect(pasted.code == 0, "\(pasted)")
        try place.write("OTHER=1\n", to: ".env")
        #expect(try await place.garner("check").errors.contains("Try: export ZOO_TOKEN=… TOYS=…\n"))
    }

    @Test func `two variables of one stream are exported by one line`() async throws {
        let place = try Workplace(
            api: "http://127.0.0.1:9",
            "primary_key: id, headers: { X-A: \"${A_KEY}\", X-B: \"${B_KEY}\", X-C: \"${A_KEY}\" }")
        let told = try await place.garner("sync")
        #expect(told.code == 78 && told.errors.contains("Try: export A_KEY=… B_KEY=…\n"), "\(told)")
    }

    @Test func `if every stream needs what is missing, the code is that of a wrong configuration`() async throws {
        try await LoopbackServer.serve({ _ in .json("[]") }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, headers: { X-Key: { file: key } }")
            let sync = try await place.garner("sync")
            #expect(sync.code == 78)
            #expect(sync.errors.contains("the file of 'headers.X-Key' does not exist"))
            #expect(try await place.garner("serve").code == 78)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `check tells all that is missing, and takes it with --no-secrets`() async throws {
        let place = try Workplace(Self.file("https://zoo.example"))
        let check = try await place.garner("check")
        #expect(check.code == 78)
        #expect(check.errors.contains("environment variable 'ZOO_TOKEN' is not set; and more:"))
        #expect(check.errors.contains("environment variable 'TOYS' is not set"))
        let without = try await place.garner("check", "--no-secrets")
        #expect((without.code, without.errors) == (0, ""), "\(without)")
        #expect(try await place.garner("check", "--no-secrets", "--connect").code == 64)
        let plan = try await place.garner("plan", environment: ["ZOO_TOKEN": "t"])
        #expect(plan.output.contains("https://zoo.example/animals"))
    }

    @Test func `a command that only hashes needs the key of the hash and no other secret`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1,"email":"a"}]"#) }) { server in
            let place = try Workplace(
                api: server.url,
                "primary_key: id, auth: { type: bearer, token: \"${TOKEN}\" }, "
                    + "fields: { hash: { fields: [email], key: \"${HASH_KEY}\" } }")
            let both = ["TOKEN": "t0ken", "HASH_KEY": "a key of more than sixteen bytes"]
            #expect(try await place.garner("sync", environment: both).code == 0)
            let without = try await place.garner("prune", "--dropped", environment: ["TOKEN": "t0ken"])
            #expect(without.code == 78 && without.errors.contains("'HASH_KEY' is not set"), "\(without)")
            let key = try await place.garner(
                "prune", "--dropped", environment: both.filter { $0.key == "HASH_KEY" })
            #expect(key.code == 0, "\(key)")
        }
    }

    @Test func `a hook without its variable fails, and the run does not`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1}]"#) }) { server in
            let place = try Workplace(
                api: server.url, "primary_key: id, hooks: { on_success: [ { post: \"${WEBHOOK}\" } ] }")
            let sync = try await place.garner("sync")
            #expect(sync.code == 0)
            #expect(sync.errors.contains("Hook failed"))
            #expect(sync.errors.contains("environment variable 'WEBHOOK' is not set"))
            #expect(try await place.garner("status").code == 0)
            #expect(server.requests.map(\.target) == ["/animals"])
        }
    }

    @Test func `a reload that lacks what is there now is refused`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(
                api: server.url, "primary_key: id, schedule: { every: 1s }, headers: { X-Key: { file: key } }")
            try place.write("k1", to: "key")
            let serve = try place.start(["serve"])
            try await eventually { server.requests.contains { $0["x-key"] == "k1" } }
            try FileManager.default.removeItem(atPath: place.folder.path("key"))
            serve.send(SIGHUP)
            try await eventually { serve.errorsSoFar.contains("Configuration not reloaded") }
            let count = server.requests.count
            try await eventually { server.requests.count > count + 1 }
            #expect(server.requests.last?["x-key"] == "k1")
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
        }
    }
}
