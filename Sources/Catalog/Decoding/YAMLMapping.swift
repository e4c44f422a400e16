import GarnerModel
import GarnerYAML

/// A mapping of the file whose keys are texts, each once.
struct YAMLMapping {
    struct Entry {
        let key: String
        let keyPlace: ConfigurationPlace
        let value: YAMLValue
    }

    let name: String
    let place: ConfigurationPlace
    let issues: IssueCollector
    private(set) var entries: [Entry] = []
    private var indices: [String: Int] = [:]

    init(empty value: YAMLValue) {
        name = value.name
        place = value.place
        issues = value.issues
    }

    init(_ mapping: YAMLNode.Mapping, of value: YAMLValue) {
        self.init(empty: value)
        read(mapping, depth: 0)
    }

    subscript(key: String) -> YAMLValue? {
        indices[key].map { entries[$0].value }
    }

    /// Notes an issue for every key that is not known.
    ///
    /// - Parameters:
    ///   - elsewhere: The hints for keys of other places and programs, which are made if there is such a key.
    ///   - inner: The known keys whose mappings have a key, by that.
    ///   - required: The known keys that may not be left out.
    func expect(
        _ known: [String], elsewhere: @autoclosure () -> [String: String] = [:],
        inner: @autoclosure () -> [String: [String]] = [:], required: [String] = []
    ) {
        let unknown = entries.filter { !known.contains($0.key) }
        guard !unknown.isEmpty else { return }
        var hints = elsewhere()
        for (name, owners) in inner() where hints[name] == nil && ForeignWords.meaning(of: name, among: known) == nil {
            hints[name] = "move it into " + owners.map { "'\($0)'" }.joined(separator: " or ")
        }
        // The mappings of sources and streams have no name.
        if !name.isEmpty {
            let owners = StreamKey.ownersOfInnerKeys()
            for entry in unknown where hints[entry.key] == nil { hints[entry.key] = outward(entry, known, owners) }
        }
        // The one key that lacks its value is meant by the one that has a value and no meaning.
        let missing = name.isEmpty ? [] : required.filter { self[$0] == nil }
        let stoodFor = missing.count == 1 && unknown.count == 1 ? missing.first : nil
        for entry in unknown {
            if let line = entry.keyPlace.line,
                entry.key.contains("\u{A0}") || entry.key.hasPrefix("//") || isOfAnotherLevel(entry, known)
            {
                issues.note(Slip(line: line))
            }
            if let hint = hints[entry.key] {
                issues.fail(
                    at: entry.keyPlace, "'\(path(entry.key))' does not belong here", hint: filled(hint, for: entry))
            } else if let line = nested(entry, known) {
                issues.fail(at: entry.keyPlace, "'\(shown(entry.key))' is one name with a dot in it", hint: line)
            } else if let keys = keysToLift(from: entry, known) {
                let names = keys.map { "'\($0)'" }.joined(separator: " and ")
                issues.fail(
                    at: entry.keyPlace, "unknown key '\(shown(entry.key))'",
                    hint: "write \(names) here, without '\(shown(entry.key)):' around \(keys.count > 1 ? "them" : "it")"
                )
            } else {
                let meant =
                    Self.meaning(of: entry.key, among: known) ?? (entry.value.node.scalar == nil ? nil : stoodFor)
                if let meant { issues.noteMeant(meant, at: place) }
                issues.fail(
                    at: entry.keyPlace, "unknown key '\(shown(entry.key))'",
                    hint: meant.map { line(of: $0, for: entry) ?? "did you mean '\($0)'?" + Self.look(of: entry.key) }
                        ?? Self.list(of: known))
            }
        }
    }

    /// The keys of streams whose mappings have a line for each word or number in their place.
    private static let keysWithLines: Set = ["auth", "incremental", "limits", "paginator", "retry", "schedule"]

