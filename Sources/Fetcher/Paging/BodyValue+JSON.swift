import Catalog
import JSON

extension BodyValue {
    init(_ node: Node) {
        self =
            switch node.kind {
            case .null: .null
            case .true: .flag(true)
            case .false: .flag(false)
            case .integer, .real, .number: .number(node.text)
            case .string: .text(.literal(node.text))
            case .array: .array(node.elements.map(BodyValue.init))
            case .object: .object(node.members.map { Member(name: $0.key.text, value: BodyValue($0.value)) })
            }
    }

    /// nil where the text is no JSON.
    init?(json: String) {
        guard let document = try? Document(parsing: Bytes(json.utf8)) else { return nil }
        self = document.withRoot { BodyValue($0) }
    }
}
