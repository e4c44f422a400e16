extension Template {
    /// A place in a text, by what fills it.
    package enum Placeholder: Hashable, Sendable, CustomStringConvertible {
        /// A field of the parent's record.
        case parent(String)
        /// The value of the partition with this name.
        case partition(String)
        case incrementalStart
        case incrementalEnd

        /// From what stands between the braces; nil where that names nothing.
        package init?(name: String) {
            switch name {
            case "incremental.start_value": self = .incrementalStart
            case "incremental.end_value": self = .incrementalEnd
            default:
                guard let dot = name.firstIndex(of: ".") else { return nil }
                let field = String(name[dot...].dropFirst())
                guard !field.isEmpty, !field.hasPrefix("."), !field.hasSuffix(".") else { return nil }
                switch name[..<dot] {
                case "parent": self = .parent(field)
                case "partition": self = .partition(field)
                default: return nil
                }
            }
        }

        /// What stands between the braces.
        package var name: String {
            switch self {
            case .parent(let field): "parent.\(field)"
            case .partition(let name): "partition.\(name)"
            case .incrementalStart: "incremental.start_value"
            case .incrementalEnd: "incremental.end_value"
            }
        }

        /// As it is written: `{parent.id}`.
        package var description: String { "{\(name)}" }

        /// By bytes, since Swift's strings are equal where only their Unicode form differs.
        package static func == (left: Placeholder, right: Placeholder) -> Bool {
            switch (left, right) {
            case (.parent(let one), .parent(let other)), (.partition(let one), .partition(let other)):
                one.utf8.elementsEqual(other.utf8)
            case (.incrementalStart, .incrementalStart), (.incrementalEnd, .incrementalEnd): true
            default: false
            }
        }
    }
}

/// What fills the placeholders of one request.
package typealias Bindings = [Template.Placeholder: String]
