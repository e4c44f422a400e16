import Catalog
import JSON

/// The words for people in the body of a response that refuses the request.
struct ServerWords {
    let text: String

    /// In characters.
    static let maximumLength = 300

    /// Fails where the body says nothing.
    init?(_ body: [UInt8]) {
        guard !body.isEmpty else { return nil }
        let found: String?
        if let document = try? Document(parsing: Bytes(body)) {
            found = document.withRoot(Self.words)
        } else {
            found = Self.plainText(String(decoding: body, as: UTF8.self))
        }
        guard let found, found.contains(where: { !$0.isWhitespace }) else { return nil }
        text = found
    }

    private static func words(in root: Node) -> String? {
        switch root.kind {
        case .string: return root.text
        case .array: return root.elements.first { _ in true }.flatMap(words)
        case .object: break
        default: return nil
        }
        for name in ["message", "error", "detail", "errors", "title", "error_description", "reason", "description"] {
            guard let value = root[name] else { continue }
            switch value.kind {
            case .string where !value.utf8.isEmpty: return value.text
            case .object, .array:
                if let words = words(in: value) { return words }
            default: continue
            }
        }
        // A member that is named like a secret is left out.
        let members = root.members.compactMap { key, value -> String? in
            guard value.kind == .string || value.kind == .integer,
                !SensitiveName.isParameter(key.text, value: value.text)
            else { return nil }
            return "\(key.text): \(value.text)"
        }
        return members.isEmpty ? nil : members.prefix(10).joined(separator: ", ")
    }

    /// An HTML page gives its title.
    private static func plainText(_ text: String) -> String? {
        guard text.drop(while: \.isWhitespace).first == "<" else { return text }
        return text.firstMatch(of: /<title[^>]*>([^<]*)<\/title>/.ignoresCase()).map { String($0.1) }
    }
}
