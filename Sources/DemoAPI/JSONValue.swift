/// A JSON value whose objects keep the order in which their members were written.
enum JSONValue: Sendable {
    case null
    case integer(Int)
    /// A number as it is to be written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([(name: String, value: JSONValue)])

    /// The compact spelling of RFC 8259, in UTF-8 with only the mandatory escapes.
    var text: String {
        switch self {
        case .null: "null"
        case .integer(let integer): String(integer)
        case .number(let digits): digits
        case .string(let string): Self.quoted(string)
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(Self.quoted($0.name)):\($0.value.text)" }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ string: String) -> String {
        var quoted = "\""
        // By scalars: a quotation mark followed by a combining mark is one Character, unequal to a quotation mark.
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
