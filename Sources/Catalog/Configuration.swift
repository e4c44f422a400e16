package import GarnerModel

/// A validated `garner.yaml`. Every stream has its inherited values filled in.
package struct Configuration: Sendable {
    /// The path of the file as it was found.
    package var file: String
    /// The database is there. The path of a file is resolved against the folder of the configuration.
    package var place: DatabasePlace
    /// The path under which the database is read. Setting it names a file.
    package var database: String {
        get { place.path }
        set { place = .file(newValue) }
    }
    /// The PostgreSQL database that the tables are published to; nil for none.
    package var publish: PublicationTarget?
    /// The address of the service's dashboard; nil for none.
    package var listen: ListenAddress?
    /// All streams, in the order of the file.
    package var streams: [StreamConfiguration]
    /// The warnings for people, such as one of a literal secret, each with its place.
    package var warnings: [ConfigurationIssue]
    /// Every value in force, with the level that it comes from. It is made each time.
    package var effective: EffectiveConfiguration { makeEffective() }
    private let makeEffective: @Sendable () -> EffectiveConfiguration

    /// The texts of the file and of those that it includes, as they were read.
    var text = Secret("")
    /// The files that it includes, in the order of their texts.
    var includedFiles: [String] = []
    /// The contents of the files that secrets come from; nil if there are none.
    package internal(set) var fileSecrets: Secret?

    package init(
        file: String, database: String, listen: ListenAddress? = nil, streams: [StreamConfiguration],
        warnings: [ConfigurationIssue] = [],
        effective: @escaping @Sendable () -> EffectiveConfiguration = { EffectiveConfiguration() }
    ) {
        self.file = file
        place = .file(database)
        self.listen = listen
        self.streams = streams
        self.warnings = warnings
        makeEffective = effective
    }

    /// Returns true if `other` was read from the same text, so that it can differ in secrets from files only.
    package func isSameText(as other: Configuration) -> Bool { text == other.text }

    /// A hash of the texts of the file and of those that it includes.
    package var digest: String {
        var hash = StableHash()
        hash.add(text.reveal().utf8)
        return String(hash.value, radix: 16)
    }

    /// The path of the file without links, by which it is known everywhere.
    package var wholePath: String { ConfigurationReader.canonical(file) }

    /// True if one of the files has another text by now, or is gone. What is read once only, such as a pipe, does not change.
    package var isOutdated: Bool {
        var texts: [String] = []
        for path in [file] + includedFiles {
            do {
                texts.append(try TextFile(path: path, maximumBytes: Self.maximumBytes, isOnDisk: true).text)
            } catch {
                if case .missing = error { return true }
                return false
            }
        }
        return text != Self.joined(texts)
    }

    private static func joined(_ texts: [String]) -> Secret { Secret(texts.joined(separator: "\0")) }
}

extension Configuration {
    /// The variables and files that publishing, streams and their hooks need and that are missing, each once.
    package var missing: [ConfigurationIssue] {
        var found: [ConfigurationIssue] = []
        let issues = (publish?.missing ?? []) + streams.flatMap { $0.missing + $0.hooks.missing }
        for issue in issues where !found.contains(issue) {
            found.append(issue)
        }
        return found
    }

    /// Returns what streams and their hooks miss that did not in an earlier configuration.
    package func newlyMissing(since before: Configuration) -> [ConfigurationIssue] {
        let known = before.missing.map(\.message)
        return missing.filter { !known.contains($0.message) }
    }

    /// Throws if a variable or a file is missing.
    package func requireSecrets() throws(ConfigurationError) {
        let missing = missing
        if !missing.isEmpty { throw .invalid(missing) }
    }

    /// The largest file that is read, in bytes.
    package static let maximumBytes = 4 << 20

