import CProcess
import Connections
import Dispatch
import GarnerLibC
import GarnerModel
import GarnerPresentation
import GarnerSync
import Synchronization

/// Calls a closure for the first SIGINT or SIGTERM. A second one ends the program at once.
final class Signals: Sendable {
    private let received = Mutex<Int32?>(nil)
    // Safe because they are made in `init` and only cancelled afterwards, which is thread-safe.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    var first: Int32? { received.withLock { $0 } }

    /// Returns once both signals are watched: until then, they end the program as usual, and none is lost.
    init(_ handle: @escaping @Sendable (Int32) -> Void) {
        let queue = DispatchQueue(label: "garner.signals")
        let watched = DispatchGroup()
        sources = [SIGINT, SIGTERM].map { DispatchSource.makeSignalSource(signal: $0, queue: queue) }
        for (source, number) in zip(sources, [SIGINT, SIGTERM]) {
            source.setEventHandler { [self] in
                if number == SIGINT, Pager.active?.isRunning ?? false { return }
                let isFirst = self.received.withLock { first in
                    defer { first = first ?? number }
                    return first == nil
                }
                if isFirst { return handle(number) }
                LogWriter.standardError.flush(within: .milliseconds(100))
                _exit(128 + number)
            }
            watched.enter()
            source.setRegistrationHandler { watched.leave() }
            source.resume()
        }
        watched.wait()
    }

    func stop() { sources.forEach { $0.cancel() } }

    /// Runs `work` in a task that the first signal cancels. Returns its result, and that signal.
    static func cancelling<Result: Sendable>(
        _ work: @escaping @Sendable () async -> Result
    ) async -> (result: Result, signal: Int32?) {
        let (interruption, interrupt) = AsyncStream<Void>.makeStream()
        let signals = Signals { _ in interrupt.finish() }
        defer { signals.stop() }
        let task = Task { await work() }
        let watching = Task {
            for await _ in interruption {}
            if !Task.isCancelled { task.cancel() }
        }
        defer { watching.cancel() }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return (result, signals.first)
    }
}

/// Calls a closure for each SIGHUP, which then no longer ends the program.
final class HangupSignal: Sendable {
    // Safe because it is made in `init` and only cancelled afterwards, which is thread-safe.
    private nonisolated(unsafe) let source: any DispatchSourceSignal

    /// Returns once the signal is watched, so that none is lost from then on.
    init(_ handle: @escaping @Sendable () -> Void) {
        Self.ignore()
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "garner.hangups"))
        source.setEventHandler(handler: handle)
        let watched = DispatchGroup()
        watched.enter()
        source.setRegistrationHandler { watched.leave() }
        source.resume()
        watched.wait()
    }

    /// Lets the signal do nothing until it is watched.
    static func ignore() { signal(SIGHUP, SIG_IGN) }

    func stop() { source.cancel() }
}

/// The requests that signals make of a service. They wait until the service can fulfil them, so this is made before the
/// configuration is read.
final class ServiceSignals: Sendable {
    /// One element for each signal that ends the service.
    let ending: AsyncStream<Void>
    /// An element if the configuration is to be read again.
    let reloads: AsyncStream<Void>
    private let signals: Signals
    private let hangUps: HangupSignal

    var first: Int32? { signals.first }

    init() {
        let (ending, end) = AsyncStream<Void>.makeStream()
        let (reloads, reload) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        (self.ending, self.reloads) = (ending, reloads)
        signals = Signals { _ in end.yield() }
        hangUps = HangupSignal { reload.yield() }
    }

    func stop() {
        signals.stop()
        hangUps.stop()
    }
}

/// The limit on the files and connections that a program may have open at once.
///
/// An event loop that gets no descriptor ends the program, so there must be enough before the first loop begins.
struct DescriptorLimit: Equatable {
    /// The current limit; `hard` is the highest one that the program may set.
    var soft: UInt64
    var hard: UInt64

    /// The limit that most systems give a program.
    static let usual: UInt64 = 1024
    /// The limit beyond which none is set: programs that hooks start may close every number up to it.
    static let ample: UInt64 = 65_536

    /// The kinds of work, which differ in the number of descriptors open at once.
    enum Use: UInt64 {
        /// A sync of twenty streams has 29 open at its peak on two cores, a demo 22, a query 5.
        case command = 40
        /// Sixteen runs with three waiting `sync` clients had 57 open. Browsers and 16 more clients take half as many again, and
        /// hooks have pipes.
        case service = 128
    }

    /// Returns the smallest sufficient limit: three for each event loop, one loop a core, and the rest of the work.
    static func least(for use: Use, onCores cores: Int) -> UInt64 { use.rawValue + 3 * UInt64(max(1, cores)) }

    /// Returns the limit to set, or nil if the current one stays.
    ///
    /// Throws if even the highest limit is too low.
    func raised(for use: Use, cores: @autoclosure () -> Int) throws -> UInt64? {
        if soft < Self.usual {
            let least = Self.least(for: use, onCores: cores())
            guard hard >= least else {
                throw CommandError(
                    .system, kind: "too_few_files",
                    message:
                        "the system lets this program have \(hard) files and connections open at once, and it needs \(least)",
                    hint:
                        "allow more where the program is started: 'ulimit -n \(Self.usual)', or LimitNOFILE= of systemd"
                )
            }
        }
        let highest = min(hard, Self.ample)
        return highest > soft ? highest : nil
    }

    /// The number of connections that browsers may have open at once: a quarter of the descriptors, but no more than 256.
    var browsers: Int { max(1, Int(min(soft / 4, UInt64(OpenConnections.most)))) }

    /// The number of clients of the control socket that are served at once. As many more are told that there are too many.
    var clients: Int { max(1, Int(min(soft / 16, 32))) }

    /// The limit of the process; the usual one if the system does not tell it.
    static var current: DescriptorLimit {
        var limit = rlimit()
        guard getrlimit(number, &limit) == 0 else { return DescriptorLimit(soft: usual, hard: usual) }
        return DescriptorLimit(soft: UInt64(limit.rlim_cur), hard: UInt64(limit.rlim_max))
    }

    /// Raises the process's limit as far as the system allows. Throws if it allows too few descriptors.
    static func provide(for use: Use) throws {
        let own = current
        guard let soft = try own.raised(for: use, cores: sysconf(Int32(_SC_NPROCESSORS_ONLN))) else { return }
        var limit = rlimit(rlim_cur: rlim_t(soft), rlim_max: rlim_t(own.hard))
        // The system may not refuse a value within the hard limit.
        _ = setrlimit(number, &limit)
    }

    private static var number: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}

/// The limit on the memory that a program may map.
///
/// Where it is too low for another thread, the libraries wait for one without end, or crash.
enum AddressSpaceLimit {
    /// Returns the least limit in bytes with which every command works: a sync of three streams crashed with 150 MiB on two cores.
    static func least(onCores cores: Int) -> UInt64 { UInt64(256 + 32 * max(1, cores)) << 20 }

    /// Throws if the process may map too little.
    static func check() throws {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return }
        try check(UInt64(limit.rlim_cur), cores: sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    static func check(_ limit: UInt64, cores: Int) throws {
        let least = least(onCores: cores)
        guard limit < least else { return }
        throw CommandError(
            .system, kind: "too_little_memory",
            message:
                "the system lets this program map \(ByteCount.format(Int(limit))) of memory, and it needs \(ByteCount.format(Int(least)))",
            hint:
                "allow more where the program is started: 'ulimit -v \(least >> 10)', or limit the memory that it uses by MemoryMax= of systemd"
        )
    }
}
