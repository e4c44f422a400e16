import GarnerLibC
import Synchronization

/// A program that Garner starts in a process group of its own. The group ends with the task that waits for it.
package struct ChildProcess: Sendable {
    /// The program (a path, or a name to find in `PATH`) and its arguments.
    let words: [String]
    /// The complete environment.
    let environment: [String: String]
    let input: String
    /// The size in bytes beyond which output is dropped; standard error has the same limit.
    package var maximumOutput: Int
    /// True if standard error goes where standard output goes, in the order in which both came.
    package var mergesErrors: Bool
    /// True if the group is killed as soon as its output exceeds the maximum.
    package var endsAtMaximum: Bool

    package init(
        words: [String], environment: [String: String], input: String, maximumOutput: Int = 64 << 10,
        mergesErrors: Bool = true, endsAtMaximum: Bool = false
    ) {
        (self.words, self.environment, self.input) = (words, environment, input)
        (self.maximumOutput, self.mergesErrors, self.endsAtMaximum) = (maximumOutput, mergesErrors, endsAtMaximum)
    }

    package struct Ending: Sendable {
        /// The status from `waitpid`.
        package let status: Int32
        /// Standard output, and standard error if it is merged.
        package let output: [UInt8]
        /// Standard error, if it is not merged.
        package let errors: [UInt8]
        /// True if a part of `output` was dropped.
        package let isCut: Bool
    }

    /// The variables by which the service manager knows this process. A child must not answer in its place.
    private static let serviceVariables: Set = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]

    /// Returns the variables that a program gets: all but those of the service manager, which are meant for the service
    /// alone.
    static func inherited(_ environment: [String: String]) -> [String: String] {
        environment.filter { !serviceVariables.contains($0.key) }
    }

    /// Returns when the program has ended. Processes that it left in the background continue, and their output
    /// is ignored.
    ///
    /// Throws `HookError` if the program cannot be started. A cancellation kills the whole group.
    package func run() async throws -> Ending {
        let process = try StartedProcess(self)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Reading and waiting block, so they must not use the threads of the concurrency pool.
                DetachedThread.start { continuation.resume(returning: process.attend()) }
            }
        } onCancel: {
            process.kill()
        }
    }
}

extension ChildProcess {
    /// Starts a program in the group of this one, so that it has the terminal.
    ///
    /// - Returns: Its number, and our end of its standard input; nil if it cannot be started.
    package static func inForeground(
        _ words: [String], environment: [String: String]
    ) -> (id: Int32, input: Int32)? {
        try? Spawn.alone { () throws(HookError) in
            var spawn = try Spawn(program: words[0], hasOwnGroup: false)
            let input = try spawn.input(blocks: true)
            return (id: try spawn.start(words, environment), input: input)
        }
    }
}

/// A pipe that a program writes to, read without blocking.
private struct OutputPipe {
    let descriptor: Int32
    let maximum: Int
    private(set) var bytes: [UInt8] = []
    private(set) var isCut = false
    private(set) var isOpen = true

    init(_ descriptor: Int32, maximum: Int) {
        self.descriptor = descriptor
        self.maximum = maximum
    }

    var watch: pollfd { pollfd(fd: isOpen ? descriptor : -1, events: Int16(POLLIN), revents: 0) }

    /// Reads a limited amount of what is there: the output may be endless, or come from a process left behind.
    mutating func read() {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        // So many reads empty a full pipe and fill all that is kept.
        for _ in 0..<2 * max(1, maximum / buffer.count) where isOpen {
            let count = GarnerLibC.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            if count <= 0 { isOpen = false }
            let room = maximum - bytes.count
            if count > room { isCut = true }
            bytes += buffer.prefix(max(0, min(count, room)))
        }
    }
}

/// A started program with our ends of its pipes.
private final class StartedProcess: Sendable {
    private let id: pid_t
    private let child: ChildProcess
    private let input: Int32
    private let output: Int32
    private let errors: Int32
    /// A pipe whose other end is closed when the program ends.
    private let ended: Int32
    private let isReaped = Mutex(false)

    init(_ child: ChildProcess) throws(HookError) {
        let started = try Spawn.alone { () throws(HookError) in
            var spawn = try Spawn(program: child.words[0])
            let (input, ended) = (try spawn.input(), try spawn.pipe())
            let output = try spawn.output(child.mergesErrors ? [STDOUT_FILENO, STDERR_FILENO] : [STDOUT_FILENO])
            let errors = child.mergesErrors ? -1 : try spawn.output([STDERR_FILENO])
            let id = try spawn.start(child.words, child.environment)
            return (id: id, input: input, output: output, errors: errors, ended: ended)
        }
        self.child = child
        (id, input, output, errors) = (started.id, started.input, started.output, started.errors)
        ended = started.ended.reading
        let (id, writing) = (id, started.ended.writing)
        DetachedThread.start {
            // It stays a zombie, so that its process and group numbers are not reused before it is reaped.
            var information = siginfo_t()
            while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            close(writing)
        }
    }

    /// Kills the program and every process of its group.
    func kill() {
        isReaped.withLock { isReaped in
            if !isReaped { _ = killpg(id, SIGKILL) }
        }
    }

