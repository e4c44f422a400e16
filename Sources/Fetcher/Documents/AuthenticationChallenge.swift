/// A server's question who asks (RFC 9110, 11.6.1).
public struct AuthenticationChallenge: Sendable, Equatable {
    /// One way to answer, as the server wrote it.
    public struct Scheme: Sendable, Equatable {
        /// In lower case, such as `basic`.
        public let name: String
        public internal(set) var realm: String?
    }

    public let status: Int
    /// In the server's order; none where it does not say what it wants.
    public let schemes: [Scheme]
    /// Without secrets.
    public let url: String

    init(_ head: ResponseHead, at url: String) {
        status = head.status
        schemes = head.headers.values(of: "WWW-Authenticate").flatMap(Self.schemes)
        self.url = url
    }

    /// A field's list holds both challenges and their parameters: what has a word before its first `=` begins a new one.
    private static func schemes(in field: String) -> [Scheme] {
        elements(of: field).reduce(into: []) { schemes, element in
            var parameter = element[...]
            let word = element.prefix { !$0.isWhitespace && $0 != "=" }
            let rest = element.dropFirst(word.count).drop(while: \.isWhitespace)
            if rest.first != "=" {
                schemes.append(Scheme(name: word.lowercased()))
                parameter = rest
            }
            if let last = schemes.indices.last, schemes[last].realm == nil, let realm = realm(in: parameter) {
                schemes[last].realm = realm
            }
        }
    }

    /// The parts between commas that stand in no quotes.
    private static func elements(of field: String) -> [String] {
        var elements = [""]
        var isQuoted = false
        var isEscaped = false
        for character in field {
            if character == ",", !isQuoted {
                elements.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = character == "\\" && isQuoted && !isEscaped
            elements[elements.count - 1].append(character)
        }
        return elements.map { String($0.drop(while: \.isWhitespace)) }.filter { !$0.isEmpty }
    }

    private static func realm(in parameter: Substring) -> String? {
        let pair = parameter.split(separator: "=", maxSplits: 1)
        guard pair.count == 2, pair[0].filter({ !$0.isWhitespace }).lowercased() == "realm" else { return nil }
        let value = pair[1].drop(while: \.isWhitespace)
        guard value.first == "\"" else { return String(value.prefix { !$0.isWhitespace }) }
        var text = ""
        var isEscaped = false
        for character in value.dropFirst() {
            if character == "\"", !isEscaped { break }
            if character == "\\", !isEscaped {
                isEscaped = true
                continue
            }
            isEscaped = false
            text.append(character)
        }
        return text
    }
}
