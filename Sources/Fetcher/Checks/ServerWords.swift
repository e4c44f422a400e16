import Catalog
import JSON

/// What a server says about a request that it refuses, as far as its body tells it to people.
struct ServerWords {
    let text: String

    /// In characters.
    static let maximumLength = 300

    /// nil where the body says nothing.
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
        // What is named like a secret is none of these words.
        let members = root.members.compactMap { key, value -> String? in
            guard value.kind == .string || value.kind == .integer,
                !SensitiveName.isParameter(key.text, value: value.text)
            else { return nil }
            return "\(key.text): \(value.text)"
        }
        return members.isEmpty ? nil : members.prefix(10).joined(separator: ", ")
    }

    /// Of a page for people its title.
    private static func plainText(_ text: String) -> String? {
        guard text.drop(while: \.isWhitespace).first == "<" else { return text }
        return text.firstMatch(of: /<title[^>]*>([^<]*)<\/title>/.ignoresCase()).map { String($0.1) }
    }
}
