import GarnerModel

extension JinjaEvaluator {
    mutating func value(_ expression: JinjaExpression) throws(JinjaError) -> JinjaValue {
        try spend()
        switch expression.kind {
        case .constant(let value): return value
        case .name(let name): return value(ofName: name)
        case .list(let expressions, _): return try made(.list(try values(expressions)))
        case .mapping(let members): return try mapping(members)
        case .attribute(let base, let name): return try item(try value(base), .text(name))
        case .item(let base, let key): return try item(try value(base), try value(key))
        case .slice(let base, let start, let end, let step):
            return try slice(try value(base), try optional(start), try optional(end), try optional(step))
        case .call(let callee, let arguments): return try call(callee, try evaluated(arguments))
        case .filter(let base, let name, let arguments):
            return try filter(name, try value(base), try evaluated(arguments))
        case .test(let base, let name, let arguments): return try test(name, try value(base), try evaluated(arguments))
        case .concatenation(let parts): return try concatenated(try values(parts))
        case .arithmetic(let operation, let left, let right): return try arithmetic(operation, left, right)
        case .negative(let operand): return try negative(try value(operand))
        case .not(let operand): return try not(try value(operand))
        case .and(let left, let right): return try either(left, right, name: "and", goesOnIf: true)
        case .or(let left, let right): return try either(left, right, name: "or", goesOnIf: false)
        case .conditional(let test, let then, let otherwise): return try conditional(test, then, otherwise)
        case .comparison(let first, let others): return try comparison(first, others)
        }
    }

    /// Arguments with their values.
    struct Arguments {
        var values: [JinjaValue]
        var named: [(name: String, value: JinjaValue)]

        /// The argument at a place or with a name; nil if it is not given.
        subscript(place: Int, name: String) -> JinjaValue? {
            values.indices.contains(place) ? values[place] : named.first { $0.name == name }?.value
        }

        var all: [JinjaValue] { values + named.map(\.value) }
    }

    mutating func values(_ expressions: [JinjaExpression]) throws(JinjaError) -> [JinjaValue] {
        var values: [JinjaValue] = []
        for expression in expressions { values.append(try value(expression)) }
        return values
    }

    private mutating func evaluated(_ arguments: JinjaExpression.Arguments) throws(JinjaError) -> Arguments {
        var evaluated = Arguments(values: try values(arguments.values), named: [])
        for (name, expression) in arguments.named { evaluated.named.append((name, try value(expression))) }
        return evaluated
    }

    private mutating func optional(_ expression: JinjaExpression?) throws(JinjaError) -> JinjaValue {
        if let expression { try value(expression) } else { .null }
    }

    private mutating func mapping(
        _ members: [(key: JinjaExpression, value: JinjaExpression)]
    ) throws(JinjaError) -> JinjaValue {
        var made: [JinjaValue.Member] = []
        for (key, expression) in members {
            let key = try value(key)
            guard try isKnown(key) else { throw .value("a member's name is known only later") }
            made = made.setting(try string(key), to: try value(expression))
            try spend(made.count / 16)
        }
        return try self.made(.mapping(made))
    }

    // MARK: Places in values

    mutating func item(_ base: JinjaValue, _ key: JinjaValue) throws(JinjaError) -> JinjaValue {
        switch (base, key) {
        case (.later(var later), .text(let name)):
            guard later.steps.count < JinjaExpression.largestDepth else { throw .limit }
            later.steps.append(.member(try spend(on: name)))
            return .later(later)
        case (.later(var later), .integer(let index)):
            guard later.steps.count < JinjaExpression.largestDepth else { throw .limit }
            later.steps.append(.index(index))
            return .later(later)
        case (.later, _), (.operation, _), (.now, _): return try waiting("item", [base, key])
        case (_, _) where !(try isKnown(key)): return try waiting("item", [base, key])
        case (.mapping(let members), _):
            try spend(members.count / 16)
            return base[try string(key)]
        case (.list(let values), .integer(let index)):
            let place = index < 0 ? values.count &+ index : index
            return values.indices.contains(place) ? values[place] : .missing
        case (.text(let text), .integer(let index)):
            let scalars = Array(try spend(on: text).unicodeScalars)
            let place = index < 0 ? scalars.count &+ index : index
            return scalars.indices.contains(place) ? .text(String(Character(scalars[place]))) : .missing
        case (.time(let time), .text(let name)): return JinjaTime.part(name, of: time).map { .integer($0) } ?? .missing
        case (.calendarDuration, _): return try item(base.withoutMonths, key)
        case (.duration(let seconds), .text("days")):
            return .integer(Int(Int64(seconds).flooredDivision(by: 86_400).quotient))
        case (.duration(let seconds), .text("seconds")):
            return .integer(Int(Int64(seconds).flooredDivision(by: 86_400).remainder))
        case (.joined, _), (.secret, _): return try waiting("item", [base, key])
        default: return .missing
        }
    }

