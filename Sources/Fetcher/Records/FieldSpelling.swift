import GarnerCatalog
import GarnerJSON

/// The spelling of values in JSON by the declared type of their field.
enum FieldSpelling {
    /// Returns the value as a number or boolean of this type; nil if it is none, or if that would lose something.
    static func of(_ value: Node, as type: FieldType) -> String? {
        switch type {
        case .text: nil
        case .integer: value.string.flatMap(integer)
        case .real: value.kind == .integer ? real(value.text) : value.string.flatMap(real)
        case .boolean: boolean(value)
        }
    }

    private static func boolean(_ value: Node) -> String? {
        switch value.kind {
        case .string: ["true", "false"].first { $0 == value.text }
        case .integer: value.integer == 1 ? "true" : value.integer == 0 ? "false" : nil
        default: nil
        }
    }

    /// Returns a text that is spelled as an integer of 64 bits: `012`, `+1` and `-0` are not.
    private static func integer(_ text: String) -> String? {
        guard let integer = Int64(text), text.utf8.elementsEqual(String(integer).utf8) else { return nil }
        return text
    }

    /// Returns a text that is a number in JSON which a double holds with all its digits, spelled as a real number.
    private static func real(_ text: String) -> String? {
        var spelled = text
        switch spelled.withUTF8({ SpelledNumber($0) }) {
        case .real: return text
        case .integer(let integer): return isExact(integer) ? "\(text).0" : nil
        case .other, nil: return nil
        }
    }

    /// A double holds every integer up to 2^53.
    private static func isExact(_ integer: Int64) -> Bool { integer.magnitude <= 1 << 53 }
}
