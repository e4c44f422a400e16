import Foundation
import Synchronization
import TestSupport

/// Kills `garner sync` at random moments, while a server counts what it serves.
struct KillsHarness {
    let options: ProofOptions
    let tally: Tally

    func run() async throws {
        let goal = options.size == .full ? 500 : 20
        var (kills, requests) = (0, 0)
        var number = 0
        while kills < goal {
            number += 1
            let name = "database \(number)"
            guard tally.begin(name, seconds: 300) else {
                if number > goal { return }
                continue
            }
            let result = try await database(SplitMix64(seed: options.seed &* 1_000_003 &+ UInt64(number)))
            (kills, requests) = (kills + result.kills, requests + result.requests)
            if let problem = result.problem { tally.fail(name, problem) }
            if options.onlyCase != nil { break }
        }
        tally.note("\(kills) kills")
        tally.note("\(requests) requests served")
    }

    struct Result: Sendable {
        var kills = 0
        var requests = 0
        var problem: String?
    }

    /// Syncs both editions into one database, each with some kills before its end.
    private func database(_ generator: SplitMix64) async throws -> Result {
        let edition = Watched(1)
        let binary = options.garner
        return try await LoopbackServer.serve({ Ledger.reply(to: $0, edition: edition.value) }) { server in
            let folder = try TemporaryFolder()
            try Ledger.configuration(server.url)
                .write(toFile: folder.path("garner.yaml"), atomically: false, encoding: .utf8)
            var generator = generator
            var round = KillRound(
                binary: binary, folder: folder, server: server, standsAlone: .random(using: &generator),
                generator: generator)
            for number in 1...2 {
                edition.value = number
                try await round.readEdition(number)
            }
            // What interrupted reads leave of missing rows, the next undisturbed one removes.
            if round.result.problem == nil { try await round.settle() }
            round.result.requests = server.requests.count
            return round.result
        }
    }
}

/// The syncs of one database.
private struct KillRound {
    let binary: String
    let folder: TemporaryFolder
    let server: LoopbackServer
    /// True if each page is a transaction of its own; false if several share one where they have come.
    let standsAlone: Bool
    var generator: SplitMix64
    var result = KillsHarness.Result()

    private var database: String { folder.path("garner.db") }

    /// Kills some syncs, then lets one come to its end.
    mutating func readEdition(_ number: Int) async throws {
        for _ in 0..<Int.random(in: 1...4, using: &generator) where result.problem == nil {
            try await sync(number, isKilled: true)
        }
        if result.problem == nil { try await sync(number, isKilled: false) }
    }

    mutating func settle() async throws {
        let code = try await Victim(binary, ["sync", "zoo.animals"], in: folder.url).end()
        let stored = try StoredLedger(at: database)
        result.problem = code == 0 ? stored.problem : "the settling sync ended with \(code)"
        if result.problem == nil, !stored[.animals].isSettled { result.problem = "the last read is not whole" }
    }

    /// One process, and what it left.
    private mutating func sync(_ edition: Int, isKilled: Bool) async throws {
        let exists = FileManager.default.fileExists(atPath: database)
        let before = exists ? try StoredLedger(at: database) : nil
        let due = Ledger.Stream.allCases.filter { before.map { $0.reads }?[$0]?.ended ?? 0 < edition }
        guard !due.isEmpty else { return }
        try await hearOut()
        let served = server.requests.count
        let victim = try Victim(
            binary, ["sync"] + due.map { "zoo.\($0.rawValue)" }, in: folder.url,
            environment: ["GARNER_SYNCHRONOUS": standsAlone ? "full" : "normal"])
        if isKilled { try await kill(victim, after: served) }
        let code = await victim.end()
        if code == 128 + SIGKILL { result.kills += 1 }
        guard code == 0 || isKilled && code == 128 + SIGKILL else {
            result.problem = "garner ended with \(code)"
            return
        }
        guard FileManager.default.fileExists(atPath: database) else { return }
        let after = try StoredLedger(at: database)
        result.problem = after.problem
        for stream in due where result.problem == nil {
            let asked = server.requests[served...].filter { Ledger.stream(of: $0) == stream }.map(Ledger.page)
            result.problem = problem(stream, asked, from: before?[stream] ?? .init(), to: after[stream], code)
        }
    }

    /// Waits until the server has read all that a killed process had sent: connections are accepted in their order.
    private func hearOut() async throws {
        let mark = "exec 3<>/dev/tcp/127.0.0.1/\(server.port); printf 'GET /mark HTTP/1.1\\r\\n\\r\\n' >&3; read -r <&3"
        _ = try await Victim("/bin/bash", ["-c", mark], in: folder.url).end()
        await server.connectionsEnded(server.connectionCount)
    }

    /// Kills the process soon after its start, or soon after a random number of requests.
    private mutating func kill(_ victim: Victim, after served: Int) async throws {
        let clock = ContinuousClock()
        let isEarly = Int.random(in: 0..<5, using: &generator) == 0
        let requests = isEarly ? 0 : Int.random(in: 1...2 * Ledger.pages, using: &generator)
        let delay = Duration.microseconds(Int.random(in: 0...(isEarly ? 150_000 : 15_000), using: &generator))
        while victim.isRunning, server.requests.count < served + requests {
            try await clock.sleep(for: .microseconds(500))
        }
        try await clock.sleep(for: delay)
        victim.kill()
    }

    /// Returns a contradiction between the requested pages and the stored ones; nil if there is none.
    private func problem(
        _ stream: Ledger.Stream, _ asked: [Int], from before: StoredLedger.Read, to after: StoredLedger.Read,
        _ code: Int32
    ) -> String? {
        let first = before.pages + 1
        if !asked.isEmpty, asked != Array(first..<(first + asked.count)) {
            return "\(stream): pages \(asked) were asked for, although \(before.pages) had been committed"
        }
        let hasEnded = after.ended > before.ended
        if code == 0, !hasEnded { return "\(stream): the sync ended well, and its read has not" }
        // A page that stands alone has been committed when the third one after it is asked for, at the latest.
        if let last = asked.last, !hasEnded, standsAlone, after.pages < last - 3 {
            return "\(stream): page \(last) was asked for, but only \(after.pages) are stored"
        }
        return !hasEnded && after.pages < before.pages
            ? "\(stream): of \(before.pages) committed pages \(after.pages) are left" : nil
    }
}
