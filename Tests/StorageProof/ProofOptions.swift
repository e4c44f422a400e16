import Foundation

/// The proofs to run, and how thoroughly.
struct ProofOptions: Sendable {
    enum Harness: String, CaseIterable, Sendable {
        /// Every call of SQLite to the system fails, once and for ever.
        case faults
        /// The same is read again, and may write no page of a stream's table.
        case pages
        /// A run waits for the disk no more often than it stores pages.
        case waits
        /// A scan of a large table is counted, and each of its calls fails.
        case reads
        /// The power goes while something is written.
        case power
        /// A whole `garner` is killed.
        case kills
        /// The disk has no more space.
        case full
        /// Bytes of the file become others.
        case flips
        /// A service is stopped and killed.
        case service
        /// A service is watched while it serves, and while it rests.
        case beats
        /// Random histories of a source are played, beside a model.
        case histories
        /// Simulated APIs answer with bad manners.
        case manners
        /// Tables are published to a PostgreSQL, between which and Garner everything goes wrong.
        case publish
        /// Several services have one database in a PostgreSQL, while everything goes wrong.
        case workers
    }

    enum Size: String, Sendable {
        /// A sample, within seconds.
        case small
        case full
    }

    var harnesses = Harness.allCases
    var seed: UInt64 = 1
    var size = Size.small
    /// The number of histories or cases to play; nil: the number for the size.
    var count: Int?
    /// The one case of the one harness to play again; nil for all.
    var onlyCase: String?
    /// The `garner` to be killed: the one that was built with this program, unless another is named.
    var garner = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "garner").path

    /// The command that gives a program its own mounts.
    var unshare = "unshare"

    struct Misuse: Error {
        let text: String
    }

    init(_ arguments: some Collection<String>) throws {
        var arguments = Array(arguments)[...]
        var named: [Harness] = []
        while let argument = arguments.popFirst() {
            func value() throws -> String {
                guard let value = arguments.popFirst() else { throw Misuse(text: "\(argument) needs a value") }
                return value
            }
            switch argument {
            case "--seed":
                let text = try value()
                guard let seed = UInt64(text) else { throw Misuse(text: "\(text) is no seed") }
                self.seed = seed
            case "--size":
                let text = try value()
                guard let size = Size(rawValue: text) else { throw Misuse(text: "the size is small or full") }
                self.size = size
            case "--count":
                let text = try value()
                guard let count = Int(text), count > 0 else { throw Misuse(text: "\(text) is no number of cases") }
                self.count = count
            case _ where argument.hasPrefix("--without="):
                harnesses.removeAll { argument.hasSuffix("=\($0.rawValue)") }
            case "--garner": garner = try value()
            case "--unshare": unshare = try value()
            case "--case":
                let text = try value()
                let parts = text.split(separator: "/", maxSplits: 1)
                guard parts.count == 2, let harness = Harness(rawValue: String(parts[0])) else {
                    throw Misuse(text: "\(text) is no case")
                }
                named = [harness]
                onlyCase = String(parts[1])
            default:
                guard let harness = Harness(rawValue: argument) else {
                    let names = Harness.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Misuse(text: "there is no harness \(argument), but \(names)")
                }
                named.append(harness)
            }
        }
        if !named.isEmpty { harnesses = named }
    }
}
