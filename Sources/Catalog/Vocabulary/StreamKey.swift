/// A key that sets a property of streams, with the levels on which it may stand.
struct StreamKey: Sendable {
    let field: Field
    let levels: Set<Level>
    /// The hint if a required key is missing; nil if the key may be left out.
    let missingHint: String?
    /// Reads the value. Returns nothing and notes an issue if it is wrong.
    let read: @Sendable (ConfigurationReader, YAMLValue, Level) -> [Assignment]
    /// Returns the values in force of the key with this path; nothing if it is not set.
    let show: @Sendable (StreamDraft, _ path: [String]) -> [EffectiveConfiguration.Entry]

    var name: String { field.name }

    typealias Target<Value> = Key<StreamDraft>.Target<Value>

    init<Value: Sendable>(
        _ name: String, _ format: ValueFormat<Value>, on levels: Set<Level> = Set(Level.allCases),
        to target: Target<Value>, required missingHint: String? = nil, _ summary: String
    ) {
        let key = Key(name, format, to: target, required: missingHint, summary)
        self.init(
            key.field, levels: levels, missingHint: missingHint,
            read: { reader, value, level in
                key.assignment(reader, value, path: [name], level).map { [$0] } ?? []
            },
            show: { draft, path in key.entries(of: draft, path) })
    }

    init(
        _ field: Field, levels: Set<Level>, missingHint: String? = nil,
        read: @escaping @Sendable (ConfigurationReader, YAMLValue, Level) -> [Assignment],
        show: @escaping @Sendable (StreamDraft, [String]) -> [EffectiveConfiguration.Entry]
    ) {
        self.field = field
        self.levels = levels
        self.missingHint = missingHint
        self.read = read
        self.show = show
    }
}

extension Key<StreamDraft> {
    /// Returns nil and notes an issue if the value is wrong.
    func assignment(
        _ reader: ConfigurationReader, _ value: YAMLValue, path: [String], _ level: Level
    ) -> Assignment? {
        read(reader, value).map {
            Assignment(path: path, place: value.place, level: level, keyPlaces: value.keyPlaces, apply: $0)
        }
    }

    func entries(of draft: StreamDraft, _ path: [String]) -> [EffectiveConfiguration.Entry] {
        switch show(draft) {
        case .value(let value): [.init(path: path, value: value, origin: draft.origin(of: path))]
        case .members(let members):
            members.map { .init(path: path + [$0], value: $1, origin: draft.origin(of: $0, in: path)) }
        }
    }
}

/// The level of a mapping in the order of inheritance, from the outermost to the nearest.
enum Level: Sendable, CaseIterable {
    case defaults, source, stream

    func origin(line: Int?) -> EffectiveConfiguration.Origin {
        switch self {
        case .defaults: .defaults(line: line)
        case .source: .source(line: line)
        case .stream: .stream(line: line)
        }
    }

    var article: String {
        switch self {
        case .defaults: "'defaults:'"
        case .source: "a source"
        case .stream: "a stream"
        }
    }
}

/// A key of a mapping, with its description for editors.
struct Field: Sendable {
    let name: String
    let schema: Schema
    /// One sentence for the person who writes the file.
    let summary: String
    let isRequired: Bool

    init(_ name: String, _ schema: Schema, _ summary: String, isRequired: Bool = false) {
        self.name = name
        self.schema = schema
        self.summary = summary
        self.isRequired = isRequired
    }
}

/// The change that one key of the file makes to its streams.
struct Assignment: Sendable {
    /// The key with the keys around it: `["retry", "max_attempts"]`.
    var path: [String]
    let place: ConfigurationPlace
    let level: Level
    /// The places of the keys of the mapping; nil if the value is no mapping.
    var keyPlaces: [String: ConfigurationPlace]?
    /// The variables and files that the value needs and that are missing.
    var missing: [ConfigurationIssue] = []
    let apply: @Sendable (inout StreamDraft) -> Void

    var origin: EffectiveConfiguration.Origin { level.origin(line: place.line) }

    /// Returns the origin of a part of the value, whose name may go on behind a key and a dot. A part without a key in the
    /// mapping has its default.
    func origin(of member: String) -> EffectiveConfiguration.Origin {
        guard let keyPlaces else { return origin }
        return keyPlaces.keys.contains { member == $0 || member.hasPrefix("\($0).") } ? origin : .standard
    }
}