    /// Returns the line that the known key takes which is meant by an unknown one with a word or a number; nil for other keys and values.
    private func line(of meant: String, for entry: Entry) -> String? {
        guard name.isEmpty, Self.keysWithLines.contains(meant), entry.value.plainOrQuotedText != nil,
            let key = StreamKey.all.first(where: { $0.name == meant })
        else { return nil }
        let own = IssueCollector(file: issues.file)
        let reader = ConfigurationReader(file: issues.file, environment: [:], needsSecrets: false, issues: own)
        _ = key.read(reader, YAMLValue(entry.value.node, name: meant, issues: own), .stream)
        return own.sortedErrors.first?.hint.flatMap { $0.hasPrefix("write \(meant): {") ? filled($0, for: entry) : nil }
    }

    /// Returns true for an unknown key that is likely to be a source, a stream or 'streams' with too few or too many spaces before it.
    private func isOfAnotherLevel(_ entry: Entry, _ known: [String]) -> Bool {
        guard entry.key != "streams", ForeignWords.meaning(of: entry.key, among: known) == nil else {
            return entry.key == "streams"
        }
        let keys = entry.value.node.mapping?.compactMap { key, _ in key.scalar?.string } ?? []
        if known.contains("sources") { return keys.contains("base_url") || keys.contains("streams") }
        return keys.contains("path") && (!known.contains("path") || self["path"] != nil)
    }

    /// Returns where a key belongs that a mapping inside of a source or a stream cannot have; nil if it belongs nowhere.
    private func outward(_ entry: Entry, _ known: [String], _ inner: [String: [String]]) -> String? {
        guard ForeignWords.meaning(of: entry.key, among: known) == nil else { return nil }
        let own = String(name.prefix { $0 != "." && $0 != "[" })
        let owner = StreamKey.all.first { $0.name == own }
        guard let key = StreamKey.all.first(where: { $0.name == entry.key }) else {
            guard owner != nil, Self.meaning(of: entry.key, among: known) == nil else { return nil }
            let owners = (inner[entry.key] ?? []).filter { $0 != own && $0 != "auth" }
            return owners.isEmpty ? nil : "move it into " + owners.map { "'\($0)'" }.joined(separator: " or ")
        }
        let line = line(of: entry)
        guard key.levels.contains(.stream) else { return "move it into the source\(line)" }
        return owner == nil || key.levels.count == 1
            ? "move it into the stream\(line)" : "write it beside '\(own)', not in it\(line)"
    }

    /// Returns the keys of this mapping that another program has inside of an unknown one, as in `endpoint: { path: /a }`; nil if others are
    /// there, too.
    private func keysToLift(from entry: Entry, _ known: [String]) -> [String]? {
        let keys = entry.value.node.mapping?.map { key, _ in key.scalar?.string ?? "" } ?? []
        let meaning = ForeignWords.meaning(of: entry.key, among: known)
        guard keys.contains(where: known.contains), meaning == nil || meaning == "path",
            Suggestion.closest(to: entry.key, among: known) == nil, !isOfAnotherLevel(entry, known)
        else { return nil }
        let meant = keys.compactMap { known.contains($0) ? $0 : ForeignWords.meaning(of: $0, among: known) }
        return meant.count == keys.count ? meant : nil
    }

    /// Returns the question after the word that is meant; nil if none is near.
    static func suggestion(for word: String, among known: [String]) -> String? {
        meaning(of: word, among: known).map { "did you mean '\($0)'?" }
    }

    /// Returns the known word that is meant; nil if none is near. Letters of other scripts are those of ASCII that look like them.
    private static func meaning(of word: String, among known: [String]) -> String? {
        ForeignWords.meaning(of: word, among: known)
            ?? Suggestion.closest(to: String(word.map { lookalikes[$0] ?? $0 }), among: known)
    }

    private static let lookalikes: [Character: Character] = [
        "а": "a", "в": "b", "е": "e", "ё": "e", "і": "i", "к": "k", "м": "m", "н": "h", "о": "o", "р": "p",
        "с": "c", "т": "t", "у": "y", "х": "x", "ѕ": "s", "ј": "j", "α": "a", "ε": "e", "ι": "i", "κ": "k", "ν": "v",
        "ο": "o", "ρ": "p", "τ": "t", "υ": "u", "χ": "x",
    ]

    /// Returns what to know of a word with a letter that only looks like one of a key: no key has others than those of ASCII.
    private static func look(of word: String) -> String {
        guard let odd = word.unicodeScalars.first(where: { !$0.isASCII }) else { return "" }
        return " It is written with \(odd.codePoint), which no key has"
    }

