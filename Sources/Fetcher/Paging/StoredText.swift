import Catalog
import JSON

// What positions and summaries have in common as JSON texts.

/// A JSON string.
func quoted(_ text: String) -> String { JSONString.quoted(text) }

extension Node {
    /// A count that one more can be added to.
    var storedCount: Int? {
        guard kind == .integer, (0..<Int64.max).contains(integer) else { return nil }
        return Int(integer)
    }
}

extension ReadHistory.Place {
    /// A member of a JSON object.
    var member: String {
        switch self {
        case .array: #""is_array":true"#
        case .member(let name): #""member":\#(quoted(name))"#
        case .path(let names): #""path":[\#(names.map(quoted).joined(separator: ","))]"#
        case .second: #""is_second":true"#
        }
    }

    init?(stored root: Node) {
        if root["is_array"]?.kind == .true {
            self = .array
        } else if let name = root["member"]?.string {
            self = .member(name)
        } else if let names = root["path"]?.elements.compactMap(\.string), names.count > 1 {
            self = .path(names)
        } else if root["is_second"]?.kind == .true {
            self = .second
        } else {
            return nil
        }
    }
}
