import GarnerCatalog

/// Names of streams and sources. Tables and commands have these names in them, too.
package enum FileNames {
    /// Makes a name that a stream may have, of lower-case letters, digits and `_`, out of any text.
    package static func name(of text: String) -> String {
        let words = text.replacing(/([a-z0-9])([A-Z])/) { "\($0.1)_\($0.2)" }.lowercased()
        let letters = words.replacing(/[^a-z0-9]+/, with: "_").trimmingUnderscores
        guard !letters.isEmpty else { return "stream" }
        return StarterName.make(from: letters[...]) ?? StarterName.make(from: "stream_\(letters)") ?? "stream"
    }

    /// Returns the first of `pets`, `pets_2`, … that is not taken, and takes it.
    package static func free(_ name: String, among taken: inout Set<String>) -> String {
        var number = 1
        var free = name
        while !taken.insert(free.lowercased()).inserted {
            number += 1
            free = "\(name)_\(number)"
        }
        return free
    }

    /// Returns the connector's name that is in the path of its file, such as `acme` in `source-acme/manifest.yaml`; nil
    /// if there is none.
    package static func connector(of path: String) -> String? {
        let parts = path.split(separator: "/").map(String.init)
        let general: Set = ["manifest", "connector", "source", "openapi", "swagger", "spec", "api", "airbyte", "-"]
        for part in parts.suffix(2).reversed() {
            let stem = part.replacing(/\.(ya?ml|json)$/, with: "").replacing(/^source[-_]/, with: "")
                .replacing(/[.-](manifest|openapi|swagger)$/, with: "")
            if !general.contains(stem.lowercased()), !stem.hasPrefix("source_"), !stem.hasPrefix(".") {
                return name(of: stem)
            }
        }
        return nil
    }

    /// Returns a file's name without its folders, which do not concern those who get the configuration.
    static func shown(_ path: String) -> String {
        path == "-" ? "standard input" : ImportReport.shown(path.split(separator: "/").last.map(String.init) ?? "")
    }

    /// Returns true if a base URL is one of this machine or of a private network, as far as its spelling shows that.
    static func isPrivate(_ base: String) -> Bool {
        base.lowercased().prefixMatch(
            of: /https?:\/\/(localhost\b|\[(::1|f[cde])|(127|10)\.\d|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.)/)
            != nil
    }

    /// Returns the provider's name that is in its base URL, such as `example` in `https://api.example.co.uk/v1`; nil if
    /// there is none.
    package static func provider(of base: String) -> String? {
        StarterAddress(base)?.source
    }
}

extension String {
    fileprivate var trimmingUnderscores: String {
        String(drop { $0 == "_" }.reversed().drop { $0 == "_" }.reversed())
    }
}
