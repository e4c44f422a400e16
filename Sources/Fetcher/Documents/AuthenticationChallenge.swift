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
            let word = element.prefix { !isSpace($0) && $0 != "=" }
            let rest = element[word.endIndex...].drop(while: isSpace)
            if rest.first != "=" {
                schemes.append(Scheme(name: String(word).lowercased()))
                parameter = rest
            }
            if let last = schemes.indices.last, schemes[last].realm == nil, let realm = realm(in: parameter) {
                schemes[last].realm = realm
            }
        }
    }

    /// The parts between commas that stand in no quotes; by scalars, since a quote and a combining mark are one
    /// character.
    private static func elements(of field: String) -> [String.UnicodeScalarView] {
        var elements = [String.UnicodeScalarView()]
        var isQuoted = false
        var isEscaped = false
        for scalar in field.unicodeScalars {
            if scalar == ",", !isQuoted {
                elements.append(String.UnicodeScalarView())
                continue
            }
            if scalar == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = scalar == "\\" && isQuoted && !isEscaped
            elements[elements.count - 1].append(scalar)
        }
        return elements.map { String.UnicodeScalarView($0.drop(while: isSpace)) }.filter { !$0.isEmpty }
    }

    private static func realm(in parameter: Substring.UnicodeScalarView) -> String? {
        let pair = parameter.split(separator: "=", maxSplits: 1)
        guard pair.count == 2, String(pair[0].prefix { !isSpace($0) }).lowercased() == "realm" else { return nil }
        let value = pair[1].drop(while: isSpace)
        guard value.first == "\"" else { return String(value.prefix { !isSpace($0) }) }
        var text = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in value.dropFirst() {
            if scalar == "\"", !isEscaped { break }
            if scalar == "\\", !isEscaped {
                isEscaped = true
                continue
            }
            isEscaped = false
            text.append(scalar)
        }
        return String(text)
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }
}
