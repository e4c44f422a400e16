/// Makes a condition of RFC 9535 of one that Jinja asks about a record or an answer.
///
/// A part that always holds, such as a comparison with the end of the read, is nil.
struct RecordCondition {
    /// The root of queries: the record, or the answer.
    let root: JinjaValue.Later.Root
    /// Its sign in queries: `@` or `$`.
    let sign: String
    /// The text of a value that is no place in the root, such as the start of the read.
    var operand: (JinjaValue) throws -> Operand = { _ in throw LossError(.recordFilter) }
    /// The loss if there is no such condition.
    let code: LossCode

    enum Operand: Equatable {
        case query(String)
        /// Each record's comparison with it by one of these operators holds.
        case beyond(holds: Set<String>)
    }

    private static let comparisons = [
        "eq": "==", "ne": "!=", "lt": "<", "lteq": "<=", "gt": ">", "gteq": ">=",
    ]
    private static let opposites = ["eq": "ne", "ne": "eq", "lt": "gteq", "gteq": "lt", "gt": "lteq", "lteq": "gt"]

    private static let mirrored = ["lt": "gt", "gt": "lt", "lteq": "gteq", "gteq": "lteq"]

    /// The condition, or its opposite.
    func text(_ value: JinjaValue, isTrue: Bool = true) throws -> String? {
        switch value {
        case .later: return truth(of: try path(value), isTrue)
        case .joined(let pieces) where pieces.count == 1: return try text(pieces[0], isTrue: isTrue)
        case .operation(let name, let arguments): return try operation(name, arguments, of: value, isTrue)
        case _ where value.isKnown: return value.isFalsy == isTrue ? "1 == 0" : nil
        default: throw LossError(code, Self.shown(value))
        }
    }

    private func operation(
        _ name: String, _ arguments: [JinjaValue], of value: JinjaValue, _ isTrue: Bool
    ) throws -> String? {
        guard let first = arguments.first else { throw LossError(code, name) }
        let second = arguments.count > 1 ? arguments[1] : .missing
        switch name {
        case "not": return try text(first, isTrue: !isTrue)
        case "and", "or":
            let parts = try arguments.map { try text($0, isTrue: isTrue) }
            guard (name == "and") == isTrue else {
                guard parts.allSatisfy({ $0 != nil }) else { return nil }
                return "(\(parts.compactMap(\.self).joined(separator: " || ")))"
            }
            let held = parts.compactMap(\.self)
            return held.isEmpty ? nil : held.count == 1 ? held[0] : "(\(held.joined(separator: " && ")))"
        case "eq", "ne", "lt", "lteq", "gt", "gteq": return try comparison(name, first, second, isTrue)
        case "in", "notin": return try membership(first, second, of: value, isTrue == (name == "in"))
        case "none", "is none":
            _ = try path(first)
            return try comparison("eq", first, .null, isTrue)
        case "defined", "is defined": return (isTrue ? "" : "!") + (try path(first))
        case "is true", "is false":
            return try comparison("eq", first, .bool(name == "is true"), isTrue)
        case "default", "|default":
            guard second.isFalsy else { throw LossError(code, Self.shown(value)) }
            return try text(first, isTrue: isTrue)
        case _ where Self.casts.contains(name) && root == .record: throw LossError(code, Self.shown(value))
        case _ where Self.casts.contains(name): return try text(first, isTrue: isTrue)
        case "|length", "|count":
            let length = "length(\(try path(first)))"
            return isTrue ? "\(length) > 0" : "(\(length) == 0 || !\(try path(first)))"
        case "is string", "is mapping", "if", "if-block", "for-loop": throw LossError(code, Self.shown(value))
        default: throw LossError(code, Self.shown(value))
        }
    }

    /// The condition that Python calls true: a value that is there, and neither null, false, 0 nor empty.
    private func truth(of query: String, _ isTrue: Bool) -> String {
        let compared = [(query, "null"), (query, "false"), (query, "0"), ("length(\(query))", "0")]
        let tests = compared.map { "\($0.0) \(isTrue ? "!=" : "==") \($0.1)" }
        return "(" + ([(isTrue ? "" : "!") + query] + tests).joined(separator: isTrue ? " && " : " || ") + ")"
    }

    private func comparison(
        _ name: String, _ left: JinjaValue, _ right: JinjaValue, _ isTrue: Bool
    ) throws -> String? {
        try regardingAbsence(name, left, right, isTrue) { try plainComparison(name, $0, $1, isTrue) }
    }

