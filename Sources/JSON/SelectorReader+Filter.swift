extension SelectorReader {
    /// Reads a whole filter expression without its `?`.
    mutating func readFilterExpression() throws(SelectorError) -> LogicalExpression {
        skipSpace()
        guard place < bytes.count else { throw error("an expression expected, such as @.type == 'order'") }
        guard peek != UInt8(ascii: "?") else { throw error("leave out the '?', as in @.type == 'order'") }
        let expression = try readDisjunction()
        guard place == bytes.count else { throw error("'&&', '||' or the end expected") }
        return expression
    }

    /// Reads an expression and the white space behind it.
    mutating func readDisjunction() throws(SelectorError) -> LogicalExpression {
        let first = try readConjunction()
        var parts = [first]
        while take("||") { parts.append(try readConjunction()) }
        return parts.count == 1 ? first : .any(parts)
    }

    private mutating func readConjunction() throws(SelectorError) -> LogicalExpression {
        let first = try readBasic()
        var parts = [first]
        while take("&&") { parts.append(try readBasic()) }
        return parts.count == 1 ? first : .all(parts)
    }

    /// Reads a comparison, a test or parentheses, and the white space behind it.
    private mutating func readBasic() throws(SelectorError) -> LogicalExpression {
        skipSpace()
        if take("(") { return try readParentheses() }
        let start = place
        if take("!") {
            skipSpace()
            if take("(") { return .not(try readParentheses()) }
            let tested = place
            let operand = try readOperand()
            guard try readOperator() == nil else { throw error("'!' needs parentheses: !(… == …)", at: start) }
            return .not(try test(operand, at: tested))
        }
        let left = try readOperand()
        guard let comparison = try readOperator() else { return try test(left, at: start) }
        try requireSingular(left, at: start)
        skipSpace()
        let second = place
        let right = try readOperand()
        try requireSingular(right, at: second)
        skipSpace()
        return .comparison(left, comparison, right)
    }

    /// Reads what follows an opening parenthesis.
    private mutating func readParentheses() throws(SelectorError) -> LogicalExpression {
        let expression = try nested { reader throws(SelectorError) in try reader.readDisjunction() }
        guard take(")") else { throw error("'&&', '||' or ')' expected") }
        skipSpace()
        return expression
    }

    private func test(_ operand: Operand, at offset: Int) throws(SelectorError) -> LogicalExpression {
        if case .query(let query) = operand { return .exists(query) }
        throw error("a value or the result of a function must be compared, as in count(@.tags) > 2", at: offset)
    }

    private func requireSingular(_ operand: Operand, at offset: Int) throws(SelectorError) {
        guard case .query(let query) = operand, !query.isSingular else { return }
        throw error("a compared query must be of names and indices alone; use value(…) or count(…)", at: offset)
    }

    /// Reads an operator and the white space before it; returns nil if there is no operator.
    private mutating func readOperator() throws(SelectorError) -> ComparisonOperator? {
        skipSpace()
        if take("==") { return .equal }
        if take("!=") { return .notEqual }
        if take("<=") { return .lessOrEqual }
        if take(">=") { return .greaterOrEqual }
        if take("<") { return .less }
        if take(">") { return .greater }
        let start = place
        if take("=~") {
            throw error("there is no '=~', as patterns are not supported; values are compared with '=='", at: start)
        }
        guard peek != UInt8(ascii: "=") else { throw error("values are compared with '=='") }
        return nil
    }
}

/// The operands of comparisons.
extension SelectorReader {
    private mutating func readOperand() throws(SelectorError) -> Operand {
        let start = place
        if let query = try readQuery() { return .query(query) }
        if let text = try readQuoted() {
            guard let literal = try? Literal(text: text) else { throw error("a text expected", at: start) }
            return .literal(literal)
        }
        if let byte = peek, byte == UInt8(ascii: "-") || Self.isDigit(byte) { return .literal(try readNumber()) }
        let word = readWord()
        if take("(") { return try readFunction(word, at: start) }
        if ["true", "false", "null"].contains(word), let literal = try? Literal(json: word.utf8) {
            return .literal(literal)
        }
        guard word.isEmpty else {
            throw error("'\(word)' is not a value; write a member as @.\(word), and a text in quotes", at: start)
        }
        throw error("a query such as @.name, a value or a function expected")
    }

    private mutating func readQuery() throws(SelectorError) -> FilterQuery? {
        if take("@") { return FilterQuery(rootNumber: nil, segments: try readSegments()) }
        guard take("$") else { return nil }
        return FilterQuery(rootNumber: nextNumber(), segments: try readSegments())
    }

    /// Reads a number, which is one of JSON.
    private mutating func readNumber() throws(SelectorError) -> Literal {
        let start = place
        while let byte = peek, Self.isDigit(byte) || "+-.eE".utf8.contains(byte) { place += 1 }
        guard let literal = try? Literal(json: bytes[start..<place]) else {
            throw error("a number as in JSON expected, such as -1.5e3", at: start)
        }
        return literal
    }

    private mutating func readWord() -> String {
        let start = place
        while let byte = peek,
            Self.isDigit(byte) || byte == UInt8(ascii: "_")
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        { place += 1 }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    /// Reads what follows the opening parenthesis of a function.
    private mutating func readFunction(_ name: String, at start: Int) throws(SelectorError) -> Operand {
        switch name {
        case "length", "count", "value": break
        case "match", "search": throw error("match() and search() are not supported", at: start)
        case "": throw error("a query such as @.name, a value or a function expected", at: start)
        default: throw error("'\(name)' is not a function; those are length(), count() and value()", at: start)
        }
        skipSpace()
        let place = place
        let argument = try nested { reader throws(SelectorError) in try reader.readOperand() }
        skipSpace()
        guard take(")") else { throw error("')' expected, since \(name)() takes one argument") }
        guard case .query(let query) = argument else {
            guard name == "length" else { throw error("\(name)() takes a query, such as @.tags[*]", at: place) }
            return .length(argument)
        }
        switch name {
        case "count": return .count(query)
        case "value": return .value(query)
        default:
            guard query.isSingular else {
                throw error("length() takes one value; use count(…) for the values of a query", at: place)
            }
            return .length(argument)
        }
    }
}
