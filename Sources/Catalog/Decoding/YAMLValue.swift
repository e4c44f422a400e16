import GarnerModel
import GarnerYAML

/// A node of the file, with the name that messages give it.
struct YAMLValue {
    let node: YAMLNode
    /// The keys that lead to the value, joined with dots: `paginator.limit`.
    let name: String
    let place: ConfigurationPlace
    let issues: IssueCollector

    init(_ node: YAMLNode, name: String, issues: IssueCollector) {
        self.node = node
        self.name = name
        self.issues = issues
        place = issues.place(node.mark)
    }

    /// True if there is no value, or `null`.
    var isNull: Bool {
        guard let scalar = node.scalar, scalar.isPlain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    /// The text of a scalar without quotes. Only such a scalar can be a number or a boolean.
    var plainText: String? {
        guard let scalar = node.scalar, scalar.isPlain, !isNull else { return nil }
        return scalar.string
    }

    /// True if the value has the tag `!!str`.
    var isTaggedAsText: Bool {
        node.scalar != nil && node.tag == "tag:yaml.org,2002:str"
    }

    /// The text of any scalar. For other nodes it is nil, and no issue is noted.
    var plainOrQuotedText: String? {
        isNull ? nil : node.scalar?.string
    }

    /// The kind of the value. It does not show the value, which may be a misplaced secret.
    var kind: String {
        switch node.content {
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .scalar: isNull ? "empty" : plainText.flatMap { Double($0) } == nil ? "text" : "a number"
        }
    }

    /// The keys of a mapping, with those that `<<` merges into it; nil for other values. No value counts as an empty mapping.
    var writtenKeys: Set<String>? { keyPlaces.map { Set($0.keys) } }

    /// The places of those keys.
    var keyPlaces: [String: ConfigurationPlace]? {
        if isNull { return [:] }
        guard let mapping = node.mapping else { return nil }
        var places: [String: ConfigurationPlace] = [:]
        note(mapping, in: &places, isMerged: false)
        return places
    }

    /// It is used only for values that were read, so that they do not merge without end.
    private func note(_ mapping: YAMLNode.Mapping, in places: inout [String: ConfigurationPlace], isMerged: Bool) {
        for (key, node) in mapping {
            guard let scalar = key.scalar else { continue }
            guard scalar.isMergeKey else {
                if !isMerged || places[scalar.string] == nil { places[scalar.string] = issues.place(key.mark) }
                continue
            }
            for node in node.sequence.map(Array.init) ?? [node] {
                if let merged = node.mapping { note(merged, in: &places, isMerged: true) }
            }
        }
    }

    /// The places of the elements of a list below a key; one if a single text stands there.
    func elementPlaces(below key: String) -> [ConfigurationPlace] {
        guard let list = node.mapping?.first(where: { $0.key.scalar?.string == key })?.value else { return [] }
        return list.sequence?.map { issues.place($0.mark) } ?? [issues.place(list.mark)]
    }

    func fail(_ message: String, hint: String? = nil) {
        issues.fail(at: place, message, hint: hint)
    }

    func warn(_ message: String, hint: String? = nil) {
        issues.warn(at: place, message, hint: hint)
    }

    /// Notes an issue, and returns nil in the place of what the value means.
    func failed<Meaning>(_ message: String, hint: String? = nil) -> Meaning? {
        issues.failed(at: place, message, hint: hint)
    }

    /// Notes an issue for a tag such as `!env NAME`, which the parser would ignore.
    func refuseTag() {
        guard let tag = node.tag, tag.hasPrefix("!"), tag.count > 1 else { return }
        fail("'\(name)' has an unknown tag, '\(tag.prefix(40))'", hint: "remove it; a variable is written \"${NAME}\"")
    }

    /// Warns of quotes that are a part of the text: those that a word processor has made, and one at its end alone.
    func warnOfQuotes() {
        guard let text = plainText?.unicodeScalars, text.count > 1, let first = text.first, let last = text.last else {
            return
        }
        if last == "\"", text.count(where: { $0 == "\"" }) == 1 {
            issues.warn(
                at: place, "the quote at the end of '\(name)' is a part of the text, as none begins it",
                hint: "write \" before the text, too, or remove the one at its end")
        }
        guard
            [first, last].allSatisfy(
                "\u{2018}\u{2019}\u{201A}\u{201C}\u{201D}\u{201E}\u{AB}\u{BB}".unicodeScalars.contains)
        else { return }
        issues.warn(
            at: place, "the quotes around '\(name)' are typographic ones, and a part of the text",
            hint: "write \" or ' in their place")
    }

    /// Warns of a comment as other languages have it, which is a part of the text.
    func warnOfComment() {
        guard let text = plainText, text.utf8.contains(UInt8(ascii: "/")),
            let mark = ["//", "/*"].first(where: { text.contains(" \($0)") || text.hasPrefix("\($0) ") })
        else { return }
        warn(
            "the '\(mark)' in '\(name)' begins no comment, and is a part of the text",
            hint: "a comment begins with '#': write # in place of \(mark)")
    }

    /// Returns the mapping. Notes an issue for other nodes; if `isOptional`, no value counts as an empty mapping.
    func mapping(isOptional: Bool = false, hint: String? = nil) -> YAMLMapping? {
        if isOptional, isNull { return YAMLMapping(empty: self) }
        guard let mapping = node.mapping else {
            if failsAsList() { return nil }
            let isName = name.hasPrefix("sources.") || name.hasPrefix("streams.")
            if isName, node.sequence == nil { issues.note(Slip(line: node.mark.line)) }
            let subject = name.isEmpty ? "the file" : "'\(name)'"
            let isPath = name.hasPrefix("streams.") && plainOrQuotedText?.wholeMatch(of: /[\w.\/-]+/) != nil
            let usual = isPath ? "write { path: PATH } in its place" : "write 'key: value' lines indented below it"
            let line = hint.map { ForeignWords.filled($0, with: self) }
            return failed("\(subject) must be a mapping, not \(kind)", hint: line ?? usual)
        }
        return YAMLMapping(mapping, of: self)
    }

    /// Notes an issue for a list of sources or streams, as other programs have it. Returns false for anything else.
    private func failsAsList() -> Bool {
        guard let sequence = node.sequence, ["sources", "streams"].contains(name) else { return false }
        let lines = sequence.prefix(3).compactMap { element -> (written: String, meant: String)? in
            let first = element.mapping?.first
            let key = first?.key.scalar?.string ?? element.scalar?.string ?? ""
            let value = first?.value.scalar?.string ?? ""
            let name = key == "name" ? value : key
            guard StreamName.isPart(name), key == "name" || value.isEmpty else { return nil }
            return ("- " + (key == "name" ? "name: \(name)" : first == nil ? name : "\(name):"), "\(name):")
        }
        let hints = lines.map { "'\($0.meant)' in place of '\($0.written)'" }
        fail(
            "'\(name)' must be a mapping of names, not a list",
            hint: "write " + (hints.isEmpty ? "'NAME:' in place of each '-'" : hints.joined(separator: ", "))
                + ", with the other keys indented below it")
        return true
    }
}

extension YAMLValue {
    /// Returns any scalar as it is written, with or without quotes: `100` is a text too.
    func scalarText(hint: String? = nil) -> String? {
        guard let scalar = node.scalar, !isNull else {
            if isNull { issues.note(Slip(line: node.mark.line, isEmpty: true)) }
            return failed(
                "'\(name)' must be text, not \(kind)",
                hint: hint ?? example.map { "write \($0)" } ?? "write a text, in quotes if it has special characters")
        }
        return scalar.string
    }