    /// Few keys are all named. Nobody reads forty.
    private static func list(of known: [String]) -> String {
        let (few, most) = (10, 16)
        guard known.count > most else { return "known here: \(known.joined(separator: ", "))" }
        return "known here are \(known.prefix(few).joined(separator: ", ")) and \(known.count - few) others; "
            + "'garner config schema' and the index of docs/configuration.md have all of them"
    }

    func expect(
        _ fields: [Field], elsewhere: @autoclosure () -> [String: String] = [:],
        inner: @autoclosure () -> [String: [String]] = [:]
    ) {
        expect(
            fields.map(\.name), elsewhere: elsewhere(), inner: inner(),
            required: fields.filter(\.isRequired).map(\.name))
    }

    /// Returns the value of a key. Notes an issue if it is missing.
    func required(_ key: String, hint: String) -> YAMLValue? {
        if let value = self[key] { return value }
        if issues.isMeant(key, at: place) { return nil }
        return issues.failed(at: place, "'\(path(key))' is missing", hint: hint)
    }

    /// Adds the entries that are new. Those of YAML 1.1's merge key `<<` do not replace the mapping's own.
    ///
    /// - Parameter depth: the number of mappings that are merged into each other down to this one.
    private mutating func read(_ mapping: YAMLNode.Mapping, depth: Int) {
        guard issues.mayRead(mapping.count, at: place) else { return }
        var merged: [YAMLNode] = []
        for (key, node) in mapping {
            let keyPlace = issues.place(key.mark)
            guard let scalar = key.scalar else {
                issues.fail(at: keyPlace, "a key must be text", hint: "write 'key: value'")
                continue
            }
            if scalar.isMergeKey {
                merged.append(node)
                continue
            }
            let (written, content) = separated(scalar, node, at: keyPlace)
            if indices[written] == nil {
                indices[written] = entries.count
                let value = YAMLValue(content, name: path(shown(written)), issues: issues)
                value.refuseTag()
                value.warnOfQuotes()
                value.warnOfComment()
                entries.append(Entry(key: written, keyPlace: keyPlace, value: value))
            }
        }
        for node in merged { merge(node, depth: depth + 1) }
    }

    /// Returns the key and the value of an entry. To YAML, `{type:offset}` has one key without a value: it is read as it is meant, and
    /// noted as an issue.
    private func separated(
        _ key: YAMLNode.Scalar, _ value: YAMLNode, at place: ConfigurationPlace
    ) -> (String, YAMLNode) {
        guard key.isPlain, let empty = value.scalar, empty.isPlain, empty.string.isEmpty, let line = place.line,
            let parts = key.string.wholeMatch(of: /([A-Za-z_][\w-]*):([^\s\/].*)/)
        else { return (key.string, value) }
        issues.fail(
            at: ConfigurationPlace(file: place.file, line: line), "there is no space after the colon of a key",
            hint: "put a space after the ':' of each key in the braces of line \(line)")
        let text = parts.2.trimming { "\"'".contains($0) }
        return (String(parts.1), YAMLNode(YAMLNode.Scalar(string: String(text), isPlain: true), at: value.mark))
    }

    private mutating func merge(_ node: YAMLNode, depth: Int) {
        switch node.content {
        case _ where depth > 64:
            issues.fail(at: place, "'<<' nests too deeply", hint: "merge fewer mappings into each other")
        case .mapping(let mapping): read(mapping, depth: depth)
        case .sequence(let sequence) where sequence.allSatisfy({ $0.mapping != nil }):
            for element in sequence { merge(element, depth: depth) }
        default:
            YAMLValue(node, name: path("<<"), issues: issues)
                .fail("'<<' must name a mapping", hint: "write '<<: *name' with the name of an anchor ('&name')")
        }
    }

    private func path(_ key: String) -> String {
        name.isEmpty ? key : "\(name).\(key)"
    }

    private func shown(_ key: String) -> String {
        if key.utf8.count <= 60, key.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return key }
        let line = key.map { $0.isNewline || $0 == "\0" ? " " : $0 }
        return line.count > 60 ? String(line.prefix(60)) + "…" : String(line)
    }
}
