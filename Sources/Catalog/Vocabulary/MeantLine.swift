import GarnerJSON

extension ForeignWords {
    /// Returns a hint with the value of the file in place of each example in «…», if both are of one kind: a whole number, a duration, a JSONPath,
    /// a text in quotes or a word. Else the example stays.
    static func filled(_ hint: String, with value: YAMLValue) -> String {
        guard hint.contains("«") else { return hint }
        return hint.replacing(/«([^»]*)»/) { match -> String in
            let example = String(match.1)
            return meant(by: value, like: example) ?? example
        }
    }

    private static func meant(by value: YAMLValue, like example: String) -> String? {
        guard let text = value.plainOrQuotedText, !text.contains("${") else { return nil }
        if example.hasPrefix("\"") {
            // Lines of GraphQL are one text, whose braces hold no placeholder where a space follows them.
            let line = text.replacing("{", with: "{ ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return line.utf8.count <= 300 && !text.contains("#") ? YAMLText.quoted(line) : nil
        }
        if example.hasPrefix("$") {
            let path = text.hasPrefix("$") ? text : "$.\(text)"
            guard path.wholeMatch(of: /\$[\w.*'\[\]-]{1,80}/) != nil, (try? Selector(parsing: path)) != nil else {
                return nil
            }
            return path.contains("[") ? "\"\(path)\"" : path
        }
        let isNumber = text.wholeMatch(of: /[1-9][0-9]{0,5}/) != nil
        if example.allSatisfy(\.isNumber) { return isNumber ? text : nil }
        if example.first?.isNumber == true {
            let duration = isNumber ? "\(text)s" : text
            let isLonger = ((try? DurationText.parse(duration)) ?? .zero) >= .milliseconds(1)
            return isLonger && duration.wholeMatch(of: /[0-9A-Za-z.]{1,20}/) != nil ? duration : nil
        }
        let isWord = text.wholeMatch(of: /[A-Za-z_][\w.-]{0,39}/) != nil
        return isWord && !YAMLText.words.contains(text.lowercased()) && text.lowercased() != "none" ? text : nil
    }
}

extension YAMLMapping {
    /// Returns the hint for a key of another place with its value. A key that is here already is not to be written once more.
    func filled(_ hint: String, for entry: Entry) -> String {
        ForeignWords.filled(hint, with: entry.value)
            .replacing(/write ([a-z_]+): \{ (?:type: \w+, )?([^{}]*) \}/) { match -> String in
                self[String(match.1)] == nil ? String(match.0) : "write \(match.2) in '\(match.1)'"
            }
    }

    /// Returns the line for a key with a dot, as in `retry.max_attempts: 3`, and for the others of its mapping; nil if there is no such key.
    func nested(_ entry: Entry, _ known: [String]) -> String? {
        let names = entry.key.split(separator: ".", maxSplits: 1).map(String.init)
        guard names.count == 2, known.contains(names[0]),
            let owner = StreamKey.all.first(where: { $0.name == names[0] })
        else { return nil }
        let isOpen = ["headers", "params", "form"].contains(owner.name)
        let keys = owner.field.schema.keys
        var members: [(name: String, value: String)] = []
        for other in entries where other.key.hasPrefix("\(owner.name).") {
            let written = String(other.key.dropFirst(owner.name.count + 1))
            let meant = isOpen || keys.contains(written) ? written : ForeignWords.meaning(of: written, among: keys)
            guard let meant, let value = Self.shown(other.value, named: meant, of: owner.name) else { return nil }
            members.append((meant, value))
        }
        let lines = members.map { "\(YAMLText.scalar($0.name)): \($0.value)" }.joined(separator: ", ")
        return self[owner.name] == nil
            ? "write \(owner.name): { \(lines) }" : "write \(lines) in '\(owner.name)'"
    }

    /// Returns the line of a word that moves as it is, behind a colon; nothing for other values, and for keys whose value may be a secret.
    func line(of entry: Entry) -> String {
        let text = entry.value.plainText?.wholeMatch(of: /\w[\w.-]{0,59}/).map { String($0.output) }
        let isOpen = StreamKey.storing.contains { $0.name == entry.key }
        return text.map { isOpen ? ": \(entry.key): \($0)" : "" } ?? ""
    }

    /// Returns a text as the file can have it; a variable in the place of what may be a secret. Nil for lists, mappings and other variables.
    private static func shown(_ value: YAMLValue, named name: String, of owner: String) -> String? {
        guard let text = value.plainOrQuotedText, text.utf8.count <= 200 else { return nil }
        if text.wholeMatch(of: /(?:[A-Za-z]+ )?\$\{\w+\}/) != nil { return YAMLText.quoted(text) }
        let isSecret =
            SensitiveName.isHeader(name, value: text) || SensitiveName.isParameter(name, value: text)
            || ["auth", "hooks"].contains(owner) && name != "type"
        if isSecret { return "\"${NAME}\"" }
        guard !text.contains("${") else { return nil }
        let isPlain = value.plainText?.wholeMatch(of: /-?[0-9]+(?:\.[0-9]+)?|true|false|[0-9]+[a-z]+/) != nil
        return isPlain ? text : YAMLText.scalar(text)
    }
}
