import GarnerCatalog
import GarnerControl
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerRuntime
import GarnerShards
import GarnerSync
import GarnerTasks

/// Asks the running service for runs, and reports their results.
struct ServiceSession {
    private static let maximumConcurrentRequests = 8

    let setup: Setup
    let service: RunningService
    let reader: DatabaseReader
    /// The names of the requested runs by stream; nil means random names.
    let requests: [StreamName: String]?
    let reporter: SyncReporter

    init(
        _ setup: Setup, _ service: RunningService, _ configuration: Configuration,
        requests: [StreamName: String]? = nil, reporter: SyncReporter? = nil
    ) {
        self.setup = setup
        self.service = service
        self.requests = requests
        reader = DatabaseReader(path: configuration.database)
        self.reporter = reporter ?? SyncReporter(setup, requests: requests)
    }

    /// Waits until all runs have ended. Throws `ExitError` with the exit code for their results. The first signal ends the
    /// waiting.
    func run(_ streams: [StreamConfiguration], _ scope: RunScope = RunScope()) async throws {
        let (outcomes, signal) = await Signals.cancelling { await self.outcomes(of: streams, scope) }
        if let signal {
            if !setup.isQuiet { StandardError.write("What was begun goes on in \(service).\n") }
            throw ExitError(code: 128 + signal)
        }
        if !setup.isQuiet, outcomes.contains(where: { $0?.record != nil }) {
            StandardError.write("\(service.description.capitalizedAtStart) did it.\n")
        }
        try reporter.end(Self.categories(of: outcomes))
    }

    /// Returns a category for each result; nil for a success.
    static func categories(of outcomes: [RunOutcome?]) -> [ErrorCategory?] {
        // A run that the stopping service did not finish counts as a failure.
        outcomes.map { outcome in
            outcome.flatMap { $0.failure?.category ?? ($0.status == .succeeded ? nil : .failed) }
        }
    }

    /// Returns the results; nil for a run before whose end the waiting ended.
    func outcomes(of streams: [StreamConfiguration], _ scope: RunScope = RunScope()) async -> [RunOutcome?] {
        let hasQueries = streams.contains(where: \.readsTables)
        let views = hasQueries ? try? await reader.read { try $0.viewDefinitions() } : nil
        return await RunQueue.perform(streams, views: views ?? [:], atMost: Self.maximumConcurrentRequests) { stream in
            await one(request(for: stream, scope), of: stream)
        }
    }

    /// Returns a category for each stream as soon as the service has accepted the requests; nil for a success.
    func announced(_ streams: [StreamConfiguration]) async throws -> [ErrorCategory?] {
        var categories: [ErrorCategory?] = []
        for stream in RunQueue.order(of: streams) {
            let request = self.request(for: stream)
            do {
                switch try await service.client.trigger(request) {
                case .accepted: try reporter.announce(stream.name, request.id, state: "accepted", run: nil)
                case .joined(let run): try reporter.announce(stream.name, request.id, state: "joined", run: run)
                case .ended(let run): report(try await outcome(of: run, stream), of: stream)
                }
                categories.append(nil)
            } catch let refusal as ControlError {
                report(RunOutcome(unbegun: stream.name, refusal), of: stream)
                categories.append(refusal.category)
            }
        }
        return categories
    }

    private func request(for stream: StreamConfiguration, _ scope: RunScope = RunScope()) -> RunRequest {
        RunRequest(
            requests?[stream.name] ?? RequestID.random(), of: stream.name, restarts: scope.restarts,
            maximumPages: scope.maximumPages)
    }

    /// Returns nil if the waiting ended before the run.
    private func one(_ request: RunRequest, of stream: StreamConfiguration) async -> RunOutcome? {
        let outcome: RunOutcome
        do {
            outcome = try await self.outcome(of: try await service.client.run(request), stream)
        } catch is CancellationError {
            return nil
        } catch {
            outcome = RunOutcome(unbegun: stream.name, error)
        }
        report(outcome, of: stream)
        return outcome
    }

    private func outcome(of run: RunID, _ stream: StreamConfiguration) async throws -> RunOutcome {
        RunOutcome(try await reader.read { try $0.run(run) }, of: stream.name)
    }

    private func report(_ outcome: RunOutcome, of stream: StreamConfiguration) {
        reporter.report(outcome, of: stream, took: outcome.record?.duration ?? .zero)
    }
}

