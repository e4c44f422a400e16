extension ConfigurationReader {
    func headers(_ mapping: YAMLMapping) -> [(YAMLMapping.Entry, ConfiguredText)] {
        var seen: Set<String> = []
        return mapping.entries.compactMap { entry in
            guard isHeaderName(entry.key, entry.keyPlace) else { return nil }
            guard seen.insert(entry.key.lowercased()).inserted else {
                issues.fail(
                    at: entry.keyPlace, "duplicate header '\(entry.key)'",
                    hint: "upper and lower case do not count: keep one of them")
                return nil
            }
            let isSecret = SensitiveName.isHeader(entry.key)
            guard let text = configuredText(entry.value, isSecret: isSecret), isHeaderValue(text, of: entry.value)
            else { return nil }
            return (entry, text)
        }
    }

    func params(_ mapping: YAMLMapping) -> [(YAMLMapping.Entry, ConfiguredText)] {
        mapping.entries.compactMap { entry in
            guard !entry.key.isEmpty else {
                issues.fail(at: entry.keyPlace, "a parameter has no name", hint: "write 'name: value'")
                return nil
            }
            guard !holdsVariable(entry) else { return nil }
            let isSecret = SensitiveName.isParameter(entry.key, value: entry.value.plainOrQuotedText)
            return templatedText(entry.value, isSecret: isSecret).map { (entry, $0) }
        }
    }

    /// Notes an issue where a name holds `${…}`.
    func holdsVariable(_ entry: YAMLMapping.Entry) -> Bool {
        guard entry.key.contains("${") else { return false }
        issues.fail(at: entry.keyPlace, "a name cannot hold '${…}'", hint: YAMLValue.placesOfVariables)
        return true
    }

    /// RFC 9110, 5.1: a field name is a token. The name is not shown when it is none: it may be a misplaced value.
    func isHeaderName(_ name: String, _ place: ConfigurationPlace) -> Bool {
        if HeaderSyntax.isName(name) { return true }
        issues.fail(
            at: place, "this name of a header cannot be sent", hint: "use letters, digits and '-', as in X-API-Key")
        return false
    }

    func isHeaderValue(_ text: ConfiguredText, of value: YAMLValue) -> Bool {
        if HeaderSyntax.isValue(text.reveal()) { return true }
        value.fail(
            "'\(value.name)' holds a line break or another control character",
            hint: "a header's value is one line of text")
        return false
    }
}
