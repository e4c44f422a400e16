import GarnerJSON
import GarnerModel
import GarnerYAML

/// Turns the nodes of one file into values, and notes mistakes in `issues`.
struct ConfigurationReader {
    let file: String
    let environment: [String: String]
    /// False if no request is sent, so that secrets may be missing.
    let needsSecrets: Bool
    let issues: IssueCollector
    let secretFiles: SecretFiles
    let variables: Variables
    let missing: MissingValues
    let included: IncludedFiles

    /// - Parameter secrets: the variables that an earlier reading of the same file has found to be secrets.
    init(
        file: String, environment: [String: String], needsSecrets: Bool, issues: IssueCollector,
        secrets: Set<String> = []
    ) {
        (self.file, self.environment, self.needsSecrets, self.issues) = (file, environment, needsSecrets, issues)
        (secretFiles, variables) = (SecretFiles(), Variables(known: secrets))
        (missing, included) = (MissingValues(), IncludedFiles())
    }

    private init(of file: String, includedBy other: ConfigurationReader) {
        (self.file, issues) = (file, IssueCollector(file: file, with: other.issues))
        (environment, needsSecrets) = (other.environment, other.needsSecrets)
        (secretFiles, variables) = (other.secretFiles, other.variables)
        (missing, included) = (other.missing, other.included)
    }

    /// Returns a reader of an included file, which collects into the same lists.
    func reader(of file: String) -> ConfigurationReader { ConfigurationReader(of: file, includedBy: self) }

    /// Collects the variables that a file names: those of secrets, and those of texts that everybody may see.
    final class Variables {
        private let known: Set<String>
        private(set) var secret: Set<String> = []
        private(set) var open: [(name: String, key: String, place: ConfigurationPlace)] = []

        init(known: Set<String>) { self.known = known }

        func note(secret name: String) { secret.insert(name) }

        func note(open name: String, in value: YAMLValue) { open.append((name, value.name, value.place)) }

        /// Returns true for a variable that is a secret in a URL. Its value has no say in it, since it may be missing.
        func isSecret(_ name: String) -> Bool {
            known.contains(name) || SensitiveName.isVariable(name, isHidden: true)
        }

        /// True if a variable has turned out to be a secret that may have been read as one that everybody may see.
        var mustBeReadAgain: Bool { open.contains { secret.contains($0.name) && !known.contains($0.name) } }
    }

    /// Collects the contents of the files that secrets are read from.
    final class SecretFiles {
        /// The contents in the order of the configuration; nil if there are none.
        fileprivate(set) var contents: Secret?

        func note(_ text: String) { contents = Secret((contents.map { $0.reveal() + "\0" } ?? "") + text) }
    }

    /// Collects the variables and files that are missing, while a key of streams is read. Then only the streams fail that need them.
    final class MissingValues {
        private(set) var all: [ConfigurationIssue] = []
        private var noted: [ConfigurationIssue]?

        /// Returns false if no key of streams is being read.
        func note(_ issue: ConfigurationIssue) -> Bool {
            guard noted != nil else { return false }
            noted?.append(issue)
            all.append(issue)
            return true
        }

        func collecting<Value>(_ read: () -> Value) -> (Value, missing: [ConfigurationIssue]) {
            noted = []
            let value = read()
            defer { noted = nil }
            return (value, noted ?? [])
        }

        func noting(
            _ key: String, at place: ConfigurationPlace, _ level: Level, _ read: () -> [Assignment]
        ) -> [Assignment] {
            var (assignments, missing) = collecting(read)
            guard !missing.isEmpty else { return assignments }
            // The key of a text that everybody may see has no value without it.
            if assignments.isEmpty { assignments = [Assignment(path: [key], place: place, level: level) { _ in }] }
            for issue in missing {
                let line = issue.place.line ?? 0
                let last = assignments.lastIndex { ($0.place.line ?? 0) <= line } ?? 0
                assignments[last].missing.append(issue)
            }
            return assignments
        }
    }

    /// Returns `path` as seen from the folder of the file.
    func resolve(_ path: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return file[...slash] + path
    }

    /// Reads a JSONPath, and returns it as it is written.
    func jsonPath(_ value: YAMLValue) -> String? { selector(value)?.description }

