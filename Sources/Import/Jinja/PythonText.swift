import GarnerModel

/// Writes values as Python prints them, or as its `json.dumps` does.
struct PythonText {
    enum Style {
        case python, json
    }

    private(set) var text = ""
    private let longest: Int
    private let style: Style

    init(longest: Int, style: Style = .python) { (self.longest, self.style) = (longest, style) }

    /// Writes a value, which is known. A text is written without quotes.
    mutating func write(_ value: JinjaValue) throws(JinjaError) {
        switch value {
        case .text(let text) where style == .python: try append(text)
        case .missing: break
        default: try writePart(value)
        }
    }

    private mutating func append(_ text: String) throws(JinjaError) {
        guard self.text.utf8.count + text.utf8.count <= longest else { throw .limit }
        self.text += text
    }

    private mutating func writePart(_ value: JinjaValue) throws(JinjaError) {
        switch value {
        case .missing: try append(style == .json ? "null" : "Undefined")
        case .null: try append(style == .json ? "null" : "None")
        case .bool(let bool): try append(style == .json ? String(bool) : bool ? "True" : "False")
        case .integer(let integer): try append(String(integer))
        case .number(let number): try append(Self.text(of: number))
        case .text(let text): try append(style == .json ? Self.json(text) : Self.quoted(text))
        case .list(let values):
            try append("[")
            for (index, value) in values.enumerated() {
                if index > 0 { try append(", ") }
                try writePart(value)
            }
            try append("]")
        case .mapping(let members):
            try append("{")
            for (index, member) in members.enumerated() {
                if index > 0 { try append(", ") }
                try writePart(.text(member.name))
                try append(": ")
                try writePart(member.value)
            }
            try append("}")
        case .time(let time): try append(JinjaTime.text(of: time))
        case .duration(let seconds): try append(Self.text(ofDuration: seconds))
        case .calendarDuration(let duration): try append(Self.text(ofDuration: duration.usual))
        case .secret, .now, .later, .operation, .joined: throw .value("a value is known only later")
        }
    }

    static func text(of number: Double) -> String {
        let text = String(number)
        // Python writes an exponent from 1e16 on.
        guard number.magnitude >= 1e16, text.hasSuffix(".0") else { return text }
        let digits = text.dropLast(2).drop { $0 == "-" }
        var fraction = digits.dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return (number < 0 ? "-" : "") + digits.prefix(1) + (fraction.isEmpty ? "" : "." + fraction)
            + "e+\(digits.count - 1)"
    }

    private static func text(ofDuration seconds: Int) -> String {
        let (days, rest) = Int64(seconds).flooredDivision(by: 86_400)
        let time =
            "\(rest / 3600):" + [rest / 60 % 60, rest % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return days == 0 ? time : "\(days) day\(days == 1 || days == -1 ? "" : "s"), \(time)"
    }

    private static func quoted(_ text: String) -> String {
        let quote: Unicode.Scalar = text.utf8.contains(39) && !text.utf8.contains(34) ? "\"" : "'"
        return written(text, quote: quote) { scalar in
            scalar.value < 161 ? "\\x" + hexadecimal(scalar.value, 2) : nil
        }
    }

    private static func json(_ text: String) -> String {
        written(text, quote: "\"") { scalar in
            String(Character(scalar)).utf16.map { "\\u" + hexadecimal(UInt32($0), 4) }.joined()
        }
    }

    private static func written(
        _ text: String, quote: Unicode.Scalar, code: (Unicode.Scalar) -> String?
    ) -> String {
        var written = String.UnicodeScalarView([quote])
        for scalar in text.unicodeScalars {
            switch scalar {
            case quote, "\\": written.append(contentsOf: ["\\", scalar])
            case "\n": written.append(contentsOf: "\\n".unicodeScalars)
            case "\r": written.append(contentsOf: "\\r".unicodeScalars)
            case "\t": written.append(contentsOf: "\\t".unicodeScalars)
            case " "..."~": written.append(scalar)
            default: written.append(contentsOf: (code(scalar) ?? String(Character(scalar))).unicodeScalars)
            }
        }
        written.append(quote)
        return String(written)
    }

    private static func hexadecimal(_ number: UInt32, _ width: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

/// Reads the texts that are literals of Python: numbers, `True`, `False`, `None`, texts in quotes, lists and mappings.
struct PythonLiteral {
    /// Stands around the number of a piece that is known later.
    static let mark = "\u{E000}"

    private let pieces: [JinjaValue]

    /// Returns nil for a text that is no literal.
    static func value(of text: String, with pieces: [JinjaValue] = []) -> JinjaValue? {
        guard let first = text.utf8.first(where: { $0 != 32 && $0 != 9 }),
            "0123456789+-'\"[{(TFN".utf8.contains(first), text.utf8.count <= JinjaEvaluator.longestText,
            let expression = try? JinjaParser.pythonExpression(of: text)
        else { return nil }
        return PythonLiteral(pieces: pieces).value(of: expression)
    }

    private func value(of expression: JinjaExpression) -> JinjaValue? {
        switch expression.kind {
        case .constant(.text(let text)): return value(ofText: text)
        case .constant(let value): return value
        case .name(let name): return piece(name)
        case .negative(let operand):
            switch operand.kind {
            case .constant(.integer(let integer)): return .integer(-integer)
            case .constant(.number(let number)): return .number(-number)
            default: return nil
            }
        case .list(let expressions, _):
            // An element without quotes is no literal if it is a text, as times are; a list of two of them may be meant as text.
            let values = expressions.compactMap { expression -> JinjaValue? in
                if case .name = expression.kind { nil } else { value(of: expression) }
            }
            return values.count == expressions.count ? .list(values) : nil
        case .mapping(let members):
            var names: [String: Int] = [:]
            var read: [JinjaValue.Member] = []
            for (key, expression) in members {
                var name = PythonText(longest: JinjaEvaluator.longestText)
                guard let key = value(of: key), (try? name.write(key)) != nil, let value = value(of: expression) else {
                    return nil
                }
                if let index = names[name.text] {
                    read[index].value = value
                } else {
                    names[name.text] = read.count
                    read.append(.init(name.text, value))
                }
            }
            return .mapping(read)
        default: return nil
        }
    }

    private func piece(_ name: String) -> JinjaValue? {
        guard name.hasPrefix(Self.mark), name.hasSuffix(Self.mark),
            let index = Int(name.dropFirst().dropLast()), pieces.indices.contains(index)
        else { return nil }
        return pieces[index]
    }

    private func value(ofText text: String) -> JinjaValue? {
        guard !pieces.isEmpty, text.contains(Self.mark) else { return .text(text) }
        // Every other part is the number of a piece.
        let parts = text.parts(between: Self.mark)
        var found: [JinjaValue] = []
        for (index, part) in parts.enumerated() where index % 2 == 1 || !part.isEmpty {
            guard index % 2 == 1 else {
                found.append(.text(part))
                continue
            }
            guard let number = Int(part), pieces.indices.contains(number) else { return nil }
            found.append(pieces[number])
        }
        return found.count == 1 ? found[0] : .joined(found)
    }
}
