import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerSync

/// The hook calls for one run of a stream, in order.
struct HookBatch: Sendable {
    struct Call: Sendable {
        /// The configuration key of the hook, such as `on_failure`.
        let hook: String
        let action: Action
    }

    enum Action: Sendable {
        case ping(Hooks.Beat)
        case action(Hooks.Action)
    }

    let stream: StreamConfiguration
    let calls: [Call]
    var run: RunOutcome?
    let nominal: Timestamp?
    private var isStale = false

    /// Creates the calls for a run that begins. Returns nil if there are none.
    init?(beginning stream: StreamConfiguration, nominal: Timestamp?) {
        guard stream.hooks.ping != nil else { return nil }
        self.stream = stream
        calls = [Call(hook: "ping", action: .ping(.start))]
        self.nominal = nominal
    }

    /// Creates the calls for a run that has ended. Returns nil if there are none.
    ///
    /// A cancelled run neither succeeded nor failed, but its changes are reported.
    init?(ending run: RunOutcome, of stream: StreamConfiguration, nominal: Timestamp?) {
        let hooks = stream.hooks
        let counts = run.counts
        let hasChanged = counts.changes > 0
        var calls: [Call] = []
        switch run.status {
        case .succeeded:
            if hooks.ping != nil { calls.append(Call(hook: "ping", action: .ping(.success))) }
            let failures = run.record?.failuresInRow ?? 0
            calls += hooks.onRecovery.filter { failures >= $0.after ?? 1 }
                .map { Call(hook: "on_recovery", action: .action($0.action)) }
            calls += hooks.onSuccess.map { Call(hook: "on_success", action: .action($0)) }
        case .failed:
            if hooks.ping != nil { calls.append(Call(hook: "ping", action: .ping(.failure))) }
            // A run that never began is in no row of failures.
            calls += hooks.onFailure.filter { $0.after == nil || $0.after == run.record?.failuresInRow }
                .map { Call(hook: "on_failure", action: .action($0.action)) }
        case .running, .cancelled, .skipped, .interrupted: break
        }
        if hasChanged { calls += hooks.onChange.map { Call(hook: "on_change", action: .action($0)) } }
        guard !calls.isEmpty else { return nil }
        self.stream = stream
        self.calls = calls
        self.run = run
        self.nominal = nominal
    }

    /// Creates the calls for a stream that is overdue. Returns nil if there are none.
    init?(stale stream: StreamConfiguration, due: Timestamp?) {
        guard !stream.hooks.onStale.isEmpty else { return nil }
        self.stream = stream
        calls = stream.hooks.onStale.map { Call(hook: "on_stale", action: .action($0)) }
        nominal = due
        isStale = true
    }

    var status: String { isStale ? "stale" : run?.status.rawValue ?? "started" }

    /// Returns the object of `sync --json` with the members of the schedule.
    func json(for hook: String) -> String {
        let record = run?.record
        let members: [(String, JSONText)] =
            run.map { $0.jsonMembers(took: record?.duration ?? .zero) } ?? [
                ("stream", .string(stream.name.description)), ("status", .string(status)),
            ]
        let times: [(String, JSONText)] = [
            ("nominal_at", JSONText(nominal)), ("started_at", JSONText(record?.startedAt)),
            ("ended_at", JSONText(record?.endedAt)), ("hook", .string(hook)),
        ]
        return JSONText.object(members + times).text
    }

    /// Returns the environment variables that a program gets in addition to ours.
    func variables(for hook: String) -> [String: String] {
        var variables = [
            "GARNER_STREAM": stream.name.description, "GARNER_STATUS": status, "GARNER_HOOK": hook,
        ]
        if let record = run?.record { variables["GARNER_RUN_ID"] = String(record.id) }
        return variables
    }
}

/// A queue of jobs: a limited number run at once, each stream's jobs run in order, and a limited number wait.
struct HookQueue<Job> {
    private let capacity: Int
    private let maximumConcurrentJobs: Int
    private var waiting: [(stream: StreamName, job: Job)] = []
    private var running: Set<StreamName> = []

    init(capacity: Int, maximumConcurrentJobs: Int) {
        self.capacity = capacity
        self.maximumConcurrentJobs = maximumConcurrentJobs
    }

    var isIdle: Bool { waiting.isEmpty && running.isEmpty }

    /// Adds a job. Returns the oldest waiting job if it had to make room.
    mutating func add(_ job: Job, of stream: StreamName) -> (stream: StreamName, job: Job)? {
        let dropped = waiting.count >= capacity ? waiting.removeFirst() : nil
        waiting.append((stream, job))
        return dropped
    }

    /// Returns the next job to begin, if any, and counts it as running.
    mutating func next() -> (stream: StreamName, job: Job)? {
        guard running.count < maximumConcurrentJobs,
            let index = waiting.firstIndex(where: { !running.contains($0.stream) })
        else { return nil }
        let next = waiting.remove(at: index)
        running.insert(next.stream)
        return next
    }

    mutating func finish(_ stream: StreamName) { running.remove(stream) }

    /// Removes all waiting jobs. Returns their number.
    mutating func clear() -> Int {
        defer { waiting = [] }
        return waiting.count
    }
}

/// A reason why a hook failed.
enum HookError: FailureConvertible, Equatable {
    case notStarted(program: String, code: Int32)
    case exited(program: String, code: Int32)
    case killed(program: String, signal: Int32)
    case timeIsUp(Duration)

    var message: String {
        switch self {
        case .notStarted(let program, let code): "\(program) cannot be run: \(Self.reason(of: code, for: program))"
        case .exited(let program, let code): "\(program) exited with \(code)"
        case .killed(let program, let signal): "\(program) was ended by signal \(signal)"
        case .timeIsUp(let limit): "not done within \(DurationText.format(limit))"
        }
    }

    /// Returns the words of the system, and what is wrong with a program that is there.
    static func reason(of code: Int32, for program: String) -> String {
        let words = String(cString: strerror(code))
        guard program.contains("/"), access(program, F_OK) == 0, ShellText.isPlain(program) else { return words }
        if code == EACCES, access(program, X_OK) != 0 { return "\(words); for a program: chmod +x \(program)" }
        guard code == ENOENT,
            let line = try? TextFile(path: program, maximumBytes: 1 << 20).text.utf8.prefix(while: { $0 != 10 }),
            line.starts(with: "#!".utf8)
        else { return words }
        return line.last == 13
            ? "\(words); its lines end as on Windows: sed -i 's/\\r$//' \(program)"
            : "\(words); its first line names a program that is not there: \(String(decoding: line.prefix(80), as: UTF8.self))"
    }

    var failure: RunFailure { RunFailure(.failed, kind: "hook", message: message, hint: .text(hint)) }

    var hint: String {
        switch self {
        case .notStarted(let program, _) where program.contains("~/"):
            "write the whole path: no shell is between, which alone knows '~'"
        case .notStarted: "check the program's name, its permissions and PATH; no shell is between"
        case .exited, .killed: "run it by hand, with the run as JSON on its standard input"
        case .timeIsUp: "make it quicker, or raise 'timeout' in 'hooks'"
        }
    }
}
