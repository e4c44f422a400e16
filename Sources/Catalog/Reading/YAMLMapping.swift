internal import Yams

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

    init(_ mapping: Node.Mapping, of value: YAMLValue) {
        self.init(empty: value)
        read(mapping, depth: 0)
    }

    subscript(key: String) -> YAMLValue? {
        indices[key].map { entries[$0].value }
    }

    /// Notes an issue for every key that is neither known nor announced.
    func expect(_ known: [String], notYet: [String] = [], elsewhere: [String: String] = [:]) {
        for entry in entries where !known.contains(entry.key) {
            if notYet.contains(entry.key) {
                let value = YAMLValue(entry.value.node, name: path(entry.key), issues: issues)
                issues.fail(
                    at: entry.keyPlace, "'\(value.name)' is not yet supported",
                    hint: "remove it; this version of garner does without")
            } else if let hint = elsewhere[entry.key] {
                issues.fail(at: entry.keyPlace, "'\(path(entry.key))' does not belong here", hint: hint)
            } else {
                let suggestion = Suggestion.closest(to: entry.key, among: known + notYet)
                issues.fail(
                    at: entry.keyPlace, "unknown key '\(shown(entry.key))'",
                    hint: suggestion.map { "did you mean '\($0)'?" } ?? "known here: \(known.joined(separator: ", "))")
            }
        }
    }

    func expect(_ fields: [Field], notYet: [String] = [], elsewhere: [String: String] = [:]) {
        expect(fields.map(\.name), notYet: notYet, elsewhere: elsewhere)
    }

    /// The value of a key that must be there.
    func required(_ key: String, hint: String) -> YAMLValue? {
        if let value = self[key] { return value }
        issues.fail(at: place, "'\(path(key))' is missing", hint: hint)
        return nil
    }

    /// Adds what is not there yet; `<<` is the merge key of YAML 1.1, whose entries give way to the mapping's own.
    ///
    /// - Parameter depth: How many mappings are merged into each other down to this one.
    private mutating func read(_ mapping: Node.Mapping, depth: Int) {
        guard issues.mayRead(mapping.count, at: place) else { return }
        var merged: [Node] = []
        for (key, node) in mapping {
            let keyPlace = ConfigurationPlace(file: issues.file, line: key.mark?.line, column: key.mark?.column)
            guard let scalar = key.scalar else {
                issues.fail(at: keyPlace, "a key must be text", hint: "write 'key: value'")
                continue
            }
            if scalar.string == "<<", scalar.style == .plain {
                merged.append(node)
            } else if indices[scalar.string] == nil {
                indices[scalar.string] = entries.count
                let value = YAMLValue(node, name: path(shown(scalar.string)), issues: issues)
                value.refuseTag()
                entries.append(Entry(key: scalar.string, keyPlace: keyPlace, value: value))
            } else if depth == 0 {
                issues.fail(at: keyPlace, "duplicate key '\(shown(scalar.string))'", hint: "keep one of them")
            }
        }
        for node in merged { merge(node, depth: depth + 1) }
    }

    private mutating func merge(_ node: Node, depth: Int) {
        switch node {
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
        let line = key.map { $0.isNewline || $0 == "\0" ? " " : $0 }
        return line.count > 60 ? String(line.prefix(60)) + "…" : String(line)
    }
}
