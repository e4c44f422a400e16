/// A number that is compared without being rounded.
enum ExactNumber {
    case integer(Int64)
    /// A double whose shortest digits are the number's own, and the spelling.
    case real(Double, UnsafeBufferPointer<UInt8>)
    case spelled(UnsafeBufferPointer<UInt8>)

    enum Order { case less, equal, greater }

    /// Creates the number that a value is. Fails for a value of another kind.
    init?(_ value: ComparedValue) {
        switch value {
        case .integer(let integer): self = .integer(integer)
        case .node(let node):
            switch node.kind {
            case .integer: self = .integer(node.integer)
            case .real: self = .real(node.real, node.utf8)
            case .number: self = .spelled(node.utf8)
            case .null, .true, .false, .string, .array, .object: return nil
            }
        }
    }

    func compare(_ other: ExactNumber) -> Order {
        switch (self, other) {
        case (.integer(let one), .integer(let other)): return Self.order(one, other)
        // Rounding keeps the order, and a double is the nearest of only one number of shortest digits.
        case (.real(let one, _), .real(let other, _)): return Self.order(one, other)
        // The same holds for integers that are doubles.
        case (.integer(let one), .real(let other, _)) where one.magnitude <= 1 << 53:
            return Self.order(Double(one), other)
        case (.real(let one, _), .integer(let other)) where other.magnitude <= 1 << 53:
            return Self.order(one, Double(other))
        default: return decimal.compare(other.decimal)
        }
    }

    private var decimal: Decimal {
        switch self {
        case .integer(let integer): Decimal(String(integer).utf8)
        case .real(_, let spelling), .spelled(let spelling): Decimal(spelling)
        }
    }

    fileprivate static func order<Value: Comparable>(_ one: Value, _ other: Value) -> Order {
        one < other ? .less : one == other ? .equal : .greater
    }
}

/// The exact value of a number's spelling, in no more memory: ±0.d₁d₂… × 10ᵉ, whatever the size of e.
private struct Decimal {
    private let isNegative: Bool
    /// The digits without zeros at either end; none for zero.
    private let digits: [UInt8]
    private let exponent: Exponent

    /// Creates the value of a number of JSON.
    init(_ spelling: some Collection<UInt8>) {
        isNegative = spelling.first == UInt8(ascii: "-")
        let parts = spelling.drop { $0 == UInt8(ascii: "-") }
            .split(maxSplits: 1) { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
        let mantissa = parts.first ?? spelling[spelling.endIndex...]
        let point = mantissa.firstIndex(of: UInt8(ascii: ".")) ?? mantissa.endIndex
        let all = mantissa.filter { $0 != UInt8(ascii: ".") }
        var significant = all.drop { $0 == UInt8(ascii: "0") }
        let beforePoint = mantissa.distance(from: mantissa.startIndex, to: point) - (all.count - significant.count)
        while significant.last == UInt8(ascii: "0") { significant.removeLast() }
        digits = Array(significant)
        exponent = Exponent(parts.dropFirst().first.map { Array($0) } ?? [], plus: beforePoint)
    }

    func compare(_ other: Decimal) -> ExactNumber.Order {
        guard !digits.isEmpty || !other.digits.isEmpty else { return .equal }
        let order = ExactNumber.order(sign, other.sign)
        guard order == .equal else { return order }
        return isNegative ? other.compareMagnitude(self) : compareMagnitude(other)
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    private func compareMagnitude(_ other: Decimal) -> ExactNumber.Order {
        let order = exponent.compare(other.exponent)
        guard order == .equal else { return order }
        // No digits end with a zero, so the shorter of two that begin alike is the smaller one.
        return digits == other.digits ? .equal : digits.lexicographicallyPrecedes(other.digits) ? .less : .greater
    }
}

/// An integer of any size.
private struct Exponent {
    private let isNegative: Bool
    /// The digits without zeros at the start; none for zero.
    private let digits: [UInt8]

    /// Creates the sum of the exponent that is spelled, which may have a sign or be empty, and a small number.
    init(_ spelling: [UInt8], plus small: Int) {
        let isSpelledNegative = spelling.first == UInt8(ascii: "-")
        let spelled = spelling.drop { !SelectorReader.isDigit($0) }.drop { $0 == UInt8(ascii: "0") }
        if spelled.count < 18 {
            let magnitude = Int(String(decoding: spelled, as: UTF8.self)) ?? 0
            let sum = (isSpelledNegative ? -magnitude : magnitude) + small
            isNegative = sum < 0
            digits = sum == 0 ? [] : Array(String(sum.magnitude).utf8)
        } else {
            // It is larger than any length, so the sum keeps its sign.
            isNegative = isSpelledNegative
            digits = Self.sum(Array(spelled), isSpelledNegative ? -small : small)
        }
    }

    func compare(_ other: Exponent) -> ExactNumber.Order {
        guard isNegative == other.isNegative else { return isNegative ? .less : .greater }
        return isNegative ? other.compareMagnitude(self) : compareMagnitude(other)
    }

    private func compareMagnitude(_ other: Exponent) -> ExactNumber.Order {
        if digits.count != other.digits.count { return digits.count < other.digits.count ? .less : .greater }
        return digits == other.digits ? .equal : digits.lexicographicallyPrecedes(other.digits) ? .less : .greater
    }

    /// Returns the digits of a large number and a small one, which may be negative.
    private static func sum(_ digits: [UInt8], _ small: Int) -> [UInt8] {
        var digits = digits
        var carry = small
        for place in digits.indices.reversed() where carry != 0 {
            let sum = Int(digits[place] - UInt8(ascii: "0")) + carry
            let digit = (sum % 10 + 10) % 10
            digits[place] = UInt8(ascii: "0") + UInt8(digit)
            carry = (sum - digit) / 10
        }
        if carry > 0 { digits.insert(contentsOf: String(carry).utf8, at: 0) }
        return Array(digits.drop { $0 == UInt8(ascii: "0") })
    }
}
