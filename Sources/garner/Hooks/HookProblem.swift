import Catalog

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Why a hook did not do what it should.
enum HookProblem: Error, Equatable {
    case notStarted(program: String, code: Int32)
    case exited(program: String, code: Int32)
    case killed(program: String, signal: Int32)
    case timeIsUp(Duration)

    var message: String {
        switch self {
        case .notStarted(let program, let code): "\(program) cannot be run: \(String(cString: strerror(code)))"
        case .exited(let program, let code): "\(program) exited with \(code)"
        case .killed(let program, let signal): "\(program) was ended by signal \(signal)"
        case .timeIsUp(let limit): "not done within \(DurationText.format(limit))"
        }
    }

    var hint: String {
        switch self {
        case .notStarted: "check the program's name, its permissions and PATH; no shell is between"
        case .exited, .killed: "run it by hand, with the run as JSON on its standard input"
        case .timeIsUp: "make it quicker, or raise 'timeout' in 'hooks'"
        }
    }
}
