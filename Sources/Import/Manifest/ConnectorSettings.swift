import GarnerCatalog

/// The settings of a connector: what its specification asks for, filled with what the user gives.
///
/// A secret becomes the name of a variable, whatever its value is, so that no file holds it.
package struct ConnectorSettings: Sendable {
    /// The values that the user gives.
    package struct Given: Sendable {
        /// The content of a settings file; nil for none.
        package var values: ManifestNode?
        /// Values of single settings by their names, such as `credentials.token`.
        package var single: [(name: String, text: String)]

        package init(values: ManifestNode? = nil, single: [(name: String, text: String)] = []) {
            (self.values, self.single) = (values, single)
        }
    }

    /// A setting that the user has to say.
    package struct Missing: Hashable, Sendable {
        package let name: String
        package let title: String
        /// A value such as it may have.
        package let example: String
    }

    package struct SecretSetting: Hashable, Sendable {
        package let name: String
        package let title: String
        package let variable: String
    }

    /// Alternatives, of which one counts.
    package struct Choice: Hashable, Sendable {
        package let name: String
        package let chosen: String
        package let others: [String]
        /// What chooses the others, such as `credentials.auth_type=token`; nil if nothing short does.
        package let setting: String?
    }

    package private(set) var config: JinjaValue = .missing
    package private(set) var missing: [Missing] = []
    package private(set) var secrets: [SecretSetting] = []
    package private(set) var choices: [Choice] = []
    /// The names of secrets whose values are written, since they were given one by one.
    package private(set) var shownSecrets: [String] = []

    private let single: [String: String]
    private let tokens: Set<String>
    private let codes: Set<String>
    private let prefix: String
    private var names: [String] = []
    /// The settings that each variable holds.
    private var holders: [String: Set<String>] = [:]
    private var depth = 0

    /// - Parameters:
    ///   - spec: the JSON schema of the settings; nil if nothing is known of them.
    ///   - tokens: the names of settings that are sent as proof of who asks, so that they are secrets.
    ///   - codes: choices that need code of the connector's own, such as `login.kind=oauth`.
    ///   - prefix: what the names of variables begin with.
    package init(
        _ spec: ManifestNode?, given: Given = Given(), tokens: Set<String> = [], codes: Set<String> = [],
        prefix: String = ""
    ) throws(ManifestError) {
        single = Dictionary(given.single.map { ($0.name, $0.text) }) { $1 }
        (self.tokens, self.codes, self.prefix) = (tokens, codes, prefix)
        if let values = given.values, !values.isMapping {
            throw ManifestError(
                "the file of --values is no mapping", line: values.line,
                advice: "write a JSON or YAML file with one member for each setting")
        }
        config = try object(spec ?? ManifestNode(.mapping([])), given.values, at: "")
        let unknown = given.single.map(\.name).first { !names.contains($0) }
        if let unknown, spec != nil {
            let advice = Suggestion.closest(to: unknown, among: names).map { "did you mean '\($0)'?" }
            throw ManifestError(
                "the connector has no setting '\(unknown.prefix(60))'",
                advice: advice
                    ?? (names.isEmpty ? "it has none" : "its settings are: \(names.joined(separator: ", "))"))
        }
    }

    /// The error that lists what is missing; nil if nothing is.
    package var error: ManifestError? {
        guard !missing.isEmpty else { return nil }
        let titles = missing.map { "\($0.name) (\($0.title))" }.joined(separator: ", ")
        let options = missing.map { Self.option($0.name, $0.example) }.joined(separator: " ")
        return ManifestError(
            "the connector needs settings that are not given: \(titles)", advice: "add \(options) or --values FILE")
    }

    static func shellWord(_ text: String) -> String {
        text.wholeMatch(of: /[A-Za-z0-9_.:\/@%+…-]+/) != nil ? text : "'\(text.replacing("'", with: "'\\''"))'"
    }

    /// Returns `--set name=value` for a shell. The words are those of a stranger's file.
    static func option(_ name: String, _ value: String) -> String { "--set \(setting(name, value))" }

    private static func setting(_ name: String, _ value: String) -> String { "\(shellWord(name))=\(shellWord(value))" }

    /// True if a setting has a value.
    func isTold(_ name: String) -> Bool {
        let value = name.split(separator: ".").reduce(config) { $0[String($1)] }
        return value != .missing
    }

    /// True if something below a name is given.
    private func isGiven(below name: String) -> Bool {
        single.keys.contains { $0 == name || $0.hasPrefix(name + ".") }
    }

    // MARK: - Values by their schema

    private mutating func object(
        _ schema: ManifestNode, _ given: ManifestNode?, at name: String
    ) throws(ManifestError) -> JinjaValue {
        depth += 1
        defer { depth -= 1 }
        guard depth < 12 else { return .missing }
        var members: [JinjaValue.Member] = []
        let required = Set(schema["required"]?.list.compactMap(\.text) ?? [])
        var known: Set<String> = []
        for property in schema["properties"]?.members ?? [] where property.value.isMapping {
            known.insert(property.name)
            let path = name.isEmpty ? property.name : "\(name).\(property.name)"
            let value = try value(
                property.value, given?[property.name], at: path, isRequired: required.contains(property.name))
            if value != .missing { members.append(JinjaValue.Member(property.name, value)) }
        }
        // What the specification does not know may be used nevertheless.
        for member in given?.members ?? [] where !known.contains(member.name) {
            let path = name.isEmpty ? member.name : "\(name).\(member.name)"
            names.append(path)
            let isSecret = SensitiveName.isVariable(member.name, isHidden: true) || tokens.contains(path)
            members.append(
                JinjaValue.Member(
                    member.name, isSecret ? secret(path, title: member.name) : JinjaValue(known: member.value)))
        }
        if schema["properties"] == nil {
            for (path, text) in single.sorted(by: { $0.key < $1.key }) {
                let rest =
                    name.isEmpty ? path : path.hasPrefix(name + ".") ? String(path.dropFirst(name.count + 1)) : ""
                guard !rest.isEmpty, !rest.contains("."), !members.contains(where: { $0.name == rest }) else {
                    continue
                }
                names.append(path)
                members.append(
                    JinjaValue.Member(
                        rest, JinjaValue(known: ManifestNode(ManifestReader.content(ofPlain: text)))))
            }
        }
        return .mapping(members)
    }

    private mutating func value(
        _ schema: ManifestNode, _ given: ManifestNode?, at name: String, isRequired: Bool
    ) throws(ManifestError) -> JinjaValue {
        names.append(name)
        let title = schema["title"]?.text ?? name
        let isNamedSo = SensitiveName.isParameter(name.split(separator: ".").last.map(String.init) ?? name, value: nil)
        let isSecret =
            schema["airbyte_secret"]?.bool
            ?? (isNamedSo && Self.kind(schema) == "string" || tokens.contains(name) && !schema.hasMembers)
        if let text = single[name] {
            // The specification calls it secret, but the user gave a plain value.
            if isSecret { shownSecrets.append(name) }
            try Self.check(text, by: schema, name)
            return JinjaValue(known: try Self.typed(text, by: schema, name))
        }
        if isSecret { return secret(name, title: title) }
        if let constant = schema["const"] { return JinjaValue(known: constant) }
        if !schema.alternatives.isEmpty {
            let option = try chosen(of: schema.alternatives, schema, given, at: name)
            return try object(option, given, at: name)
        }
        if schema["properties"] != nil {
            guard isRequired || given != nil || isGiven(below: name) || schema.hasDefaultWithin else { return .missing }
            return try object(schema, given, at: name)
        }
        if let given, !given.isNull {
            let typed = Self.typed(given, by: schema)
            if let text = typed.text { try Self.check(text, by: schema, name) }
            return JinjaValue(known: typed)
        }
        if let fallback = schema["default"], !fallback.isNull { return JinjaValue(known: fallback) }
        if isRequired { missing.append(Missing(name: name, title: title, example: Self.example(schema, name))) }
        return .missing
    }

    /// Returns the alternative that is given, else the first that needs no code, with the members that all have.
    private mutating func chosen(
        of options: [ManifestNode], _ schema: ManifestNode, _ given: ManifestNode?, at name: String
    ) throws(ManifestError) -> ManifestNode {
        let usual = options.firstIndex { option in
            !(option["properties"]?.members ?? []).contains { property in
                property.value.onlyValue?.scalarText.map { codes.contains("\(name).\(property.name)=\($0)") } ?? false
            }
        }
        var best: (index: Int, score: Int) = (usual ?? 0, 0)
        for (index, option) in options.enumerated() {
            var score = 0
            for property in option["properties"]?.members ?? [] {
                let value = single["\(name).\(property.name)"] ?? given?[property.name]?.scalarText
                guard let value else { continue }
                // The member that tells the alternatives apart decides.
                if let constant = property.value.onlyValue {
                    score += constant.scalarText == value ? 1_000 : -1_000
                } else {
                    score += 1
                }
            }
            if score > best.score { best = (index, score) }
        }
        let titles = options.enumerated().map { $1["title"]?.text ?? "alternative \($0 + 1)" }
        if options.count > 1 {
            let other = options.indices.first { $0 != best.index }.map { options[$0] }
            let sign = other?["properties"]?.members.first { $0.value.onlyValue != nil }
            choices.append(
                Choice(
                    name: name, chosen: titles[best.index],
                    others: titles.indices.filter { $0 != best.index }.map { titles[$0] },
                    setting: sign.flatMap { sign in
                        sign.value.onlyValue?.scalarText.map { Self.setting("\(name).\(sign.name)", $0) }
                    }))
        }
        for option in options {
            for property in option["properties"]?.members ?? [] { names.append("\(name).\(property.name)") }
        }
        let option = options[best.index]
        let shared = schema["properties"]?.members ?? []
        guard !shared.isEmpty else { return option }
        var properties = OrderedMembers(shared)
        for property in option["properties"]?.members ?? [] { properties.set(property.value, for: property.name) }
        var members = OrderedMembers(option.members)
        members.set(ManifestNode(.mapping(properties.members)), for: "properties")
        return ManifestNode(.mapping(members.members), line: option.line)
    }

    private mutating func secret(_ name: String, title: String) -> JinjaValue {
        let short = Self.variable(name.split(separator: ".").last.map(String.init) ?? name, prefix)
        let long = Self.variable(name.replacing(".", with: "_"), prefix)
        let isTaken = holders[short].map { $0 != [name] } ?? false
        let variable = isTaken ? long : short
        if holders[variable, default: []].insert(name).inserted {
            secrets.append(SecretSetting(name: name, title: title, variable: variable))
        }
        return .secret(variable)
    }

    /// Returns the name of a variable: `ACME_API_KEY` for `apiKey`.
    static func variable(_ name: String, _ prefix: String) -> String {
        let words = name.replacing(/([a-z0-9])([A-Z])/) { "\($0.1)_\($0.2)" }
        let letters = (prefix.isEmpty ? words : "\(prefix)_\(words)").uppercased().map {
            $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_"
        }
        let name = String(letters).replacing(/_+/, with: "_")
        return name.first?.isLetter == true ? name : "KEY_\(name)"
    }

    // MARK: - Single values

    private static func kind(_ schema: ManifestNode) -> String? {
        let type = schema["type"]
        return type?.text ?? type?.list.compactMap(\.text).first { $0 != "null" }
    }

    /// Throws if a text has not the form that the specification asks for.
    private static func check(_ text: String, by schema: ManifestNode, _ name: String) throws(ManifestError) {
        guard kind(schema) == "string", !text.isEmpty else { return }
        var problem: String?
        let format = schema["format"]?.text ?? ""
        // A pattern says more than a format, which some contradict.
        if let pattern = schema["pattern"]?.text, let regex = regex(pattern) {
            if text.utf8.count <= 200, text.firstMatch(of: regex) == nil {
                problem = "does not match the pattern \(ImportReport.shown(pattern))"
            }
        } else if ["date", "date-time"].contains(format), text.prefixMatch(of: /\d{4}-\d{2}-\d{2}/) == nil {
            problem = "is no \(format)"
        }
        guard let problem else { return }
        var example = example(schema, name)
        if example == "…", let form = schema["pattern_descriptor"]?.text { example = ImportReport.shown(form) }
        throw ManifestError(
            "the value of '\(name)' \(problem)", advice: "write \(option(name, example)), for example")
    }

    /// Returns a pattern of the specification; nil for one that could take long, or that is none.
    private static func regex(_ pattern: String) -> Regex<AnyRegexOutput>? {
        guard pattern.utf8.count <= 400, !pattern.contains(/\)[*+{]|\\\d/),
            pattern.matches(of: /[*+]|\{\d*,/).count <= 3
        else { return nil }
        return try? Regex(pattern)
    }

    /// Returns the value of a text of the command line.
    private static func typed(
        _ text: String, by schema: ManifestNode, _ name: String
    ) throws(ManifestError) -> ManifestNode {
        func wrong(_ what: String) -> ManifestError {
            ManifestError(
                "--set \(name) is no \(what)", advice: "write \(option(name, example(schema, name)))")
        }
        let plain = ManifestNode(ManifestReader.content(ofPlain: text))
        switch kind(schema) {
        case "integer":
            guard plain.integer != nil else { throw wrong("integer") }
            return plain
        case "number":
            if case .number = plain.content { return plain }
            guard plain.integer != nil else { throw wrong("number") }
            return plain
        case "boolean":
            guard plain.bool != nil else { throw wrong("boolean") }
            return plain
        case "array":
            if text.hasPrefix("[") { return try ManifestReader.node(of: text) }
            let words = text.split(separator: ",").map { String($0).trimmingSpace(of: " ") }
            let items = kind(schema["items"] ?? ManifestNode(.null))
            return ManifestNode(
                .list(
                    words.map {
                        ManifestNode(items == "integer" ? ManifestReader.content(ofPlain: $0) : .text($0))
                    }))
        case "object": return try ManifestReader.node(of: text)
        case nil where schema["enum"] == nil: return plain
        default: return ManifestNode(.text(text))
        }
    }

    /// Returns a value of a settings file as its schema has it: YAML's `2024` for a text is a text.
    private static func typed(_ node: ManifestNode, by schema: ManifestNode) -> ManifestNode {
        guard kind(schema) == "string", let text = node.scalarText else { return node }
        return ManifestNode(.text(text), line: node.line)
    }

    private static func example(_ schema: ManifestNode, _ name: String) -> String {
        let examples = schema["examples"]?.list ?? schema["enum"]?.list ?? schema["examples"].map { [$0] } ?? []
        let pattern = schema["pattern"]?.text ?? ""
        let regex = pattern.isEmpty ? nil : regex(pattern)
        func fits(_ text: String) -> Bool { regex.map { text.firstMatch(of: $0) != nil } ?? true }
        for candidate in examples + (schema["enum"]?.list ?? []) {
            // `<your-domain>.example.com` is to be filled in; a URL takes no such brackets.
            let text = candidate.scalarText?.filter { !"<>".contains($0) } ?? ""
            if !text.isEmpty, text.utf8.count <= 60, !text.contains("YY"), fits(text) { return text }
        }
        let format = schema["format"]?.text
        var guesses: [String] = []
        if format == "date-time" || pattern.contains("T") && pattern.contains("Z") { guesses = times }
        if format == "date" || name.lowercased().contains("date") { guesses += times.reversed() }
        if format == "uri" || name.lowercased().hasSuffix("url") { guesses.append("https://api.example.org") }
        switch kind(schema) {
        case "integer", "number": guesses.append("1")
        case "boolean": guesses.append("true")
        default: guesses.append("…")
        }
        // A descriptor says more than a guess.
        if schema["pattern_descriptor"] == nil { guesses += ["example", "EXAMPLE", "1"] + times }
        return guesses.first(where: fits) ?? "…"
    }

    /// A time as settings write it, the usual way first and last.
    private static let times = [
        "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00", "2024-01-01 00:00:00",
        "01/01/2024 00:00", "01/01/2024", "01-01-2024", "20240101", "2024-01-01",
    ]
}

extension ManifestNode {
    /// The value of a schema that allows just one.
    fileprivate var onlyValue: ManifestNode? {
        if let constant = self["const"] { return constant }
        guard let values = self["enum"]?.list, values.count == 1 else { return nil }
        return values.first
    }

    /// The alternatives of a schema of an object; none for other schemas.
    fileprivate var alternatives: [ManifestNode] {
        let options = (self["oneOf"] ?? self["anyOf"])?.list ?? []
        return options.contains { $0["properties"] != nil } ? options : []
    }

    /// True for a schema of an object whose members are known.
    fileprivate var hasMembers: Bool { self["properties"] != nil || !alternatives.isEmpty }

    /// True for a schema of an object of which a member has a value without being given.
    fileprivate var hasDefaultWithin: Bool {
        self["properties"]?.members.contains {
            $0.value["default"] != nil || $0.value["const"] != nil || $0.value["airbyte_secret"]?.bool == true
        } ?? false
    }
}

extension JinjaValue {
    /// A value of a file, in which nothing is evaluated.
    package init(known node: ManifestNode) {
        switch node.content {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .integer(let integer): self = .integer(integer)
        case .number(let number): self = Double(number).map { .number($0) } ?? .text(number)
        case .text(let text): self = .text(text)
        case .list(let list): self = .list(list.map { JinjaValue(known: $0) })
        case .mapping(let members):
            self = .mapping(members.map { Member($0.name, JinjaValue(known: $0.value)) })
        }
    }
}