    /// Returns the database that a file names, whether the file is valid or not, as far as one of its lines tells it.
    package static func likelyDatabase(of path: String) -> String {
        let text = (try? TextFile(path: path, maximumBytes: maximumBytes, isOnDisk: true))?.text ?? ""
        let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("database:") }
        let value = line?.dropFirst("database:".count).prefix { $0 != "#" }.filter { !" \t\"'".contains($0) } ?? ""
        let name = value.isEmpty ? "garner.db" : value
        guard !name.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return name }
        return path[...slash] + name
    }

    /// Reads and validates a file, and the files that it includes.
    ///
    /// - Parameters:
    ///   - environment: the values for `${NAME}`.
    ///   - needsSecrets: false if no request is sent. A missing variable or file is no issue then, unless it names the
    ///     database. With true, it is one of the streams that need it (`StreamConfiguration.missing`).
    package static func load(
        contentsOf path: String, environment: [String: String], needsSecrets: Bool = true
    ) throws(ConfigurationError) -> Configuration {
        let file: TextFile
        do {
            file = try TextFile(path: path, maximumBytes: maximumBytes)
        } catch {
            switch error {
            case .missing: throw .notFound(searched: [path])
            case .unreadable(let reason): throw .unreadable(path: path, reason: reason)
            }
        }
        return try Configuration(
            parsing: file.text, file: path, environment: environment, needsSecrets: needsSecrets)
    }

    /// Returns the place of the database that a file names. Its streams, most of the file, are read only if that depends on them, or if
    /// something else is wrong.
    package static func databasePlace(
        in path: String, environment: [String: String]
    ) throws(ConfigurationError) -> DatabasePlace {
        if let file = try? TextFile(path: path, maximumBytes: maximumBytes) {
            let issues = IssueCollector(file: path)
            let reader = ConfigurationReader(file: path, environment: environment, needsSecrets: false, issues: issues)
            let database = YAMLDocument.root(of: file.text, issues: issues).flatMap(reader.databaseAlone)
            if let database, issues.errorCount == 0 { return database }
        }
        return try load(contentsOf: path, environment: environment, needsSecrets: false).place
    }

    /// Validates the text of a file; paths in it are relative to the folder of `file`.
    ///
    /// - Throws: `ConfigurationError.invalid` with every issue, in the order of the file.
    package init(
        parsing text: String, file: String, environment: [String: String], needsSecrets: Bool = true
    ) throws(ConfigurationError) {
        var issues = IssueCollector(file: file)
        var reader = ConfigurationReader(
            file: file, environment: environment, needsSecrets: needsSecrets, issues: issues)
        var configuration = YAMLDocument.root(of: text, issues: issues).flatMap(reader.configuration)
        if reader.variables.mustBeReadAgain {
            let secrets = reader.variables.secret
            issues = IssueCollector(file: file)
            reader = ConfigurationReader(
                file: file, environment: environment, needsSecrets: needsSecrets, issues: issues, secrets: secrets)
            configuration = YAMLDocument.root(of: text, issues: issues).flatMap(reader.configuration)
        }
        guard let configuration, issues.errorCount == 0 else {
            if let explained = Self.explained(issues, text, environment) {
                throw .invalid(explained + reader.missing.all)
            }
            // All that is wrong is told together.
            reader.missing.all.forEach(issues.fail)
            throw .invalid(issues.sortedErrors)
        }
        self = configuration
        self.text = Self.joined([text] + reader.included.texts)
        includedFiles = reader.included.files
        fileSecrets = reader.secretFiles.contents
    }

    /// Returns the issues with the slip in the place of those that it makes; nil if no edit mends them.
    private static func explained(
        _ issues: IssueCollector, _ text: String, _ environment: [String: String]
    ) -> [ConfigurationIssue]? {
        guard let slip = issues.slip, text.utf8.count <= 32 << 10 else { return nil }
        var best: (edit: LineEdit, left: IssueCollector)?
        var fewest = slip.isYAML ? Int.max : issues.errorCount
        for edit in LineEdit.edits(for: slip, in: text) where fewest > 0 {
            let left = IssueCollector(file: issues.file)
            let reader = ConfigurationReader(
                file: issues.file, environment: environment, needsSecrets: false, issues: left)
            guard let root = YAMLDocument.root(of: edit.text, issues: left) else { continue }
            _ = reader.configuration(from: root)
            guard left.slip?.isEmpty ?? true, left.errorCount < fewest else { continue }
            (best, fewest) = ((edit, left), left.errorCount)
        }
        guard let (edit, left) = best else { return nil }
        let issue = ConfigurationIssue(
            place: ConfigurationPlace(file: issues.file, line: edit.line),
            message: (slip.isYAML ? "not valid YAML: " : "") + edit.problem, hint: edit.hint)
        return [issue] + left.sortedErrors
    }
}

internal import GarnerLibC

