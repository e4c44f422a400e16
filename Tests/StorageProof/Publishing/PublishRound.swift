import Foundation
import GarnerLibC
import GarnerPostgres
import PostgresCluster
import Synchronization
import TestSupport

/// The number of things that went wrong in a round.
struct PublishFigures: Sendable {
    var kills = 0
    var restarts = 0
    var cuts = 0
    var terminations = 0
    var others = 0

    mutating func add(_ other: PublishFigures) {
        (kills, restarts) = (kills + other.kills, restarts + other.restarts)
        (cuts, terminations, others) = (cuts + other.cuts, terminations + other.terminations, others + other.others)
    }
}

/// One file that is published to one database, while things go wrong on both sides and between them.
struct PublishRound {
    /// The events that may happen during a sync, or between two.
    enum Step: String, CaseIterable {
        case calm, killed, killedWithin, cut, terminated, restarted, locked, dropped, away, failing, served, renamed,
            moved
        case removed, remade, copied, fileRestored, serverRestored

        /// Its share among the others.
        var weight: Int {
            switch self {
            case .killedWithin: 8
            case .cut: 6
            case .killed, .terminated, .restarted: 3
            case .served, .locked: 2
            case .calm, .dropped, .away, .failing, .renamed, .moved, .removed, .remade, .copied, .fileRestored,
                .serverRestored:
                1
            }
        }
    }

    let garner: String
    let cluster: PostgresCluster
    let database: String
    let proxy: CuttingProxy
    let source: PublishedSource
    let apiURL: String
    var dice: SplitMix64
    var figures = PublishFigures()
    /// The steps that were taken, for a problem's text.
    private(set) var told: [String] = []

    let folder: TemporaryFolder
    /// Another folder with an earlier file.
    private var backup: (place: TemporaryFolder, names: [PublishedSource.Stream: String])?
    private var hasSavedServer = false
    /// Streams that were removed, whose runs PostgreSQL keeps.
    private var hasRemoved = false
    /// Names of streams and tables that are not those of the source.
    private var names: [PublishedSource.Stream: String] = [:]
    private var tables: [PublishedSource.Stream: String] = [:]

    init(
        _ garner: String, cluster: PostgresCluster, database: String, proxy: CuttingProxy, source: PublishedSource,
        apiURL: String, dice: SplitMix64
    ) throws {
        (self.garner, self.cluster, self.database, self.proxy) = (garner, cluster, database, proxy)
        (self.source, self.apiURL, self.dice) = (source, apiURL, dice)
        folder = try TemporaryFolder()
    }

    static let password = "a password"

    private var environment: [String: String] {
        [
            "PUBLISH_URL":
                "postgresql://\(PostgresCluster.superuser):a%20password@127.0.0.1:\(proxy.port)/\(database)",
            "TMPDIR": folder.url.path,
        ]
    }

    /// Plays steps that are given, then others at random, and compares.
    ///
    /// - Returns: The problem; nil if there is none.
    mutating func play(_ script: [Step], thenAtRandom count: Int) async -> String? {
        do {
            try configure()
            for number in 0..<(script.count + count) {
                let step = number < script.count ? script[number] : nextStep()
                told.append(step.rawValue)
                try await take(step)
                if number % 5 == 4 {
                    told.append("settled")
                    try await settle()
                }
            }
            told.append("settled")
            try await settle()
            return nil
        } catch {
            return "\(error), after: \(told.joined(separator: ", "))"
        }
    }

    private mutating func nextStep() -> Step {
        let all = Step.allCases.flatMap { Array(repeating: $0, count: $0.weight) }
        return all.randomElement(using: &dice) ?? .calm
    }

