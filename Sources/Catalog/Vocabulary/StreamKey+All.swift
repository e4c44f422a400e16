extension StreamKey {
    /// In the order of the documentation and of `config show`.
    static let all = request + reading + storing + timing + network

    static func fields(on level: Level) -> [Field] {
        all.filter { $0.levels.contains(level) }.map { key in
            Field(key.name, .reference(key.name), key.field.summary, isRequired: key.field.isRequired)
        }
    }

    /// What to do with keys that stand on this level, or outside of all (nil), though they belong elsewhere.
    static func misplaced(on level: Level?) -> [String: String] {
        var hints: [String: String] = [:]
        for key in all where level.map({ !key.levels.contains($0) }) ?? true {
            // What a stream cannot say for itself is best said by the source that it belongs to.
            let owners = Level.allCases.filter { key.levels.contains($0) && (level != .stream || $0 == .source) }
            hints[key.name] = "move it into " + Self.joined(owners.map(\.article))
        }
        for name in ["on_success", "on_failure", "on_change", "ping"] { hints[name] = "move it into 'hooks:'" }
        if level != .source { hints["streams"] = "move it into a source" }
        return hints
    }

    static let notYetSupported = ["body"]

    private static func joined(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " or " + last
    }
}
