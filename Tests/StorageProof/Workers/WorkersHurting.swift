import Foundation
import GarnerPostgres
import PostgresCluster
import TestSupport

/// What was done to the workers.
struct WorkersFigures: Sendable {
    var kills = 0
    var stops = 0
    /// Stops that were longer than the lease.
    var longStops = 0
    var ends = 0
    var restarts = 0
    var terminations = 0
    var cuts = 0
    var locks = 0
    var commands = 0
}

/// Workers, and what goes wrong with them.
struct WorkersHurting {
    private enum Hurt: CaseIterable {
        case killed, stopped, ended, restarted, terminated, cut, locked

        /// Its share among the others.
        var weight: Int {
            switch self {
            case .killed, .stopped: 5
            case .cut, .terminated: 3
            case .locked: 2
            case .ended, .restarted: 1
            }
        }
    }

    private struct Worker {
        var process: ServedWorker?
        /// The time at which it is started again, or goes on.
        var due: ContinuousClock.Instant?
        var isStopped = false
        /// True if its end is expected.
        var isEnding = false
    }

    private let place: WorkersPlace
    private let proxy: CuttingProxy
    private var dice: SplitMix64
    private var workers: [Worker]
    private(set) var figures = WorkersFigures()
    /// What was done, for a problem's text.
    private(set) var told: [String] = []
    private let clock = ContinuousClock()

    init(_ place: WorkersPlace, _ proxy: CuttingProxy, count: Int, dice: SplitMix64) {
        (self.place, self.proxy, self.dice) = (place, proxy, dice)
        workers = Array(repeating: Worker(), count: count)
    }

    /// Hurts the workers for a time.
    mutating func hurt(for time: Duration) async throws {
        let end = clock.now + time
        var next = clock.now + .seconds(2)
        while clock.now < end {
            try await tend()
            if clock.now >= next {
                proxy.plan([])
                let all = Hurt.allCases.flatMap { Array(repeating: $0, count: $0.weight) }
                try await take(all.randomElement(using: &dice) ?? .killed)
                next = clock.now + milliseconds(400...3600)
            }
            try await clock.sleep(for: .milliseconds(50))
        }
        proxy.plan([])
    }

    /// Lets all workers work, undisturbed, until each scheduled stream has a run that began since and succeeded.
    mutating func rest() async throws {
        for number in workers.indices where workers[number].due != nil { workers[number].due = clock.now }
        let since = Date().ISO8601Format()
        let end = clock.now + .seconds(60)
        while true {
            try await tend()
            let runs = try await place.runs(limit: 300) ?? []
            let names = Set(runs.filter { $0.start > since && $0.run.status == "succeeded" }.map(\.run.stream))
            let missing = WorkersPlace.scheduled.filter { !names.contains($0) }
            if missing.isEmpty { return }
            guard clock.now < end else {
                throw WorkersProblem("at rest, these have not succeeded within a minute: \(missing); \(lastWords)")
            }
            try await clock.sleep(for: .milliseconds(200))
        }
    }

    /// Ends all workers, each of which has to give back what it has.
    func end() async throws {
        for worker in workers { worker.process?.send(SIGTERM) }
        for worker in workers {
            guard let process = worker.process else { continue }
            let code = await process.end()
            guard code == 0 else {
                throw WorkersProblem("a worker ended with \(code) after SIGTERM: \(process.lastWords)")
            }
        }
    }

    /// Ends all workers at once, if they are of no use any more.
    func kill() async {
        for worker in workers { worker.process?.send(SIGKILL) }
        for worker in workers { _ = await worker.process?.end() }
    }

    private var lastWords: String {
        workers.compactMap { $0.process?.lastWords.suffix(1200) }.joined(separator: "\n---\n")
    }

    /// Starts and continues the workers whose time has come.
    private mutating func tend() async throws {
        for number in workers.indices {
            if let process = workers[number].process, !process.isRunning {
                let code = await process.end()
                guard workers[number].isEnding else {
                    throw WorkersProblem("a worker ended by itself with \(code): \(process.lastWords)")
                }
                guard code == 0 || code == 128 + SIGKILL else {
                    throw WorkersProblem("a worker ended with \(code): \(process.lastWords)")
                }
                workers[number] = Worker(due: workers[number].due ?? clock.now)
            }
            if let due = workers[number].due, clock.now < due { continue }
            if workers[number].isStopped {
                workers[number].process?.send(SIGCONT)
                (workers[number].isStopped, workers[number].due) = (false, nil)
            } else if workers[number].process == nil {
                workers[number] = Worker(
                    process: try ServedWorker(place, number: number))
            }
        }
    }

