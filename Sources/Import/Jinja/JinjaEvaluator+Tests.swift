extension JinjaEvaluator {
    private static let comparisons: [String: JinjaExpression.Comparison] = [
        "eq": .eq, "equalto": .eq, "==": .eq, "ne": .ne, "!=": .ne, "lt": .lt, "lessthan": .lt, "<": .lt, "le": .lteq,
        "<=": .lteq, "gt": .gt, "greaterthan": .gt, ">": .gt, "ge": .gteq, ">=": .gteq, "in": .in,
    ]

    mutating func test(_ name: String, _ value: JinjaValue, _ arguments: Arguments) throws(JinjaError) -> JinjaValue {
        if let comparison = Self.comparisons[name] {
            guard let other = arguments.values.first else { throw .value("the test '\(name)' needs a value") }
            return try compare(comparison, value, other)
        }
        let isLater = truth(of: value) == nil
        switch name {
        case "defined": return isLater ? try waiting("defined", [value]) : .bool(value != .missing)
        case "undefined":
            return isLater ? try waiting("not", [try waiting("defined", [value])]) : .bool(value == .missing)
        case "none": return isLater ? try waiting("none", [value]) : .bool(value == .null)
        case "odd", "even", "divisibleby":
            guard try isKnown(value), arguments.all.allSatisfy(\.isKnown) else {
                return try waiting("is " + name, [value] + arguments.all)
            }
            let divisor = name == "divisibleby" ? arguments.values.first ?? .missing : .integer(2)
            return .bool(try equal(try arithmetic(.mod, value, divisor), .integer(name == "odd" ? 1 : 0)))
        default:
            guard let holds = try Self.hasType(name, value) else { return try waiting("is " + name, [value]) }
            return .bool(holds)
        }
    }

    /// Returns whether a value is of a type; nil if that is known later.
    private static func hasType(_ name: String, _ value: JinjaValue) throws(JinjaError) -> Bool? {
        let types: Set<String>
        switch value {
        case .null, .time, .duration, .calendarDuration: types = []
        case .missing: types = ["iterable", "sequence"]
        case .bool(let bool): types = ["boolean", "number", bool ? "true" : "false"]
        case .integer: types = ["number", "integer"]
        case .number: types = ["number", "float"]
        case .text, .secret, .joined: types = ["string", "iterable", "sequence"]
        case .list: types = ["iterable", "sequence"]
        case .mapping: types = ["mapping", "iterable", "sequence"]
        case .now, .later, .operation: types = []
        }
        guard
            [
                "mapping", "string", "iterable", "sequence", "number", "integer", "float", "boolean", "true", "false",
            ].contains(name)
        else { throw .unknown(name) }
        switch value {
        case .now, .later, .operation: return nil
        default: return types.contains(name)
        }
    }
}