    func tableName(_ value: YAMLValue) -> String? {
        guard let text = openText(value) else { return nil }
        if let name = text.wholeMatch(of: /[A-Za-z_]\w*\.([A-Za-z_]\w*)/)?.1 {
            value.warn(
                "'\(value.name)' is '\(text.prefix(60))' with its dot, which SQL finds in quotes only: "
                    + "the database has no schemas",
                hint: "write table: \(name.prefix(60))")
        }
        if text.contains(",") {
            value.warn(
                "'\(value.name)' names one table, which is called '\(text.prefix(60))'",
                hint: "write one name; records of another table are those of another stream")
        }
        if !text.isEmpty { return text }
        return value.failed("'\(value.name)' is empty", hint: "write a name, or remove the line")
    }

    /// Reads a text with at least one character.
    func name(_ value: YAMLValue) -> String? {
        guard let text = value.text() else { return nil }
        if !text.isEmpty { return text }
        return value.failed("'\(value.name)' is empty", hint: "write a name, or remove the line")
    }
}

extension ConfigurationReader {
    static let documentFields = [
        Field("version", .integer(1...1), "The version of this vocabulary: 1.", isRequired: true),
        Field(
            "database", .text,
            "The SQLite database, relative to this file; by default garner.db. Or the URL of a PostgreSQL database that keeps it. It may hold ${NAME}."
        ),
        Field(
            "publish", .later { PublicationTarget.format.schema },
            "The PostgreSQL database that gets each stream as a table: its URL, or a mapping."),
        Field("listen", listenFormat.schema, "The address of the service's dashboard, such as 127.0.0.1:8787."),
        Field("defaults", .optional(.mapping(StreamKey.fields(on: .defaults))), "Settings that all streams inherit."),
        includeField, sourcesField,
    ]

    private static let listenFormat = ValueFormat<ListenAddress>.text { _, value in
        guard let text = value.scalarText() else { return nil }
        if let address = ListenAddress(text) { return address }
        return value.failed("'\(value.name)' is no address", hint: "write 'listen: 127.0.0.1:8787'")
    }

    static let sourcesField = Field(
        "sources", .named(.mapping(sourceFields)), "The APIs by name, each with its streams.")

    private static let sourceFields =
        StreamKey.fields(on: .source) + [
            Field(
                "streams", .named(.optional(.mapping(StreamKey.fields(on: .stream)))), "Collections of records by name."
            )
        ]

    /// Reads the parts that are right. The result counts only if `issues` has no error.
    func configuration(from root: YAMLValue) -> Configuration? {
        guard let top = ownMapping(root) else { return nil }
        top.expect(Self.documentFields, elsewhere: StreamKey.misplaced(on: nil))
        version(in: top)
        let database = databasePlace(in: top)
        let defaults = top["defaults"].map(unnamed)?.mapping(isOptional: true).map { mapping in
            mapping.expect(
                StreamKey.fields(on: .defaults), elsewhere: StreamKey.misplaced(on: .defaults, in: mapping),
                inner: StreamKey.ownersOfInnerKeys(on: .defaults))
            return assignments(from: mapping, .defaults)
        }
        var drafts = sourceEntries(in: top).flatMap { $0.reader.streams(of: $0.entry, defaults: defaults ?? []) }
        assignTables(&drafts)
        resolveParents(&drafts)
        for index in drafts.indices {
            drafts[index].settle()
            check(drafts[index])
        }
        warnOfMissingCredentials(drafts)
        warnOfNamedSegments(drafts)
        let publish = top["publish"].flatMap { PublicationTarget.format.read(self, $0) }
        checkVariables()
        let listen = top["listen"].flatMap { Self.listenFormat.read(self, $0) }
        let general = [
            generalEntry("database", .value(.text(database.description)), at: top["database"]?.place),
            listen.flatMap { generalEntry("listen", Self.listenFormat.show($0), at: top["listen"]?.place) },
        ].compactMap(\.self)
        var configuration = configuration(
            of: drafts, database: database.path, listen: listen, general + publicationEntries(publish))
        configuration.place = database
        configuration.publish = resolved(publish, in: configuration)
        return configuration
    }

