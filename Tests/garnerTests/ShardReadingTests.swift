import Foundation
import GarnerDatabase
import GarnerMaintenance
import GarnerPostgres
import GarnerShards
import GarnerSQLite
import PostgresCluster
import TestSupport
import Testing

/// What commands print of a database of several shards: what they print of one file with the same streams.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ShardReadingTests {
    private static let sources = ["zoo", "park", "lake"]

    private static func configuration(_ api: String, database: String) -> String {
        """
        version: 1
        database: "\(database)"
        sources:
          zoo:
            base_url: \(api)/zoo
            retry: { max_attempts: 1 }
            streams:
              animals:
                path: animals
                primary_key: id
                history: true
                search: [name]
                child_tables: true
                delete_missing: soft
                schedule: { every: 1h }
                attachments: [ { field: photo } ]
          park:
            base_url: \(api)/park
            retry: { max_attempts: 1 }
            streams:
              trees: { path: trees, primary_key: id, history: true, search: [name], attachments: [ { field: photo } ] }
              benches: { path: benches }
          lake:
            base_url: \(api)/lake
            retry: { max_attempts: 1 }
            streams:
              fish: { path: fish, primary_key: id, delete_missing: soft }
              boats: { path: boats, primary_key: id }
        """
    }

    /// The lists before and after a change.
    private static func list(_ path: String, _ round: Int) -> LoopbackReply {
        let photo = #","photo":"/photos/1.png""#
        func named(_ ids: [Int], _ more: String = "") -> String {
            ids.map {
                #"{"id":\#($0),"name":"\#(path.dropFirst()) \#($0) of \#(round == 0 || $0 > 1 ? 0 : round)"\#(more)}"#
            }
            .joined(separator: ",")
        }
        switch path {
        case "/zoo/animals":
            return .json(
                "[\(named(round == 0 ? [1, 2, 3] : [1, 3, 4], photo + #","visits":[{"day":1},{"day":2}],"born":true"#))]"
            )
        case "/park/trees": return .json("[\(named(round == 0 ? [1, 2] : [1, 2, 3, 4], photo + #","height":1.5"#))]")
        case "/park/benches": return .json("[\(named([7, 8]))]")
        case "/lake/fish":
            return .json("[\(named(round == 0 ? [1, 2, 3] : [1, 2])),{\"name\":\"no key \(round)\"}]")
        case "/lake/boats": return round == 2 ? .status(404) : .json("[\(named([1]))]")
        default:
            return path.hasSuffix(".png")
                ? .response(headers: [("Content-Type", "image/png")], body: "picture") : .status(404)
        }
    }

    /// Runs `body` with a file, and with the same streams in three shards.
    private static func withBoth(
        _ body: @escaping @Sendable (Workplace, Workplace, ShardCommandTests.Server) async throws -> Void
    )
        async throws
    {
        let server = try await ShardCommandTests.Server()
        let round = Watched(0)
        try await LoopbackServer.serve({ request in list(request.path, round.value) }) { api in
            let file = try Workplace(configuration(api.url, database: "garner.db"))
            for number in 0..<3 {
                round.value = number
                for stream in ["zoo.animals", "lake.fish", "park.trees", "lake.boats", "park.benches"] {
                    let sync = try await file.garner("sync", stream)
                    #expect([0, 1, 65, 66, 69, 2, 3].contains(sync.code), "\(stream): \(sync)")
                }
            }
            let place = ShardPlace(url: try PostgresURL(server.url), wantedShards: 4)
            var files: [Int: String] = [:]
            for (index, source) in sources.enumerated() {
                let copy = "\(source).db"
                try FileManager.default.copyItem(atPath: file.database, toPath: file.folder.path(copy))
                for other in try file.texts(
                    "SELECT name FROM _garner_streams WHERE stream_id NOT IN (SELECT stream_id FROM _garner_children)")
                where !other.hasPrefix(source + ".") {
                    let drop = try await file.garner("drop", other, "--yes", "-d", copy)
                    try #require(drop.code == 0, "\(drop)")
                }
                let pages = file.folder.path("\(source)-pages.db")
                try CopyForShard(of: file.folder.path(copy)).write(to: pages)
                // The second row stays without pages.
                files[[1, 3, 4][index]] = pages
            }
            let worker = WorkerIdentity(host: "a", process: 1, version: "1", configurationDigest: "")
            try await place.store([], as: worker) { [files] _ in files }
            for (source, shard) in zip(sources, [1, 3, 4]) {
                try await server.connection.execute(
                    "INSERT INTO _garner.sources VALUES ($1, $2)", .text(source), .integer(Int64(shard)))
            }
            try await body(file, Workplace(configuration(api.url, database: server.url)), server)
        }
    }

    private static let commands: [[String]] = [
        ["tables"], ["tables", "--json"], ["schema"], ["schema", "trees", "--json"], ["schema", "animals"],
        ["schema", "--diff", "--json"], ["schema", "--diff", "--since", "3"],
        ["status", "--json"], ["status", "zoo.animals", "--json"], ["status", "--all"], ["schedule"],
        ["runs", "--utc"], ["runs", "--json"], ["runs", "--limit", "4", "--json"], ["runs", "--status", "failed"],
        ["runs", "show", "2", "--json"], ["runs", "show", "5"], ["runs", "show", "99"], ["runs", "lateness"],
        ["changes"], ["changes", "--json"], ["changes", "--limit", "3"], ["changes", "--limit", "0", "--since", "7"],
        ["changes", "--until", "8", "--json"], ["changes", "trees"],
        ["changes", "lake.fish", "--since", "2", "--limit", "1"],
        ["changes", "nothing"], ["changes", "--since", "99"],
        ["rows", "animals"], ["rows", "animals", "--deleted", "--json"],
        ["rows", "trees", "--where", "id > 1", "--json"],
        ["rows", "fish"], ["rows", "benches", "--json"], ["rows", "animals__visits"], ["rows", "nothing"],
        ["rows", "fish", "--where", "name IN (SELECT name FROM fish) AND id < (SELECT count(*) FROM trees)"],
        ["rows", "trees", "--changed-since", "1h", "--json"], ["rows", "trees", "--as-of", "3", "--json"],
        ["get", "animals", "1"], ["get", "trees", "2", "--json"], ["get", "fish", "3"], ["get", "trees", "9"],
        ["get", "animals", "1", "--history"], ["get", "trees", "1", "--history", "--json"],
        ["search", "animals", "1"], ["search", "trees", "park", "--json"], ["search", "fish", "lake"],
        ["export", "animals"], ["export", "trees", "--format", "ndjson"], ["export", "benches", "--format", "csv"],
        ["export", "trees", "--as-of", "3"], ["export", "--sql", "SELECT count(*) FROM trees, fish, animals"],
        ["query", "SELECT a.name, t.name FROM animals AS a JOIN trees AS t USING (id) ORDER BY a.id"],
        ["query", "SELECT name FROM sqlite_schema WHERE name NOT LIKE '%garner%' ORDER BY 1"],
        ["query", "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name", "--json"],
        ["query", "SELECT count(*) FROM sqlite_master WHERE type = 'table'"],
        ["query", "SELECT run_id, status, inserted FROM _garner_runs ORDER BY run_id", "--json"],
        [
            "query",
            "SELECT name, count(*) FROM _garner_runs JOIN _garner_streams USING (stream_id) GROUP BY 1 ORDER BY 1",
        ],
        ["query", "SELECT sha256, length FROM _garner_blobs"], ["query", "SELECT max(rowid), count(*) FROM benches"],
        ["query", "SELECT count(*) FROM trees", "--as-of", "3"], ["query", "SELECT * FROM tree"],
        ["query", "SELECT nme FROM trees"], ["query", "DELETE FROM trees"],
        ["query", "SELECT name FROM fish", "--as-of", "2"],
        ["query", "SELECT name, type FROM pragma_table_info('trees')"], ["query", "ATTACH 'x' AS x"],
        ["state", "show"], ["state", "show", "park.trees"], ["state", "show", "--json"],
        ["quarantine"], ["quarantine", "list", "lake.fish", "--json"], ["quarantine", "show", "1"],
        ["plan"], ["check"], ["preview", "trees"],
        ["browse", "--get", "/index.json"], ["browse", "--get", "/streams.json"], ["browse", "--get", "/runs.json"],
        ["browse", "--get", "/runs.json?before=6"], ["browse", "--get", "/runs/4.json"],
        ["browse", "--get", "/changes.json"],
        ["browse", "--get", "/changes.json?before=9"], ["browse", "--get", "/tables.json"],
        ["browse", "--get", "/tables/trees.json"], ["browse", "--get", "/tables/animals.json?name=x"],
        ["browse", "--get", "/tables/benches.json"], ["browse", "--get", "/streams/lake.fish.json"],
        ["browse", "--get", "/query.json?sql=SELECT+name+FROM+trees,+(SELECT+1+FROM+fish)"],
        ["browse", "--get", "/quarantine.json"], ["browse", "--get", "/healthz"],
    ]

    /// What a command tells, but for how long ago something was when it was asked.
    private static func text(_ ending: GarnerProcess.Ending) -> String {
        "\(ending.code) \(ending.output) \(ending.errors)".replacing(/\d+ ?s ago|"age_seconds":\d+/, with: "ago")
            // The sources have one host, for which `check` has advice of its own.
            .replacing(/Warning: sources of the host .*\nTry: garner workers move .*\n/, with: "")
    }

    @Test func `each command prints what it prints for one file`() async throws {
        try await Self.withBoth { file, shards, _ in
            var succeeded = 0
            for command in Self.commands {
                let expected = try await file.start(command).end()
                let found = try await shards.start(command).end()
                #expect(Self.text(found) == Self.text(expected), "\(command)")
                if found.code == 0 { succeeded += 1 }
            }
            #expect(succeeded > 70)
            expectSound(try await shards.garner("doctor", "--full"))
        }
    }

    @Test func `a damaged page is found in whichever shard it is`() async throws {
        try await Self.withBoth { _, shards, server in
            try await server.connection.execute(
                """
                UPDATE _garner.pages SET image = (SELECT image FROM _garner.pages WHERE shard = 4 AND page = 1)
                WHERE shard = 4 AND page = (SELECT max(page) FROM _garner.pages WHERE shard = 4)
                """
            )
            let doctor = try await shards.garner("doctor", "--json")
            #expect(doctor.code == 1 && doctor.output.contains("shard 4"), "\(doctor)")
        }
    }
}
