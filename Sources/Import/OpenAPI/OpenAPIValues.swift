import GarnerCatalog

/// The values that the user gives for an OpenAPI document, and the names of those that are missing.
struct OpenAPIValues {
    private let given: [String: String]
    /// The names that something asked for.
    private(set) var known: Set<String> = []
    private(set) var missing: [ConnectorSettings.Missing] = []
    private(set) var secrets: [ConnectorSettings.SecretSetting] = []
    /// The beginning of the names of variables.
    let prefix: String

    init(_ given: ConnectorSettings.Given, prefix: String) {
        var all: [String: String] = [:]
        for member in given.values?.members ?? [] {
            if let text = member.value.scalarText { all[member.name] = text }
        }
        for (name, text) in given.single { all[name] = text }
        self.given = all
        self.prefix = prefix
    }

    /// Returns what is given under a name, for one stream or for all.
    mutating func text(_ name: String, of stream: String? = nil) -> String? {
        known.insert(name)
        guard let stream else { return given[name] }
        known.insert("\(stream).\(name)")
        return given["\(stream).\(name)"] ?? given[name]
    }

    mutating func lack(_ name: String, _ title: String, example: String = "…") {
        guard !missing.contains(where: { $0.name == name }) else { return }
        missing.append(ConnectorSettings.Missing(name: name, title: title, example: example))
    }

    /// Returns a variable that holds a secret.
    mutating func secret(_ word: String, _ title: String) -> FileValue {
        let name = FileNames.name(of: "\(prefix)_\(word)").uppercased()
        if !secrets.contains(where: { $0.variable == name }) {
            secrets.append(ConnectorSettings.SecretSetting(name: word, title: title, variable: name))
        }
        return .text("${\(name)}")
    }

    /// The error on what is missing, or on what is given and nothing asks for; nil if all is well.
    func error(_ document: String) -> ManifestError? {
        if !missing.isEmpty {
            let titles = missing.map { "\($0.name) (\($0.title))" }.joined(separator: ", ")
            let options = missing.map { ConnectorSettings.option($0.name, $0.example) }
            return ManifestError(
                "the document does not tell some values: \(titles)",
                advice: "add \(options.joined(separator: " "))")
        }
        guard let unknown = given.keys.sorted().first(where: { !known.contains($0) }) else { return nil }
        let names = known.filter { !$0.contains(".") }.sorted()
        let advice = Suggestion.closest(to: unknown, among: known.sorted()).map { "did you mean '\($0)'?" }
        return ManifestError(
            "nothing that is written takes '\(ImportReport.shown(String(unknown.prefix(60))))'",
            advice: advice ?? "the names are: \(names.prefix(40).map(ImportReport.shown).joined(separator: ", "))")
    }

    // MARK: - Values

    /// Returns a value as the file holds it; nil for one that it cannot hold, such as an object.
    static func value(of node: ManifestNode?) -> FileValue? {
        switch node?.content {
        case .integer(let integer): return .int(integer)
        case .list(let list):
            let values = list.prefix(100).compactMap { value(of: $0) }
            return values.isEmpty || values.contains { if case .list = $0 { true } else { false } }
                ? nil : .list(values)
        default: return node?.scalarText.flatMap(literal)
        }
    }

    /// Returns a text of the document that means itself. Braces would be placeholders.
    static func literal(_ text: String) -> FileValue? {
        let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{7F}" && $0 != "{" && $0 != "}" }
        return isPlain && !text.isEmpty && text.utf8.count <= 2_000 ? .text(text.doublingDollars) : nil
    }

    /// Returns what the user gives: a text, or the elements of a list between commas. `{now - 7d}` stays a placeholder.
    static func given(_ text: String, isList: Bool) -> FileValue? {
        guard isList else {
            let isTime = text.wholeMatch(of: /\{now[^{}]*\}/) != nil
            return isTime ? .text(text) : literal(text)
        }
        let values = text.split(separator: ",").compactMap { literal(String($0)) }
        return values.isEmpty ? nil : .list(values)
    }
}