    /// Returns the mapping of a file. Notes an issue and returns nil for one of another program.
    private func ownMapping(_ root: YAMLValue) -> YAMLMapping? {
        guard let top = root.mapping(hint: "begin with 'version: 1'") else { return nil }
        guard let other = ForeignFile(top, named: file) else { return top }
        return root.failed(other.problem, hint: other.hint)
    }

    /// Returns the place of the database by the top of the file alone; nil if its streams have a say in it.
    func databaseAlone(in root: YAMLValue) -> DatabasePlace? {
        guard let top = ownMapping(root) else { return nil }
        top.expect(Self.documentFields, elsewhere: StreamKey.misplaced(on: nil))
        version(in: top)
        let place = databasePlace(in: top)
        // A variable may be a secret elsewhere.
        return variables.open.isEmpty ? place : nil
    }

    /// Notes an issue for each variable that is shown in one place and a secret in another.
    private func checkVariables() {
        guard !variables.mustBeReadAgain else { return }
        for variable in variables.open {
            let name = variable.name
            let isSecret = variables.secret.contains(name)
            guard isSecret || SensitiveName.isVariable(name, isHidden: false) else { continue }
            let reason = isSecret ? "which is a secret elsewhere" : "whose name is that of a secret"
            issues.fail(
                at: variable.place, "'\(variable.key)' would show the variable '\(name)', \(reason)",
                hint: "put secrets into auth, headers, params or the path of a URL; "
                    + "use another variable for what everybody may see")
        }
    }

    private func generalEntry(
        _ key: String, _ shown: Shown, at place: ConfigurationPlace?
    ) -> EffectiveConfiguration.Entry? {
        guard case .value(let value) = shown else { return nil }
        return .init(path: [key], value: value, origin: place.map { .file(line: $0.line) } ?? .standard)
    }

    private func publicationEntries(_ target: PublicationTarget?) -> [EffectiveConfiguration.Entry] {
        guard let target, case .members(let members) = PublicationTarget.format.show(target) else { return [] }
        return members.map { key, value in
            .init(path: ["publish", key], value: value, origin: .file(line: target.place.line))
        }
    }

    private func configuration(
        of drafts: [StreamDraft], database: String, listen: ListenAddress?, _ general: [EffectiveConfiguration.Entry]
    ) -> Configuration {
        // Only some commands show the effective values, and making them takes a tenth of the time of a short one.
        let effective: @Sendable () -> EffectiveConfiguration = { [file] in
            EffectiveConfiguration(
                general: general,
                streams: drafts.map { draft in
                    let other = draft.stream.place.file
                    return .init(name: draft.name, file: other == file ? nil : other, entries: draft.effectiveEntries)
                })
        }
        return Configuration(
            file: file, database: database, listen: listen, streams: drafts.map(\.stream),
            warnings: issues.sortedWarnings, effective: effective)
    }

    func version(in top: YAMLMapping) {
        guard let value = top.required("version", hint: "begin the file with 'version: 1'") else { return }
        guard value.plainText != "1" else { return }
        value.fail("'version' must be 1", hint: "write 'version: 1', the only version there is")
    }

    private func streams(of entry: YAMLMapping.Entry, defaults: [Assignment]) -> [StreamDraft] {
        let ofTop = ["version", "database", "publish", "listen", "defaults", "include"]
        if ofTop.contains(entry.key), entry.value.writtenKeys?.isDisjoint(with: ["base_url", "streams"]) != false {
            issues.fail(
                at: entry.keyPlace, "'\(entry.key)' stands below 'sources', and is taken for one of them",
                hint: "move it to the left, into the column of 'sources:'")
            return []
        }
        if let keys = entry.value.node.mapping?.compactMap({ key, _ in key.scalar?.string }),
            StreamKey.fields(on: .defaults).contains(where: { $0.name == entry.key }), !keys.contains("base_url"),
            !keys.contains("streams")
        {
            issues.fail(
                at: entry.keyPlace, "'\(entry.key)' stands beside the sources, and is taken for one",
                hint: "indent it by two more, as a key of the source above it, or move it into 'defaults'")
            return []
        }
        isName(entry, of: "source")
        guard let mapping = unnamed(entry.value).mapping(hint: "write 'base_url:' and 'streams:' below it") else {
            return []
        }
        mapping.expect(
            Self.sourceFields, elsewhere: StreamKey.misplaced(on: .source, in: mapping),
            inner: StreamKey.ownersOfInnerKeys(on: .source))
        let inherited = defaults + assignments(from: mapping, .source)
        let entries = mapping["streams"]?.mapping(isOptional: true)?.entries ?? []
        return entries.compactMap { stream in
            isName(stream, of: "stream")
            return draft(stream, name: StreamName(source: entry.key, stream: stream.key), inherited: inherited)
        }
    }

