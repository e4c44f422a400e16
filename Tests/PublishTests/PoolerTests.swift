import Foundation
import GarnerCatalog
import GarnerLibC
import GarnerPostgres
import PostgresCluster
import TestSupport
import Testing

@testable import GarnerPublish

/// A pooler that gives each transaction whatever session is free, where PgBouncer is installed.
@Suite(.timeLimit(.minutes(2)), .enabled(if: Pooler.program != nil, "PgBouncer is not installed"))
struct PoolerTests {
    @Test func `three files are published through two sessions`() async throws {
        let database = try await TestDatabase()
        let pooler = try await Pooler(to: database)
        let schemas = ["first", "second", "third"]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for schema in schemas {
                group.addTask {
                    let animals = StreamConfiguration.zoo("animals")
                    let file = try PublishedFile(database, through: pooler.url, schema: schema)
                    for round in 1...10 {
                        try await file.sync(animals, page(round...(round + 20), round: round / 3))
                        let report = await file.publisher.publish(patience: .seconds(20))
                        #expect(report.failure == nil && report.behind == [:], "\(report)")
                    }
                    #expect(try await file.publisher.make(["animals"]).failure == nil)
                    await file.publisher.disconnect()
                    try await file.sync(animals, page(1...3))
                    #expect(await file.publisher.publish(patience: .seconds(20)).failure == nil)
                }
            }
            try await group.waitForAll()
        }
        for schema in schemas {
            let rows = try await database.texts("SELECT id, name FROM \(schema).animals ORDER BY id")
            #expect(rows == (1...3).map { ["\($0)", "animal \($0) 1"] })
        }
        // Nothing that was set outlives its transaction.
        #expect(try await pooler.texts("SHOW lock_timeout") == ["0"])
        #expect(try await pooler.texts("SHOW statement_timeout") == ["0"])
        await pooler.stop()
    }
}

/// PgBouncer in transaction mode, with two sessions to the server.
final class Pooler: Sendable {
    let url: PostgresURL
    private let process: Process
    private let folder: TemporaryFolder

    static let program: String? = ["/usr/sbin", "/usr/bin", "/opt/homebrew/bin"].map { "\($0)/pgbouncer" }.first {
        (path: String) in access(path, X_OK) == 0
    }

    init(to database: TestDatabase) async throws {
        folder = try TemporaryFolder()
        let port = Int.random(in: 32_000..<32_700)
        url = try PostgresURL("postgresql://garner@127.0.0.1:\(port)/\(database.name)")
        let file = folder.path("pgbouncer.ini")
        let text = """
            [databases]
            * = host=\(database.cluster.folder) port=\(database.cluster.port) user=garner
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = any
            pool_mode = transaction
            default_pool_size = 2
            """
        try Data(text.utf8).write(to: URL(filePath: file))
        for path in [folder.path(""), file] { chmod(path, 0o755) }
        process = Process()
        // It refuses to run as root.
        let prefix =
            getuid() == 0 ? ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--reuid", "postgres", "--clear-groups"] : []
        let words = prefix + [Self.program ?? "", "-q", file]
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        for _ in 0..<500 {
            if let connection = try? await PostgresConnection.open(url) {
                await connection.close()
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    func texts(_ sql: String) async throws -> [String?] {
        let connection = try await PostgresConnection.open(url)
        let rows = try await connection.executeScript(sql).rows
        await connection.close()
        return rows.map { $0.first?.text }
    }

    func stop() async {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
