import GarnerModel
import GarnerYAML

/// This says where a database is.
package enum DatabasePlace: Sendable, Equatable, CustomStringConvertible {
    /// A file of SQLite, by its path.
    case file(String)
    /// The pages of such a file, which PostgreSQL has. The URL may hold a password.
    case postgres(Secret)

    /// The beginning of the path of each database that is no file, which SQLite gives to those who registered it.
    private static let remotePrefix = "garner-shard:"

    /// The path under which it is read.
    package var path: String {
        switch self {
        case .file(let path): path
        case .postgres: Self.remotePrefix + description
        }
    }

    /// The path of the file, or the URL without its password; `***` for a URL whose parts are not known.
    package var description: String {
        switch self {
        case .file(let path): path
        case .postgres(let url): ServerURL.parts(of: url.reveal())?.shown ?? url.description
        }
    }

    package var isFile: Bool { if case .file = self { true } else { false } }

    /// The number of shards that a new database gets, and the most that it may have.
    package static let (usualShards, mostShards) = (8, 10)

    /// The reason why there cannot be as many shards as it asks for, and what to do; nil if there can.
    package var problem: (words: String, hint: String)? {
        guard case .postgres(let url) = self, let shards = ServerURL.splittingShards(of: url.reveal()).shards,
            Int(shards).map({ !(1...Self.mostShards).contains($0) }) ?? true
        else { return nil }
        return (
            "asks for a number of shards that there cannot be",
            "write ?shards= with a number from 1 to \(Self.mostShards)"
        )
    }

    /// The URL for the client library, and the number of shards that it asks for; nil for a file. The number is nil where it is not written.
    package var server: (url: Secret, shards: Int?)? {
        guard case .postgres(let url) = self else { return nil }
        let (rest, shards) = ServerURL.splittingShards(of: url.reveal())
        return (Secret(rest), shards.flatMap { Int($0) })
    }
}

extension ConfigurationReader {
    func databasePlace(in top: YAMLMapping) -> DatabasePlace {
        let value = top["database"]
        if let value, namesServer(value) { return .postgres(serverURL(value) ?? Secret("")) }
        return .file(resolve(value.flatMap(databasePath) ?? "garner.db"))
    }

    /// Returns true for the URL of a PostgreSQL database, also if a variable holds its beginning.
    private func namesServer(_ value: YAMLValue) -> Bool {
        guard let written = value.plainOrQuotedText else { return false }
        let name = written.prefixMatch(of: /\$\{(\w+)\}/)?.1
        return ServerURL.isURL(name.flatMap { environment[String($0)] } ?? written)
    }

    private func serverURL(_ value: YAMLValue) -> Secret? {
        guard let written = value.scalarText(),
            let (text, variables) = expand(written, of: value, isNeeded: true, isSecret: true)
        else { return nil }
        if variables.isEmpty { warnOfPassword(in: text, of: value) }
        if let (problem, hint) = DatabasePlace.postgres(Secret(text)).problem {
            return value.failed("'database' \(problem)", hint: hint)
        }
        return Secret(text, variables: variables)
    }

    private func databasePath(_ value: YAMLValue) -> String? {
        guard let written = value.scalarText(),
            let path = expand(written, of: value, isNeeded: true, isSecret: false)?.text
        else {
            return nil
        }
        if let url = DatabaseURL(path) { return value.failed("'database' \(url.problem)", hint: url.advice) }
        // SQLite would keep such a database in memory, or read the path as a URI.
        if path.isEmpty || path.hasPrefix(":") || path.hasPrefix("file:") || path.unicodeScalars.contains("\0")
            || path.hasPrefix("~")
        {
            return value.failed(
                "'database' must be the path of a file",
                hint: path.hasPrefix("~/")
                    ? "write database: ${HOME}\(path.dropFirst())" : "write a path such as garner.db")
        }
        guard let (problem, meant) = Self.shellPath(written) else { return path }
        return value.failed("'database' \(problem)", hint: "write database: \(meant)")
    }

    /// Returns what is wrong with a path that a shell or Windows would read, and the one that is meant; nil for another one.
    private static func shellPath(_ written: String) -> (problem: String, meant: String)? {
        if let name = written.firstMatch(of: /(?:^|[^$])\$([A-Z][A-Z0-9_]+)/)?.1 {
            return ("holds $\(name), which only a shell fills in", written.replacing("$\(name)", with: "${\(name)}"))
        }
        guard written.contains("\\") || written.prefixMatch(of: /[A-Za-z]:\//) != nil else { return nil }
        let path = written.replacing("\\", with: "/")
        guard let drive = path.prefixMatch(of: /([A-Za-z]):/)?.1 else { return ("has '\\' between folders", path) }
        let mounted = "/mnt/\(drive.lowercased())/\(path.dropFirst(2).trimming { $0 == "/" })"
        return ("is a path of Windows", "\(mounted), where WSL has that drive")
    }
}