    private mutating func take(_ step: Step) async throws {
        source.change()
        switch step {
        case .calm: try await sync()
        case .killed:
            let delay = milliseconds(0...500)
            try await sync { victim in
                try await ContinuousClock().sleep(for: delay)
                victim.kill()
            }
        case .killedWithin: try await beCut(isKill: true)
        case .cut: try await beCut(isKill: false)
        case .terminated: try await terminate()
        case .restarted:
            let (cluster, delay) = (cluster, milliseconds(0...80))
            figures.restarts += 1
            try await sync(afterConnecting: delay) { _ in try await cluster.restart() }
        case .locked: try await lock()
        case .dropped:
            if let table = try await publishedTable() { try await admin("DROP TABLE \(table)") }
            try await sync()
        case .away:
            proxy.isAway = true
            defer { proxy.isAway = false }
            for _ in 0..<number(1...2) {
                source.change()
                try await sync()
            }
        case .failing:
            source.failEvery(number(2...6))
            defer { source.failEvery(0) }
            try await sync(mayFail: true)
        case .served: try await serve()
        case .renamed: try await rename()
        case .moved:
            tables[stream()] = "t_\(number(1...999))"
            try configure()
            try await sync()
        case .removed:
            let name = name(of: stream())
            try await run(["drop", "zoo.\(name)", "--yes"], mayEndWith: [0, 64, 65, 66])
            hasRemoved = true
            try await sync()
        case .remade: try await remake()
        case .copied: try await copy()
        case .fileRestored: try await restoreFile()
        case .serverRestored: try await restoreServer()
        }
        if ![.calm, .killed, .killedWithin, .cut, .terminated, .restarted].contains(step) { figures.others += 1 }
    }

    // MARK: - The program

    private func configure() throws {
        func stream(_ stream: PublishedSource.Stream, _ keys: String) -> String {
            let table = tables[stream].map { ", table: \($0)" } ?? ""
            return "      \(name(of: stream)): { path: \(stream.rawValue), \(keys)\(table) }"
        }
        let lines = [
            stream(
                .animals,
                "primary_key: id, delete_missing: hard, max_delete_ratio: 1, child_tables: true, schedule: { every: 1s }"
            ),
            stream(
                .keepers,
                "primary_key: [section, \"no\"], delete_missing: soft, max_delete_ratio: 1, schema_contract: { data_types: evolve }"
            ),
            stream(.sightings, "write_disposition: append, schedule: { every: 1s }"),
            stream(.prices, "primary_key: id, write_disposition: replace, schema_contract: { data_types: evolve }"),
            stream(.logs, "write_disposition: replace"),
            stream(.notes, "dedupe: true"),
        ]
        try """
        version: 1
        database: garner.db
        publish: "${PUBLISH_URL}"
        sources:
          zoo:
            base_url: \(apiURL)
            retry: { max_attempts: 1 }
            record_selector: $.data[*]
            paginator: { type: json_link, next_url_path: $.next }
            streams:
        \(lines.joined(separator: "\n"))

        """.write(toFile: folder.path("garner.yaml"), atomically: false, encoding: .utf8)
    }

    private func name(of stream: PublishedSource.Stream) -> String { names[stream] ?? stream.rawValue }

    private mutating func stream() -> PublishedSource.Stream {
        PublishedSource.Stream.allCases.randomElement(using: &dice) ?? .animals
    }

    private func start(_ arguments: [String], in place: TemporaryFolder? = nil) throws -> Victim {
        let place = place ?? folder
        let errors = place.url.appending(path: "errors")
        try Data().write(to: errors)
        return try Victim(
            garner, arguments, in: place.url, environment: environment, errors: FileHandle(forWritingTo: errors))
    }

    private func words(in place: TemporaryFolder? = nil) -> String {
        let text = FileManager.default.contents(atPath: (place ?? folder).path("errors")) ?? Data()
        return String(String(decoding: text, as: UTF8.self).suffix(6000))
    }

    /// Runs the program to its end, which nobody disturbs.
    private func run(
        _ arguments: [String], in place: TemporaryFolder? = nil, mayEndWith codes: [Int32] = [0]
    ) async throws {
        let code = await (try start(arguments, in: place)).end()
        guard codes.contains(code) else {
            throw PublishProblem(
                "garner \(arguments.joined(separator: " ")) ended with \(code) instead of \(codes): \(words(in: place))"
            )
        }
    }

    /// Runs a sync, and does something meanwhile. It ends as its streams do, whatever PostgreSQL does.
    ///
    /// - Parameter delay: Nil to begin at once; else the time to wait after the program has connected to PostgreSQL.
    private mutating func sync(
        mayFail: Bool = false, afterConnecting delay: Duration? = nil,
        _ disturb: (Victim) async throws -> Void = { _ in }
    ) async throws {
        let before = proxy.connections
        let victim = try start(["sync"])
        if let delay {
            while victim.isRunning, proxy.connections == before {
                try await ContinuousClock().sleep(for: .milliseconds(2))
            }
            try await ContinuousClock().sleep(for: delay)
        }
        try await disturb(victim)
        let code = await victim.end()
        if code == 128 + SIGKILL { figures.kills += 1 }
        guard code == 0 || code == 128 + SIGKILL || mayFail && code != 70 && code < 128 else {
            throw PublishProblem("garner sync ended with \(code): \(words())")
        }
    }

