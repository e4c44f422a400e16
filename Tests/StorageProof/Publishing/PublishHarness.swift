import GarnerLibC
import GarnerPostgres
import PostgresCluster
import TestSupport

/// Publishes the tables of real processes to a real PostgreSQL, and lets everything go wrong.
///
/// After each round the tables are those of the file, by key and value, and no row is there twice.
struct PublishHarness {
    let options: ProofOptions
    let tally: Tally

    func run() async throws {
        try await PublishedPower(options: options, tally: tally).run()
        guard let cluster = try await cluster() else { return }
        defer { cluster.stop() }
        try await Self.execute(
            "ALTER ROLE \(PostgresCluster.superuser) PASSWORD '\(PublishRound.password)'", on: cluster)
        var figures = PublishFigures()
        let (rounds, steps) = options.size == .full ? (60, 15) : (1, 8)
        let random = (1...(options.count ?? rounds)).map { (name: "round \($0)", script: [PublishRound.Step]()) }
        for (number, (name, script)) in (Self.scripts + random).enumerated() {
            guard tally.begin(name, seconds: 900) else { continue }
            let (problem, done) = try await round(number, script, thenAtRandom: script.isEmpty ? steps : 0, on: cluster)
            if let problem { tally.fail(name, problem) }
            figures.add(done)
        }
        tally.note("\(figures.kills) kills")
        tally.note("\(figures.restarts) restarts")
        tally.note("\(figures.cuts) cuts")
        tally.note("\(figures.terminations) terminated")
        tally.note("\(figures.others) other steps")
    }

    /// The scripts that each run of the proof plays.
    private static let scripts: [(name: String, script: [PublishRound.Step])] = [
        ("kills", [.killedWithin, .killedWithin, .killed, .killedWithin]),
        ("cuts", [.cut, .cut, .terminated, .restarted]),
        ("a copy", [.calm, .copied]), ("an earlier file", [.calm, .fileRestored, .calm, .calm, .calm, .fileRestored]),
        ("an earlier server", [.calm, .serverRestored, .calm, .serverRestored]),
        ("a service", [.calm, .served]), ("other names", [.calm, .renamed, .moved, .remade, .dropped, .locked]),
    ]

    /// Returns nil where PostgreSQL is missing and may be.
    private func cluster() async throws -> PostgresCluster? {
        do {
            return try await PostgresCluster.start()
        } catch let failure as PostgresClusterFailure
            where options.size == .small && CurrentProcess.environment["CI"] == nil
        {
            tally.note("no rounds: \(failure)")
            return nil
        }
    }

    private func round(
        _ number: Int, _ script: [PublishRound.Step], thenAtRandom count: Int, on cluster: PostgresCluster
    ) async throws -> (problem: String?, figures: PublishFigures) {
        let seed = options.seed &* 1_000_003 &+ UInt64(number)
        let database = "round_\(number)"
        try await Self.execute("CREATE DATABASE \(database)", on: cluster)
        let source = PublishedSource(seed: seed)
        let proxy = try CuttingProxy(to: cluster.port)
        defer { proxy.end() }
        let garner = options.garner
        return try await LoopbackServer.serve({ source.reply(to: $0) }) { server in
            var round = try PublishRound(
                garner, cluster: cluster, database: database, proxy: proxy, source: source, apiURL: server.url,
                dice: SplitMix64(seed: seed))
            let problem = await round.play(script, thenAtRandom: count)
            return (problem, round.figures)
        }
    }

    private static func execute(_ sql: String, on cluster: PostgresCluster) async throws {
        let connection = try await PostgresConnection.open(PostgresURL(cluster.socketURL()))
        try await connection.execute(sql)
        await connection.close()
    }
}
