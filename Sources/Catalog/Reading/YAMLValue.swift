internal import Yams

/// A node of the file, with the name that messages give it.
struct YAMLValue {
    let node: Node
    /// The keys that lead to it, joined with dots: `paginator.limit`.
    let name: String
    let place: ConfigurationPlace
    let issues: IssueCollector

    init(_ node: Node, name: String, issues: IssueCollector) {
        self.node = node
        self.name = name
        self.issues = issues
        place = ConfigurationPlace(file: issues.file, line: node.mark?.line, column: node.mark?.column)
    }

    /// Whether nothing was written, or `null`.
    var isNull: Bool {
        guard let scalar = node.scalar, scalar.style == .plain || scalar.style == .any else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    /// A scalar without quotes: only these can be numbers or booleans.
    var plainText: String? {
        guard let scalar = node.scalar, scalar.style == .plain || scalar.style == .any, !isNull else { return nil }
        return scalar.string
    }

    /// Whether `!!str` stands before it.
    var isTaggedAsText: Bool {
        node.scalar?.tag.rawValue == "tag:yaml.org,2002:str"
    }

    /// What any scalar says, without an issue for what is none.
    var plainOrQuotedText: String? {
        isNull ? nil : node.scalar?.string
    }

    /// What it is, without what it says: it may be a secret in the wrong place.
    var kind: String {
        switch node {
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .scalar where isNull: "empty"
        case .scalar, .alias: "text"
        }
    }

    func fail(_ message: String, hint: String? = nil) {
        issues.fail(at: place, message, hint: hint)
    }

    /// `!env NAME` and the like would be read as if the tag were not there.
    func refuseTag() {
        let tag =
            switch node {
            case .scalar(let scalar): scalar.tag
            case .mapping(let mapping): mapping.tag
            case .sequence(let sequence): sequence.tag
            case .alias(let alias): alias.tag
            }
        guard tag.rawValue.hasPrefix("!"), tag.rawValue.count > 1 else { return }
        fail(
            "'\(name)' has an unknown tag, '\(tag.rawValue.prefix(40))'",
            hint: "remove it; a variable is written \"${NAME}\"")
    }

    func failNotYetSupported(_ what: String) {
        fail("'\(what)' is not yet supported", hint: "remove it; this version of garner does without")
    }

    /// Notes an issue unless it is a mapping; nothing at all counts as an empty one where `isOptional`.
    func mapping(isOptional: Bool = false, hint: String? = nil) -> YAMLMapping? {
        if isOptional, isNull { return YAMLMapping(empty: self) }
        guard case .mapping(let mapping) = node else {
            let subject = name.isEmpty ? "the file" : "'\(name)'"
            fail(
                "\(subject) must be a mapping, not \(kind)", hint: hint ?? "write 'key: value' lines indented below it")
            return nil
        }
        return YAMLMapping(mapping, of: self)
    }
}
