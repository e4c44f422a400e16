/// Values, and what follows them: places, calls, filters and tests.
extension JinjaParser {
    private static let words: [String: JinjaValue] = [
        "True": .bool(true), "False": .bool(false), "None": .null, "true": .bool(true), "false": .bool(false),
        "none": .null,
    ]

    mutating func primary() throws(JinjaError) -> JinjaExpression {
        let token = next
        place += 1
        switch token {
        case .name(let name):
            guard let constant = Self.words[name], !isPython || name.first?.isUppercase == true else {
                return try JinjaExpression(.name(name))
            }
            return try JinjaExpression(.constant(constant))
        case .text(var text):
            while case .text(let more) = next {
                text += more
                place += 1
            }
            return try JinjaExpression(.constant(.text(text)))
        case .integer(let integer): return try JinjaExpression(.constant(.integer(integer)))
        case .number(let number): return try JinjaExpression(.constant(.number(number)))
        case .symbol("("):
            if take(")") { return try JinjaExpression(.list([], isTuple: true)) }
            let value = try tuple()
            try expect(.symbol(")"))
            return value
        case .symbol("["):
            var values: [JinjaExpression] = []
            while !take("]") {
                values.append(try expression())
                guard take(",") || next == .symbol("]") else { throw unexpected }
            }
            return try JinjaExpression(.list(values, isTuple: false))
        case .symbol("{"):
            var members: [(key: JinjaExpression, value: JinjaExpression)] = []
            while !take("}") {
                let key = try expression()
                try expect(.symbol(":"))
                members.append((key, try expression()))
                guard take(",") || next == .symbol("}") else { throw unexpected }
            }
            return try JinjaExpression(.mapping(members))
        default:
            place -= 1
            throw unexpected
        }
    }

    mutating func steps(after value: JinjaExpression) throws(JinjaError) -> JinjaExpression {
        var value = value
        while true {
            if take(".") {
                if case .integer(let index) = next {
                    place += 1
                    value = try JinjaExpression(.item(value, try JinjaExpression(.constant(.integer(index)))))
                } else {
                    value = try JinjaExpression(.attribute(value, try name()))
                }
            } else if take("[") {
                value = try item(of: value)
            } else if take("(") {
                value = try call(value)
            } else {
                return value
            }
        }
    }

    private mutating func item(of value: JinjaExpression) throws(JinjaError) -> JinjaExpression {
        var parts: [JinjaExpression?] = []
        var part: JinjaExpression?
        while !take("]") {
            if take(":") {
                parts.append(part)
                part = nil
            } else if let first = part, parts.isEmpty, take(",") {
                // A tuple as a key, which only a tree can hold.
                part = try list(after: first)
            } else {
                guard part == nil else { throw unexpected }
                part = try expression()
            }
        }
        parts.append(part)
        switch (parts.count, parts[0]) {
        case (1, let key?): return try JinjaExpression(.item(value, key))
        case (2...3, let start):
            return try JinjaExpression(
                .slice(value, start: start, end: parts[1], step: parts.count == 3 ? parts[2] : nil))
        default: throw .syntax("what stands in the brackets is no place")
        }
    }

    private mutating func list(after first: JinjaExpression) throws(JinjaError) -> JinjaExpression {
        var values = [first]
        while next != .symbol("]") {
            values.append(try expression())
            guard take(",") || next == .symbol("]") else { throw unexpected }
        }
        return try JinjaExpression(.list(values, isTuple: true))
    }

    private mutating func call(_ value: JinjaExpression) throws(JinjaError) -> JinjaExpression {
        if case .attribute(let base, let method) = value.kind, JinjaEvaluator.changingMethods.contains(method),
            let root = base.root
        {
            changes.insert(root)
        }
        return try JinjaExpression(.call(value, try arguments()))
    }

    /// Reads arguments up to the bracket's end.
    private mutating func arguments() throws(JinjaError) -> JinjaExpression.Arguments {
        var arguments = JinjaExpression.Arguments()
        while !take(")") {
            if case .name(let name) = next, token(1) == .symbol("=") {
                place += 2
                arguments.named.append((name, try expression()))
            } else {
                guard arguments.named.isEmpty else { throw unexpected }
                arguments.values.append(try expression())
            }
            guard take(",") || next == .symbol(")") else { throw unexpected }
        }
        return arguments
    }

    mutating func filters(after value: JinjaExpression) throws(JinjaError) -> JinjaExpression {
        var value = value
        while true {
            if take("|") {
                let name = try name()
                value = try JinjaExpression(.filter(value, name, take("(") ? try arguments() : .init()))
            } else if take(.name("is")) {
                value = try test(of: value)
            } else if take("(") {
                value = try call(value)
            } else {
                return value
            }
        }
    }

    private mutating func test(of value: JinjaExpression) throws(JinjaError) -> JinjaExpression {
        let isNegated = take(.name("not"))
        let name = try name()
        var arguments = JinjaExpression.Arguments()
        if take("(") {
            arguments = try self.arguments()
        } else {
            switch next {
            case .name("else"), .name("or"), .name("and"), .name("if"), .name("is"), .name("in"), .name("not"): break
            case .name, .text, .integer, .number, .symbol("["), .symbol("{"):
                arguments.values = [try steps(after: try primary())]
            default: break
            }
        }
        let test = try JinjaExpression(.test(value, name, arguments))
        return isNegated ? try JinjaExpression(.not(test)) : test
    }
}