    /// The line of a key that other programs have as a mapping or a list; nil for other keys.
    private var example: String? {
        switch name {
        case "database": "database: garner.db"
        case "listen": "listen: 127.0.0.1:8787"
        case "record_filter": "record_filter: \"@.status == 'open'\""
        case "deleted_when": "deleted_when: \"@.deleted == true\""
        case "incremental.cursor_field": "cursor_field: updated_at"
        case "primary_key[0]" where isList: "primary_key: [id], with one pair of brackets"
        default: nil
        }
    }

    /// Returns a scalar that must not hold variables.
    func text(hint: String? = nil) -> String? {
        guard let text = scalarText(hint: hint) else { return nil }
        return refusesVariable(in: text) ? nil : text
    }

    func integer(in range: ClosedRange<Int>) -> Int? {
        let rule =
            range.upperBound == .max
            ? "at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        if let text = plainOrQuotedText, refusesVariable(in: text) { return nil }
        guard let text = plainText, isWholeNumber(text) else {
            return failed(
                "'\(name)' must be a whole number, not \(quoted)",
                hint: isEndless(plainOrQuotedText ?? "")
                    ? "write \(name): 0 for that" : "write a number \(rule), without quotes")
        }
        guard let number = Int(text), range.contains(number) else {
            return failed("'\(name)' is out of range: \(quoted)", hint: "write a number \(rule)")
        }
        return number
    }

    func number(in range: ClosedRange<Double>) -> Double? {
        let hint = "write a number from \(range.lowerBound) to \(range.upperBound), without quotes"
        if let text = plainOrQuotedText, refusesVariable(in: text) { return nil }
        guard let text = plainText, let number = Double(text), number.isFinite else {
            return failed("'\(name)' must be a number, not \(quoted)", hint: hint)
        }
        guard range.contains(number) else { return failed("'\(name)' is out of range: \(quoted)", hint: hint) }
        return number
    }

    func flag() -> Bool? {
        if let text = plainOrQuotedText, refusesVariable(in: text) { return nil }
        switch plainText {
        case "true": return true
        case "false": return false
        default:
            return failed("'\(name)' must be true or false, not \(quoted)", hint: "write true or false, without quotes")
        }
    }

    func choice<Choice>(_ choices: [(String, Choice)]) -> Choice? {
        let names = choices.map(\.0)
        let hint = "write \(StreamKey.joined(names))"
        guard let text = text(hint: hint) else { return nil }
        if let choice = choices.first(where: { $0.0 == text }) { return choice.1 }
        return failed(
            "'\(name)' cannot be \(quoted)",
            hint: YAMLMapping.suggestion(for: text, among: names) ?? hint)
    }