extension String {
    fileprivate var capitalizedAtStart: String { prefix(1).uppercased() + dropFirst() }
}

/// The running `garner serve` of the database, which accepts requests.
struct RunningService: Sendable, CustomStringConvertible {
    let process: Int?
    let client: ControlClient
    /// The name of its machine; nil for this one.
    private let host: String?

    /// True if it writes a file of this machine.
    var isLocal: Bool { host == nil }

    /// Returns the one that writes the database of a configuration, or the first of its shards that one writes.
    init?(of configuration: Configuration, _ setup: Setup) async {
        guard let place = try? ShardPlace(configuration.place, setup.environment) else {
            await self.init(of: configuration.database, clock: setup.clock)
            return
        }
        let served = try? await place.layout().shards.first { $0.holder?.isService ?? false }
        guard let served else { return nil }
        await self.init(of: place.at(served.number), clock: setup.clock)
    }

    init?(of part: Setup.Part, _ setup: Setup) async {
        if let shard = part.shard {
            await self.init(of: shard, clock: setup.clock)
        } else {
            await self.init(of: part.configuration.database, clock: setup.clock)
        }
    }

    /// Returns nil if no worker holds the shard, or if the one that does takes no requests, such as `garner sync`.
    init?(of shard: ShardPlace, clock: any Clock<Duration>) async {
        guard let holder = try? await shard.holder(), holder.isService else { return nil }
        (process, host) = (Int(holder.process), holder.host)
        client = ControlClient(ShardRequests(shard, clock: clock), clock: clock)
    }

    /// Returns nil if no process writes to the database, or if the one that does takes no requests, such as `garner
    /// sync`.
    init?(of database: String, clock: any Clock<Duration>) async {
        // The socket alone could belong to a dead service, or to a process with another database.
        guard case .held(let process) = WriterLock.state(of: database),
            let client = await ControlClient(reaching: database, clock: clock)
        else { return nil }
        self.process = process
        self.client = client
        host = nil
    }

    var description: String {
        let place = host.map { " on \($0)" } ?? ""
        return "the running service\(place)\(process.map { " (process \($0))" } ?? "")"
    }
}

extension Setup {
    /// Returns what is to be known of the service of a database, or that none runs what is due.
    ///
    /// - Parameter states: The states of the schedules, by the names of the streams.
    func serviceNotices(of configuration: Configuration, _ states: [String: ScheduleState]) async -> [ServiceNotice] {
        if let service = await RunningService(of: configuration, self) {
            return await notices(of: service) + notices(ofFreeShardsOf: configuration, states)
        }
        guard WriterLock.state(of: configuration.database) == .free else { return [] }
        return [ServiceNotice.noService(for: configuration.streams, states, now: now())].compactMap(\.self)
    }

    private func notices(of service: RunningService, besides file: String? = nil) async -> [ServiceNotice] {
        // A service of an earlier version does not know the question, and one that hangs must not keep the answer back.
        let notices = try? await race({ try await service.client.notices(file: file) }) { [clock] in
            try await clock.sleep(for: .seconds(2))
            return []
        }
        return notices ?? []
    }

    /// Warns that the running service goes on with an older file, or has read another one than this command, if it is so.
    func warnOfOtherFile(than configuration: Configuration, in service: RunningService?) async {
        guard !isQuiet, let service else { return }
        // On another machine, the same file has another path.
        show(await notices(of: service, besides: service.isLocal ? configuration.wholePath : configuration.digest))
    }

    /// Warns that a service runs although the file cannot be used now, if one does.
    ///
    /// The error of a file that is there says what to do first, so that it has the only advice.
    func warnOfServiceWithoutFile() async {
        // The error is one JSON text.
        guard !format.isJSON else { return }
        let database =
            namedDatabase ?? Configuration.likelyDatabase(of: namedConfiguration ?? knownConfiguration ?? "garner.yaml")
        guard !isQuiet, let service = await RunningService(of: database, clock: clock) else { return }
        show(await notices(of: service), withRemedy: knownConfiguration == nil)
    }

    func show(_ notices: [ServiceNotice], withRemedy: Bool = true) {
        for notice in notices {
            StandardError.warn("\(notice.text)", try: withRemedy ? notice.remedy : nil)
        }
    }
}

/// The name that identifies a request for a run.
enum RequestID {
    /// Returns 64 random bits as text.
    static func random() -> String {
        let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
