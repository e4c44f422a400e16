import Foundation
import GarnerDatabase
import GarnerPostgres
import GarnerSQLite
import PostgresCluster
import TestSupport

/// Compares what workers have left with what the API has served, and with what somebody was told.
struct WorkersBooks {
    let place: WorkersPlace
    /// The runs by the numbers of the requests that led to them, as commands were told.
    let requests: [String: Int64]

    private var server: WorkersServer { place.server }

    /// Brings all reads to their ends, with no worker beside it, and looks at everything.
    ///
    /// - Returns: The number of instants that were served.
    func close() async throws -> Int {
        try await examine()
        // The first one ends reads that were interrupted, and the second one reads all lists as they are now.
        for _ in 0..<2 { try await place.succeed(["sync", "--wait", "30s"]) }
        if place.publishes { try await place.succeed(["publish"]) }
        try await examine()
        let names = try await place.files()
        let files = try names.map { try Connection(path: place.folder.path($0), mode: .readWrite) }
        defer { for file in files { file.close() } }
        guard files.count == WorkersServer.shards else {
            throw WorkersProblem("there are \(files.count) shards in the place of \(WorkersServer.shards)")
        }
        for (number, file) in files.enumerated() {
            if let damage = try Reference.damage(file) { throw WorkersProblem("the shard \(number + 1): \(damage)") }
        }
        try judgeTold(files)
        for (name, streams) in WorkersServer.sources {
            for stream in streams {
                let homes = try files.filter { file in
                    try file.integer("SELECT 1 FROM _garner_streams WHERE name = ?1", .text("\(name).\(stream)")) != nil
                }
                guard homes.count <= 1, let file = homes.first else {
                    throw WorkersProblem("\(name).\(stream) is in \(homes.count) shards")
                }
                if stream != WorkersServer.slots { try judgeInstants(of: "\(name).\(stream)", file) }
                if WorkersServer.logs.contains(stream) || stream == WorkersServer.slots {
                    try judgeLog(stream, file)
                } else {
                    try judgeList(stream, file)
                }
                if stream == WorkersServer.slots { try judgeRequests(file) }
            }
        }
        if let problem = server.problems.first { throw WorkersProblem(problem) }
        if place.publishes { try await comparePublished(names) }
        return try files.reduce(0) { count, file in
            try count
                + Int(
                    file.integer(
                        "SELECT count(*) FROM _garner_runs WHERE nominal_at IS NOT NULL AND status = 'succeeded'") ?? 0)
        }
    }

    private func examine() async throws {
        let ending = try await place.run(["doctor", "--full"])
        guard ending.code == 0 else {
            throw WorkersProblem("garner doctor --full ended with \(ending.code): \(ending.output)\(ending.words)")
        }
    }

    // MARK: - Runs

    private func judgeTold(_ files: [Connection]) throws {
        var found: [Int64: ToldRun] = [:]
        for file in files {
            let runs = try file.rows(
                """
                SELECT run_id, name, status, pages, inserted, updated, deleted
                FROM _garner_runs JOIN _garner_streams USING (stream_id)
                """
            ) { row in
                ToldRun(
                    run: row.integer(at: 0), stream: row.text(at: 1), status: row.text(at: 2),
                    pages: row.integer(at: 3), inserted: row.integer(at: 4), updated: row.integer(at: 5),
                    deleted: row.integer(at: 6))
            }
            for run in runs {
                if let other = found.updateValue(run, forKey: run.run) {
                    throw WorkersProblem("two runs have one number: \(other) and \(run)")
                }
            }
            let disordered = try file.text(
                """
                SELECT group_concat(run_id) FROM (
                    SELECT run_id, started_at < lag(started_at) OVER (PARTITION BY stream_id ORDER BY run_id) AS is_early
                    FROM _garner_runs WHERE status <> 'skipped') WHERE is_early
                """)
            if let disordered {
                throw WorkersProblem("runs that began before those with lower numbers: \(disordered)")
            }
            let left = try file.integer("SELECT count(*) FROM _garner_runs WHERE status = 'running'")
            if let left, left > 0 { throw WorkersProblem("\(left) runs are left running") }
        }
        for (number, told) in server.told.sorted(by: { $0.key < $1.key }) where found[number] != told.run {
            let now = found[number].map { "\($0)" } ?? "no such run"
            throw WorkersProblem("\(told.words) told \(told.run), but there is \(now)")
        }
    }

