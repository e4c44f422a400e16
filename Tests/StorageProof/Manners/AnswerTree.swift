import GarnerJSON

/// The JSON around the records of an answer, as a value that can be changed.
indirect enum AnswerTree: Equatable, Sendable {
    /// A text, number, Boolean or null, as JSON spells it.
    case plain(String)
    case list([AnswerTree])
    case object([Member])

    struct Member: Equatable, Sendable {
        var name: String
        var value: AnswerTree
    }

    /// Parses a text; nil if it is no JSON.
    init?(_ text: String) {
        guard let document = try? Document(parsing: Bytes(text.utf8)) else { return nil }
        self = document.withRoot { AnswerTree($0) }
    }

    init(_ node: Node) {
        switch node.kind {
        case .array: self = .list(node.elements.map { AnswerTree($0) })
        case .object: self = .object(node.members.map { Member(name: $0.key.text, value: AnswerTree($0.value)) })
        default: self = .plain(node.source)
        }
    }

    /// An object that names each of the values by its number.
    static func map(_ values: [AnswerTree]) -> AnswerTree {
        .object(values.enumerated().map { Member(name: "\($0.offset)", value: $0.element) })
    }

    var text: String {
        switch self {
        case .plain(let text): text
        case .list(let elements): "[\(elements.map(\.text).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\(JSONText.quoted($0.name)):\($0.value.text)" }.joined(separator: ","))}"
        }
    }

    var isObject: Bool { if case .object = self { true } else { false } }

    var integer: Int? { if case .plain(let text) = self { Int(text) } else { nil } }

    /// True for null, an empty text, and an empty list or object.
    var isNothing: Bool {
        switch self {
        case .plain(let text): text == "null" || text == "\"\""
        case .list(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        }
    }

    /// The names of members on the way to a value; elements of lists are named by their numbers.
    typealias Path = [String]

    /// The value at a path; nil where there is none.
    subscript(path: some Collection<String>) -> AnswerTree? {
        guard let name = path.first else { return self }
        switch self {
        case .plain: return nil
        case .list(let elements):
            guard let index = Int(name), elements.indices.contains(index) else { return nil }
            return elements[index][path.dropFirst()]
        case .object(let members): return members.last { $0.name == name }?.value[path.dropFirst()]
        }
    }

    /// Sets the value at a path, and makes the objects that lead to it; nil removes the member.
    mutating func set(_ path: some Collection<String>, to value: AnswerTree?) {
        guard let name = path.first else {
            if let value { self = value }
            return
        }
        let rest = path.dropFirst()
        switch self {
        case .plain: break
        case .list(var elements):
            guard let index = Int(name), elements.indices.contains(index) else { return }
            elements[index].set(rest, to: value)
            self = .list(elements)
        case .object(var members):
            if let index = members.lastIndex(where: { $0.name == name }) {
                if rest.isEmpty, value == nil {
                    members.remove(at: index)
                } else {
                    members[index].value.set(rest, to: value)
                }
            } else if let value {
                var made = rest.isEmpty ? value : .object([])
                made.set(rest, to: value)
                members.append(Member(name: name, value: made))
            }
            self = .object(members)
        }
    }

    mutating func rename(_ path: Path, to name: String) {
        guard let last = path.last, case .object(var members)? = self[path.dropLast()] else { return }
        for index in members.indices where members[index].name == last { members[index].name = name }
        set(path.dropLast(), to: .object(members))
    }

    /// The paths of all texts, numbers, Booleans and nulls but those below `list`.
    func leaves(outside list: Path, _ path: Path = []) -> [Path] {
        guard path != list || path.isEmpty && list.isEmpty && !isList else { return [] }
        switch self {
        case .plain: return [path]
        case .list(let elements):
            return elements.indices.flatMap { elements[$0].leaves(outside: list, path + ["\($0)"]) }
        case .object(let members): return members.flatMap { $0.value.leaves(outside: list, path + [$0.name]) }
        }
    }

    private var isList: Bool { if case .list = self { true } else { false } }

    /// The path of the list with so many elements; nil where there is none.
    func path(ofListOf count: Int, _ path: Path = []) -> Path? {
        switch self {
        case .plain: return nil
        case .list(let elements) where elements.count == count && elements.first?.isObject == true: return path
        case .list(let elements):
            return elements.indices.lazy.compactMap { elements[$0].path(ofListOf: count, path + ["\($0)"]) }.first
        case .object(let members):
            return members.lazy.compactMap { $0.value.path(ofListOf: count, path + [$0.name]) }.first
        }
    }
}