package enum ConfigurationDiscovery {
    /// The path of the first file that exists: `flag`, `GARNER_CONFIG`, `./garner.yaml`,
    /// `$XDG_CONFIG_HOME/garner/garner.yaml` (else `~/.config/…`), `/etc/garner/garner.yaml`.
    ///
    /// A file that the flag or the variable names must exist. No other place is tried then.
    package static func find(
        flag: String?, environment: [String: String],
        exists: (String) -> Bool = { access($0, F_OK) == 0 }
    ) throws(ConfigurationError) -> String {
        if let named = flag ?? environment["GARNER_CONFIG"].flatMap({ $0.isEmpty ? nil : $0 }) {
            guard exists(named) else { throw .notFound(searched: [named]) }
            return named
        }
        let places = places(environment: environment)
        guard let found = places.first(where: exists) else { throw .notFound(searched: places) }
        return found
    }

    /// Returns a file that may be meant by one that was not found: with another ending beside it, or in the folder above it.
    package static func near(
        _ searched: [String], exists: (String) -> Bool = { access($0, F_OK) == 0 }
    ) -> String? {
        guard let path = searched.first else { return nil }
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let endings = [".yaml", ".yml", ".yaml.txt", ".yml.txt"]
        let stem = endings.first { path.hasSuffix($0) }.map { path[start...].dropLast($0.count) } ?? path[start...]
        guard !stem.isEmpty else { return nil }
        let near = ["", "../"].flatMap { above in endings.map { "\(path[..<start])\(above)\(stem)\($0)" } }
        return near.first { !searched.contains($0) && exists($0) }
    }

    /// Returns the places that are tried if no file is named, in order.
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

extension Configuration {
    /// Returns the streams with these full or unambiguous bare names, each once and in the order of the file. No names
    /// mean all streams. In a pattern such as `crm.*`, a star stands for any part of a full name.
    ///
    /// - Throws: `StreamSelectionError` for the first name that matches no stream or several, and for the first pattern
    ///   that matches none.
    package func streams(matching names: [String]) throws(StreamSelectionError) -> [StreamConfiguration] {
        guard !names.isEmpty else { return streams }
        var chosen: Set<StreamName> = []
        for name in names {
            guard name.contains("*") else {
                let index = try StreamSelection.index(
                    of: name, among: streams.map(\.name.description), tables: streams.map(\.table))
                chosen.insert(streams[index].name)
                continue
            }
            let matching = streams.map(\.name).filter { StreamSelection.matches($0.description, name) }
            guard !matching.isEmpty else {
                let near = StreamSelection.selection(near: name, among: streams.map(\.name))
                throw .unmatched(
                    pattern: name, suggestion: near, known: near == nil ? streams.map(\.name.description) : [])
            }
            chosen.formUnion(matching)
        }
        return streams.filter { chosen.contains($0.name) }
    }
}

/// The search for a stream by the name that a person gives.
package enum StreamSelection {
    /// Returns true if a full name matches a pattern in which `*` stands for any text, such as `crm.*`. O(name · pattern).
    static func matches(_ name: String, _ pattern: String) -> Bool {
        let (name, pattern) = (Array(name.utf8), Array(pattern.utf8))
        var (place, next) = (0, 0)
        // The last star, and the place from which the rest of the pattern was tried.
        var star: (next: Int, place: Int)?
        while place < name.count {
            if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
                star = (next, place)
                next += 1
            } else if next < pattern.count, pattern[next] == name[place] {
                (place, next) = (place + 1, next + 1)
            } else if let last = star {
                star = (last.next, last.place + 1)
                (place, next) = (last.place + 1, last.next + 1)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// Returns what may be meant by a pattern that matches nothing: the same without capitals, for the streams of any source or for the
    /// nearest source, or else the nearest stream. Returns nil if nothing is near.
    static func selection(near pattern: String, among streams: [StreamName]) -> String? {
        let parts = pattern.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let sources = streams.reduce(into: [String]()) { if !$0.contains($1.source) { $0.append($1.source) } }
        let source = Suggestion.closest(to: String(parts[0].filter { $0 != "*" }), among: sources)
        let rest = parts.count > 1 ? ".\(parts[1])" : "*"
        let ways = [pattern.lowercased(), parts.count == 1 ? "*.\(pattern)" : nil, source.map { $0 + rest }]
        let names = streams.map(\.description)
        return ways.lazy.compactMap(\.self).first { way in names.contains { matches($0, way) } }
            ?? nearest(to: pattern.filter { $0 != "*" }, names, streams.map(\.stream))
    }

    /// Returns the index of the stream with this full name, or of the only one with this bare name.
    ///
    /// - Parameters:
    ///   - names: Full names, such as `zoo.animals`.
    ///   - tables: Their tables; nil where a pattern chooses no streams.
    package static func index(
        of name: String, among names: [String], tables: [String]? = nil
    ) throws(StreamSelectionError) -> Int {
        if let exact = names.firstIndex(of: name) { return exact }
        let bareNames = names.map { String($0.split(separator: ".", maxSplits: 1).last ?? "") }
        let candidates = bareNames.indices.filter { bareNames[$0] == name }
        guard let first = candidates.first else {
            let own = names.filter { $0.hasPrefix(name + ".") }
            let ofTable = tables?.firstIndex(of: name).map { names[$0] }
            let ofSource: String? = own.count == 1 ? own[0] : own.isEmpty || tables == nil ? nil : "\(name).*"
            let all: String? = tables != nil && name == "all" ? "*" : nil
            let meant = ofTable ?? ofSource ?? all ?? nearest(to: name, names, bareNames)
            throw .unknown(name: name, suggestion: meant, known: meant != nil ? [] : own.isEmpty ? names : own)
        }
        guard candidates.count == 1 else { throw .ambiguous(name: name, candidates: candidates.map { names[$0] }) }
        return first
    }

    /// Returns the nearest name, which may belong to another source, or have another sign than the dot in it.
    private static func nearest(to name: String, _ names: [String], _ bareNames: [String]) -> String? {
        let last = name.split(separator: ".", maxSplits: 1).dropFirst().first.map(String.init)
        return Suggestion.closest(to: name, among: last == nil ? bareNames : names)
            ?? Suggestion.closest(to: last ?? name, among: last == nil ? names : bareNames)
    }
}

/// The reason why a name on the command line selects no stream.
package enum StreamSelectionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `known` are the full names to choose from, if nothing is near.
    case unknown(name: String, suggestion: String?, known: [String] = [])
    /// No stream matches a pattern such as `crm.*`. `known` are all full names, if nothing is near.
    case unmatched(pattern: String, suggestion: String? = nil, known: [String] = [])
    /// `candidates` are full names, in the order of the file.
    case ambiguous(name: String, candidates: [String])

    package var description: String {
        switch self {
        case .unknown(let name, _, _): "no stream is called '\(name)'"
        case .unmatched(let pattern, _, _): "no stream matches '\(pattern)'"
        case .ambiguous(let name, let candidates): "'\(name)' may be \(candidates.joined(separator: " or "))"
        }
    }

    private static let mostNames = 8

    private static func list(of names: [String]) -> String {
        "the streams are: \(names.prefix(mostNames).joined(separator: ", "))"
            + (names.count > mostNames ? " and \(names.count - mostNames) others" : "")
    }

    /// Returns what to know of a name with a letter that only looks like one of the name that is meant.
    private static func look(of name: String, beside meant: String) -> String {
        name.unicodeScalars.first { !$0.isASCII && !meant.unicodeScalars.contains($0) }.map {
            " '\($0)' is \($0.codePoint), which that name does not have"
        } ?? ""
    }

    /// The advice for the user.
    package var hint: String? {
        switch self {
        case .unknown(let name, _, _) where name.contains(","):
            "write spaces in place of commas: \(name.split(separator: ",").joined(separator: " "))"
        case .unknown(let name, _, _) where name.contains(" ") && !name.contains("://"):
            "write each name as a word of its own, without quotes around all: \(name)"
        case .unknown(let name, let suggestion?, _), .unmatched(let name, let suggestion?, _):
            "did you mean '\(suggestion)'?\(Self.look(of: name, beside: suggestion))"
        case .unknown(_, nil, let known) where known.isEmpty: nil
        case .unknown(let name, nil, _) where name.contains("://"): "add a stream for it with: garner add URL"
        case .unknown(let name, nil, _) where [".yaml", ".yml"].contains(where: name.hasSuffix):
            "name the file with --config"
        case .unknown(_, nil, let known): Self.list(of: known)
        case .unmatched(_, nil, let known):
            (known.isEmpty ? "" : "\(Self.list(of: known)); ")
                + "a pattern is compared with source.stream, and * stands for any text"
        case .ambiguous: "write the full name, source.stream"
        }
    }
}
