import GarnerCatalog
import GarnerJSON
import GarnerModel

/// The treatment of a value that its column does not hold, where `schema_contract.data_types` is `set_aside`.
enum OddValue: Equatable {
    /// The column has NULL, and `_garner_rest` the value: it says that there is none, or the column's type is configured.
    case setAside
    /// The column has the number that the text spells, and `_garner_rest` the text.
    case spelled(SpelledNumber)
    /// The column gets a type that holds it.
    case wider(ColumnType)

    /// - Parameters:
    ///   - value: A value that a column of this type does not hold; not null.
    ///   - type: The column's type; nil if it has held only nulls.
    ///   - declared: The type that `fields.types` names; nil if it names none.
    init(_ value: Node, in type: ColumnType?, declared: FieldType?) {
        let own = declared == .numeric && value.kind == .number ? .real : ColumnType(holding: value) ?? .text
        guard let type else {
            self = .wider(declared?.column ?? own)
            return
        }
        guard let rank = type.rank else {
            self = .wider(own)
            return
        }
        if declared == .numeric, type == .real, let nearest = value.nearestReal {
            self = .spelled(.real(nearest))
            return
        }
        if let declared {
            guard let most = declared.column.rank else {
                self = .wider(.text)
                return
            }
            let wider = own.rank.map { max($0, rank) } ?? .max
            self = wider > rank && wider <= most ? .wider(own) : .setAside
            return
        }
        switch value.kind {
        case .string: self = Self.text(value.utf8, in: type)
        case .array, .object: self = value.isEmpty ? .setAside : .wider(own)
        case .null, .true, .false, .integer, .real, .number: self = .wider(own)
        }
    }

    private static func text(_ text: UnsafeBufferPointer<UInt8>, in type: ColumnType) -> OddValue {
        guard let number = SpelledNumber(text) else {
            if type == .boolean, let value = boolean(text) { return .spelled(.integer(value ? 1 : 0)) }
            return isPlaceholder(text) ? .setAside : .wider(.text)
        }
        switch (number, type) {
        case (.integer, .integer), (.real, .real): return .spelled(number)
        case (.integer(let integer), .real) where integer.isExactDouble: return .spelled(number)
        case (.real(let real), .integer):
            return Int64(exactly: real).map { .spelled(.integer($0)) } ?? .wider(.real)
        case (.integer, .boolean): return .wider(.integer)
        case (.real, .boolean): return .wider(.real)
        default: return .wider(.text)
        }
    }

    /// The most bytes of a text that stands for no value, such as `n/a` or `unknown`.
    private static let longestPlaceholder = 32

    private static func isPlaceholder(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.count <= longestPlaceholder && !text.contains { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            || text.elementsEqual(quotientByZero.utf8)
    }

    /// The word of spreadsheets for a number that there is not.
    private static let quotientByZero = "#DIV/0!"

    /// Returns true for a value that says that there is none: a short text without a digit, or an empty list or object.
    static func isPlaceholder(_ value: Node) -> Bool {
        switch value.kind {
        case .string: isPlaceholder(value.utf8)
        case .array, .object: value.isEmpty
        case .null, .true, .false, .integer, .real, .number: false
        }
    }

    /// Returns the boolean that a text spells as JSON does; nil for any other text.
    static func boolean(_ text: UnsafeBufferPointer<UInt8>) -> Bool? {
        text.elementsEqual("true".utf8) ? true : text.elementsEqual("false".utf8) ? false : nil
    }

    /// Returns true for a text that is a boolean in JSON.
    static func isSpelledBoolean(_ value: Node) -> Bool { value.kind == .string && boolean(value.utf8) != nil }

    /// Returns true for a text that is a number in JSON.
    static func isSpelledNumber(_ value: Node) -> Bool { value.kind == .string && SpelledNumber(value.utf8) != nil }
}

extension ColumnType {
    /// The place among the types of numbers and booleans, of which each holds the values of those before; nil for other types.
    var rank: Int? {
        switch self {
        case .boolean: 0
        case .integer: 1
        case .real: 2
        case .json, .text: nil
        }
    }
}

extension Node {
    /// True for an array or object without a value.
    var isEmpty: Bool {
        switch kind {
        case .array: !elements.contains { _ in true }
        case .object: !members.contains { _ in true }
        default: false
        }
    }
}
