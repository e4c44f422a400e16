import CGarnerSimdJSON

/// The number that a text spells as JSON does: `19.99` and `-1e3`, but neither `012` nor `+49` nor ` 1`.
package enum SpelledNumber: Equatable {
    /// A number that Int64 represents exactly.
    case integer(Int64)
    /// A number that a Double represents with the same decimal digits.
    case real(Double)
    /// A number that neither type represents exactly.
    case other

    package var isInteger: Bool { if case .integer = self { true } else { false } }

    /// The most digits of which every number is a Double that keeps them.
    private static let mostDigits = 15

    /// Returns nil if the text is no number in JSON.
    package init?(_ text: UnsafeBufferPointer<UInt8>) {
        guard let last = text.last, Self.isDigit(last) else { return nil }
        guard let usual = Self.usual(text) else {
            guard let parsed = Self.parsed(text) else { return nil }
            self = parsed
            return
        }
        self = usual
    }

    /// Returns the number that a few digits are, with or without a point; nil for any other text.
    private static func usual(_ text: UnsafeBufferPointer<UInt8>) -> SpelledNumber? {
        let isNegative = text.first == UInt8(ascii: "-")
        let spelled = text.dropFirst(isNegative ? 1 : 0)
        guard spelled.count <= mostDigits + 1, let first = spelled.first, isDigit(first) else { return nil }
        var digits: Int64 = 0
        var (count, scale, hasPoint) = (0, 1.0, false)
        for byte in spelled {
            if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
                continue
            }
            guard isDigit(byte) else { return nil }
            digits = 10 * digits + Int64(byte - UInt8(ascii: "0"))
            count += 1
            if hasPoint { scale *= 10 }
        }
        let second = spelled.dropFirst().first
        let hasLeadingZero = first == UInt8(ascii: "0") && second != nil && second != UInt8(ascii: ".")
        guard count <= mostDigits, !hasLeadingZero, digits > 0 else { return nil }
        let signed = isNegative ? -digits : digits
        // Both are exact, so the quotient is the nearest Double.
        return hasPoint ? .real(Double(signed) / scale) : .integer(signed)
    }

    private static func parsed(_ text: UnsafeBufferPointer<UInt8>) -> SpelledNumber? {
        let start = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
        var number = garner_json_node()
        return switch garner_json_spelled(start, text.count, &number) {
        case GARNER_JSON_INTEGER: .integer(number.integer)
        case GARNER_JSON_REAL: .real(number.real)
        case GARNER_JSON_NUMBER: .other
        default: nil
        }
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
