import GarnerLibC
import GarnerPostgres
import PostgresCluster
import TestSupport

/// Several services with one database in a PostgreSQL, while everything goes wrong.
///
/// In the end each instant was served or skipped once, and what somebody was told is there.
struct WorkersHarness {
    let options: ProofOptions
    let tally: Tally

    func run() async throws {
        guard let cluster = try await cluster() else { return }
        defer { cluster.stop() }
        try await Self.execute(
            "ALTER ROLE \(PostgresCluster.superuser) PASSWORD '\(WorkersPlace.password)'", on: cluster)
        let isFull = options.size == .full
        if tally.begin("restored", seconds: 300) {
            await play("restored", 0, isCalm: true, on: cluster) { try await $0.restore(times: isFull ? 20 : 3) }
        }
        let time = Duration.seconds(isFull ? 1200 : 60)
        for number in 1...(options.count ?? 1) where tally.begin("play \(number)", seconds: isFull ? 2400 : 400) {
            await play("play \(number)", number, isCalm: false, on: cluster) { try await $0.hurt(for: time) }
        }
    }

    /// Returns nil where PostgreSQL is missing and may be.
    private func cluster() async throws -> PostgresCluster? {
        do {
            // Its doctor asks for it.
            return try await PostgresCluster.start(settings: ["fsync=on"])
        } catch let failure as PostgresClusterFailure
            where options.size == .small && CurrentProcess.environment["CI"] == nil
        {
            tally.note("no play: \(failure)")
            return nil
        }
    }

    private func play(
        _ name: String, _ number: Int, isCalm: Bool, on cluster: PostgresCluster,
        _ body: @escaping @Sendable (inout WorkersPlay) async throws -> Void
    ) async {
        let seed = options.seed &* 1_000_003 &+ UInt64(number)
        let (garner, database, count) = (options.garner, "play_\(number)", options.size == .full ? 8 : 4)
        do {
            try await Self.execute("CREATE DATABASE \(database)", on: cluster)
            let proxy = try CuttingProxy(to: cluster.port)
            defer { proxy.end() }
            let server = WorkersServer()
            let play = try await LoopbackServer.serve(host: "0.0.0.0", { await server.reply(to: $0) }) { api in
                let place = try WorkersPlace(
                    garner, cluster: cluster, database: database, port: proxy.port, server: server, apiURL: api.url,
                    isCalm: isCalm)
                var play = WorkersPlay(place, proxy, count: count, seed: seed)
                try await body(&play)
                return play
            }
            note(play, server, name)
        } catch {
            tally.fail(name, "\(error)")
        }
    }

    private func note(_ play: WorkersPlay, _ server: WorkersServer, _ name: String) {
        let figures = play.figures
        let tokens = server.tokens
        tally.note(
            "\(name): \(play.slots) slots, \(play.claims) claims, \(figures.kills) kills, \(figures.stops) stops (\(figures.longStops) beyond the lease), "
                + "\(figures.ends) ends, \(figures.restarts) restarts, \(figures.terminations) terminated, \(figures.cuts) cuts, \(figures.locks) locks, "
                + "\(figures.commands) commands, \(server.requests) requests, \(server.told.count) runs told, "
                + "\(tokens.given) tokens (\(tokens.repeated) asked for again)")
    }

    private static func execute(_ sql: String, on cluster: PostgresCluster) async throws {
        let connection = try await PostgresConnection.open(PostgresURL(cluster.socketURL()))
        try await connection.execute(sql)
        await connection.close()
    }
}
