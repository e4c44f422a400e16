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
            found = document.withRoot(Self.words(in:))
        } else {
            found = Self.plainText(String(decoding: body, as: UTF8.self))
        }
        guard let found, found.contains(where: { !$0.isWhitespace }) else { return nil }
        text = found
    }

    /// The members that say what is wrong, the most telling ones first.
    private static let names = [
        "message", "faultstring", "error", "error_description", "detail", "errors", "title", "reason", "description",
        "hint", "msg",
    ]
    /// The members that say which part of the request is wrong.
    private static let places = ["field", "param", "parameter", "property", "loc"]
    private static let maximumParts = 3

    private static func words(in root: Node) -> String? { words(in: root, depth: 4) }

    private static func words(in root: Node, depth: Int) -> String? {
        switch root.kind {
        case .string: return root.text
        case .array where depth > 0:
            return root.elements.first { _ in true }.flatMap { words(in: $0, depth: depth - 1) }
        case .object where depth > 0: break
        default: return nil
        }
        var found: [String] = []
        for name in names {
            guard found.count < maximumParts, let value = root[name] else { continue }
            let part: String? =
                switch value.kind {
                case .string: value.text
                case .object, .array: words(in: value, depth: depth - 1)
                default: nil
                }
            guard let part, part.contains(where: { !$0.isWhitespace }), !found.contains(where: { $0.contains(part) })
            else { continue }
            found.append(part)
        }
        if let first = found.first {
            let place = places.compactMap { root[$0].flatMap(words(ofPlace:)) }.first { !first.contains($0) }
            return (place.map { "\($0): " } ?? "") + found.joined(separator: "; ")
        }
        // Members whose names suggest a secret are left out. Below the names of fields is what is wrong with each.
        let members = root.members.compactMap { key, value -> String? in
            let text: String? =
                switch value.kind {
                case .string, .integer: value.text
                case .object, .array: words(in: value, depth: depth - 1)
                default: nil
                }
            guard let text, text.contains(where: { !$0.isWhitespace }),
                !SensitiveName.isParameter(key.text, value: text)
            else { return nil }
            return "\(key.text): \(text)"
        }
        return members.isEmpty ? nil : members.prefix(10).joined(separator: ", ")
    }

    /// Returns the words for a part of the request, such as `query.from` for `["query", "from"]`; nil if there are none.
    private static func words(ofPlace node: Node) -> String? {
        let names = node.kind == .array ? node.elements.map { $0 } : [node]
        guard !names.isEmpty, names.allSatisfy({ $0.kind == .string || $0.kind == .integer }) else { return nil }
        return names.map(\.text).joined(separator: ".")
    }

    /// Returns a plain text, the title of an HTML page, or what an answer of SOAP or another XML says.
    private static func plainText(_ text: String) -> String? {
        guard text.drop(while: \.isWhitespace).first == "<" else { return text }
        return text.firstMatch(of: /<(?:title|faultstring|message)[^>]*>([^<]*)<\//.ignoresCase()).map { String($0.1) }
    }
}