    private func draft(_ entry: YAMLMapping.Entry, name: StreamName, inherited: [Assignment]) -> StreamDraft? {
        let errorCount = issues.errorCount
        guard let mapping = unnamed(entry.value).mapping(isOptional: true) else { return nil }
        mapping.expect(
            StreamKey.fields(on: .stream),
            elsewhere: StreamKey.misplaced(on: .stream, in: mapping)
                .merging(childrenLine(in: mapping, of: name)) { $1 },
            inner: StreamKey.ownersOfInnerKeys())
        var draft = StreamDraft(name: name, place: entry.keyPlace, ownKeys: Set(mapping.entries.map(\.key)))
        draft.apply(inherited)
        draft.apply(assignments(from: mapping, .stream))
        draft.isSound = issues.errorCount == errorCount
        return draft
    }

    /// Returns the hint for streams inside of another one, which stand beside it here.
    private func childrenLine(in mapping: YAMLMapping, of parent: StreamName) -> [String: String] {
        let names = mapping["streams"]?.node.mapping?.compactMap { key, _ in key.scalar?.string } ?? []
        guard !names.isEmpty, names.allSatisfy(StreamName.isPart) else { return [:] }
        let lines = names.prefix(3).map { "'\($0):'" }.joined(separator: ", ")
        return [
            "streams":
                "write \(lines) beside '\(parent.stream):', in the same column, with 'parent: \(parent.stream)' below "
                + "\(names.count == 1 ? "it" : "each")"
        ]
    }

    /// Checks a name. Names are part of `source.stream`, of tables and of command lines.
    private func isName(_ entry: YAMLMapping.Entry, of what: String) {
        guard !StreamName.isPart(entry.key) else { return }
        issues.fail(
            at: entry.keyPlace, "this name of a \(what) cannot be used", hint: "use letters, digits, '_' and '-' only")
    }

    /// Leaves out the name of the defaults, a source or a stream in messages, since the place shows which one it is.
    private func unnamed(_ value: YAMLValue) -> YAMLValue {
        value.node.mapping == nil ? value : YAMLValue(value.node, name: "", issues: issues)
    }
}

extension ConfigurationReader {
    func assignments(from mapping: YAMLMapping, _ level: Level) -> [Assignment] {
        StreamKey.positions(in: mapping, on: level).flatMap { position in
            let key = StreamKey.all[position]
            let value = key.missingHint.map { mapping.required(key.name, hint: $0) } ?? mapping[key.name]
            return value.map { value in
                missing.noting(key.name, at: value.place, level) { key.read(self, value, level) }
            } ?? []
        }
    }

    /// Reads one or more names of fields, each once.
    func fieldNames(_ value: YAMLValue) -> [String]? {
        guard let names = value.texts() else { return nil }
        guard !names.isEmpty, !names.contains("") else {
            return value.failed("'\(value.name)' names no field", hint: "write the name of a field, such as id")
        }
        guard names.firstRepeated == nil else {
            return value.failed("'\(value.name)' names a field twice", hint: "keep one of them")
        }
        if !value.isList {
            warnOfCommas(in: names[0], of: value) { key, names in "write \(key): [\(names.joined(separator: ", "))]" }
        }
        return names
    }

