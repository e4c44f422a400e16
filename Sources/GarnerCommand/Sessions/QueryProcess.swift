import CProcess
import GarnerCatalog
import GarnerControl
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerRuntime
import GarnerTasks

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Runs SQL from users in a process of its own, so that no query takes the memory or the time of a service.
///
/// The process is `garner query`. SQLite's heap limit holds for a whole process, and SQLite cannot interrupt one long
/// function or the preparation of a statement; a process can be limited and killed. It gets no environment and so no
/// secrets, and it can only read.
///
///     let query = QueryProcess(database: path)
///     let csv = try await query.run("SELECT diet, count(*) FROM animals GROUP BY 1", as: .csv)
struct QueryProcess: Sendable {
    struct Limits: Sendable {
        /// The time until the query ends itself. It is killed a second later.
        var time = Duration.seconds(10)
        /// The memory of SQLite in bytes.
        var memory = 256 << 20
        /// The size in bytes of each temporary file, which sorting and grouping use beyond the memory.
        var temporaryFile = 1 << 30
        /// The size of the result in bytes.
        var result = 16 << 20
    }

    /// The time to end that a query has after its limit.
    private static let grace = Duration.seconds(1)

    let database: String
    /// The URL of the server that keeps the database; nil for a file.
    var server: Secret?
    var limits = Limits()
    /// The path of the `garner` to start: this program unless a test names another.
    var program = CurrentProcess.executablePath ?? CommandLine.arguments[0]
    var clock: any Clock<Duration> = ContinuousClock()

    /// Returns the result as text in `format`.
    ///
    /// Throws `CommandError` if the statement is wrong or exceeds a limit. A cancellation kills the process.
    ///
    /// - Parameter parameters: Values by name, in the form of `garner query -p`: `id`, `n:int`.
    func run(_ sql: String, parameters: [String: String] = [:], as format: RowFormat) async throws -> [UInt8] {
        var words = [program, "query", "-", "--format", format.rawValue]
        if server == nil { words += ["--database", database] }
        words += ["--timeout", "\(limits.time.wholeMilliseconds)ms"]
        words += ["--memory-limit", "\(limits.memory)", "--file-limit", "\(limits.temporaryFile)", "--json-errors"]
        words += parameters.sorted { $0.key < $1.key }.flatMap { ["-p", "\($0.key)=\($0.value)"] }
        var child = ChildProcess(words: words, environment: environment, input: sql)
        child.maximumOutput = limits.result
        child.mergesErrors = false
        child.endsAtMaximum = true
        let ending = try await ended(child)
        try Task.checkCancellation()
        if ending.isCut {
            throw Self.limitError("the result is longer than \(ByteCount.format(limits.result))", hint: "add a LIMIT")
        }
        if ending.status != 0 { throw Self.failure(ending) }
        return ending.output
    }

    /// The variable with the URL of the server, which has no place in arguments that everybody sees.
    static let serverVariable = "GARNER_QUERY_SERVER"

    /// The environment of the process: only the places of temporary files, and what libpq reads to reach the server.
    private var environment: [String: String] {
        let all = CurrentProcess.environment
        let ofFiles = all.filter { ["SQLITE_TMPDIR", "TMPDIR"].contains($0.key) }
        guard let server else { return ofFiles }
        return ofFiles.merging(all.filter { $0.key == "HOME" || $0.key.hasPrefix("PG") }) { $1 }
            .merging([Self.serverVariable: server.reveal()]) { $1 }
    }

    private func ended(_ child: ChildProcess) async throws -> ChildProcess.Ending {
        try await race(child.run) { [clock, limits] in
            try await clock.sleep(for: limits.time + Self.grace)
            throw CommandError(PersistenceError.timeIsUp(limits.time))
        }
    }

    private static func failure(_ ending: ChildProcess.Ending) -> CommandError {
        // A refusal of the service has the same members.
        let errors = try? JSONDecoder().decode([String: ControlError].self, from: Data(ending.errors))
        guard let error = errors?["error"] else {
            return limitError("the query took more than it may have, and was ended", hint: "ask for less at a time")
        }
        return CommandError(error.failure)
    }

    private static func limitError(_ message: String, hint: Hint) -> CommandError {
        CommandError(PersistenceError(.limit, message, hint: hint))
    }
}

struct ProcessLimits {
    /// The memory of everything but SQLite: the program itself, and one value while it is written.
    private static let otherMemory = 512 << 20

    let memory: Int?
    let file: Int?

    /// Limits this process for the rest of its life. Writing a larger file is an error then.
    func apply() {
        if let memory { Self.set(RLIMIT_DATA, min(memory, .max - Self.otherMemory) + Self.otherMemory) }
        if let file {
            signal(SIGXFSZ, SIG_IGN)
            Self.set(RLIMIT_FSIZE, file)
        }
    }

    private static func set(_ resource: __rlimit_resource, _ bytes: Int) {
        var limit = rlimit(rlim_cur: rlim_t(clamping: bytes), rlim_max: rlim_t(clamping: bytes))
        _ = setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    }
}