    // MARK: - What goes wrong

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &dice) }
    private mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration { .milliseconds(number(range)) }

    /// A number of bytes, of each order of magnitude as often.
    private mutating func bytes(atMost limit: Double) -> Int {
        Int(exp(Double.random(in: 0...log(limit), using: &dice)))
    }

    private mutating func place() -> CuttingProxy.Place {
        switch number(0...3) {
        case 0: .sent(bytes(atMost: 30_000))
        case 1: .answered(bytes(atMost: 3_000))
        case 2: .commit(number(0...2), bytes: number(0...7))
        default: .committed(number(0...2), bytes: number(0...20))
        }
    }

    private mutating func beCut(isKill: Bool) async throws {
        let box = VictimBox()
        var cuts: [CuttingProxy.Cut] = []
        for _ in 0..<(isKill ? 1 : number(1...3)) {
            let end: CuttingProxy.End =
                switch isKill ? -1 : number(0...4) {
                case -1: .call { box.kill() }
                case 0, 1: .close
                case 2: .reset
                case 3: .pause(milliseconds(20...800))
                default: .lingering(milliseconds(50...2500))
                }
            cuts.append(.init(place: place(), end: end))
        }
        told.append("(\(cuts.map { "\($0.place)" }.joined(separator: ", ")))")
        let before = proxy.done
        proxy.plan(cuts)
        defer { proxy.plan([]) }
        try await sync { box.set($0) }
        if !isKill { figures.cuts += proxy.done - before }
    }

    private mutating func terminate() async throws {
        for _ in 0..<number(1...3) {
            let delay = milliseconds(0...60)
            let (cluster, database) = (cluster, database)
            let count = Mutex(0)
            try await sync(afterConnecting: delay) { _ in
                let result = try await Self.admin(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
                    """, cluster, database)
                count.withLock { $0 = result.rows.count }
            }
            figures.terminations += count.withLock { $0 }
            source.change()
        }
    }

    /// A user's transaction holds a table for a time, in which other tables go on.
    private mutating func lock() async throws {
        guard let table = try await publishedTable() else { return try await sync() }
        let connection = try await PostgresConnection.open(PostgresURL(cluster.socketURL(database: database)))
        let mode = ["ACCESS EXCLUSIVE", "SHARE", "ACCESS SHARE"].randomElement(using: &dice) ?? "SHARE"
        try await connection.executeScript("BEGIN; LOCK TABLE \(table) IN \(mode) MODE")
        let time = milliseconds(50...3000)
        try await sync(afterConnecting: time) { _ in await connection.close() }
        await connection.close()
    }

    private mutating func serve() async throws {
        let served = try ServedProcess(garner, in: folder.url, environment: environment)
        guard await served.started() else { throw PublishProblem("garner serve did not start: \(served.lastWords)") }
        for _ in 0..<number(2...5) {
            source.change()
            switch number(0...3) {
            case 0:
                figures.restarts += 1
                try await cluster.restart()
            case 1:
                proxy.plan([.init(place: place(), end: .close)])
                _ = try await admin(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
                    """)
                figures.terminations += 1
            default: break
            }
            try await ContinuousClock().sleep(for: milliseconds(100...1200))
        }
        proxy.plan([])
        let isKill = number(0...1) == 0
        served.send(isKill ? SIGKILL : SIGTERM)
        let code = await served.end()
        if isKill { figures.kills += 1 }
        guard isKill || code == 0 else {
            throw PublishProblem("garner serve ended with \(code): \(served.lastWords)")
        }
    }

    private mutating func rename() async throws {
        let stream = stream()
        let old = name(of: stream)
        names[stream] = "\(stream.rawValue)_\(number(1...999))"
        try configure()
        // A stream that was never read has no name in the database.
        try await run(["rename", "zoo.\(old)", "zoo.\(name(of: stream))"], mayEndWith: [0, 64, 65, 66])
        try await sync()
    }

    private mutating func remake() async throws {
        try await sync()
        guard let table = try await publishedTable(quoted: false) else { return }
        try await run(["publish", table, "--yes"], mayEndWith: [0, 65])
    }

    // MARK: - Earlier states

    private func copyFile(to other: TemporaryFolder) throws {
        for name in ["garner.db", "garner.db-wal", "garner.yaml"] {
            try? FileManager.default.removeItem(atPath: other.path(name))
            guard FileManager.default.fileExists(atPath: folder.path(name)) else { continue }
            try FileManager.default.copyItem(atPath: folder.path(name), toPath: other.path(name))
        }
    }

    private func tables(of place: TemporaryFolder, _ connection: PostgresConnection) -> PublishedTables {
        PublishedTables(garner: garner, folder: place.url, environment: environment, connection: connection)
    }

    /// A copy of the file beside the one that goes on: it is refused, and nothing of its rows is there.
    private mutating func copy() async throws {
        try await settle()
        let other = try TemporaryFolder()
        try copyFile(to: other)
        source.change()
        try await settle()
        source.change()
        try await run(["sync"], in: other)
        try await run(["publish"], in: other, mayEndWith: [78])
        try await compare(folder, "beside a copy that was refused")
        guard number(0...1) == 0 else { return }
        try await run(["publish", "--take-over", "--yes"], in: other)
        try await compare(other, "of a copy that took over")
        source.change()
        try await run(["sync"])
        try await run(["publish"], mayEndWith: [78])
        try await compare(other, "of a copy, beside the file that was refused")
        try await run(["publish", "--take-over", "--yes"])
        try await settle()
    }

    /// An earlier file in the place of the present one: it is refused until it takes over.
    private mutating func restoreFile() async throws {
        guard let backup else {
            try await settle()
            let place = try TemporaryFolder()
            try copyFile(to: place)
            self.backup = (place, names)
            return
        }
        self.backup = nil
        source.change()
        try await settle()
        for name in ["garner.db", "garner.db-wal", "garner.db-shm"] {
            try? FileManager.default.removeItem(atPath: folder.path(name))
        }
        for name in ["garner.db", "garner.db-wal"]
        where FileManager.default.fileExists(atPath: backup.place.path(name)) {
            try FileManager.default.copyItem(atPath: backup.place.path(name), toPath: folder.path(name))
        }
        // A stream with another name than at that time would not begin beside the table that it had. Of the tables with later names,
        // PostgreSQL keeps what they have.
        if names != backup.names {
            (names, hasRemoved) = (backup.names, true)
            try configure()
        }
        try await run(["sync"])
        try await run(["publish"], mayEndWith: [78])
        try await run(["publish", "--take-over", "--yes"])
        try await settle()
    }

    private mutating func restoreServer() async throws {
        guard hasSavedServer else {
            hasSavedServer = true
            return try await cluster.save()
        }
        try await sync()
        try await cluster.restore()
        figures.restarts += 1
        try await sync()
    }

    // MARK: - In the end

    /// With nothing that goes wrong, one sync brings all to PostgreSQL.
    private mutating func settle() async throws {
        try await sync()
        try await run(["publish"])
        try await compare(folder, "in the end")
    }

    private func compare(_ place: TemporaryFolder, _ words: String) async throws {
        let connection = try await PostgresConnection.open(PostgresURL(cluster.socketURL(database: database)))
        let problem = try await tables(of: place, connection).problem(isWhole: !hasRemoved)
        await connection.close()
        if let problem { throw PublishProblem("\(words), \(problem)") }
    }

    @discardableResult
    private func admin(_ sql: String) async throws -> PostgresResult { try await Self.admin(sql, cluster, database) }

    private static func admin(
        _ sql: String, _ cluster: PostgresCluster, _ database: String
    ) async throws -> PostgresResult {
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

    /// One of the published tables; nil if there is none.
    private mutating func publishedTable(quoted: Bool = true) async throws -> String? {
        let found = try await admin(
            "SELECT tablename::text, quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
        let names = found.rows.compactMap { $0[quoted ? 1 : 0].text }
        return names.randomElement(using: &dice).map { quoted ? "public.\($0)" : $0 }
    }
}

/// The program that a connection's end kills.
private final class VictimBox: Sendable {
    private let victim = Mutex<Victim?>(nil)

    func set(_ victim: Victim) { self.victim.withLock { $0 = victim } }
    func kill() { victim.withLock { $0?.kill() } }
}
