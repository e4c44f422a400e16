import GarnerModel

extension JinjaEvaluator {
    // MARK: Comparisons

    /// Returns whether a comparison holds, or the operation if that is known later.
    mutating func compare(
        _ operation: JinjaExpression.Comparison, _ left: JinjaValue, _ right: JinjaValue
    ) throws(JinjaError) -> JinjaValue {
        let later = JinjaValue.operation(operation.rawValue, [left, right])
        switch operation {
        case .in, .notin:
            guard let isIn = try contains(right, left) else { return try made(later) }
            return .bool(isIn == (operation == .in))
        case .eq, .ne:
            if case .secret(let one) = left, case .secret(let other) = right, one != other { return later }
            if left.isSecret != right.isSecret {
                // Nobody knows a secret, only that it is a text and not empty.
                let other = left.isSecret ? right : left
                if case .text(let text) = other, !text.isEmpty { return try made(later) }
                guard try isKnown(other) else { return try made(later) }
                return .bool(operation == .ne)
            }
            if left.isSecret { return .bool(operation == .eq) }
            guard let (left, right) = try timed(left, right), try isKnown(left), try isKnown(right) else {
                return try made(later)
            }
            return .bool(try equal(left, right) == (operation == .eq))
        case .lt, .lteq, .gt, .gteq:
            if left == .missing || right == .missing { return try missing(operation.rawValue, [left, right]) }
            guard let (left, right) = try timed(left, right), try isKnown(left), try isKnown(right) else {
                return try made(later)
            }
            let isTurned = operation == .gt || operation == .gteq
            let isBefore = isTurned ? try precedes(right, left) : try precedes(left, right)
            guard operation == .lteq || operation == .gteq else { return .bool(isBefore) }
            if isBefore { return .bool(true) }
            return .bool(try equal(left, right))
        }
    }

    /// Puts the time of the read into a comparison; nil if that is not known and the other value is no mere absence.
    private func timed(
        _ left: JinjaValue, _ right: JinjaValue
    ) throws(JinjaError) -> (left: JinjaValue, right: JinjaValue)? {
        guard left.isNow || right.isNow, left != .missing, left != .null, right != .missing, right != .null else {
            return (left.isNow ? .text("now") : left, right.isNow ? .text("now") : right)
        }
        guard now != nil else { return nil }
        return (try known(left), try known(right))
    }

    /// The value of a time of the read, where that is known.
    func known(_ value: JinjaValue) throws(JinjaError) -> JinjaValue {
        guard case .now(let time) = value, let now else { return value }
        var instant = try JinjaTime.instant(now, after: time.distance)
        if time.isDay { instant -= Int(Int64(instant).flooredDivision(by: 86_400_000_000).remainder) }
        return if let format = time.format { .text(try JinjaTime.text(of: instant, in: format)) } else {
            .time(instant)
        }
    }

    /// Returns whether a value is in another; nil if that is known later.
    private mutating func contains(_ container: JinjaValue, _ value: JinjaValue) throws(JinjaError) -> Bool? {
        switch container {
        case .missing, .null: return false
        case .mapping(let members):
            guard try isKnown(value) else { return members.isEmpty ? false : nil }
            let name = try string(value)
            try spend(members.count / 16)
            return members.contains { $0.name == name }
        case .list(let elements):
            guard try isKnown(value) else { return elements.isEmpty ? false : nil }
            var isSure = true
            for element in elements {
                guard try isKnown(element) else {
                    isSure = false
                    continue
                }
                if try equal(element, value) { return true }
            }
            try spend(elements.count / 16)
            return isSure ? false : nil
        case .text(let text):
            guard try isKnown(value) else { return nil }
            guard case .text(let part) = value else { throw .value("only a text is in a text") }
            try spend(onSearching: text, for: part)
            return part.isEmpty || text.parts(between: part, most: 1).count > 1
        case _ where container.isKnown: throw .value("nothing is in a number")
        default: return nil
        }
    }