extension StreamKey {
    /// The keys in the order of the documentation and of `config show`.
    static let all = request + reading + records + storing + timing + network

    /// The keys that a level may have, which are looked up for each stream of a file.
    private struct Selection: Sendable {
        let fields: [Field]
        /// The positions in `all` by the names.
        let positions: [String: Int]
        /// The positions of the keys that may not be left out.
        let required: [Int]

        init(of level: Level) {
            let keys = StreamKey.all.enumerated().filter { $1.levels.contains(level) }
            fields = keys.map { _, key in
                Field(key.name, .reference(key.name), key.field.summary, isRequired: key.field.isRequired)
            }
            positions = Dictionary(keys.map { ($1.name, $0) }) { first, _ in first }
            required = keys.filter { $1.missingHint != nil }.map(\.offset)
        }
    }

    private static let selections = Dictionary(
        uniqueKeysWithValues: Level.allCases.map { ($0, Selection(of: $0)) })

    static func fields(on level: Level) -> [Field] { selections[level]?.fields ?? [] }

    /// Returns the positions in `all` of the keys that a mapping has or must have, in their order.
    static func positions(in mapping: YAMLMapping, on level: Level) -> [Int] {
        guard let selection = selections[level] else { return [] }
        return Set(mapping.entries.compactMap { selection.positions[$0.key] } + selection.required).sorted()
    }

    /// Returns hints for the keys that belong to other levels than this one; nil is the top of the file.
    static func misplaced(on level: Level?, in mapping: YAMLMapping? = nil) -> [String: String] {
        var hints = ForeignWords.advice
        for key in all where level.map({ !key.levels.contains($0) }) ?? true {
            // A key that a stream cannot have belongs into its source.
            let owners = Level.allCases.filter { key.levels.contains($0) && (level != .stream || $0 == .source) }
            hints[key.name] = "move it into " + Self.joined(owners.map(\.article))
        }
        for name in Hooks.names { hints[name] = "move it into 'hooks:'" }
        for (name, meant) in foreignLimits where level != nil { hints[name] = meant }
        if let mapping { hints.merge(ForeignWords.lines(in: mapping)) { $1 } }
        if let mapping, level != .defaults, mapping["auth"] == nil {
            hints.merge(Authentication.lines(in: mapping)) { $1 }
        }
        if level != .source { hints["streams"] = "move it into a source" }
        if level == .stream {
            for name in ["enabled", "disabled"] {
                hints[name] = "comment the stream out, or write schedule: none, so that only 'garner sync' fetches it"
            }
        }
        // dlt has the keys of a source below 'client', and its streams beside it.
        if level == .source { hints["client"] = "write 'base_url' and what else is below it beside 'streams'" }
        return hints
    }

    /// Returns the keys of a level whose mappings have a key, by that. Names that say nothing of their place are left out.
    static func ownersOfInnerKeys(on level: Level = .stream) -> [String: [String]] {
        let owners = ["schedule", "incremental", "paginator", "fields", "retry", "limits", "schema_contract", "auth"]
        let usual: Set<String> = [
            "type", "name", "value", "in", "run", "request", "take", "send", "add", "key", "limit", "body",
        ]
        var found: [String: [String]] = [:]
        for key in all where owners.contains(key.name) && key.levels.contains(level) {
            for name in key.field.schema.keys.subtracting(usual) { found[name, default: []].append(key.name) }
        }
        return found
    }

    /// The keys that other programs have for limits of a source, and for words that stand for no value.
    static let foreignLimits: [String: String] = {
        let rate = "write rate_limit: { requests: 10, per: 1s } in the source"
        let concurrency = "write max_concurrency: 4 in the source"
        let words = "remove it: a word such as n/a in a column of numbers or times is NULL for SQL anyway"
        let meanings = [
            ("max_requests rate requests_per_second rps throttle throttling", rate),
            ("requests_per_minute rpm", rate.replacing("10, per: 1s", with: "60, per: 1m")),
            ("concurrency max_connections max_parallel parallelism threads workers", concurrency),
            ("missing_values na_values null_if null_values", words),
        ]
        var hints: [String: String] = [:]
        for (names, hint) in meanings {
            for name in names.split(separator: " ") { hints[String(name)] = hint }
        }
        return hints
    }()

    /// `a, b or c`
    static func joined(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " or " + last
    }
}
