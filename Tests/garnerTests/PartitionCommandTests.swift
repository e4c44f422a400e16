import Foundation
import TestSupport
import Testing

/// Commands for streams whose values of partitions come from a file or a query.
@Suite(.timeLimit(.minutes(5)))
struct PartitionCommandTests {
    private static func place(_ url: String, alarms: String = "") throws -> Workplace {
        try Workplace(
            """
            version: 1
            sources:
              zoo:
                base_url: \(url)
                retry: { max_attempts: 1 }
                streams:
                  stations:
                    partitions: { city: { query: "SELECT name FROM cities" } }
                    path: "{partition.city}/stations"
                    primary_key: [_city, id]
                  cities: { path: cities, primary_key: id }
                  alarms:
                    partitions: { kind: { file: kinds.txt } }
                    path: "alarms/{partition.kind}"
                    primary_key: [_kind, id]
                    \(alarms)

            """)
    }

    private static let replies: LoopbackServer.Handler = { request in
        request.target == "/cities" ? .json(#"[{"id":1,"name":"bern"}]"#) : .json(#"[{"id":1}]"#)
    }

    @Test func `commands take the values when they need them, and say what is missing`() async throws {
        try await LoopbackServer.serve(Self.replies) { server in
            let place = try Self.place(server.url)
            let show = try await place.garner("config", "show")
            #expect(show.output.contains("SELECT name FROM cities") && show.output.contains("kinds.txt"))

            let early = try await place.garner("preview", "stations")
            #expect(early.code == 66)
            #expect(
                early.errors.contains("'partitions.city' takes its values from stored rows, and there is no database"))
            let check = try await place.garner("check")
            #expect(check.code != 0)
            #expect((check.output + check.errors).contains("the file of 'partitions.kind' does not exist"))

            try place.write("fire\n", to: "kinds.txt")
            #expect(try await place.garner("check").code == 0)
            let plan = try await place.garner("plan", "stations")
            #expect(plan.code == 66 && (plan.output + plan.errors).contains("no such table: cities"))

            let sync = try await place.garner("sync")
            #expect(sync.code == 0, "\(sync.errors)")
            #expect(try place.integers("SELECT count(*) FROM stations WHERE _city = 'bern'") == [1])
            #expect(try await place.garner("plan", "stations").output.contains("/bern/stations"))
            #expect(try await place.garner("preview", "stations").output.contains("bern"))
            #expect(try await place.garner("check", "--connect").code == 0)
        }
    }

    private static let queries: [(String, Int32, String)] = [
        ("SELECT nme FROM cities", 2, "cannot be evaluated: no such column: nme"),
        ("SELECT name FROM towns", 0, "no such table: towns"),
        ("SELECT name FROM cities WHERE 0", 0, "has no value"),
    ]

    @Test(arguments: queries)
    func `check tries the query over a database that exists`(sql: String, code: Int32, words: String) async throws {
        try await LoopbackServer.serve(Self.replies) { server in
            let place = try Self.place(server.url)
            try place.write("fire\n", to: "kinds.txt")
            #expect(try await place.garner("sync").code == 0)
            try place.replace("SELECT name FROM cities", with: sql)
            let check = try await place.garner("check")
            #expect(check.code == code, "\(check)")
            #expect(check.errors.contains(words) && check.errors.contains("Try: "), "\(check)")
            let quiet = try await place.garner("check", "--quiet")
            #expect(quiet.errors.isEmpty == (code == 0))
        }
    }

    @Test func `after a failure of the queried stream nobody is told to set a paginator`() async throws {
        let fails = Watched(false)
        try await LoopbackServer.serve({ request in
            request.target == "/cities" && fails.value ? .status(500) : await Self.replies(request)
        }) { server in
            let place = try Self.place(server.url)
            try place.write("fire\n", to: "kinds.txt")
            try place.replace(
                "primary_key: [_city, id]", with: "primary_key: [_city, id]\n        delete_missing: soft")
            #expect(try await place.garner("sync").code == 0)
            fails.value = true
            let sync = try await place.garner("sync", "cities", "stations")
            #expect(sync.errors.contains("the last run of zoo.cities was not successful; sync that stream"), "\(sync)")
            #expect(!sync.errors.contains("set paginator"))
        }
    }

    @Test func `a service sees the file that has changed since its last run`() async throws {
        try await LoopbackServer.serve(Self.replies) { server in
            let place = try Self.place(server.url, alarms: "schedule: { every: 1s }")
            let serve = try place.start(["serve"])
            try await eventually { serve.errorsSoFar.contains("the file of 'partitions.kind' does not exist") }
            try place.write("fire\n", to: "kinds.txt")
            try await eventually { server.requests.contains { $0.target == "/alarms/fire" } }
            try place.write("fire\nflood\n", to: "kinds.txt")
            try await eventually { server.requests.contains { $0.target == "/alarms/flood" } }
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
        }
    }
}
