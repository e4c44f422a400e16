extension JinjaParser {
    /// Reads up to a statement that begins with one of these words.
    mutating func statements(upTo ends: Set<String>) throws(JinjaError) -> [JinjaStatement] {
        try enter()
        defer { depth -= 1 }
        var statements: [JinjaStatement] = []
        while true {
            switch next {
            case .data(let text):
                place += 1
                statements.append(.data(text))
            case .outputBegins:
                place += 1
                statements.append(.output(try tuple()))
                try expect(.outputEnds)
            case .statementBegins:
                if case .name(let word) = token(1), ends.contains(word) { return statements }
                place += 1
                statements.append(try statement(try name()))
            default: return statements
            }
        }
    }

    private mutating func statement(_ word: String) throws(JinjaError) -> JinjaStatement {
        switch word {
        case "set": return try setStatement()
        case "if":
            let outer = changes
            changes = []
            let branches = try branches()
            defer { changes.formUnion(outer) }
            return .branches(branches, changes: changes)
        case "for":
            let outer = changes
            changes = []
            var loop = try loop()
            loop.changes = changes
            changes.formUnion(outer)
            return .loop(loop)
        case "endif", "endfor", "endset", "else", "elif": throw .syntax("'\(word)' ends nothing")
        default: throw .unknown(word)
        }
    }

    private mutating func setStatement() throws(JinjaError) -> JinjaStatement {
        var names = [try name()]
        changes.insert(names[0])
        if take(".") {
            let member = try name()
            try expect(.symbol("="))
            let value = try tuple()
            try expect(.statementEnds)
            return .set(.attribute(of: names[0], member), value)
        }
        while take(",") {
            names.append(try name())
            changes.insert(names[names.count - 1])
        }
        if take("=") {
            let value = try tuple()
            try expect(.statementEnds)
            return .set(.names(names), value)
        }
        guard names.count == 1 else { throw unexpected }
        try endOfHead()
        let body = try statements(upTo: ["endset"])
        try end("endset")
        return .setBlock(names[0], body)
    }

    private mutating func branches() throws(JinjaError) -> [(test: JinjaExpression?, body: [JinjaStatement])] {
        var branches: [(test: JinjaExpression?, body: [JinjaStatement])] = []
        var test: JinjaExpression? = try tuple()
        while true {
            try endOfHead()
            branches.append((test, try statements(upTo: test == nil ? ["endif"] : ["elif", "else", "endif"])))
            guard take(.statementBegins) else { throw unexpected }
            switch try name() {
            case "elif": test = try tuple()
            case "else": test = nil
            default:
                try expect(.statementEnds)
                return branches
            }
        }
    }

    private mutating func loop() throws(JinjaError) -> JinjaStatement.Loop {
        let isBracketed = take("(")
        var names = [try name()]
        while take(",") { names.append(try name()) }
        if isBracketed { try expect(.symbol(")")) }
        try expect(.name("in"))
        // `if` is the loop's own, and not a choice between two lists.
        let values = try or()
        let condition = take(.name("if")) ? try expression() : nil
        guard next != .name("recursive") else { throw .unknown("recursive") }
        try endOfHead()
        let body = try statements(upTo: ["else", "endfor"])
        var otherwise: [JinjaStatement] = []
        if token(1) == .name("else") {
            place += 2
            try endOfHead()
            otherwise = try statements(upTo: ["endfor"])
        }
        try end("endfor")
        return JinjaStatement.Loop(
            names: names, values: values, condition: condition, body: body, otherwise: otherwise, changes: [])
    }

    private mutating func endOfHead() throws(JinjaError) {
        _ = take(":")
        try expect(.statementEnds)
    }

    private mutating func end(_ word: String) throws(JinjaError) {
        try expect(.statementBegins)
        try expect(.name(word))
        try expect(.statementEnds)
    }
}
