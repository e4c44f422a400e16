/// The questions that translations of pages, filters and fields ask about values.
extension JinjaValue {
    /// The arguments of an operation of this name; nil for other values.
    func arguments(of name: String) -> [JinjaValue]? {
        if case .operation(name, let arguments) = self { arguments } else { nil }
    }

    var operationName: String? { if case .operation(let name, _) = self { name } else { nil } }

    var later: Later? { if case .later(let later) = self { later } else { nil } }

    /// True where Jinja has nothing to print.
    var isNothing: Bool {
        switch self {
        case .missing, .null, .text(""): true
        default: false
        }
    }

    /// True for a value that counts as false, and is known.
    var isFalsy: Bool {
        switch self {
        case .missing, .null, .bool(false), .integer(0), .number(0), .text(""), .text("False"), .text("false"),
            .list([]), .mapping([]):
            true
        default: false
        }
    }

    /// The only piece of a text; another value as it is.
    var alone: JinjaValue { if case .joined(let pieces) = self, pieces.count == 1 { pieces[0] } else { self } }

    /// The value without what only changes its type, and without what stands for nothing in its place.
    var bare: JinjaValue {
        switch self {
        case .joined(let pieces) where pieces.count == 1: return pieces[0].bare
        case .operation(let name, let arguments):
            guard let first = arguments.first else { return self }
            let second = arguments.count > 1 ? arguments[1] : .missing
            switch name {
            case _ where Self.casts.contains(name): return first.bare
            case "default", "or": return second.isFalsy ? first.bare : self
            case "|last", "|first":
                guard case .later(var later) = first.bare else { return self }
                later.steps.append(.index(name == "|last" ? -1 : 0))
                return .later(later)
            case "item":
                guard case .later(var later) = first.bare else { return self }
                switch second {
                case .text(let name): later.steps.append(.member(name))
                case .integer(let index): later.steps.append(.index(index))
                default: return self
                }
                return .later(later)
            default: return self
            }
        default: return self
        }
    }

    private static let casts: Set = [
        "string", "|string", "|int", "|float", "|tojson", "|safe", "|list",
    ]

    /// All places of requests, answers and records in the value, each once.
    var laters: [Later] {
        var found: [Later] = []
        var rest = [self]
        while let value = rest.popLast() {
            switch value {
            case .later(let later): if !found.contains(later) { found.append(later) }
            case .operation(_, let values), .list(let values), .joined(let values): rest += values
            case .mapping(let members): rest += members.map(\.value)
            default: break
            }
        }
        return found
    }

    /// The names of all operations in the value.
    var operationNames: Set<String> {
        var found: Set<String> = []
        var rest = [self]
        while let value = rest.popLast() {
            if case .operation(let name, _) = value { found.insert(name) }
            switch value {
            case .operation(_, let values), .list(let values), .joined(let values): rest += values
            case .mapping(let members): rest += members.map(\.value)
            default: break
            }
        }
        return found
    }

    /// The parts of a chain of one operator such as `or`.
    func parts(of name: String) -> [JinjaValue] {
        guard let arguments = arguments(of: name) else { return [self] }
        return arguments.flatMap { $0.parts(of: name) }
    }

    /// A known value as Python prints it; nil for values of another kind.
    var printed: String? {
        switch self {
        case .text(let text): text
        case .integer(let integer): String(integer)
        case .number(let number): String(number)
        case .bool(let bool): bool ? "True" : "False"
        default: nil
        }
    }

    var integerValue: Int? {
        switch self {
        case .integer(let integer): integer
        case .number(let number): Int(exactly: number)
        case .text(let text): Int(text)
        default: nil
        }
    }
}

extension JinjaValue.Later {
    /// The names of the members that lead to it; nil if an index is between them.
    var names: [String]? {
        let names = steps.compactMap { if case .member(let name) = $0 { name } else { nil } }
        return names.count == steps.count ? names : nil
    }

    var lastName: String? {
        steps.reversed().lazy.compactMap { if case .member(let name) = $0 { name } else { nil } }.first
    }
}