    private func plainComparison(
        _ name: String, _ left: JinjaValue, _ right: JinjaValue, _ isTrue: Bool
    ) throws -> String? {
        guard let positive = Self.comparisons[name], let opposite = Self.opposites[name] else { return nil }
        // A member that is not there equals only another one that is not there.
        if right == .missing, ["eq", "ne"].contains(name), let later = left.later, later.root == root {
            return ((name == "eq") == isTrue ? "!" : "") + (try path(left))
        }
        if ["eq", "ne"].contains(name),
            let parts = try casted(left, to: right) ?? casted(right, to: left)
        {
            return Self.either(parts, (name == "eq") == isTrue)
        }
        let (one, other) = (try query(left), try query(right))
        guard case .query(let one) = one, case .query(let other) = other else {
            let name = isTrue ? name : opposite
            switch (one, other) {
            case (.query, .beyond(let holds)) where holds.contains(name): return nil
            case (.beyond(let holds), .query) where holds.contains(Self.mirrored[name] ?? ""): return nil
            default: throw LossError(code, Self.shown(.operation(name, [left, right])))
            }
        }
        if isTrue { return "\(one) \(positive) \(other)" }
        // The opposite of `<` is no `>=` for a value that is not there or of another type.
        if ["eq", "ne"].contains(name), let sign = Self.comparisons[opposite] { return "\(one) \(sign) \(other)" }
        return "!(\(one) \(positive) \(other))"
    }

    private func membership(
        _ member: JinjaValue, _ values: JinjaValue, of value: JinjaValue, _ isTrue: Bool
    ) throws -> String? {
        if case .list(let list) = values, list.allSatisfy(\.isKnown) {
            guard !list.isEmpty else { return isTrue ? "1 == 0" : nil }
            return try regardingAbsence("in", member, values, isTrue) { member, _ in
                let casts = try list.map { try casted(member, to: $0) }.compactMap(\.self)
                if casts.count == list.count { return Self.either(casts.flatMap(\.self), isTrue) }
                guard case .query(let query) = try self.query(member) else { throw LossError(code, Self.shown(value)) }
                return Self.either(try list.map { (query, try constant($0)) }, isTrue)
            }
        }
        // Only the root, and what is around a page's values, is surely an object. A text in a text, or a value in a list, has no
        // equivalent.
        if case .text(let name) = member, case .later(var later) = values.bare, later.root == root,
            later.steps.isEmpty || root == .response
        {
            later.steps.append(.member(name))
            return (isTrue ? "" : "!") + sign + StreamTranslation.pathSteps(later.steps)
        }
        throw LossError(code, "a text in a text: \(Self.shown(value))")
    }

    private static let casts: Set = ["string", "|string", "int", "|int", "float", "|float"]

    /// Returns comparisons for a place of which only the text or the integer counts: one with each value that has the same one.
    /// Returns nil for other values.
    private func casted(_ cast: JinjaValue, to value: JinjaValue) throws -> [(query: String, constant: String)]? {
        if case .joined(let pieces) = cast, pieces.count == 1 { return try casted(pieces[0], to: value) }
        guard let name = cast.operationName, Self.casts.contains(name), cast.bare.later?.root == root,
            case .operation(_, let arguments) = cast, arguments.count == 1, let later = arguments[0].later
        else { return nil }
        let place = sign + StreamTranslation.pathSteps(later.steps)
        switch (name, value) {
        case ("string", .text(let text)), ("|string", .text(let text)):
            let quoted = StreamTranslation.quoted(text)
            // An object, an array, null or nothing may have the text, too.
            if text.isEmpty || text == "None" || "[{".contains(text.prefix(1)) { break }
            if text == "True" || text == "False" { return [(place, text.lowercased()), (place, quoted)] }
            let isNumber =
                Int(text).map { String($0) == text } ?? Double(text).map { $0.isFinite && String($0) == text } ?? false
            return (isNumber ? [(place, text)] : []) + [(place, quoted)]
        case ("int", .integer(let integer)) where integer != 0, ("|int", .integer(let integer)) where integer != 0:
            return [(place, String(integer)), (place, "'\(integer)'")]
        default: break
        }
        guard root == .record else { return nil }
        throw LossError(code, Self.shown(cast))
    }

    /// Returns the condition that one of the comparisons holds, or none.
    private static func either(_ parts: [(query: String, constant: String)], _ isTrue: Bool) -> String {
        let tests = parts.map { "\($0.query) \(isTrue ? "==" : "!=") \($0.constant)" }
        return tests.count == 1 ? tests[0] : "(\(tests.joined(separator: isTrue ? " || " : " && ")))"
    }

    /// The place of a value in the root.
    private func path(_ value: JinjaValue) throws -> String {
        guard case .query(let query) = try query(value), query.hasPrefix(sign) else {
            throw LossError(code, Self.shown(value))
        }
        return query
    }

