import GarnerYAML

/// The URL of a PostgreSQL database, as far as it may be shown.
enum ServerURL {
    /// Returns what may be shown of a URL, and if it holds a password; nil for one of another shape.
    ///
    /// It knows ASCII alone: a combining mark behind a separator would make another character of it.
    static func parts(of url: String) -> (shown: String, holdsPassword: Bool)? {
        guard let scheme = schemes.first(where: { url.hasPrefix($0) }),
            url.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
        else { return nil }
        let rest = url.dropFirst(scheme.count)
        let address = rest.prefix { $0 != "?" }
        let options = rest.dropFirst(address.count)
        let pieces = address.split(separator: "@", omittingEmptySubsequences: false)
        guard pieces.count <= 2, !options.contains("@"), let place = pieces.last else { return nil }
        let credentials = pieces.count == 2 ? pieces[0] : ""
        let user = credentials.prefix { $0 != ":" }
        // A text that is no port may be a part of a password.
        let hosts = place.prefix { $0 != "/" }.split(separator: ",").map { host -> Substring in
            host.lastIndex(of: "]").map { host[$0...] } ?? host
        }
        guard !credentials.contains("/"),
            hosts.allSatisfy({ $0.drop { $0 != ":" }.dropFirst().allSatisfy(\.isNumber) })
        else { return nil }
        let shown = options.dropFirst().split(separator: "&").filter { option in
            shownOptions.contains(String(option.prefix { $0 != "=" }))
        }
        return (
            "\(scheme)\(pieces.count == 2 ? "\(user)@" : "")\(place)"
                + (shown.isEmpty ? "" : "?" + shown.joined(separator: "&")),
            credentials.count > user.count + 1 || options.contains("password=")
        )
    }

    /// Those of `PostgresURL.description`, so that a place has one spelling.
    private static let shownOptions: Set = [
        "dbname", "host", "hostaddr", "port", "service", "sslmode", "target_session_attrs", "user",
    ]

    /// Returns the URL without its option `shards`, which is not one of the client library's, and what that option says.
    static func splittingShards(of url: String) -> (url: String, shards: Substring?) {
        let address = url.prefix { $0 != "?" }
        let name = "shards="
        let options = url.dropFirst(address.count + 1).split(separator: "&")
        guard let own = options.last(where: { $0.hasPrefix(name) }) else { return (url, nil) }
        let others = options.filter { !$0.hasPrefix(name) }
        return (
            address + (others.isEmpty ? "" : "?" + others.joined(separator: "&")), own.dropFirst(name.count)
        )
    }

    private static let schemes = ["postgresql://", "postgres://"]

    static func isURL(_ text: String) -> Bool { schemes.contains { text.hasPrefix($0) } }
}

extension ConfiguredText {
    var asSecret: Secret {
        switch self {
        case .literal(let written): Secret(written)
        case .secret(let secret): secret
        }
    }
}

extension ConfigurationReader {
    func warnOfPassword(in url: String, of value: YAMLValue) {
        guard ServerURL.parts(of: url)?.holdsPassword == true else { return }
        value.warn(
            "'\(value.name)' holds a password in plain text",
            hint: "write ${NAME} in its place and export NAME=…, or leave it out and put it into ~/.pgpass")
    }
}