    /// Warns of a text that names several fields, where it counts as the name of one.
    func warnOfCommas(in text: String, of value: YAMLValue, hint: (_ key: Substring, _ names: [String]) -> String) {
        // Lines without '- ' are one text, too.
        let isFolded = value.node.scalar?.spansLines == true
        let names = text.split { $0 == "," || isFolded && $0 == " " }
            .map { name in String(name.trimming { $0.isWhitespace || $0 == "-" }) }
        guard names.count > 1, names.allSatisfy({ $0.wholeMatch(of: /(\$\.)?[A-Za-z_][\w.-]{0,59}/) != nil }) else {
            return
        }
        value.warn(
            "'\(value.name)' names one field, which is called '\(text.prefix(60))'",
            hint: hint(value.name.split(separator: ".").last ?? "", names))
    }

    func certificateAuthority(_ value: YAMLValue) -> String? {
        guard let path = name(value) else { return nil }
        if path.unicodeScalars.contains("\0") || path.hasPrefix("~") {
            return value.failed(
                "'\(value.name)' must be the path of a file",
                hint: path.hasPrefix("~") ? Self.homeFolder : "write a path such as certificates.pem")
        }
        return resolve(path)
    }

    static let homeFolder = "write the whole path: only a shell knows '~'"
}

extension ConfigurationReader {
    /// Checks keys against each other.
    func check(_ draft: StreamDraft) {
        // Without its values, nothing true can be said of them.
        guard draft.stream.missing.isEmpty else { return }
        checkBody(draft)
        checkIncremental(draft)
        checkPlaceholders(draft)
        checkStoring(draft)
        checkFields(draft)
        checkAddedColumns(draft)
        checkPartitions(draft)
        warnOfEffects(draft)
    }

    private func checkBody(_ draft: StreamDraft) {
        let request = draft.stream.request
        let key = request.bodyFormat.rawValue
        let bodies = ["json", "form", "body"].filter(draft.mentions)
        if bodies.count > 1, let place = draft.place(of: bodies[1]) ?? draft.place(of: bodies[0]) {
            issues.fail(
                at: place, "'\(draft.name)' has '\(bodies[0])' and '\(bodies[1])', but a request has one body",
                hint: "keep one of them")
        }
        guard let place = draft.place(of: "paginator") else { return }
        for parameter in draft.stream.paginator.kind.configured.parameters {
            guard case .body(let target) = parameter else { continue }
            guard let body = request.body, request.bodyFormat != .text else {
                if draft.mentions("json") || draft.mentions("form") { return }
                issues.fail(
                    at: place,
                    "'\(parameter)' of 'paginator' is a place in 'json', which '\(draft.name)' does not have",
                    hint: "add 'json: …' to the stream, or write the name of a query parameter")
                continue
            }
            let isFlat = request.bodyFormat == .form
            guard !target.fits(into: body) || isFlat && target.names.count > 1 else { continue }
            issues.fail(
                at: place, "'\(parameter)' of 'paginator' has no place in the '\(key)' of '\(draft.name)'",
                hint: isFlat ? "write $.name with the name of a field" : "what it is inside of must be a mapping")
        }
    }

    private func checkIncremental(_ draft: StreamDraft) {
        guard let place = draft.place(of: "incremental") else {
            guard draft.syncMode == .incremental, !draft.mentions("incremental"),
                let place = draft.place(of: "sync_mode")
            else { return }
            issues.fail(
                at: place, "'sync_mode: incremental' needs 'incremental' in '\(draft.name)'",
                hint: "add incremental: { cursor_field: updated_at }")
            return
        }
        if draft.syncMode == .fullRefresh {
            issues.fail(
                at: draft.place(of: "sync_mode") ?? place,
                "'sync_mode: full_refresh' contradicts 'incremental' of '\(draft.name)'",
                hint: "remove one of them, or write 'sync_mode: incremental' in the stream")
        }
        if draft.stream.deleteMissing != .ignore, draft.stream.incremental?.fullRefreshEvery == nil,
            draft.stream.deletedWhen == nil
        {
            issues.fail(
                at: draft.place(of: "delete_missing") ?? place,
                "'delete_missing: \(draft.stream.deleteMissing.rawValue)' cannot work with 'incremental' of '\(draft.name)' alone",
                hint: "add 'full_refresh_every: 7d' to 'incremental': only a read of everything tells what is missing"
            )
        }
    }
}
