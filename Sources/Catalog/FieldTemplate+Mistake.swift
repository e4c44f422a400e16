extension FieldTemplate {
    /// The words with which a placeholder begins.
    private static let roots: Set = ["record", "parent", "partition", "incremental"]

    /// The placeholders of Garner by the words of templates in double braces.
    private static let foreign = [
        "config": "the value itself, since there are no settings here",
        "now": "{now}", "now_utc": "{now}", "today_utc": "{now, date}",
        "stream_interval": "{incremental.start_value} or {incremental.end_value}",
        "stream_partition": "{parent.id} or {partition.name}", "stream_slice": "{parent.id} or {partition.name}",
    ]

    private static func isName(_ name: String) -> Bool {
        Template.pieces(of: "{\(name)}").contains { $0.name == name } && Part(name: name) != nil
    }

    /// Returns what is meant as a placeholder and is none, such as `{{ record['a'] }}` and `{record.id + 1}`, with what to write
    /// instead; nil if there is nothing like it.
    static func mistake(in text: String) -> (written: String, advice: String)? {
        if let miss = Template.nearMisses(in: text, isName: isName, leavesOutFilters: false).first {
            return (String(miss.written.prefix(80)), "write \(miss.meant)")
        }
        let region =
            /(\$?)(\{+)\s*([a-z_]+)((?:\.get\(\s*['"][^'"]*['"]\s*\)|\.\$?[\w-]*|\[\s*['"]?[^'"\[\]{}]*['"]?\s*\])*)([^{}]*)\}*/
        for match in text.matches(of: region) where match.1.isEmpty {
            let (word, isDouble) = (String(match.3), match.2.count > 1)
            // A name alone is read as it is, and `{parent: 1}` may be a text.
            guard isDouble || !Template.pieces(of: String(match.0)).contains(where: { $0.name != nil }),
                isDouble || word == "record" || !match.4.isEmpty
            else { continue }
            let written = String(match.0.prefix(80))
            if isDouble, let own = foreign[word] { return (written, "write \(own)") }
            guard roots.contains(word) else { continue }
            let steps = match.4.replacing(".get(", with: ".").matches(of: /[^.$'"\[\]()\s]+/).map { String($0.0) }
            let meant = ([word] + steps).joined(separator: ".")
            guard Part(name: meant) != nil else {
                return (written, "write the name of a field, such as {record.id}")
            }
            let isComputed = match.5.contains { $0 != " " }
            return (written, "write {\(meant)}" + (isComputed ? "; SQL computes what is made of it" : ""))
        }
        return nil
    }
}

extension ConfigurationReader {
    /// Notes an issue for a text that would be stored as it stands, though a placeholder is meant.
    func holdsMistake(_ text: String, of value: YAMLValue) -> Bool {
        guard let (written, advice) = FieldTemplate.mistake(in: text) else { return false }
        value.fail("'\(written)' in '\(value.name)' is no placeholder", hint: advice)
        return true
    }
}
