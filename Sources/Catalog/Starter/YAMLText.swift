/// Texts written so that YAML reads them back.
enum YAMLText {
    /// What YAML takes for something other than a text.
    static let words: Set = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]

    /// Plain where that is safe everywhere, else in double quotes.
    static func scalar(_ text: String) -> String {
        let isPlain = text.wholeMatch(of: /[A-Za-z_$][A-Za-z0-9_.$\/]*/) != nil && !words.contains(text.lowercased())
        return isPlain ? text : quoted(text)
    }

    /// In double quotes, with escapes for all but ASCII and letters (YAML 1.2, 5.7).
    static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case " "..."~": String(scalar)
            case _ where scalar.properties.isAlphabetic && scalar.value < 0xFFF0: String(scalar)
            case _ where scalar.value <= 0xFF: "\\x" + hexadecimal(scalar, 2)
            case _ where scalar.value <= 0xFFFF: "\\u" + hexadecimal(scalar, 4)
            default: "\\U" + hexadecimal(scalar, 8)
            }
        }
        return "\"\(scalars.joined())\""
    }

    /// On one line, with nothing that would end the comment or the file.
    static func comment(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            (" "..."~").contains(scalar) || scalar.properties.isAlphabetic && scalar.value < 0xFFF0
                ? String(scalar) : "?"
        }
        return "# \(scalars.joined())"
    }

    /// `{ name: value, name: value }`
    static func mapping(_ members: [(name: String, value: String)]) -> String {
        "{ " + members.map { "\(scalar($0.name)): \($0.value)" }.joined(separator: ", ") + " }"
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar, _ width: Int) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