    // MARK: - What goes wrong

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &dice) }
    private mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration { .milliseconds(number(range)) }

    /// A worker that runs: more often than not one that writes.
    private mutating func victim(mustHold: Bool = false) async -> Int? {
        let running = workers.indices.filter {
            workers[$0].process?.isRunning == true && !workers[$0].isStopped && !workers[$0].isEnding
        }
        let wantsHolder = number(0...2) > 0
        let other = running.randomElement(using: &dice)
        guard wantsHolder || mustHold else { return other }
        let holders = await place.holders()
        let writing = running.filter { number in workers[number].process.map { holders.contains($0.id) } ?? false }
        return writing.randomElement(using: &dice) ?? (mustHold ? nil : other)
    }

    private mutating func kill(_ victim: Int?) {
        guard let victim else { return }
        figures.kills += 1
        workers[victim].process?.send(SIGKILL)
        workers[victim].isEnding = true
        workers[victim].due = clock.now + milliseconds(0...2000)
    }

    private mutating func take(_ hurt: Hurt) async throws {
        told.append("\(hurt) at \(Date().ISO8601Format(.iso8601(timeZone: .gmt, includingFractionalSeconds: true)))")
        switch hurt {
        case .killed: kill(await victim())
        case .stopped:
            guard let victim = await victim() else { return }
            let time = milliseconds(1000...6000)
            figures.stops += 1
            if time > WorkersPlace.lease { figures.longStops += 1 }
            workers[victim].process?.send(SIGSTOP)
            (workers[victim].isStopped, workers[victim].due) = (true, clock.now + time)
        case .ended:
            guard let victim = await victim() else { return }
            figures.ends += 1
            workers[victim].process?.send(SIGTERM)
            workers[victim].isEnding = true
        case .restarted:
            figures.restarts += 1
            // What was told while the server is away must outlive the worker.
            let victim = number(0...1) == 0 ? await victim(mustHold: true) : nil
            let (cluster, delay) = (place.cluster, milliseconds(0...400))
            async let restart: Void = cluster.restart()
            try await clock.sleep(for: delay)
            kill(victim)
            try await restart
        case .terminated:
            figures.terminations += try await terminate(limit: number(1...3))
        case .cut:
            let before = proxy.done
            proxy.plan((0..<number(1...4)).map { _ in .init(place: byte(), end: ending()) })
            figures.terminations += try await terminate(limit: 100)
            try await clock.sleep(for: milliseconds(300...1500))
            figures.cuts += proxy.done - before
        case .locked: try await lock()
        }
    }

    private func terminate(limit: Int) async throws -> Int {
        let found = try await place.admin(
            """
            SELECT pg_terminate_backend(pid) FROM (
                SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                    AND backend_type = 'client backend' ORDER BY random() LIMIT \(limit)) AS sessions
            """)
        return found.rows.count
    }

    private mutating func byte() -> CuttingProxy.Place {
        switch number(0...3) {
        case 0: .sent(number(0...30_000))
        case 1: .answered(number(0...3_000))
        case 2: .commit(number(0...5), bytes: number(0...7))
        default: .committed(number(0...5), bytes: number(0...20))
        }
    }

    private mutating func ending() -> CuttingProxy.End {
        switch number(0...3) {
        case 0, 1: .close
        case 2: .reset
        default: .lingering(milliseconds(50...2500))
        }
    }

    /// Nothing can be stored for a time, and often the worker that would is killed within it.
    private mutating func lock() async throws {
        figures.locks += 1
        let victim = number(0...2) > 0 ? await victim(mustHold: true) : nil
        let connection = try await PostgresConnection.open(
            PostgresURL(place.cluster.socketURL(database: place.database)))
        do {
            try await connection.executeScript("BEGIN; SELECT FROM _garner.shards FOR UPDATE")
            try await clock.sleep(for: milliseconds(200...1500))
            kill(victim)
            await connection.close()
        } catch {
            await connection.close()
            // The table may not be there yet, and a transaction of a worker that stands still has the row.
            guard error is PostgresError else { throw error }
        }
    }
}

/// A `garner serve`, whose log is kept in a file.
final class ServedWorker: Sendable {
    private let victim: Victim
    private let log: String

    init(_ place: WorkersPlace, number: Int) throws {
        log = place.folder.path("worker-\(number).log")
        if !FileManager.default.fileExists(atPath: log) { try Data().write(to: URL(filePath: log)) }
        let file = try FileHandle(forWritingTo: URL(filePath: log))
        try file.seekToEnd()
        victim = try Victim(
            place.garner, ["serve"], in: place.folder.url, environment: place.environment, errors: file)
    }

    var id: Int32 { victim.id }
    var isRunning: Bool { victim.isRunning }
    var lastWords: String {
        String(String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self).suffix(3000))
    }

    func send(_ signal: Int32) { victim.send(signal) }
    func end() async -> Int32 { await victim.end() }
}
