import Foundation
import GarnerLibC
import Synchronization
import TestSupport
import Testing

/// A running `garner`: both of its streams are read as they come, and it does not outlive this object or its deadline.
final class GarnerProcess: Sendable {
    struct Ending: Sendable {
        /// The exit code as a shell gives it: 128 plus the signal's number if a signal ended the process.
        let code: Int32
        let output: String
        let errors: String
    }

    /// The destination of standard output; standard error is read unless it is part of a terminal.
    enum Output: Sendable {
        case read
        case file(String)
        /// A pipe whose reader leaves after so many bytes.
        case readerThatLeaves(after: Int)
        /// All three streams are one terminal that does not know its size.
        case terminal
        /// All three streams are one terminal with this many cells and lines.
        case screen(columns: UInt16, lines: UInt16)
        /// Standard input and output are a terminal whose lines have so many cells; standard error is read as usual.
        case lines(columns: UInt16)
    }

    let id: pid_t
    /// Stays for as long as the process may be in it.
    private let folder: TemporaryFolder
    private let output = Collector()
    private let errors = Collector()
    private let code = Mutex<Int32?>(nil)

    /// - Parameters:
    ///   - program: what is run; garner unless a test needs a shell around it.
    ///   - environment: all of it; nothing is inherited.
    init(
        _ arguments: [String], of program: String = binary, in folder: TemporaryFolder,
        environment: [String: String] = [:], input: String = "",
        output destination: Output = .read, deadline: TimeInterval = 150
    ) throws {
        let ends = try Launch.alone { () throws -> (id: pid_t, input: Int32?, output: Int32?, errors: Int32?) in
            var launch = Launch()
            let output = try launch.connectOutput(destination)
            let errors = try launch.connectErrors()
            let input = try launch.connectInput()
            // The shell becomes garner: posix_spawn has no portable way to change the folder.
            let shell = ["/bin/sh", "-c", #"cd -- "$0" && exec "$@""#, folder.url.path, program]
            return (try launch.start(shell + arguments, environment: environment), input, output, errors)
        }
        id = ends.id
        self.folder = folder
        if let end = ends.input { Self.feed(input, to: end) }
        if let end = ends.output {
            let limit: Int? = if case .readerThatLeaves(let bytes) = destination { bytes } else { nil }
            output.collect(end, limit: limit)
        } else {
            output.finish()
        }
        if let end = ends.errors { errors.collect(end) } else { errors.finish() }
        reap(deadline)
    }

    deinit { if code.withLock({ $0 }) == nil { kill(id, SIGKILL) } }

    var isRunning: Bool { code.withLock { $0 } == nil }
    var outputSoFar: String { output.text }
    var errorsSoFar: String { errors.text }

    func send(_ signal: Int32) { code.withLock { if $0 == nil { kill(id, signal) } } }

    /// Waits for the end; returns the exit code and all that the process wrote.
    func end() async throws -> Ending {
        try await eventually(within: .seconds(180)) { !self.isRunning && self.output.isDone && self.errors.isDone }
        return Ending(code: code.withLock { $0 } ?? -1, output: output.text, errors: errors.text)
    }

    /// The program that `GARNER` names by its whole path, else the one that was built with these tests.
    static let binary: String = {
        if let named = ProcessInfo.processInfo.environment["GARNER"], !named.isEmpty { return named }
        let tests = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
        let beside = [tests, Bundle.main.bundleURL, root.appending(path: ".build/debug")]
        return beside.map { $0.appending(path: "garner").path }.first { access($0, X_OK) == 0 } ?? "garner"
    }()

    private static func feed(_ input: String, to descriptor: Int32) {
        var input = input
        input.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
    }

    private func reap(_ deadline: TimeInterval) {
        let id = id
        DispatchQueue.global().asyncAfter(deadline: .now() + deadline) { [weak self] in self?.send(SIGKILL) }
        Thread.detachNewThread { [weak self] in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            self?.code.withLock { $0 = signal == 0 ? status >> 8 & 0xFF : 128 + signal }
        }
    }
}

/// The bytes that came out of a stream so far.
private final class Collector: Sendable {
    private let state = Mutex((bytes: [UInt8](), isDone: false))

