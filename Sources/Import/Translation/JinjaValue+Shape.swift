/// What the translations of pages, filters and fields ask about values.
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

    /// The value without what only changes its type, and without a default of nothing.
    var bare: JinjaValue {
        var value = self
        while case .operation(let name, let arguments) = value, let first = arguments.first {
            if Self.casts.contains(name) || name == "default" && (arguments.count < 2 || arguments[1].isFalsy) {
                value = first
            } else if case .joined(let pieces) = value, pieces.count == 1 {
                value = pieces[0]
            } else {
                break
            }
        }
        if case .joined(let pieces) = value, pieces.count == 1 { return pieces[0].bare }
        return value
    }

    private static let casts: Set = [
        "string", "|string", "|int", "|float", "|tojson", "|safe", "|trim", "|lower", "|list",
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
