package import Catalog
import JSON

/// A part of a read that is asked for with the same values of its placeholders.
package struct Slice: Sendable, Identifiable {
    package let id: Int64
    package let bindings: Bindings
    /// A JSON object of what is stored with each of its records.
    package let added: String?
    /// Where it goes on; nil for its first page.
    package let nextPosition: String?
    /// The greatest cursor on the pages that were read of it.
    package let watermark: String?
    /// Behind what it begins: the cursor of an earlier read.
    package let cursor: String?
}

extension Bindings {
    /// A JSON object, the same for the same values.
    var json: String {
        let sorted = sorted { $0.key.name.utf8.lexicographicallyPrecedes($1.key.name.utf8) }
        let members = sorted.map { placeholder, value in
            "\(JSONString.quoted(placeholder.name)):\(JSONString.quoted(value))"
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// What `json` wrote; nil for anything else.
    init?(json text: String) {
        guard let document = try? Document(parsing: Bytes(text.utf8)) else { return nil }
        self = document.withRoot { root in
            root.members.reduce(into: [:]) { bindings, member in
                guard let placeholder = Template.Placeholder(name: member.key.text) else { return }
                bindings[placeholder] = member.value.text
            }
        }
    }
}