    var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }
    var isDone: Bool { state.withLock { $0.isDone } }

    func finish() { state.withLock { $0.isDone = true } }

    func collect(_ descriptor: Int32, limit: Int? = nil) {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            var total = 0
            while limit.map({ total < $0 }) ?? true {
                let count = read(descriptor, &buffer, min(buffer.count, (limit ?? .max) - total))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }  // a terminal ends with EIO
                total += count
                state.withLock { $0.bytes += buffer.prefix(count) }
            }
            close(descriptor)
            finish()
        }
    }
}

/// The descriptors of a process that is about to start.
private struct Launch: ~Copyable {
    private static let lock = Mutex(())

    /// One start at a time, so that no process inherits the pipes of another before they are marked as closed on exec.
    static func alone<Result: Sendable>(_ body: () throws -> Result) rethrows -> Result {
        try lock.withLock { _ in try body() }
    }

    private var actions = posix_spawn_file_actions_t()
    private var childEnds: [Int32] = []
    /// The descriptors among the three standard streams that are a terminal.
    private var terminal: Set<Int32> = []

    init() { posix_spawn_file_actions_init(&actions) }

    deinit {
        for descriptor in childEnds { close(descriptor) }
        var actions = actions
        posix_spawn_file_actions_destroy(&actions)
    }

    /// Connects standard output; returns our end of it, if there is one.
    mutating func connectOutput(_ output: GarnerProcess.Output) throws -> Int32? {
        switch output {
        case .read, .readerThatLeaves: return try pipe(to: STDOUT_FILENO)
        case .file(let path):
            try check(posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, path, O_WRONLY | O_CREAT, 0o600))
            return nil
        case .terminal: return try openTerminal(winsize())
        case .screen(let columns, let lines):
            return try openTerminal(winsize(ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0))
        case .lines(let columns):
            let size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            return try openTerminal(size, for: [STDIN_FILENO, STDOUT_FILENO])
        }
    }

    private mutating func openTerminal(
        _ size: winsize, for streams: Set<Int32> = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    ) throws -> Int32 {
        terminal = streams
        var size = size
        var (ours, theirs): (Int32, Int32) = (0, 0)
        guard openpty(&ours, &theirs, nil, nil, &size) == 0 else { throw Errno(number: errno) }
        for end in [ours, theirs] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        for number in streams { try give(theirs, as: number) }
        return ours
    }

    mutating func connectErrors() throws -> Int32? {
        terminal.contains(STDERR_FILENO) ? nil : try pipe(to: STDERR_FILENO)
    }

    mutating func connectInput() throws -> Int32? {
        guard !terminal.contains(STDIN_FILENO) else { return nil }
        let (reading, writing) = try Self.openPipe()
        try give(reading, as: STDIN_FILENO)
        return writing
    }

    mutating func start(_ arguments: [String], environment: [String: String]) throws -> pid_t {
        var id: pid_t = 0
        let texts = arguments.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in texts + variables { free(text) } }
        try check(posix_spawn(&id, arguments[0], &actions, nil, texts, variables))
        return id
    }

    private mutating func pipe(to number: Int32) throws -> Int32 {
        let (reading, writing) = try Self.openPipe()
        try give(writing, as: number)
        return reading
    }

    private mutating func give(_ descriptor: Int32, as number: Int32) throws {
        if !childEnds.contains(descriptor) { childEnds.append(descriptor) }
        try check(posix_spawn_file_actions_adddup2(&actions, descriptor, number))
    }

    private static func openPipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard GarnerLibC.pipe(&ends) == 0 else { throw Errno(number: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private func check(_ code: Int32) throws {
        guard code == 0 else { throw Errno(number: code) }
    }
}

struct Errno: Error {
    let number: Int32
}
