import GarnerCatalog
import GarnerJSON

/// The form that a value gets by the declared type of its field.
enum FieldSpelling {
    /// The value is of the type, is of none, or would lose something.
    case asItIs
    /// The text of what is no text.
    case text
    case integer(Int64)
    /// A number with the digits of the value, with a point and a zero behind those of a whole one.
    case real(Double, isWhole: Bool)
    case boolean(Bool)
    /// A number that neither type has exactly, with the digits of the value.
    case number

    init(of value: Node, as type: FieldType) {
        switch (type, value.kind) {
        case (_, .null), (.text, .string): self = .asItIs
        case (.text, _): self = .text
        case (.integer, .string): self = Self.integer(value.utf8)
        case (.real, .string), (.real, .integer): self = Self.real(value.utf8)
        case (.numeric, .string): self = Self.numeric(value.utf8)
        case (.boolean, .string):
            self = value.text == "true" ? .boolean(true) : value.text == "false" ? .boolean(false) : .asItIs
        case (.boolean, .integer): self = 0...1 ~= value.integer ? .boolean(value.integer == 1) : .asItIs
        default: self = .asItIs
        }
    }

    /// A text that is spelled as an integer of 64 bits: `012`, `+1` and `-0` are not.
    private static func integer(_ text: UnsafeBufferPointer<UInt8>) -> FieldSpelling {
        guard case .integer(let integer) = SpelledNumber(text), text.elementsEqual(String(integer).utf8) else {
            return .asItIs
        }
        return .integer(integer)
    }

    /// A text that is a number in JSON.
    private static func numeric(_ text: UnsafeBufferPointer<UInt8>) -> FieldSpelling {
        switch SpelledNumber(text) {
        case .integer(let integer): text.elementsEqual(String(integer).utf8) ? .integer(integer) : .number
        case .real(let real): .real(real, isWhole: false)
        case .other: .number
        case nil: .asItIs
        }
    }

    /// A text that is a number in JSON which a double holds with all its digits.
    private static func real(_ text: UnsafeBufferPointer<UInt8>) -> FieldSpelling {
        switch SpelledNumber(text) {
        case .real(let real): .real(real, isWhole: false)
        // A double holds every integer up to 2^53.
        case .integer(let integer) where integer.magnitude <= 1 << 53:
            .real(integer == 0 && text.first == UInt8(ascii: "-") ? -0.0 : Double(integer), isWhole: true)
        case .integer, .other, nil: .asItIs
        }
    }
}
