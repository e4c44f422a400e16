import Foundation
import GarnerDatabase
import GarnerPostgres
import GarnerShards
import GarnerSQLite
import PostgresCluster
import TestSupport
import Testing

/// Several `garner serve` that share the shards of one database in PostgreSQL.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ShardedWorkerTests {
    private typealias Server = ShardCommandTests.Server

    /// A configuration with a source for each host from 127.0.0.1 on, each with one stream.
    private static func configuration(_ database: String, port: Int, sources: Int, top: String = "") -> String {
        """
        version: 1
        database: "\(database)"
        \(top)
        sources:

        """
            + (1...sources).map { source($0, port: port) }.joined()
    }

    private static func source(_ number: Int, port: Int, path: String = "", _ keys: String = "") -> String {
        """
          source\(number):
            base_url: http://127.0.0.\(number):\(port)
            retry: { max_attempts: 1 }
            streams:
              stream\(number): { path: "/\(number)\(path)", primary_key: id, schedule: { every: 1s }\(keys) }

        """
    }

    private static func start(_ text: String, _ arguments: [String] = []) throws -> (Workplace, GarnerProcess) {
        let place = try Workplace(text)
        return (place, try place.start(["serve"] + arguments, environment: ["GARNER_LEASE": "3s"]))
    }

    /// The numbers of shards that the processes hold.
    private static func held(_ server: Server) async throws -> [Int32: Int] {
        // The tables may not be there yet.
        guard try await server.texts("SELECT to_regclass('_garner.sources')::text").first != nil else { return [:] }
        let rows = try await server.connection.execute(
            """
            SELECT pid, count(*) FROM _garner.shards JOIN _garner.workers USING (worker)
            WHERE token IS NOT NULL AND until > clock_timestamp() GROUP BY 1
            """
        ).rows
        return Dictionary(uniqueKeysWithValues: rows.map { (Int32($0[0].integer ?? 0), Int($0[1].integer ?? 0)) })
    }

    private static func eventually(_ server: Server, holds expected: [Int32: Int]) async throws {
        let end = ContinuousClock.now + .seconds(90)
        var found = try await held(server)
        while found != expected {
            try #require(ContinuousClock.now < end, "\(found) in the place of \(expected)")
            try await Task.sleep(for: .milliseconds(100))
            found = try await held(server)
        }
    }

    /// The texts of a query over one shard alone.
    private static func texts(_ sql: String, in shard: Int, of server: Server) throws -> [String] {
        let path = "\(RemoteDatabase.prefix)\(server.name)-\(shard)"
        RemoteDatabase.register(
            ShardPlace(url: try PostgresURL(server.url), shard: shard).remoteDatabase(), as: path)
        let connection = try Connection(path: RemoteDatabase.path(ofPart: shard, of: path), mode: .readOnly)
        defer { connection.close() }
        return try connection.rows(sql) { $0.text(at: 0) }
    }

    @Test func `workers share the shards, and go on with those of one that is killed`() async throws {
        let server = try await Server()
        try await LoopbackServer.serve(host: "0.0.0.0", { request in .json(#"[{"id":\#(request.number)}]"#) }) { api in
            let text = Self.configuration(server.url, port: api.port, sources: 4)
            let (_, first) = try Self.start(text)
            try await Self.eventually(server, holds: [first.id: 4])
            let (_, second) = try Self.start(text)
            try await Self.eventually(server, holds: [first.id: 2, second.id: 2])
            #expect(first.errorsSoFar.contains("Giving back"))
            let shards = try await server.texts("SELECT DISTINCT shard::text FROM _garner.sources ORDER BY 1")
            #expect(shards == ["1", "2", "3", "4"])

            first.send(SIGKILL)
            _ = try await first.end()
            try await Self.eventually(server, holds: [second.id: 4])
            let before = api.requests.count
            try await TestSupport.eventually { Set(api.requests.dropFirst(before).map(\.target)).count == 4 }
            second.send(SIGTERM)
            #expect(try await second.end().code == 0)
            #expect(try await Self.held(server).isEmpty)

            for shard in 1...4 {
                let runs = "FROM _garner_runs WHERE nominal_at IS NOT NULL AND status <> 'interrupted'"
                let nominals = try Self.texts("SELECT nominal_at \(runs)", in: shard, of: server)
                #expect(Set(nominals).count == nominals.count && nominals.count >= 3, "\(shard): \(nominals)")
                let names = try Self.texts("SELECT name FROM _garner_streams", in: shard, of: server)
                #expect(names == ["source\(shard).stream\(shard)"])
            }
        }
    }

    @Test func `a source that a reload brings gets a place, and is served`() async throws {
        let server = try await Server()
        try await LoopbackServer.serve(host: "0.0.0.0", { _ in .json(#"[{"id":1}]"#) }) { api in
            let (place, worker) = try Self.start(Self.configuration(server.url, port: api.port, sources: 1))
            try await TestSupport.eventually { api.requests.count >= 1 }
            // With one shard in use, nothing speaks of shards.
            #expect(!worker.errorsSoFar.contains("shard="))
            // One of the same host joins the shard, and one of another host does not.
            let more = Self.source(2, port: api.port)
            let beside = Self.source(3, port: api.port).replacing("127.0.0.3", with: "127.0.0.1")
            try place.write(place.text(of: "garner.yaml") + more + beside, to: "garner.yaml")
            worker.send(SIGHUP)
            try await TestSupport.eventually(within: .seconds(60)) {
                Set(api.requests.map(\.target)).isSuperset(of: ["/1", "/2", "/3"])
            }
            let places = try await server.texts("SELECT source || shard FROM _garner.sources ORDER BY 1")
            #expect(places == ["source11", "source22", "source31"])
            // A place that is lost, as with a server that goes back a moment, is given again.
            try await server.connection.execute("DELETE FROM _garner.sources WHERE source = 'source2'")
            let isBack = "SELECT source FROM _garner.sources WHERE source = 'source2'"
            let end = ContinuousClock.now + .seconds(60)
            while try await server.texts(isBack).isEmpty {
                try #require(ContinuousClock.now < end)
                try await Task.sleep(for: .milliseconds(100))
            }
            // On another machine, the same file has another path.
            let elsewhere = try Workplace(place.text(of: "garner.yaml"))
            let same = try await elsewhere.garner("sync", "source2.stream2")
            #expect(same.code == 0 && !same.errors.contains("Warning"), "\(same)")
            try elsewhere.replace("version: 1", with: "version: 1 # here")
            let other = try await elsewhere.garner("sync", "source2.stream2")
            #expect(other.code == 0 && other.errors.contains("has read a file with another text"), "\(other)")
            // More shards come with a restart.
            try place.replace(server.url, with: server.url + "&shards=9")
            worker.send(SIGHUP)
            try await TestSupport.eventually { worker.errorsSoFar.contains("asks for another number of shards") }
            try place.replace(server.url + "&shards=9", with: server.url)
            // A reload that is refused is told once, and all goes on.
            try place.replace("version: 1", with: "version: 9")
            worker.send(SIGHUP)
            try await TestSupport.eventually { worker.errorsSoFar.contains("garner.yaml:1:") }
            let before = api.requests.count
            try await TestSupport.eventually { Set(api.requests.dropFirst(before).map(\.target)).count == 3 }
            worker.send(SIGTERM)
            #expect(try await worker.end().code == 0)
        }
    }

    @Test func `a worker that has no more room gives its shard back, and another one goes on`() async throws {
        let server = try await Server()
        let text = String(repeating: "x", count: 1_000)
        let list = "[" + (1...3_000).map { #"{"id":\#($0),"text":"\#(text)"}"# }.joined(separator: ",") + "]"
        try await LoopbackServer.serve(host: "0.0.0.0", { _ in .json(list) }) { api in
            let configuration = Self.configuration(server.url, port: api.port, sources: 1)
            let place = try Workplace(configuration)
            // Blocks of 512 bytes or of 1 KiB: the database is empty in less, and full in more.
            let script = "trap '' XFSZ; ulimit -f 1500; exec '\(GarnerProcess.binary)' serve"
            let small = try GarnerProcess(
                ["-c", script], of: "/bin/sh", in: place.folder,
                environment: ["HOME": place.path, "PATH": "/usr/bin:/bin", "GARNER_LEASE": "3s"])
            try await TestSupport.eventually { small.errorsSoFar.contains("could not be read or written") }
            try await Self.eventually(server, holds: [:])
            let (_, other) = try Self.start(configuration)
            try await Self.eventually(server, holds: [other.id: 1])
            try await TestSupport.eventually { other.errorsSoFar.contains("inserted=3000") }
            for worker in [small, other] {
                worker.send(SIGTERM)
                #expect(try await worker.end().code == 0)
            }
        }
    }

    @Test func `a request is answered that the same worker took before it lost the shard`() async throws {
        let server = try await Server()
        try await LoopbackServer.serve(host: "0.0.0.0", { _ in .json(#"[{"id":1}]"#) }) { api in
            let (_, worker) = try Self.start(Self.configuration(server.url, port: api.port, sources: 1))
            try await Self.eventually(server, holds: [worker.id: 1])
            try await server.connection.execute(
                """
                INSERT INTO _garner.requests (id, shard, line, asked_at, taken_by)
                SELECT gen_random_uuid(), shard, '{"command": "notices"}', clock_timestamp(), worker
                FROM _garner.shards WHERE worker IS NOT NULL
                """)
            let end = ContinuousClock.now + .seconds(60)
            while try await server.texts("SELECT line FROM _garner.replies").isEmpty {
                try #require(ContinuousClock.now < end)
                try await Task.sleep(for: .milliseconds(100))
            }
            worker.send(SIGTERM)
            #expect(try await worker.end().code == 0)
        }
    }

    @Test func `all shards publish into one schema`() async throws {
        let server = try await Server()
        try await LoopbackServer.serve(host: "0.0.0.0", { _ in .json(#"[{"id":1}]"#) }) { api in
            let (place, worker) = try Self.start(
                Self.configuration(server.url, port: api.port, sources: 3, top: "publish: \"\(server.url)\""))
            let tables = "SELECT name FROM _garner.tables WHERE behind_reason IS NULL AND position > 0 ORDER BY 1"
            try await TestSupport.eventually { worker.errorsSoFar.contains("Publishing begins") }
            let end = ContinuousClock.now + .seconds(60)
            while try await server.texts(tables) != ["stream1", "stream2", "stream3"] {
                try #require(ContinuousClock.now < end, "\(worker.errorsSoFar)")
                try await Task.sleep(for: .milliseconds(100))
            }
            worker.send(SIGTERM)
            #expect(try await worker.end().code == 0)
            for number in 1...3 { #expect(try await server.texts("SELECT id::text FROM stream\(number)") == ["1"]) }
            #expect(try await server.texts("SELECT count(DISTINCT file)::text FROM _garner.runs") == ["3"])

            func file(of table: String) async throws -> String {
                try await server.texts("SELECT file::text FROM _garner.tables WHERE name = '\(table)'").joined()
            }
            let former = try await file(of: "stream2")
            #expect(try await place.garner("workers", "move", "source2", "1").code == 0)
            #expect(try await file(of: "stream2") == file(of: "stream1"))
            // A move that is killed behind its commit leaves it where it was. The same command goes on.
            try await server.connection.execute(
                "UPDATE _garner.tables SET file = '\(former)' WHERE name = 'stream2'")
            #expect(try await place.garner("workers", "move", "source2", "1").code == 0)
            #expect(try await file(of: "stream2") == file(of: "stream1"))
        }
    }

    @Test func `a stream whose parent is in another shard says how to bring them together`() async throws {
        let server = try await Server()
        try await LoopbackServer.serve(host: "0.0.0.0", { _ in .json(#"[{"id":1}]"#) }) { api in
            let (_, first) = try Self.start(Self.configuration(server.url, port: api.port, sources: 2))
            try await Self.eventually(server, holds: [first.id: 2])
            first.send(SIGTERM)
            #expect(try await first.end().code == 0)
            let (_, second) = try Self.start(
                Self.configuration(server.url, port: api.port, sources: 1)
                    + Self.source(2, port: api.port, path: "/{parent.id}", ", parent: source1.stream1"))
            let move = "garner workers move source2 1"
            try await TestSupport.eventually(within: .seconds(60)) {
                second.errorsSoFar.contains("is in another shard") && second.errorsSoFar.contains("Run ended")
            }
            #expect(second.errorsSoFar.contains("Stream needs another shard"))
            #expect(second.errorsSoFar.contains(move))
            second.send(SIGTERM)
            #expect(try await second.end().code == 0)
            let hints = try Self.texts(
                "SELECT DISTINCT error_hint FROM _garner_runs WHERE error_hint IS NOT NULL", in: 2, of: server)
            #expect(hints.count == 1 && hints.allSatisfy { $0.hasSuffix(move) }, "\(hints)")
        }
    }
}