    /// Blocks until the program has ended.
    func attend() -> ChildProcess.Ending {
        var rest = Array(child.input.utf8)[...]
        var output = OutputPipe(output, maximum: child.maximumOutput)
        var errors = OutputPipe(errors, maximum: child.maximumOutput)
        var (isWriting, isRunning) = (true, true)
        while isRunning {
            var watched = [
                pollfd(fd: ended, events: Int16(POLLIN), revents: 0), output.watch, errors.watch,
                pollfd(fd: isWriting ? input : -1, events: Int16(POLLOUT), revents: 0),
            ]
            guard poll(&watched, nfds_t(watched.count), -1) >= 0 || errno == EINTR else { break }
            if watched[0].revents != 0 { isRunning = false }
            if watched[1].revents != 0 { output.read() }
            if watched[2].revents != 0 { errors.read() }
            if child.endsAtMaximum, output.isCut { kill() }
            if watched[3].revents != 0 {
                let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
                if count > 0 { rest = rest.dropFirst(count) }
                // A program that does not read its input has not failed.
                if rest.isEmpty || (count < 0 && errno != EAGAIN && errno != EINTR) {
                    close(input)
                    isWriting = false
                }
            }
        }
        output.read()
        errors.read()
        if isWriting { close(input) }
        for descriptor in [output.descriptor, errors.descriptor, ended] where descriptor >= 0 { close(descriptor) }
        return ChildProcess.Ending(
            status: reap(), output: output.bytes, errors: errors.bytes, isCut: output.isCut)
    }

    private func reap() -> Int32 {
        isReaped.withLock { isReaped in
            isReaped = true
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            return status
        }
    }
}

/// A process about to start: with default signals, and with pipes for its descriptors.
private struct Spawn: ~Copyable {
    private static let lock = Mutex(())

    /// Runs one start at a time, so that no program inherits another's pipes before they are marked close-on-exec.
    static func alone<Result: Sendable>(_ body: () throws(HookError) -> Result) throws(HookError) -> Result {
        try lock.withLock { _ throws(HookError) in try body() }
    }

    #if canImport(Glibc)
        private var actions = posix_spawn_file_actions_t()
        private var attributes = posix_spawnattr_t()
    #else
        private var actions: posix_spawn_file_actions_t?
        private var attributes: posix_spawnattr_t?
    #endif
    private let program: String
    private var theirEnds: [Int32] = []
    private var ourEnds: [Int32] = []
    private var hasStarted = false

    init(program: String, hasOwnGroup: Bool = true) throws(HookError) {
        self.program = program
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        // Garner ignores SIGPIPE and, while it watches them itself, other signals. A program would inherit that.
        var signals = sigset_t()
        sigfillset(&signals)
        try check(posix_spawnattr_setsigdefault(&attributes, &signals))
        sigemptyset(&signals)
        try check(posix_spawnattr_setsigmask(&attributes, &signals))
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        if hasOwnGroup {
            try check(posix_spawnattr_setpgroup(&attributes, 0))
            flags |= POSIX_SPAWN_SETPGROUP
            #if canImport(Darwin)
                flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
            #endif
        }
        try check(posix_spawnattr_setflags(&attributes, Int16(flags)))
    }

    deinit {
        for descriptor in theirEnds { close(descriptor) }
        if !hasStarted { for descriptor in ourEnds { close(descriptor) } }
        var (actions, attributes) = (actions, attributes)
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }

    /// Returns our end of standard input, which does not block unless that is wanted.
    mutating func input(blocks: Bool = false) throws(HookError) -> Int32 {
        let (reading, writing) = try pipe()
        give(reading)
        try check(posix_spawn_file_actions_adddup2(&actions, reading, STDIN_FILENO))
        return blocks ? writing : try unblocked(writing)
    }

    /// Returns our non-blocking end of a pipe for these of the program's descriptors.
    mutating func output(_ numbers: [Int32]) throws(HookError) -> Int32 {
        let (reading, writing) = try pipe()
        give(writing)
        for number in numbers {
            try check(posix_spawn_file_actions_adddup2(&actions, writing, number))
        }
        return try unblocked(reading)
    }

    /// Creates a pipe that no program inherits. Its ends are closed with this value unless the process starts.
    mutating func pipe() throws(HookError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        try check(GarnerLibC.pipe(&ends) == 0 ? 0 : errno)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        ourEnds += ends
        return (ends[0], ends[1])
    }

    /// Starts the process. Throws if there is no such program.
    mutating func start(_ words: [String], _ environment: [String: String]) throws(HookError) -> pid_t {
        let texts = words.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in texts + variables { free(text) } }
        var id: pid_t = 0
        #if canImport(Glibc)
            Self.closeAllOnExec()
        #endif
        try check(posix_spawnp(&id, program, &actions, &attributes, texts, variables))
        hasStarted = true
        return id
    }

    #if canImport(Glibc)
        /// Marks all descriptors close-on-exec: connections and library pollers are not by themselves.
        private static func closeAllOnExec() {
            guard let folder = opendir("/proc/self/fd") else { return }
            defer { closedir(folder) }
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            }
        }
    #endif

    private mutating func give(_ end: Int32) {
        ourEnds.removeAll { $0 == end }
        theirEnds.append(end)
    }

    private func unblocked(_ end: Int32) throws(HookError) -> Int32 {
        try check(fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) == 0 ? 0 : errno)
        return end
    }

    private func check(_ code: Int32) throws(HookError) {
        guard code == 0 else { throw .notStarted(program: program, code: code) }
    }
}
