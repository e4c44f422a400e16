extension ConfigurationReader {
    func headers(_ value: YAMLValue, _ level: Level) -> [Setting<RequestTemplate.Parameter>] {
        var seen: Set<String> = []
        return parameters(value, level) { entry in
            guard isHeaderName(entry.key, entry.keyPlace) else { return nil }
            guard seen.insert(entry.key.lowercased()).inserted else {
                issues.fail(
                    at: entry.keyPlace, "duplicate header '\(entry.key)'",
                    hint: "upper and lower case do not count: keep one of them")
                return nil
            }
            let isSecret = SensitiveName.isHeader(entry.key)
            guard let text = configuredText(entry.value, isSecret: isSecret), isHeaderValue(text, of: entry.value)
            else {
                return nil
            }
            return text
        }
    }

    func params(_ value: YAMLValue, _ level: Level) -> [Setting<RequestTemplate.Parameter>] {
        parameters(value, level) { entry in
            guard !entry.key.isEmpty else {
                issues.fail(at: entry.keyPlace, "a parameter has no name", hint: "write 'name: value'")
                return nil
            }
            guard !entry.key.contains("${") else {
                issues.fail(
                    at: entry.keyPlace, "a name cannot hold '${…}'",
                    hint: "variables are allowed in the values of headers, params and auth only")
                return nil
            }
            if let scalar = entry.value.plainOrQuotedText, refusesPlaceholder(in: scalar, of: entry.value) {
                return nil
            }
            return configuredText(entry.value, isSecret: SensitiveName.isParameter(entry.key))
        }
    }

    /// RFC 9110, 5.1: a field name is a token. The name is not shown when it is none: it may be a misplaced value.
    func isHeaderName(_ name: String, _ place: ConfigurationPlace) -> Bool {
        let isToken = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"):
                true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
        if isToken, !name.isEmpty { return true }
        issues.fail(
            at: place, "this name of a header cannot be sent", hint: "use letters, digits and '-', as in X-API-Key")
        return false
    }

    /// A line break would end the header and begin another one.
    func isHeaderValue(_ text: ConfiguredText, of value: YAMLValue) -> Bool {
        let hasControl = text.reveal().unicodeScalars.contains { ($0.value < 0x20 && $0 != "\t") || $0.value == 0x7F }
        if !hasControl { return true }
        value.fail(
            "'\(value.name)' holds a line break or another control character",
            hint: "a header's value is one line of text")
        return false
    }

    /// Placeholders of later versions are refused rather than sent as they stand; `${…}` is none.
    func refusesPlaceholder(in text: String, of value: YAMLValue) -> Bool {
        let pattern = /(^|[^$])(\{[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*\})/
        guard let match = text.firstMatch(of: pattern) else { return false }
        value.fail(
            "placeholder '\(match.2.prefix(60))' in '\(value.name)' is not yet supported",
            hint: "write the value itself")
        return true
    }

    private func parameters(
        _ value: YAMLValue, _ level: Level, _ text: (YAMLMapping.Entry) -> ConfiguredText?
    ) -> [Setting<RequestTemplate.Parameter>] {
        guard let mapping = value.mapping(isOptional: true) else { return [] }
        return mapping.entries.compactMap { entry in
            guard let text = text(entry) else { return nil }
            return Setting(
                value: RequestTemplate.Parameter(name: entry.key, value: text),
                origin: level.origin(line: entry.keyPlace.line))
        }
    }
}
