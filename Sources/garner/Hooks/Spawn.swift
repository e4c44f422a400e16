import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A process that is about to start: in a group of its own, with the usual signals, and with pipes for its three descriptors.
struct Spawn: ~Copyable {
    private static let lock = Mutex(())

    /// One start at a time, so that no program inherits the pipes of another before they are marked as closed on exec.
    static func alone<Result: Sendable>(_ body: () throws(HookProblem) -> Result) throws(HookProblem) -> Result {
        try lock.withLock { _ throws(HookProblem) in try body() }
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

    init(program: String) throws(HookProblem) {
        self.program = program
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        try check(posix_spawnattr_setpgroup(&attributes, 0))
        // Garner ignores SIGPIPE and, while it watches them itself, others; a program would inherit that.
        var signals = sigset_t()
        sigfillset(&signals)
        try check(posix_spawnattr_setsigdefault(&attributes, &signals))
        sigemptyset(&signals)
        try check(posix_spawnattr_setsigmask(&attributes, &signals))
        var flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        #if canImport(Darwin)
            flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        #endif
        try check(posix_spawnattr_setflags(&attributes, Int16(flags)))
    }

    deinit {
        for descriptor in theirEnds { close(descriptor) }
        if !hasStarted { for descriptor in ourEnds { close(descriptor) } }
        var (actions, attributes) = (actions, attributes)
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }

    /// Our end, which does not block.
    mutating func input() throws(HookProblem) -> Int32 {
        let (reading, writing) = try pipe()
        give(reading)
        try check(posix_spawn_file_actions_adddup2(&actions, reading, STDIN_FILENO))
        return try unblocked(writing)
    }

    /// Our end, which does not block, of both output and errors.
    mutating func output() throws(HookProblem) -> Int32 {
        let (reading, writing) = try pipe()
        give(writing)
        for number in [STDOUT_FILENO, STDERR_FILENO] {
            try check(posix_spawn_file_actions_adddup2(&actions, writing, number))
        }
        return try unblocked(reading)
    }

    /// Ends that no program inherits. They are closed with this value unless it starts something.
    mutating func pipe() throws(HookProblem) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
            try check(Glibc.pipe(&ends) == 0 ? 0 : errno)
        #else
            try check(Darwin.pipe(&ends) == 0 ? 0 : errno)
        #endif
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        ourEnds += ends
        return (ends[0], ends[1])
    }

    /// Throws where there is no such program.
    mutating func start(_ words: [String], _ environment: [String: String]) throws(HookProblem) -> pid_t {
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
        /// Connections and the pollers of libraries are not closed on exec by themselves, and no program is to have them.
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

    private func unblocked(_ end: Int32) throws(HookProblem) -> Int32 {
        try check(fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) == 0 ? 0 : errno)
        return end
    }

    private func check(_ code: Int32) throws(HookProblem) {
        guard code == 0 else { throw .notStarted(program: program, code: code) }
    }
}
