import Dispatch
import GarnerLibC
import GarnerModel
import GarnerPresentation
import GarnerRuntime
import Synchronization

extension Setup {
    /// Runs `body`. If its output to a terminal is longer than the screen, it goes through the user's pager.
    ///
    /// Throws `BrokenPipe` if the user leaves the pager before the end. A nested call only runs `body`.
    func paging(_ body: () throws -> Void) throws {
        guard let pager = Pager(self), pager.begin() else { return try body() }
        let result = Result { try body() }
        let end = Result { try pager.end() }
        try result.get()
        try end.get()
    }
}

/// The program that shows standard output page by page.
///
/// It is started when the screen is full, so that short results do not need it. Messages on standard error come after
/// it.
final class Pager: Sendable {
    /// The default pager, `less` only: POSIX's `more` clears the screen at its end.
    private static let usual = "command -v less >/dev/null 2>&1 || exit 127; exec less"
    /// The limit of kept output. It exceeds the capacity of a pipe, so beyond it the program has read some output.
    private static let maximumKeptBytes = 1 << 20

    private static let current = Mutex<Pager?>(nil)

    /// The pager of standard output at this time.
    static var active: Pager? { current.withLock { $0 } }

    private enum Stage {
        /// The screen is not full yet.
        case filling
        case running(input: Int32)
        /// The program does not exist, so that all output goes to the terminal.
        case direct
    }

    private struct State {
        var stage = Stage.filling
        /// The output that the program may not have read: all of it until the screen is full, and later until the
        /// program has surely read some.
        var kept: [UInt8]? = []
        var screen: ScreenFill
        var messages = ""
        var status: Int32?
    }

    private let command: String
    private let environment: [String: String]
    private let state: Mutex<State>
    private let running = DispatchGroup()

    /// Returns nil if the output needs no pager.
    init?(_ setup: Setup) {
        guard setup.format.isForPeople, !setup.options.noPager, isatty(STDERR_FILENO) == 1,
            setup.environment["TERM"] != "dumb", let terminal = Terminal(setup.environment), let lines = terminal.lines
        else { return nil }
        command = setup.environment["GARNER_PAGER"] ?? setup.environment["PAGER"] ?? Self.usual
        if ["", "cat"].contains(command) { return nil }
        environment = setup.environment.merging(["LESS": "FRX"]) { own, _ in own }
        state = Mutex(State(screen: ScreenFill(lines: lines, columns: terminal.columns)))
    }

    /// Returns false if another pager is active.
    fileprivate func begin() -> Bool {
        Self.current.withLock { current in
            guard current == nil else { return false }
            current = self
            return true
        }
    }

    /// Throws `BrokenPipe` if the program has ended.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        let (stage, isFull) = state.withLock { state in
            state.kept?.append(contentsOf: bytes)
            if case .filling = state.stage { return (state.stage, state.screen.add(bytes)) }
            return (state.stage, false)
        }
        switch stage {
        case .filling: if isFull { try start() }
        case .running(let input): try send(bytes, to: input)
        case .direct: try Descriptor.write(bytes, to: STDOUT_FILENO, path: "standard output")
        }
    }

    /// Keeps a message for standard error until the program has ended.
    func tell(_ message: String) { state.withLock { $0.messages += message } }

    /// Waits until the user has left the program.
    fileprivate func end() throws {
        defer { leave() }
        let stage = state.withLock { $0.stage }
        if case .filling = stage { return try writeKept() }
        guard case .running(let input) = stage else { return }
        close(input)
        running.wait()
        if isMissing { try writeKept() }
    }

    /// Releases the screen before garner ends, even if another thread is writing.
    func abandon() {
        if case .running(let input) = state.withLock({ $0.stage }) {
            // The descriptor stays open, since its number could be reused while another thread writes to it.
            let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
            if nothing >= 0 { dup2(nothing, input) }
            running.wait()
        }
        leave()
    }

    /// True while the program receives the user's keys.
    var isRunning: Bool {
        state.withLock { state in
            if case .running = state.stage { state.status == nil } else { false }
        }
    }

    private func leave() {
        Self.current.withLock { $0 = nil }
        let messages = state.withLock { state in
            defer { state.messages = "" }
            return state.messages
        }
        StandardError.write(exactly: messages)
    }

    private func start() throws {
        let input = launch()
        state.withLock { $0.stage = input.map(Stage.running) ?? .direct }
        guard let input else { return try writeKept() }
        let kept = state.withLock { $0.kept } ?? []
        try kept.withUnsafeBytes { try send($0, to: input) }
    }

    private func send(_ bytes: UnsafeRawBufferPointer, to input: Int32) throws {
        do {
            try Descriptor.write(bytes, to: input, path: "the pager")
        } catch is BrokenPipeError {
            running.wait()
            guard isMissing else { throw BrokenPipeError() }
            close(input)
            state.withLock { $0.stage = .direct }
            return try writeKept()
        }
        state.withLock { state in
            if let kept = state.kept, kept.count > Self.maximumKeptBytes { state.kept = nil }
        }
    }

    /// True if the program was not found or not executable: "If a command is not found, the exit status shall be 127",
    /// and 126 if it cannot be executed (POSIX, sh).
    private var isMissing: Bool { state.withLock { $0.status == 127 || $0.status == 126 } }

    private func writeKept() throws {
        let kept = state.withLock { state in
            defer { state.kept = nil }
            return state.kept ?? []
        }
        try kept.withUnsafeBytes { try Descriptor.write($0, to: STDOUT_FILENO, path: "standard output") }
    }

    /// Starts the program. Returns our end of its standard input.
    private func launch() -> Int32? {
        // Ctrl-C is meant for the program. Garner would otherwise end first, and leave the terminal to the program and
        // the shell.
        let handler = signal(SIGINT, SIG_IGN)
        guard let (id, input) = ChildProcess.inForeground(["/bin/sh", "-c", command], environment: environment) else {
            _ = signal(SIGINT, handler)
            return nil
        }
        running.enter()
        DetachedThread.start { [self] in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            _ = signal(SIGINT, handler)
            state.withLock { $0.status = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F }
            running.leave()
        }
        return input
    }
}

/// Counts the lines of the screen that a text fills.
struct ScreenFill {
    let lines: Int
    /// The cells of a line; nil if each line takes one line of the screen.
    let columns: Int?
    private var filled = 0
    private var lineBytes = 0

    init(lines: Int, columns: Int?) {
        self.lines = lines
        self.columns = columns
    }

    /// Returns true as soon as the text is longer than the screen without its prompt.
    ///
    /// It counts bytes. A text has at least as many bytes as cells, so the result is never too late and seldom too
    /// early.
    mutating func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                filled += 1
                lineBytes = 0
            } else {
                lineBytes += 1
                if let columns, lineBytes > columns {
                    filled += 1
                    lineBytes = 1
                }
            }
            if filled >= lines { return true }
        }
        return false
    }
}
