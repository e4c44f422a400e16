import GarnerJSON

// The numbers of fields that are `numeric`: a column of REAL has the nearest one, and `_garner_rest` has the digits.
extension Node {
    /// True for a number that a column of REAL has, but would show with other digits: `1.10`, `1e3`. A whole one may have `.0` or not.
    var isSpelledAnew: Bool { kind == .real && utf8.areSpelledAnew }

    /// The nearest number of REAL; nil for what is no number, and for one that is beyond all of REAL.
    var nearestReal: Double? {
        switch kind {
        case .integer, .real, .number: text.nearestReal
        case .string: OddValue.isSpelledNumber(self) ? text.nearestReal : nil
        case .null, .true, .false, .array, .object: nil
        }
    }

    /// True for digits in `_garner_rest` that count more than a column's number: those of a number, or of a too long text.
    var hasDigits: Bool {
        switch kind {
        case .integer, .real, .number: true
        case .string: SpelledNumber(utf8) == .other
        case .null, .true, .false, .array, .object: false
        }
    }
}

/// A text that spells a number as JSON does.
struct Digits {
    /// nil for a number that is beyond all of REAL.
    let nearest: Double?
    let areSpelledAnew: Bool

    /// Fails if the text is none.
    init?(_ text: String) {
        var text = text
        guard text.withUTF8({ SpelledNumber($0) }) != nil else { return nil }
        (nearest, areSpelledAnew) = (text.nearestReal, text.withUTF8(\.areSpelledAnew))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// True for a number without a point and an exponent.
    var isWhole: Bool { !contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") } }

    fileprivate var areSpelledAnew: Bool {
        contains { $0 | 0x20 == UInt8(ascii: "e") }
            || last == UInt8(ascii: "0") && contains(UInt8(ascii: ".")) && dropLast().last != UInt8(ascii: ".")
    }
}

extension String {
    /// The nearest number of REAL to a number as JSON spells it; nil if it is beyond all of REAL.
    var nearestReal: Double? { Double(self).flatMap { $0.isFinite ? $0 : nil } }
}
