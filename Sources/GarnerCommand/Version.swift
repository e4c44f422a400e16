import CBuild
import GarnerJSON

enum Version {
    static let current = "0.2.0"

    /// The versions of all that this program was built of. `garner --version --json` prints it on one line.
    static var record: JSONText {
        let packaged = packagedFacts(withUnsafeBytes(of: garner_build_record) { Array($0) })
        return .object([
            ("version", .string(current)),
            ("commit", JSONText(packaged["commit"])),
            ("target", .string(target)),
            ("swift", .string(packaged["swift"] ?? compiler)),
            ("sqlite", .string(String(cString: garner_sqlite_version()))),
            ("libyaml", .string(String(cString: garner_libyaml_version()))),
            ("simdjson", .string(String(cString: garner_simdjson_version()))),
            ("xxhash", .string(String(cString: garner_xxhash_version()))),
        ])
    }

    /// Returns the facts that `script/package` wrote into the program, by name: lines of `name=value` up to the first zero.
    static func packagedFacts(_ bytes: [UInt8]) -> [String: String] {
        let lines = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).split(separator: "\n")
        return lines.reduce(into: [:]) { facts, line in
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { facts[String(parts[0])] = String(parts[1]) }
        }
    }

    /// The version of the compiler as far as it tells it to a program.
    private static var compiler: String {
        #if compiler(>=6.4)
            "6.4 or newer"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    private static var target: String { "\(architecture)-\(system)" }

    private static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "aarch64"
        #else
            "other"
        #endif
    }

    private static var system: String {
        #if os(Linux)
            "linux"
        #elseif os(macOS)
            "macos"
        #else
            "other"
        #endif
    }
}
