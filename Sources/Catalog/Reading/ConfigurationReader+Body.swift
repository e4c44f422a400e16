internal import Yams

extension ConfigurationReader {
    /// Aliases may nest deeper than the file does.
    private static let maximumDepth = 64

    func body(_ value: YAMLValue) -> BodyValue? {
        if value.isNull {
            value.fail("'\(value.name)' is empty", hint: "write json: { query: … }, or remove it")
            return nil
        }
        return bodyValue(value, isSecret: false, depth: 0)
    }

    private func bodyValue(_ value: YAMLValue, isSecret: Bool, depth: Int) -> BodyValue? {
        guard depth < Self.maximumDepth else {
            value.fail("'json' nests too deeply", hint: "nest less deeply")
            return nil
        }
        switch value.node {
        case .mapping: return object(value, depth: depth)
        case .sequence:
            return value.elements { bodyValue($0, isSecret: isSecret, depth: depth + 1) }.map { .array($0) }
        case .scalar where value.isNull: return .null
        case .scalar, .alias: return scalar(value, isSecret: isSecret)
        }
    }

    private func object(_ value: YAMLValue, depth: Int) -> BodyValue? {
        guard let mapping = value.mapping() else { return nil }
        let members = mapping.entries.compactMap { entry -> BodyValue.Member? in
            guard !holdsVariable(entry) else { return nil }
            let isSecret = SensitiveName.isParameter(entry.key, value: entry.value.plainOrQuotedText)
            return bodyValue(entry.value, isSecret: isSecret, depth: depth + 1).map {
                BodyValue.Member(name: entry.key, value: $0)
            }
        }
        return members.count == mapping.entries.count ? .object(members) : nil
    }

    private func scalar(_ value: YAMLValue, isSecret: Bool) -> BodyValue? {
        // "!!str 1" is a text; without a tag, YAML's core schema tells numbers and booleans from texts.
        guard let text = value.plainText, !value.isTaggedAsText else {
            return templatedText(value, isSecret: isSecret).map { .text($0) }
        }
        if ["true", "True", "TRUE"].contains(text) { return .flag(true) }
        if ["false", "False", "FALSE"].contains(text) { return .flag(false) }
        if text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil { return .number(text) }
        if text.wholeMatch(of: /[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+/) != nil
            || text.wholeMatch(of: /[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)/) != nil
        {
            value.fail("'\(value.name)' is a number that JSON cannot spell", hint: "write it as 5 or 0.5, or in quotes")
            return nil
        }
        return templatedText(value, isSecret: isSecret).map { .text($0) }
    }
}