    private func query(_ value: JinjaValue) throws -> Operand {
        switch value {
        case .later(let later) where later.root == root:
            return .query(sign + StreamTranslation.pathSteps(later.steps))
        case .later, .now, .secret: return try operand(value)
        case .joined(let pieces) where pieces.count == 1: return try query(pieces[0])
        case .operation(let name, let arguments):
            guard let first = arguments.first else { throw LossError(code, Self.shown(value)) }
            switch name {
            case _ where Self.casts.contains(name):
                // Only equal values are found whatever their type.
                guard root != .record || first.bare.later?.root != root else {
                    throw LossError(code, Self.shown(value))
                }
                return try query(first)
            case "default", "|default":
                guard arguments.count < 2 || arguments[1].isFalsy || first.later?.root != root else { break }
                return try query(first)
            case "item":
                guard let later = value.bare.later, later.root == root else { break }
                return try query(.later(later))
            case "|length", "|count":
                let path = try path(first)
                return .query("length(\(path))")
            default: break
            }
            return try operand(value)
        case _ where value.isKnown: return .query(try constant(value))
        default: throw LossError(code, Self.shown(value))
        }
    }

    private func constant(_ value: JinjaValue) throws -> String {
        switch value {
        case .null, .missing: return "null"
        case .bool(let bool): return String(bool)
        case .integer(let integer): return String(integer)
        case .number(let number) where number.isFinite: return String(number)
        case .text(let text): return StreamTranslation.quoted(text)
        default: throw LossError(code, "a value that is no text and no number")
        }
    }

    /// A value for a report, without constants, which may be long or personal.
    static func shown(_ value: JinjaValue) -> String {
        let places = value.laters.map { "\($0.root.rawValue)\(StreamTranslation.pathSteps($0.steps))" }
        let operation = value.operationName.map { " (\($0.trimmingPrefix { "|.".contains($0) }))" } ?? ""
        return places.joined(separator: ", ") + operation
    }
}

/// Comparisons of members that a record may lack.
extension RecordCondition {
    /// A value without what stands in the place of one that is not there.
    private struct Absence {
        var value: JinjaValue
        /// The value that is compared instead.
        var stead: JinjaValue
        let place: JinjaValue.Later
    }

    private func absence(in value: JinjaValue) -> Absence? {
        guard root == .record, case .operation(let name, let arguments) = value, let first = arguments.first else {
            return nil
        }
        if name == "default", arguments.count > 1, arguments[1].isFalsy {
            guard let place = first.bare.later, place.root == root else { return nil }
            return Absence(value: first, stead: arguments[1], place: place)
        }
        guard var absence = absence(in: first) else { return nil }
        absence.value = .operation(name, [absence.value] + arguments.dropFirst())
        switch name {
        case "string", "|string": absence.stead = .text(StreamTranslation.text(of: absence.stead))
        case "int", "|int", "float", "|float", "|length", "|count": absence.stead = .integer(0)
        default: return nil
        }
        return absence
    }

    /// Makes a comparison hold for a record without the member where it holds for what stands in its place. By itself only `!=`
    /// holds there.
    private func regardingAbsence(
        _ name: String, _ left: JinjaValue, _ right: JinjaValue, _ isTrue: Bool,
        _ compared: (JinjaValue, JinjaValue) throws -> String?
    ) throws -> String? {
        let (one, other) = (absence(in: left), absence(in: right))
        guard let absence = one ?? other else { return try compared(left, right) }
        guard let text = try compared(one?.value ?? left, other?.value ?? right),
            let comparison = JinjaExpression.Comparison(rawValue: name)
        else { return nil }
        // Each start of a read is more than nothing.
        let bound: JinjaValue = if case .text = absence.stead { .text("~") } else { .integer(.max) }
        let (first, second) = (one?.stead ?? left, other?.stead ?? right)
        guard one == nil || other == nil, !(one == nil ? first : second).laters.contains(where: { $0.root == root })
        else { throw LossError(code, Self.shown(.operation(name, [left, right]))) }
        var evaluator = JinjaEvaluator(config: .missing, parameters: .missing)
        let result = try? evaluator.compare(
            comparison, first.isKnown ? first : bound, second.isKnown ? second : bound)
        // Python does not compare values of two types, so the connector ends there.
        guard case .bool(let holds)? = result, holds != (name == "ne") else { return text }
        let place = sign + StreamTranslation.pathSteps(absence.place.steps)
        return holds == isTrue ? "(\(text) || !\(place))" : "(\(text) && \(place))"
    }
}