    private mutating func slice(
        _ base: JinjaValue, _ start: JinjaValue, _ end: JinjaValue, _ step: JinjaValue
    ) throws(JinjaError) -> JinjaValue {
        guard base != .missing else { return .missing }
        let places = [start, end, step]
        guard places.allSatisfy(\.isKnown) else { return try waiting("slice", [base, .list(places)]) }
        switch base {
        case .list(let values): return try made(.list(try sliced(values, places)))
        case .text(let text):
            var view = String.UnicodeScalarView()
            view.append(contentsOf: try sliced(Array(try spend(on: text).unicodeScalars), places))
            return .text(String(view))
        case _ where base.isKnown: throw .value("only texts and lists have slices")
        default: return try waiting("slice", [base, .list(places)])
        }
    }

    private mutating func sliced<Element>(
        _ elements: [Element], _ places: [JinjaValue]
    ) throws(JinjaError) -> [Element] {
        var numbers: [Int?] = []
        for place in places {
            switch place {
            case .null: numbers.append(nil)
            case .integer(let integer): numbers.append(integer)
            default: throw .value("a place in a slice is no integer")
            }
        }
        let step = numbers[2] ?? 1
        guard step != 0 else { throw .value("the step of a slice is 0") }
        let count = elements.count
        // Python's rule: places from the end are counted from there, and all are clamped.
        let (low, high) = step > 0 ? (0, count) : (-1, count - 1)
        func place(_ number: Int?, otherwise: Int) -> Int {
            guard let number else { return otherwise }
            return min(max(number < 0 ? number &+ count : number, low), high)
        }
        let start = place(numbers[0], otherwise: step > 0 ? low : high)
        let end = place(numbers[1], otherwise: step > 0 ? high : low)
        var found: [Element] = []
        for index in stride(from: start, to: end, by: min(max(step, -count - 1), count + 1)) {
            found.append(elements[index])
        }
        try spend(found.count / 16)
        return found
    }

    // MARK: Texts

    /// Returns a value as Python prints it.
    mutating func string(_ value: JinjaValue) throws(JinjaError) -> String {
        if case .text(let text) = value { return text }
        var text = PythonText(longest: Self.longestText)
        try text.write(value)
        return try spend(on: text.text)
    }

    /// Returns the text of several values. Those that are known later stay pieces of it.
    mutating func concatenated(_ values: [JinjaValue]) throws(JinjaError) -> JinjaValue {
        var pieces: [JinjaValue] = []
        var literal = ""
        func flush() throws(JinjaError) {
            if !literal.isEmpty { pieces.append(.text(try spend(on: literal))) }
            literal = ""
        }
        for value in values {
            let inner = if case .joined(let inner) = value { inner } else { [value] }
            for piece in inner {
                if try isKnown(piece) {
                    literal += try string(piece)
                    guard literal.utf8.count <= Self.longestText else { throw .limit }
                } else {
                    try flush()
                    pieces.append(piece)
                }
            }
        }
        guard !pieces.isEmpty else { return .text(try spend(on: literal)) }
        try flush()
        return pieces.count == 1 ? pieces[0] : try made(.joined(pieces))
    }

    // MARK: Conditions

    /// Returns true or false; nil if it is decided later.
    func truth(of value: JinjaValue) -> Bool? {
        switch value {
        case .missing, .null: false
        case .bool(let bool): bool
        case .integer(let integer), .duration(let integer): integer != 0
        case .calendarDuration(let duration): duration.months != 0 || duration.seconds != 0
        case .number(let number): number != 0
        case .text(let text): !text.isEmpty
        case .list(let values): !values.isEmpty
        case .mapping(let members): !members.isEmpty
        case .time, .secret, .now: true
        case .later, .operation: nil
        case .joined(let pieces): pieces.contains { truth(of: $0) == true } ? true : nil
        }
    }

    mutating func not(_ value: JinjaValue) throws(JinjaError) -> JinjaValue {
        if let truth = truth(of: value) { .bool(!truth) } else { try waiting("not", [value]) }
    }

    /// Evaluates `and` and `or`, which return one of their operands.
    private mutating func either(
        _ left: JinjaExpression, _ right: JinjaExpression, name: String, goesOnIf truth: Bool
    ) throws(JinjaError) -> JinjaValue {
        let first = try value(left)
        switch self.truth(of: first) {
        case truth?: return try value(right)
        case nil: return try waiting(name, [first, try valueLater(right)])
        default: return first
        }
    }

    private mutating func conditional(
        _ test: JinjaExpression, _ then: JinjaExpression, _ otherwise: JinjaExpression?
    ) throws(JinjaError) -> JinjaValue {
        let condition = try value(test)
        switch truth(of: condition) {
        case true?: return try value(then)
        case false?: return if let otherwise { try value(otherwise) } else { .missing }
        case nil:
            let first = try valueLater(then)
            let second: JinjaValue = if let otherwise { try valueLater(otherwise) } else { .missing }
            return try waiting("if", [condition, first, second])
        }
    }

    private mutating func comparison(
        _ first: JinjaExpression, _ others: [(operation: JinjaExpression.Comparison, operand: JinjaExpression)]
    ) throws(JinjaError) -> JinjaValue {
        var left = try value(first)
        var result: JinjaValue?
        for (operation, operand) in others {
            let right = try value(operand)
            let holds = try compare(operation, left, right)
            if let before = result, before != .bool(true) {
                if holds == .bool(false) { return holds }
                if holds != .bool(true) { result = try waiting("and", [before, holds]) }
            } else {
                result = holds
            }
            if result == .bool(false) { return .bool(false) }
            left = right
        }
        return result ?? .missing
    }
}
