import Foundation
import GarnerJSON
import GarnerPostgres
import PostgresCluster
import Synchronization
import TestSupport

/// One database of PostgreSQL, the configuration of its workers, and the commands beside them.
final class WorkersPlace: Sendable {
    static let password = "a password"
    static let lease = Duration.seconds(3)

    let garner: String
    let cluster: PostgresCluster
    let database: String
    let server: WorkersServer
    let folder: TemporaryFolder
    let environment: [String: String]
    let publishes: Bool
    private let lastNumber = Mutex(0)

    /// - Parameter calm: True without hooks and published tables.
    init(
        _ garner: String, cluster: PostgresCluster, database: String, port: Int, server: WorkersServer, apiURL: String,
        isCalm: Bool
    ) throws {
        (self.garner, self.cluster, self.database, self.server) = (garner, cluster, database, server)
        publishes = !isCalm
        folder = try TemporaryFolder()
        let user = PostgresCluster.superuser
        environment = [
            "DATABASE_URL": "postgresql://\(user):a%20password@127.0.0.1:\(port)/\(database)",
            "GARNER_LEASE": "3s", "GARNER_CACHE": folder.path("cache"), "TMPDIR": folder.url.path,
        ]
        let list = "primary_key: id, delete_missing: hard, max_delete_ratio: 1, schedule: { every: 1s }"
        func keys(_ stream: String) -> String {
            if stream == WorkersServer.slots { return "write_disposition: append" }
            return WorkersServer.logs.contains(stream) ? "write_disposition: append, schedule: { every: 1s }" : list
        }
        let told = "[ { post: \"\(apiURL)/told\" } ]"
        let login =
            "type: oauth2, grant_type: refresh_token, token_url: \"\(apiURL)/token\", client_id: garner, refresh_token: r0"
        let sources = WorkersServer.sources.enumerated().map { number, source in
            """
              \(source.name):
                base_url: \(apiURL.replacing("127.0.0.1", with: "127.0.0.\(number + 1)"))
                retry: { max_attempts: 1 }
                max_concurrency: 16
                record_selector: $.data[*]
                paginator: { type: json_link, next_url_path: $.next }
                \(source.streams.contains(where: WorkersServer.vaults.contains) ? "auth: { \(login) }" : "")
                streams:
            \(source.streams.map { "      \($0): { path: \($0), \(keys($0)) }" }.joined(separator: "\n"))

            """
        }
        try """
        version: 1
        database: "${DATABASE_URL}"
        \(isCalm ? "" : "publish: \"${DATABASE_URL}\"")
        defaults: { keep_runs: 0\(isCalm ? "" : ", hooks: { on_success: \(told), on_failure: \(told) }") }
        sources:
        \(sources.joined())
        """.write(toFile: folder.path("garner.yaml"), atomically: false, encoding: .utf8)
    }

    /// The streams that have a schedule, with their sources.
    static let scheduled = (WorkersServer.lists + WorkersServer.logs + WorkersServer.vaults).map(WorkersServer.name)

    struct Ending: Sendable {
        let code: Int32
        let output: String
        let words: String
    }

    /// Runs a command to its end.
    func run(_ arguments: [String], atMost limit: Duration = .seconds(90)) async throws -> Ending {
        let number = lastNumber.withLock { number in
            number += 1
            return number
        }
        let paths = ["output", "errors"].map { folder.path("\($0)-\(number)") }
        for path in paths { try Data().write(to: URL(filePath: path)) }
        defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
        let victim = try Victim(
            garner, arguments, in: folder.url, environment: environment,
            output: FileHandle(forWritingTo: URL(filePath: paths[0])),
            errors: FileHandle(forWritingTo: URL(filePath: paths[1])))
        let timer = Task {
            try await ContinuousClock().sleep(for: limit)
            victim.send(SIGABRT)
        }
        let code = await victim.end()
        timer.cancel()
        let texts = paths.map { String(decoding: FileManager.default.contents(atPath: $0) ?? Data(), as: UTF8.self) }
        return Ending(code: code, output: texts[0], words: String(texts[1].suffix(4000)))
    }

    /// Runs a command that nobody disturbs.
    @discardableResult
    func succeed(_ arguments: [String]) async throws -> String {
        let ending = try await run(arguments)
        guard ending.code == 0 else {
            throw WorkersProblem(
                "garner \(arguments.joined(separator: " ")) ended with \(ending.code): \(ending.words)\(ending.output.suffix(4000))"
            )
        }
        return ending.output
    }

    /// Returns the newest runs that have ended; nil if PostgreSQL is away.
    func runs(limit: Int) async throws -> [(run: ToldRun, start: String)]? {
        let ending = try await run(["runs", "--json", "--limit", "\(limit)"])
        switch ending.code {
        case 0: break
        // The database may not be there yet.
        case 66, 69: return nil
        default: throw WorkersProblem("garner runs ended with \(ending.code): \(ending.words)")
        }
        return try Document(parsing: Bytes(Array(ending.output.utf8))).withRoot { root in
            root.elements.compactMap { node in ToldRun(node).map { ($0, node["started_at"]?.string ?? "") } }
        }
    }

    /// Notes which runs have ended, as anybody can see them now.
    func noteRuns() async throws {
        for (run, _) in try await runs(limit: 100) ?? [] { server.note(run, by: "garner runs") }
    }

    func script(_ sql: String) async throws {
        let connection = try await PostgresConnection.open(PostgresURL(cluster.socketURL(database: database)))
        do {
            try await connection.executeScript(sql)
            await connection.close()
        } catch {
            await connection.close()
            throw error
        }
    }

    @discardableResult
    func admin(_ sql: String) async throws -> PostgresResult {
        let connection = try await PostgresConnection.open(PostgresURL(cluster.socketURL(database: database)))
        do {
            let result = try await connection.execute(sql)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    /// The processes that hold shards; none if PostgreSQL is away.
    func holders() async -> Set<Int32> {
        let found = try? await admin(
            "SELECT pid FROM _garner.shards JOIN _garner.workers USING (worker) WHERE token IS NOT NULL")
        return Set((found?.rows ?? []).compactMap { $0.first?.integer.map { Int32(clamping: $0) } })
    }

    /// Writes the pages of each shard that has some into a file of the folder, and returns the names.
    func files() async throws -> [String] {
        let shards = try await admin("SELECT shard FROM _garner.shards WHERE pages > 0 ORDER BY shard").rows
        var names: [String] = []
        for shard in shards.compactMap({ $0.first?.integer }) {
            let pages = try await admin("SELECT image FROM _garner.pages WHERE shard = \(shard) ORDER BY page").rows
            var bytes = Data()
            for case .bytes(let image)? in pages.map(\.first) { bytes.append(contentsOf: image) }
            let name = "shard-\(shard).db"
            try bytes.write(to: URL(filePath: folder.path(name)))
            names.append(name)
        }
        return names
    }
}

/// A problem with the workers, or with what they have left.
struct WorkersProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
