internal import Foundation

/// Where the configuration file is looked for.
package enum ConfigurationDiscovery {
    /// The path of the first file that exists: `flag`, `GARNER_CONFIG`, `./garner.yaml`,
    /// `$XDG_CONFIG_HOME/garner/garner.yaml` (else `~/.config/…`), `/etc/garner/garner.yaml`.
    ///
    /// A file that the flag or the variable names must exist: no other place is tried then.
    package static func find(
        flag: String?, environment: [String: String],
        exists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) throws(ConfigurationError) -> String {
        if let named = flag ?? environment["GARNER_CONFIG"].flatMap({ $0.isEmpty ? nil : $0 }) {
            guard exists(named) else { throw .notFound(searched: [named]) }
            return named
        }
        let places = places(environment: environment)
        guard let found = places.first(where: exists) else { throw .notFound(searched: places) }
        return found
    }

    /// The places that are tried when no file is named, in order.
    package static func places(environment: [String: String]) -> [String] {
        var folders: [String] = []
        // "All paths set in these environment variables must be absolute. If an implementation encounters a relative
        // path in any of these variables it should consider the path invalid and ignore it."
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            folders.append(folder)
        } else if let home = environment["HOME"], !home.isEmpty {
            folders.append(home + "/.config")
        }
        folders.append("/etc")
        return ["garner.yaml"] + folders.map { ($0.hasSuffix("/") ? $0 : $0 + "/") + "garner/garner.yaml" }
    }
}
