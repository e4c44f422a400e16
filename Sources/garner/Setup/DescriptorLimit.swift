import Foundation
import Sync

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The limit on the files and connections that a program may have open at once.
///
/// Event loops end the program where they get none, so that there must be enough before the first one begins.
struct DescriptorLimit: Equatable {
    /// The limit until the program asks for more, and the most that it may ask for.
    var soft: UInt64
    var hard: UInt64

    /// The limit that most systems give a program.
    static let usual: UInt64 = 1024

    /// The kinds of work, which differ in how much is open at once.
    enum Use: UInt64 {
        /// A sync of twenty streams has 29 at its peak on two cores, a demo 22, a query 5.
        case command = 40
        /// Sixteen runs and three syncs that ask had 57; 64 may ask, and hooks have pipes.
        case service = 128
    }

    /// Three for each event loop, of which every core has one, and what is open beside them.
    static func least(for use: Use, onCores cores: Int) -> UInt64 { use.rawValue + 3 * UInt64(max(1, cores)) }

    /// The limit to ask for; nil where it is enough already.
    ///
    /// Throws where even the most is not enough.
    func raised(for use: Use, cores: @autoclosure () -> Int) throws -> UInt64? {
        guard soft < Self.usual else { return nil }
        let least = Self.least(for: use, onCores: cores())
        guard hard >= least else {
            throw Failure(
                code: ExitCode.system, kind: "too_few_files",
                message:
                    "the system lets this program have \(hard) files and connections open at once, and it needs \(least)",
                hint: "allow more where the program is started: 'ulimit -n \(Self.usual)', or LimitNOFILE= of systemd")
        }
        return hard > soft ? min(hard, Self.usual) : nil
    }

    /// Has the system allow this process as many as are usual; throws where it allows too few.
    static func provide(for use: Use) throws {
        var limit = rlimit()
        guard getrlimit(number, &limit) == 0 else { return }
        let own = DescriptorLimit(soft: UInt64(limit.rlim_cur), hard: UInt64(limit.rlim_max))
        guard let soft = try own.raised(for: use, cores: ProcessInfo.processInfo.activeProcessorCount) else { return }
        limit.rlim_cur = rlim_t(soft)
        // Nobody may forbid what is not beyond the hard limit.
        _ = setrlimit(number, &limit)
    }

    #if canImport(Glibc)
        private static var number: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        private static var number: Int32 { RLIMIT_NOFILE }
    #endif
}
