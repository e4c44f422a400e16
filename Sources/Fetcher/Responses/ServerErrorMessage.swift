import GarnerCatalog
import GarnerJSON

/// The human-readable message in the body of an error response.
struct ServerErrorMessage {
    let text: String

    /// The maximum length in characters.
    static let maximumLength = 300

    /// Extracts the message; fails if the body has none.
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

    /// The members that say what is wrong, the most telling ones first.
    private static let names = [
        "message", "error", "error_description", "detail", "errors", "title", "reason", "description", "hint",
    ]
    private static let maximumParts = 3

    private static func words(in root: Node) -> String? {
        switch root.kind {
        case .string: return root.text
        case .array: return root.elements.first { _ in true }.flatMap(words)
        case .object: break
        default: return nil
        }
        var found: [String] = []
        for name in names {
            guard found.count < maximumParts, let value = root[name] else { continue }
            let part: String? =
                switch value.kind {
                case .string: value.text
                case .object, .array: words(in: value)
                default: nil
                }
            guard let part, part.contains(where: { !$0.isWhitespace }), !found.contains(where: { $0.contains(part) })
            else { continue }
            found.append(part)
        }
        if !found.isEmpty { return found.joined(separator: "; ") }
        // Members whose names suggest a secret are left out.
        let members = root.members.compactMap { key, value -> String? in
            guard value.kind == .string || value.kind == .integer,
                value.text.contains(where: { !$0.isWhitespace }),
                !SensitiveName.isParameter(key.text, value: value.text)
            else { return nil }
            return "\(key.text): \(value.text)"
        }
        return members.isEmpty ? nil : members.prefix(10).joined(separator: ", ")
    }

    /// Returns a plain text, or the title of an HTML page.
    private static func plainText(_ text: String) -> String? {
        guard text.drop(while: \.isWhitespace).first == "<" else { return text }
        return text.firstMatch(of: /<title[^>]*>([^<]*)<\/title>/.ignoresCase()).map { String($0.1) }
    }
}