    /// Returns one of the cases, by their raw values.
    func choice<Choice: RawRepresentable<String>>(_ choices: [Choice]) -> Choice? {
        choice(choices.map { ($0.rawValue, $0) })
    }

    var isList: Bool { node.sequence != nil }

    /// Returns one text, or a list of them.
    func texts() -> [String]? {
        guard isList else { return text(hint: "write a text, or a list of texts").map { [$0] } }
        return elements { $0.text() }
    }

    /// Returns a list; nil if one of its elements is wrong.
    func elements<Element>(hint: String? = nil, read: (YAMLValue) -> Element?) -> [Element]? {
        guard let sequence = node.sequence else {
            if node.mapping?.first?.key.scalar?.string.hasPrefix("-") == true {
                issues.note(Slip(line: node.mark.line))
            }
            return failed(
                "'\(name)' must be a list, not \(kind)", hint: hint.map { ForeignWords.filled($0, with: self) })
        }
        guard issues.mayRead(sequence.count, at: place) else { return nil }
        let elements = sequence.enumerated().map { index, node in
            let value = YAMLValue(node, name: "\(name)[\(index)]", issues: issues)
            value.refuseTag()
            value.warnOfComment()
            return read(value)
        }
        let good = elements.compactMap(\.self)
        return good.count == elements.count ? good : nil
    }

    func duration(atLeast minimum: Duration) -> Duration? {
        let example =
            "write a duration such as \(minimum < .seconds(1) ? "500ms, 30s, 15m or 1h30m" : "30s, 15m, 12h or 30d")"
        guard let text = text(hint: example) else { return nil }
        let duration: Duration
        do {
            duration = try DurationText.parse(text)
        } catch {
            switch error {
            case .missingUnit:
                fail("'\(name)' has no unit: \(quoted)", hint: "add a unit: \(text)s, \(text)m or \(text)h")
            case .negative: fail("'\(name)' is negative: \(quoted)", hint: example)
            case .outOfRange: fail("'\(name)' is out of range: \(quoted)", hint: "write less than 290 years")
            case .calendarUnit:
                fail("'\(name)' cannot count in years or months: \(quoted)", hint: "write days or hours: P30D, 12h")
            case .malformed:
                fail(
                    "'\(name)' must be a duration, not \(quoted)",
                    hint: isEndless(text)
                        ? "leave '\(name)' out for that"
                        : DurationText.spelling(of: text).map { "write \($0)" } ?? example)
            }
            return nil
        }
        guard duration >= minimum else {
            return failed("'\(name)' is too short: \(quoted)", hint: "write at least \(DurationText.format(minimum))")
        }
        return duration
    }

    /// The keys of durations that have no end, or are never due, if they are left out, and the words for that.
    private static let keysOfNoEnd: Set = ["keep_history", "keep_runs", "incremental.full_refresh_every"]
    private static let wordsOfNoEnd: Set = [
        "all", "always", "forever", "infinite", "never", "no", "none", "off", "unlimited",
    ]

    /// Returns true for a word for no end where the key may have none.
    private func isEndless(_ word: String) -> Bool {
        Self.keysOfNoEnd.contains(name) && Self.wordsOfNoEnd.contains(word.lowercased())
    }

    /// Returns a size of at least one byte.
    func byteSize() -> Int? {
        let example = "write a size such as 512KiB, 64MiB or 1GB"
        guard let text = text(hint: example) else { return nil }
        do {
            let bytes = try ByteSize.parse(text)
            if bytes > 0 { return bytes }
            fail("'\(name)' is too small: \(quoted)", hint: example)
        } catch {
            switch error {
            case .negative: fail("'\(name)' is negative: \(quoted)", hint: example)
            case .outOfRange: fail("'\(name)' is out of range: \(quoted)", hint: example)
            case .unknownUnit(let unit): fail("'\(name)' has an unknown unit, '\(unit)'", hint: example)
            case .malformed: fail("'\(name)' must be a size, not \(quoted)", hint: example)
            }
        }
        return nil
    }

    static let placesOfVariables =
        "variables are allowed in database, publish, base_url, path, token_url, table, form and body, in the values of headers, params and auth, and in json only"

    private func refusesVariable(in text: String) -> Bool {
        guard text.contains("${") else { return false }
        fail(
            "'\(name)' cannot hold '${…}'",
            hint: name.hasPrefix("auth.send") && text.contains("${token}")
                ? "leave out the $ before {token}" : Self.placesOfVariables)
        return true
    }

    /// The value as it is written, shortened to one line. It is used only for values that cannot hold a secret.
    private var quoted: String {
        guard let scalar = node.scalar, !isNull else { return kind }
        let line = scalar.string.map { $0.isNewline || $0.isWhitespace ? " " : $0 }
        return line.count > 40 ? "'\(String(line.prefix(40)))…'" : "'\(String(line))'"
    }

    private func isWholeNumber(_ text: String) -> Bool {
        let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        return !digits.isEmpty && digits.allSatisfy { ("0"..."9").contains($0) }
    }
}
