internal import Yams

extension YAMLValue {
    /// Any scalar as written, quoted or not: `100` is a text too.
    func scalarText(hint: String? = nil) -> String? {
        guard let scalar = node.scalar, !isNull else {
            fail(
                "'\(name)' must be text, not \(kind)",
                hint: hint ?? "write a text, in quotes if it has special characters")
            return nil
        }
        return scalar.string
    }

    /// A scalar where variables have no place.
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
            fail("'\(name)' must be a whole number, not \(quoted)", hint: "write a number \(rule), without quotes")
            return nil
        }
        guard let number = Int(text), range.contains(number) else {
            fail("'\(name)' is out of range: \(quoted)", hint: "write a number \(rule)")
            return nil
        }
        return number
    }

    func number(in range: ClosedRange<Double>) -> Double? {
        let hint = "write a number from \(range.lowerBound) to \(range.upperBound), without quotes"
        if let text = plainOrQuotedText, refusesVariable(in: text) { return nil }
        guard let text = plainText, let number = Double(text), number.isFinite else {
            fail("'\(name)' must be a number, not \(quoted)", hint: hint)
            return nil
        }
        guard range.contains(number) else {
            fail("'\(name)' is out of range: \(quoted)", hint: hint)
            return nil
        }
        return number
    }

    func flag() -> Bool? {
        if let text = plainOrQuotedText, refusesVariable(in: text) { return nil }
        switch plainText {
        case "true": return true
        case "false": return false
        default:
            fail("'\(name)' must be true or false, not \(quoted)", hint: "write true or false, without quotes")
            return nil
        }
    }

    /// One of `choices`; those of `notYet` are refused by name.
    func choice<Choice>(_ choices: [(String, Choice)], notYet: [String] = []) -> Choice? {
        guard let text = text() else { return nil }
        if let choice = choices.first(where: { $0.0 == text }) { return choice.1 }
        if notYet.contains(text) {
            failNotYetSupported("\(name): \(text)")
            return nil
        }
        let names = choices.map(\.0)
        let suggestion = Suggestion.closest(to: text, among: names)
        fail(
            "'\(name)' cannot be \(quoted)",
            hint: suggestion.map { "did you mean '\($0)'?" } ?? "write \(names.joined(separator: ", "))")
        return nil
    }

    /// One of the cases, by their raw values.
    func choice<Choice: RawRepresentable<String>>(_ choices: [Choice], notYet: [String] = []) -> Choice? {
        choice(choices.map { ($0.rawValue, $0) }, notYet: notYet)
    }

    /// One text, or a list of them.
    func texts() -> [String]? {
        guard node.sequence != nil else { return text(hint: "write a text, or a list of texts").map { [$0] } }
        return elements { $0.text() }
    }

    /// A list; nil where one of its elements is wrong.
    func elements<Element>(hint: String? = nil, read: (YAMLValue) -> Element?) -> [Element]? {
        guard let sequence = node.sequence else {
            fail("'\(name)' must be a list, not \(kind)", hint: hint)
            return nil
        }
        guard issues.mayRead(sequence.count, at: place) else { return nil }
        let elements = sequence.enumerated().map { index, node in
            let value = YAMLValue(node, name: "\(name)[\(index)]", issues: issues)
            value.refuseTag()
            return read(value)
        }
        let good = elements.compactMap(\.self)
        return good.count == elements.count ? good : nil
    }

    func duration(atLeast minimum: Duration) -> Duration? {
        let example = "write a duration such as 500ms, 30s, 15m or 1h30m"
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
            case .malformed: fail("'\(name)' must be a duration, not \(quoted)", hint: example)
            }
            return nil
        }
        guard duration >= minimum else {
            fail("'\(name)' is too short: \(quoted)", hint: "write at least \(DurationText.format(minimum))")
            return nil
        }
        return duration
    }

    /// At least one byte.
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
        "variables are allowed in database, in the values of headers, params and auth, and in json only"

    private func refusesVariable(in text: String) -> Bool {
        guard text.contains("${") else { return false }
        fail("'\(name)' cannot hold '${…}'", hint: Self.placesOfVariables)
        return true
    }

    /// What was written, short and on one line; only for values that can hold no secret.
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