    /// Compares as Python does: 1, 1.0 and True are equal.
    mutating func equal(_ left: JinjaValue, _ right: JinjaValue) throws(JinjaError) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): return left.utf8.elementsEqual(right.utf8)
        case (.list(let left), .list(let right)):
            guard left.count == right.count else { return false }
            for (left, right) in zip(left, right) where !(try equal(left, right)) { return false }
            return true
        case (.mapping(let left), .mapping(let right)):
            guard left.count == right.count else { return false }
            try spend(left.count)
            for member in left {
                guard let other = right.first(where: { $0.name == member.name }), try equal(member.value, other.value)
                else { return false }
            }
            return true
        default:
            if let left = left.integral, let right = right.integral { return left == right }
            if let left = left.double, let right = right.double { return left == right }
            return left == right
        }
    }

    func precedes(_ left: JinjaValue, _ right: JinjaValue) throws(JinjaError) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)):
            return left.unicodeScalars.lexicographicallyPrecedes(right.unicodeScalars)
        case (.time(let left), .time(let right)), (.duration(let left), .duration(let right)): return left < right
        case (.calendarDuration, _), (_, .calendarDuration):
            return try precedes(left.withoutMonths, right.withoutMonths)
        default:
            if let left = left.integral, let right = right.integral { return left < right }
            guard let left = left.double, let right = right.double else {
                throw .value("values of two kinds have no order")
            }
            return left < right
        }
    }

    // MARK: Arithmetic

    mutating func arithmetic(
        _ operation: JinjaExpression.Arithmetic, _ left: JinjaExpression, _ right: JinjaExpression
    ) throws(JinjaError) -> JinjaValue {
        let (one, other) = (try value(left), try value(right))
        if operation == .mod, case .text(let format) = one {
            if case .list(_, isTuple: true) = right.kind, case .list(let values) = other {
                return try formatted(format, values)
            }
            return try formatted(format, [other])
        }
        return try arithmetic(operation, one, other)
    }

    mutating func arithmetic(
        _ operation: JinjaExpression.Arithmetic, _ left: JinjaValue, _ right: JinjaValue
    ) throws(JinjaError) -> JinjaValue {
        if left == .missing || right == .missing { return try missing(operation.rawValue, [left, right]) }
        switch (operation, left, right) {
        case (.add, .now(let now), .duration(let seconds)), (.add, .duration(let seconds), .now(let now)):
            return .now(try Self.shifted(now, by: .init(months: 0, seconds: seconds)))
        case (.add, .now(let now), .calendarDuration(let duration)),
            (.add, .calendarDuration(let duration), .now(let now)):
            return .now(try Self.shifted(now, by: duration))
        case (.sub, .now(let now), .duration(let seconds)):
            return .now(try Self.shifted(now, by: try Self.negated(.init(months: 0, seconds: seconds))))
        case (.sub, .now(let now), .calendarDuration(let duration)):
            return .now(try Self.shifted(now, by: try Self.negated(duration)))
        case (.sub, .now(let one), .now(let other)):
            return .duration(try Self.exact(one.distance.usual.subtractingReportingOverflow(other.distance.usual)))
        case (.add, _, _) where left.isTextual && right.isTextual && (left.isWritten || right.isWritten):
            return try concatenated([left, right])
        case (.add, .list(let left), .list(let right)): return try made(.list(left + right))
        case (.sub, .now, _), (.sub, _, .now):
            guard now != nil else { return try waiting(operation.rawValue, [left, right]) }
            return try arithmetic(operation, try known(left), try known(right))
        default:
            guard try isKnown(left), try isKnown(right) else { return try waiting(operation.rawValue, [left, right]) }
            return try computed(operation, left, right)
        }
    }

    /// Computes with values that are known.
    private mutating func computed(
        _ operation: JinjaExpression.Arithmetic, _ left: JinjaValue, _ right: JinjaValue
    ) throws(JinjaError) -> JinjaValue {
        switch (operation, left, right) {
        case (.mul, .text(let text), _) where right.integral != nil,
            (.mul, _, .text(let text)) where left.integral != nil:
            let (bytes, overflows) = text.utf8.count.multipliedReportingOverflow(
                by: max(0, right.integral ?? left.integral ?? 0))
            guard !overflows, bytes <= Self.longestText else { throw .limit }
            return .text(try spend(on: String(repeating: text, count: text.isEmpty ? 0 : bytes / text.utf8.count)))
        case (.mul, .list(let values), _) where right.integral != nil:
            let (count, overflows) = values.count.multipliedReportingOverflow(by: max(0, right.integral ?? 0))
            guard !overflows, count <= Self.mostSteps else { throw .limit }
            return try made(
                .list(Array(repeatElement(values, count: values.isEmpty ? 0 : count / values.count).joined())))
        case (.add, .time(let time), .duration(let seconds)), (.add, .duration(let seconds), .time(let time)):
            return .time(try JinjaTime.instant(time, after: seconds))
        case (.sub, .time(let time), .duration(let seconds)):
            return .time(try JinjaTime.instant(time, after: try Self.exact(0.subtractingReportingOverflow(seconds))))
        case (.add, .time(let time), .calendarDuration(let duration)),
            (.add, .calendarDuration(let duration), .time(let time)):
            return .time(try JinjaTime.instant(time, after: duration))
        case (.sub, .time(let time), .calendarDuration(let duration)):
            return .time(try JinjaTime.instant(time, after: try Self.negated(duration)))
        case (_, .calendarDuration, _), (_, _, .calendarDuration):
            return try computed(operation, left.withoutMonths, right.withoutMonths)
        case (.sub, .time(let one), .time(let other)):
            return .duration(Int(Int64(one &- other).flooredDivision(by: 1_000_000).quotient))
        case (.add, .duration(let one), .duration(let other)):
            return .duration(try Self.exact(one.addingReportingOverflow(other)))
        case (.sub, .duration(let one), .duration(let other)):
            return .duration(try Self.exact(one.subtractingReportingOverflow(other)))
        case (.mul, .duration(let one), .integer(let other)), (.mul, .integer(let one), .duration(let other)):
            return .duration(try Self.exact(one.multipliedReportingOverflow(by: other)))
        case (.div, .duration(let one), .duration(let other)):
            return try computed(.div, .integer(one), .integer(other))
        default:
            if operation != .div, let left = left.integral, let right = right.integral {
                return try integer(operation, left, right)
            }
            guard let left = left.double, let right = right.double else {
                throw .value("these values cannot be computed with")
            }
            return try number(operation, left, right)
        }
    }

    static func exact(_ result: (partialValue: Int, overflow: Bool)) throws(JinjaError) -> Int {
        guard !result.overflow else { throw .value("a number is out of range") }
        return result.partialValue
    }

    private static func shifted(
        _ now: JinjaValue.Now, by duration: JinjaValue.CalendarDuration
    ) throws(JinjaError) -> JinjaValue.Now {
        var now = now
        now.offset = try exact(now.offset.addingReportingOverflow(duration.seconds))
        now.months = try exact(now.months.addingReportingOverflow(duration.months))
        return now
    }

    private static func negated(
        _ duration: JinjaValue.CalendarDuration
    ) throws(JinjaError) -> JinjaValue.CalendarDuration {
        .init(
            months: try exact(0.subtractingReportingOverflow(duration.months)),
            seconds: try exact(0.subtractingReportingOverflow(duration.seconds)))
    }

    private mutating func integer(
        _ operation: JinjaExpression.Arithmetic, _ left: Int, _ right: Int
    ) throws(JinjaError) -> JinjaValue {
        switch operation {
        case .add: return .integer(try Self.exact(left.addingReportingOverflow(right)))
        case .sub: return .integer(try Self.exact(left.subtractingReportingOverflow(right)))
        case .mul: return .integer(try Self.exact(left.multipliedReportingOverflow(by: right)))
        case .div: return try number(.div, Double(left), Double(right))
        case .floordiv, .mod:
            guard right != 0 else { throw .value("a division by 0") }
            let quotient = try Self.exact(left.dividedReportingOverflow(by: right))
            let remainder = left - quotient * right
            // The remainder has the sign of the divisor.
            let isLower = remainder != 0 && (remainder < 0) != (right < 0)
            guard operation == .mod else { return .integer(isLower ? quotient - 1 : quotient) }
            return .integer(isLower ? remainder + right : remainder)
        case .pow:
            guard right >= 0 else { return try number(.pow, Double(left), Double(right)) }
            guard left != 1 else { return .integer(1) }
            var result = 1
            for _ in 0..<right {
                try spend()
                result = try Self.exact(result.multipliedReportingOverflow(by: left))
                if left == 0 { break }
            }
            return .integer(result)
        }
    }

    private mutating func number(
        _ operation: JinjaExpression.Arithmetic, _ left: Double, _ right: Double
    ) throws(JinjaError) -> JinjaValue {
        guard right != 0 || ![.div, .floordiv, .mod].contains(operation) else { throw .value("a division by 0") }
        switch operation {
        case .add: return .number(left + right)
        case .sub: return .number(left - right)
        case .mul: return .number(left * right)
        case .div: return .number(left / right)
        case .floordiv, .mod:
            // As Python does, so that both fit together: 1 // 0.1 is 9.0.
            let truncated = left.truncatingRemainder(dividingBy: right)
            let isOther = truncated != 0 && (truncated < 0) != (right < 0)
            let remainder = isOther ? truncated + right : truncated
            guard operation == .floordiv else {
                return .number(remainder == 0 ? Double(signOf: right, magnitudeOf: 0) : remainder)
            }
            let quotient = (left - truncated) / right - (isOther ? 1 : 0)
            return .number(quotient == 0 ? Double(signOf: left / right, magnitudeOf: 0) : quotient.rounded())
        case .pow: throw .unknown("**")
        }
    }

    mutating func negative(_ value: JinjaValue) throws(JinjaError) -> JinjaValue {
        switch value {
        case .number(let number): .number(-number)
        case .duration(let seconds): .duration(try Self.exact(0.subtractingReportingOverflow(seconds)))
        case .calendarDuration(let duration): .calendarDuration(try Self.negated(duration))
        default: try arithmetic(.sub, .integer(0), value)
        }
    }

    /// Evaluates Python's `%` on a text: `%s`, `%r`, `%d` and `%i` with a width.
    private mutating func formatted(_ format: String, _ values: [JinjaValue]) throws(JinjaError) -> JinjaValue {
        var pieces: [JinjaValue] = []
        var rest = try spend(on: format).unicodeScalars[...]
        var values = values[...]
        while let sign = rest.firstIndex(of: "%") {
            pieces.append(.text(String(rest[..<sign])))
            rest = rest[sign...].dropFirst()
            let flags = rest.prefix { $0 == "-" || ("0"..."9").contains($0) }
            rest = rest[flags.endIndex...]
            guard let conversion = rest.popFirst() else { throw .value("a format has no end") }
            if conversion == "%" {
                pieces.append(.text("%"))
                continue
            }
            guard let value = values.popFirst() else { throw .value("a format has more places than values") }
            guard try isKnown(value) else {
                guard conversion == "s", flags.isEmpty else { return try waiting("mod", [.text(format), value]) }
                pieces.append(value)
                continue
            }
            let text: String
            switch conversion {
            case "s": text = try string(value)
            case "r": text = String(try string(.list([value])).dropFirst().dropLast())
            case "d", "i":
                guard let integer = value.integral ?? value.double.flatMap({ Int(exactly: $0.rounded(.towardZero)) })
                else { throw .value("a format asks for a number") }
                text = String(integer)
            default: throw .unknown("%\(conversion)")
            }
            guard let width = flags.isEmpty ? 0 : Int(String(flags).replacing("-", with: "")), width <= 1000 else {
                throw .limit
            }
            let missing = max(0, width - text.unicodeScalars.count)
            let isLeft = flags.first == "-"
            let filling = String(repeating: flags.first == "0" && conversion != "s" ? "0" : " ", count: missing)
            let isBehindSign = flags.first == "0" && text.hasPrefix("-")
            pieces.append(
                .text(isLeft ? text + filling : isBehindSign ? "-" + filling + text.dropFirst() : filling + text))
        }
        guard values.isEmpty else { throw .value("a format has fewer places than values") }
        return try concatenated(pieces + [.text(String(rest))])
    }
}

extension JinjaValue {
    /// The integer that it is; `True` is 1.
    var integral: Int? {
        switch self {
        case .integer(let integer): integer
        case .bool(let bool): bool ? 1 : 0
        default: nil
        }
    }

    var double: Double? { if case .number(let number) = self { number } else { integral.map { Double($0) } } }

    fileprivate var isSecret: Bool { if case .secret = self { true } else { false } }
    fileprivate var isNow: Bool { if case .now = self { true } else { false } }

    /// True if it may be a piece of a text.
    fileprivate var isTextual: Bool {
        switch self {
        case .text, .joined, .secret, .later, .now, .operation: true
        default: false
        }
    }

    /// True if it is a text for certain.
    fileprivate var isWritten: Bool {
        switch self {
        case .text, .joined: true
        default: false
        }
    }
}
