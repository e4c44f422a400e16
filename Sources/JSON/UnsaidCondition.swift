/// A part of a condition of which a record says nothing: it lacks the member, or has it with a value that does not tell.
package struct UnsaidCondition: Sendable {
    /// What the record has there, such as `@.deleted_at is missing`.
    package let finding: String
    /// True if the record has a value there that is neither empty nor a no.
    package let isOfOtherKind: Bool
    /// The condition that holds only for records that say so; nil if the parts of the condition are several, or more than names and a literal.
    package let careful: String?
    /// The condition that says of records with such a value that they do not meet it; nil if it has alternatives.
    package let leavingOut: String?
    /// The condition that the other records meet, where this one lacks the member; nil where it has it.
    package let others: String?

    /// - Parameter member: The path of the member, and its value; nil if it is missing.
    init(of filter: FilterExpression, at member: (path: String, value: Node?)?) {
        let (path, value) = member ?? ("@", nil)
        finding = "\(path) is \(value?.words ?? "missing")"
        isOfOtherKind = value?.isHollow == false
        careful = filter.careful(at: path, value)
        leavingOut = value.flatMap { filter.leavingOut($0, at: path) }
        others = value == nil ? filter.opposite : nil
    }
}

extension FilterExpression {
    /// The condition that holds where this one does not.
    fileprivate var opposite: String {
        guard case .not = expression, description.hasPrefix("!") else { return "!(\(description))" }
        return String(description.dropFirst())
    }

    /// Returns the condition with one more before it, which a value of this kind does not meet.
    fileprivate func leavingOut(_ value: Node, at path: String) -> String? {
        switch expression {
        case .any, .not: return nil
        case .all(let parts) where !parts.allSatisfy(\.isPlain): return nil
        case .all, .comparison, .exists: break
        }
        let other =
            switch value.kind {
            case .string: "!(\(path) > '')"
            case .integer, .real, .number: "!(\(path) < 0 || \(path) >= 0)"
            case .null, .true, .false: "\(path) != \(value.text)"
            case .array, .object: "!(count(\(path).*) > 0)"
            }
        return "\(other) && \(description)"
    }

    /// Returns the condition without what it holds for by a missing or empty value alone.
    fileprivate func careful(at path: String, _ value: Node?) -> String? {
        var (inner, isNegated) = (expression, false)
        if case .not(let part) = expression { (inner, isNegated) = (part, true) }
        switch inner {
        case .exists(let query) where query.isSingular:
            return isNegated ? "\(path) == false" : Self.mark(at: path, value)
        case .comparison(.query, let comparison, .literal(let literal)),
            .comparison(.literal(let literal), let comparison, .query):
            // An order with an empty text says nothing of the record.
            if !isNegated, comparison != .equal, comparison != .notEqual, let value, value.isHollow {
                return "\(path) != \(value.words) && \(description)"
            }
            guard comparison == (isNegated ? .equal : .notEqual) else { return nil }
            let text = literal.node.text
            switch literal.node.kind {
            case .true: return "\(path) == false"
            case .false: return "\(path) == true"
            case .null: return Self.mark(at: path, value)
            case .string: return "\(path) > '' && \(description)"
            case .integer, .real, .number: return "\(path) < \(text) || \(path) > \(text)"
            case .array, .object: return nil
            }
        default: return nil
        }
    }

    /// Returns the condition that a member has a value that is no such one.
    private static func mark(at path: String, _ value: Node?) -> String {
        guard let value, !value.isNull else { return "\(path) && \(path) != null" }
        // No literal is an object or a list.
        if value.kind == .object || value.kind == .array { return "length(\(path)) > 0" }
        return value.kind == .false ? "\(path) == true" : "\(path) && \(path) != null && \(path) != \(value.words)"
    }
}

extension LogicalExpression {
    /// True for a comparison, and for a query that stands alone, also negated.
    fileprivate var isPlain: Bool {
        switch self {
        case .exists, .comparison, .not(.exists): true
        case .any, .all, .not: false
        }
    }

    /// The comparisons and the queries that stand alone.
    var parts: [LogicalExpression] {
        switch self {
        case .any(let parts), .all(let parts): parts.flatMap(\.parts)
        case .not(let part): part.parts
        case .exists, .comparison: [self]
        }
    }
}

extension Node {
    /// True for a value that says no under a name such as `deleted_at`: null, false, zero, texts such as `0000-00-00`, and an object or list
    /// without a value.
    var isHollow: Bool {
        switch kind {
        case .null, .false: return true
        case .true: return false
        case .array: return !elements.contains { _ in true }
        case .object: return !members.contains { _ in true }
        case .integer, .real, .number, .string:
            let longest = 40
            guard kind != .string || utf8.count <= longest else { return false }
            let text = text.lowercased()
            // The last one is how Go and .NET write no time.
            return text != "t" && text.utf8.allSatisfy { "0-:/. tz+".utf8.contains($0) }
                || Self.noes.contains(text) || text.hasPrefix("0001-01-01")
        }
    }

    private static let noes: Set = ["f", "false", "n", "n/a", "never", "nil", "no", "none", "null", "off", "undefined"]

    /// Returns true for values that a condition can tell apart: of one kind, numbers of any, or booleans.
    func isOfKind(of other: Node) -> Bool {
        let kinds: [[Node.Kind]] = [[.true, .false], [.integer, .real, .number]]
        return kind == other.kind || kinds.contains { $0.contains(kind) && $0.contains(other.kind) }
    }

    /// The value for people if it is hollow, as a condition writes it; else what it is.
    fileprivate var words: String {
        switch kind {
        case .array: isHollow ? "an empty list" : "a list"
        case .object: isHollow ? "an empty object" : "an object"
        case .string: isHollow ? "'\(text)'" : "a text"
        case .null, .true, .false: text
        case .integer, .real, .number: isHollow ? text : "a number"
        }
    }
}
