/// A number as JSON spells it, judged by what `numeric` holds.
enum DecimalText {
    /// "up to 131072 digits before the decimal point; up to 16383 digits after the decimal point"
    /// (postgresql.org/docs/current/datatype-numeric.html).
    static let mostIntegerDigits = 131_072
    static let mostDecimals = 16_383

    struct Parts {
        var isNegative = false
        /// The places of the digits before the point, and of those behind it.
        var integer = 0..<0
        var fraction = 0..<0
        var exponent = 0
    }

    /// Returns the parts of a whole text that is a number in JSON; nil for any other.
    static func parts(_ text: UnsafeBufferPointer<UInt8>) -> Parts? {
        var place = 0
        guard let parts = parts(text, at: &place), place == text.count else { return nil }
        return parts
    }

    /// Reads a number and moves behind it. An exponent beyond a billion becomes one billion.
    static func parts(_ text: UnsafeBufferPointer<UInt8>, at place: inout Int) -> Parts? {
        func isDigit(_ place: Int) -> Bool { place < text.count && text[place] &- UInt8(ascii: "0") < 10 }
        var parts = Parts()
        if place < text.count, text[place] == UInt8(ascii: "-") {
            parts.isNegative = true
            place += 1
        }
        let first = place
        guard isDigit(place) else { return nil }
        place += 1
        if text[first] != UInt8(ascii: "0") { while isDigit(place) { place += 1 } }
        parts.integer = first..<place
        if place < text.count, text[place] == UInt8(ascii: ".") {
            let start = place + 1
            guard isDigit(start) else { return nil }
            place = start
            while isDigit(place) { place += 1 }
            parts.fraction = start..<place
        }
        if place < text.count, text[place] | 0x20 == UInt8(ascii: "e") {
            place += 1
            var isNegative = false
            if place < text.count, text[place] == UInt8(ascii: "+") || text[place] == UInt8(ascii: "-") {
                isNegative = text[place] == UInt8(ascii: "-")
                place += 1
            }
            guard isDigit(place) else { return nil }
            while isDigit(place) {
                parts.exponent = min(parts.exponent * 10 + Int(text[place] - UInt8(ascii: "0")), 1_000_000_000)
                place += 1
            }
            if isNegative { parts.exponent = -parts.exponent }
        }
        return parts
    }

    /// True if `numeric` surely holds the number with all of its digits.
    static func isHeld(_ parts: Parts) -> Bool {
        parts.integer.count + max(parts.exponent, 0) <= mostIntegerDigits
            && parts.fraction.count + max(-parts.exponent, 0) <= mostDecimals
    }

    /// Appends a number that is held in the binary format of `numeric` (`numeric_recv`): digits to the base of 10,000.
    static func appendBinary(_ text: UnsafeBufferPointer<UInt8>, _ parts: Parts, to bytes: inout [UInt8]) {
        let digits =
            parts.integer.map { text[$0] - UInt8(ascii: "0") } + parts.fraction.map { text[$0] - UInt8(ascii: "0") }
        let significant = digits.firstIndex { $0 > 0 } ?? digits.count
        let scale = max(parts.fraction.count - parts.exponent, 0)
        var groups: [UInt16] = []
        var weight = 0
        if significant < digits.count {
            // The number of digits before the point, which may be negative.
            let point = parts.integer.count + parts.exponent - significant
            weight = (point + 3).flooredQuotient(by: 4) - 1
            // Zeros in front fill the first group.
            var group: UInt16 = 0
            var filled = (weight + 1) * 4 - point
            for digit in digits[significant...] {
                group = group * 10 + UInt16(digit)
                filled += 1
                if filled == 4 {
                    groups.append(group)
                    (group, filled) = (0, 0)
                }
            }
            if filled > 0 {
                for _ in filled..<4 { group *= 10 }
                groups.append(group)
            }
            while groups.last == 0 { groups.removeLast() }
        }
        func append(_ number: UInt16) {
            bytes.append(UInt8(number >> 8))
            bytes.append(UInt8(truncatingIfNeeded: number))
        }
        append(UInt16(truncatingIfNeeded: groups.count))
        append(UInt16(truncatingIfNeeded: weight))
        append(parts.isNegative && !groups.isEmpty ? 0x4000 : 0)
        append(UInt16(truncatingIfNeeded: scale))
        for group in groups { append(group) }
    }
}

extension Int {
    fileprivate func flooredQuotient(by divisor: Int) -> Int {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