    /// Each instant from the first to the last one was served or skipped once.
    private func judgeInstants(of stream: String, _ connection: Connection) throws {
        let found = try connection.rows(
            """
            SELECT run_id, unixepoch(nominal_at), coalesce(skip_count, 1), status
            FROM _garner_runs JOIN _garner_streams USING (stream_id)
            WHERE name = ?1 AND nominal_at IS NOT NULL AND status <> 'interrupted' AND NOT was_stopped
            ORDER BY nominal_at, run_id
            """, [.text(stream)]
        ) { (run: $0.integer(at: 0), second: $0.integer(at: 1), count: $0.integer(at: 2), status: $0.text(at: 3)) }
        guard !found.isEmpty else { throw WorkersProblem("\(stream) has no run of its schedule") }
        for (one, next) in zip(found, found.dropFirst()) where next.second - one.second != next.count {
            throw WorkersProblem(
                "\(stream) has the instant \(one.second) in run \(one.run) (\(one.status)), and then \(next.count) up to \(next.second) in run \(next.run) (\(next.status))"
            )
        }
    }

    private func judgeRequests(_ connection: Connection) throws {
        let found = try connection.rows(
            "SELECT request_id, run_id FROM _garner_triggers WHERE request_id LIKE 'slot-%' AND run_id IS NOT NULL"
        ) { ($0.text(at: 0), $0.integer(at: 1)) }
        let runs = Dictionary(found) { first, _ in first }
        for (request, run) in requests.sorted(by: { $0.value < $1.value }) where runs[request] != run {
            let found = runs[request].map { "\($0)" } ?? "gone"
            throw WorkersProblem("\(request) was told to be run \(run), and is \(found)")
        }
        // One was sent after the other.
        if Set(runs.values).count != runs.count { throw WorkersProblem("two requests have one run: \(runs)") }
    }

    // MARK: - Rows

    private func judgeLog(_ name: String, _ connection: Connection) throws {
        guard try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = ?1", .text(name)) != nil else { return }
        let stored = try connection.integer("SELECT count(*) FROM \(name)") ?? 0
        let counted = try sum("inserted", of: name, connection)
        if stored != counted { throw WorkersProblem("\(name) has \(stored) rows, and its runs have stored \(counted)") }
        let twice = try connection.text(
            """
            SELECT group_concat(answer || '/' || page || '/' || place) FROM (
                SELECT answer, page, place FROM \(name) GROUP BY 1, 2, 3 HAVING count(*) > 1)
            """)
        if let twice { throw WorkersProblem("\(name) has records twice: \(twice)") }
        let parts = try connection.text(
            """
            SELECT group_concat(answer) FROM (SELECT answer FROM \(name) GROUP BY 1
                HAVING count(*) <> \(WorkersServer.pages * WorkersServer.recordsPerPage))
            """)
        if let parts { throw WorkersProblem("\(name) has parts of the answers \(parts)") }
        let answers = try connection.integer("SELECT count(DISTINCT answer) FROM \(name)") ?? 0
        let succeeded = try connection.integer(
            """
            SELECT count(*) FROM _garner_runs JOIN _garner_streams USING (stream_id)
            WHERE name = ?1 AND status = 'succeeded'
            """, .text(WorkersServer.name(of: name)))
        if answers != succeeded {
            throw WorkersProblem("\(name) has \(answers) whole answers, and \(succeeded ?? 0) runs that succeeded")
        }
    }

    private func judgeList(_ name: String, _ connection: Connection) throws {
        let answer = server.lastAnswer(of: name)
        let found = try connection.rows("SELECT id, answer FROM \(name) ORDER BY id") {
            [$0.integer(at: 0), $0.integer(at: 1)]
        }
        let expected = WorkersServer.keys(ofAnswer: answer).map { [Int64($0), Int64(answer)] }
        if found != expected {
            throw WorkersProblem("\(name) is not what the API served last, answer \(answer): \(found.prefix(5))…")
        }
        let counted = try sum("inserted - deleted", of: name, connection)
        if counted != expected.count {
            throw WorkersProblem("\(name) has \(expected.count) rows, and its runs have stored \(counted)")
        }
    }

    private func sum(_ expression: String, of name: String, _ connection: Connection) throws -> Int64 {
        try connection.integer(
            """
            SELECT coalesce(sum(\(expression)), 0) FROM _garner_runs JOIN _garner_streams USING (stream_id)
            WHERE name LIKE '%.' || ?1
            """, .text(name)) ?? 0
    }

    private func comparePublished(_ files: [String]) async throws {
        let connection = try await PostgresConnection.open(
            PostgresURL(place.cluster.socketURL(database: place.database)))
        let tables = PublishedTables(
            garner: place.garner, folder: place.folder.url, environment: place.environment, connection: connection)
        for file in files {
            if let problem = try await tables.problem(of: file) {
                throw WorkersProblem("published from \(file), \(problem)")
            }
        }
        await connection.close()
    }
}
