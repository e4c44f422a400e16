extension StreamTranslation {
    /// The JSONPath of a place, from the root on. A member `*` stands for all.
    static func jsonPath(_ steps: [JinjaValue.Later.Step]) -> String { "$" + pathSteps(steps) }

    static func jsonPath(_ names: [String]) -> String { jsonPath(names.map(JinjaValue.Later.Step.member)) }

    /// The steps of a JSONPath without what they begin at.
    static func pathSteps(_ steps: [JinjaValue.Later.Step]) -> String {
        steps.map { step in
            switch step {
            case .index(let index): "[\(index)]"
            case .member("*"): "[*]"
            case .member(let name): isWord(name) ? ".\(name)" : "[\(quoted(name))]"
            }
        }.joined()
    }

    /// A text in quotes, as RFC 9535 has it.
    static func quoted(_ text: String) -> String {
        var quoted = "'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "'"
    }

    /// True for a name that needs no quotes in a JSONPath; with hyphens behind its first letter, also for one that needs none in YAML.
    static func isWord(_ name: String, withHyphens: Bool = false) -> Bool {
        guard let first = name.utf8.first, !(48...57).contains(first), first != 45 else { return false }
        return name.utf8.allSatisfy { byte in
            (97...122).contains(byte) || (65...90).contains(byte) || (48...57).contains(byte) || byte == 95
                || withHyphens && byte == 45
        }
    }

    /// A name of letters, digits and `_`, for partitions.
    static func partitionName(_ name: String) -> String {
        var word = ""
        for character in name {
            let fits = isWord("_\(character)") && character != "_"
            if fits { word.append(character) } else if word.last != "_" { word.append("_") }
        }
        return word.isEmpty ? "value" : word
    }
}
