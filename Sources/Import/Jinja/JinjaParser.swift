/// Reads Jinja texts. The precedence is that of Jinja2, where filters and tests bind tighter than arithmetic.
struct JinjaParser {
    private let tokens: [JinjaToken]
    var place = 0
    var depth = 0
    /// True for literals of Python, which has no `true`, `false` and `none`.
    let isPython: Bool
    /// The names that are set or changed by what was read.
    var changes: Set<String> = []

    private init(_ tokens: [JinjaToken], isPython: Bool = false) {
        (self.tokens, self.isPython) = (tokens, isPython)
    }

    static func statements(of text: String) throws(JinjaError) -> [JinjaStatement] {
        var parser = JinjaParser(try JinjaLexer.tokens(ofTemplate: text))
        let statements = try parser.statements(upTo: [])
        guard parser.next == .end else { throw parser.unexpected }
        return statements
    }

    /// Reads an expression in which `True`, `False` and `None` are the only words with a meaning.
    static func pythonExpression(of text: String) throws(JinjaError) -> JinjaExpression {
        var parser = JinjaParser(try JinjaLexer.tokens(ofExpression: text), isPython: true)
        let expression = try parser.expression()
        guard parser.next == .end else { throw parser.unexpected }
        return expression
    }

    // MARK: Tokens

    var next: JinjaToken { token(0) }

    func token(_ offset: Int) -> JinjaToken { place + offset < tokens.count ? tokens[place + offset] : .end }

    mutating func take(_ token: JinjaToken) -> Bool {
        guard next == token else { return false }
        place += 1
        return true
    }

    mutating func take(_ symbol: String) -> Bool { take(.symbol(symbol)) }

    mutating func expect(_ token: JinjaToken) throws(JinjaError) {
        guard take(token) else { throw unexpected }
    }

    mutating func name() throws(JinjaError) -> String {
        guard case .name(let name) = next else { throw unexpected }
        place += 1
        return name
    }

    var unexpected: JinjaError {
        switch next {
        case .name(let word), .symbol(let word): .syntax("'\(word)' is not expected")
        case .end, .outputEnds, .statementEnds: .syntax("something is missing at the end")
        default: .syntax("a value is not expected")
        }
    }

    mutating func enter() throws(JinjaError) {
        // An expression in brackets counts twice. So deep a recursion fits into the stack of any thread.
        guard depth < JinjaExpression.largestDepth else { throw .limit }
        depth += 1
    }

    // MARK: Expressions, from the loosest to the tightest

    /// Reads expressions with commas between them.
    mutating func tuple() throws(JinjaError) -> JinjaExpression {
        let first = try expression()
        guard next == .symbol(",") else { return first }
        var values = [first]
        while take(",") {
            if [.outputEnds, .statementEnds, .symbol(")")].contains(next) { break }
            values.append(try expression())
        }
        return try JinjaExpression(.list(values, isTuple: true))
    }

    mutating func expression() throws(JinjaError) -> JinjaExpression {
        try enter()
        defer { depth -= 1 }
        var value = try or()
        while take(.name("if")) {
            let test = try or()
            let otherwise = take(.name("else")) ? try expression() : nil
            value = try JinjaExpression(.conditional(test, then: value, otherwise: otherwise))
        }
        return value
    }

    mutating func or() throws(JinjaError) -> JinjaExpression {
        var value = try and()
        while take(.name("or")) { value = try JinjaExpression(.or(value, try and())) }
        return value
    }

    private mutating func and() throws(JinjaError) -> JinjaExpression {
        var value = try not()
        while take(.name("and")) { value = try JinjaExpression(.and(value, try not())) }
        return value
    }

    private mutating func not() throws(JinjaError) -> JinjaExpression {
        guard next == .name("not") else { return try comparison() }
        try enter()
        defer { depth -= 1 }
        place += 1
        return try JinjaExpression(.not(try not()))
    }

    private static let comparisons: [JinjaToken: JinjaExpression.Comparison] = [
        .symbol("=="): .eq, .symbol("!="): .ne, .symbol("<"): .lt, .symbol("<="): .lteq, .symbol(">"): .gt,
        .symbol(">="): .gteq, .name("in"): .in,
    ]

    private mutating func comparison() throws(JinjaError) -> JinjaExpression {
        let first = try sum()
        var others: [(operation: JinjaExpression.Comparison, operand: JinjaExpression)] = []
        while true {
            if let operation = Self.comparisons[next] {
                place += 1
                others.append((operation, try sum()))
            } else if next == .name("not"), token(1) == .name("in") {
                place += 2
                others.append((.notin, try sum()))
            } else {
                return others.isEmpty ? first : try JinjaExpression(.comparison(first, others))
            }
        }
    }

    private mutating func sum() throws(JinjaError) -> JinjaExpression {
        var value = try concatenation()
        while let operation: JinjaExpression.Arithmetic = take("+") ? .add : take("-") ? .sub : nil {
            value = try JinjaExpression(.arithmetic(operation, value, try concatenation()))
        }
        return value
    }

    private mutating func concatenation() throws(JinjaError) -> JinjaExpression {
        var values = [try product()]
        while take("~") { values.append(try product()) }
        return values.count == 1 ? values[0] : try JinjaExpression(.concatenation(values))
    }

    private static let products: [JinjaToken: JinjaExpression.Arithmetic] = [
        .symbol("*"): .mul, .symbol("/"): .div, .symbol("//"): .floordiv, .symbol("%"): .mod,
    ]

    private mutating func product() throws(JinjaError) -> JinjaExpression {
        var value = try power()
        while let operation = Self.products[next] {
            place += 1
            value = try JinjaExpression(.arithmetic(operation, value, try power()))
        }
        return value
    }

    private mutating func power() throws(JinjaError) -> JinjaExpression {
        var value = try unary()
        while take("**") { value = try JinjaExpression(.arithmetic(.pow, value, try unary())) }
        return value
    }

    private mutating func unary(withFilters: Bool = true) throws(JinjaError) -> JinjaExpression {
        try enter()
        defer { depth -= 1 }
        var value: JinjaExpression
        if take("-") {
            value = try JinjaExpression(.negative(try unary(withFilters: false)))
        } else if take("+") {
            value = try unary(withFilters: false)
        } else {
            value = try primary()
        }
        value = try steps(after: value)
        return withFilters ? try filters(after: value) : value
    }
}
