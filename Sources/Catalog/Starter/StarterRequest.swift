import Model

/// The request of a collection, apart from its URL, as options like those of curl describe it.
package struct StarterRequest: Sendable {
    package var method: RequestTemplate.Method?
    /// The body as JSON on one line; nil if there is none.
    package var json: String?
    /// The names and values in the given order. A value may name a variable: `Bearer ${TOKEN}`.
    package private(set) var headers: [(name: String, value: String)] = []
    package private(set) var params: [(name: String, value: String)] = []
    package var authentication: Authentication?
    /// The variables that must be set, each with its value if that is known.
    package private(set) var variables: [(name: String, value: String?)] = []

    /// The usual ways of authentication.
    package enum Authentication: String, Sendable, CaseIterable {
        case bearer, basic
        case apiKey = "api_key"
    }

    package var hasHeaders: Bool { !headers.isEmpty }

    /// Returns the environment with a value for each missing variable, for checks of a file without requests.
    package func assumed(_ environment: [String: String]) -> [String: String] {
        let named = (headers + params).flatMap {
            $0.value.matches(of: /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/).map { String($0.1) }
        }
        return (named + variables.map(\.name)).reduce(into: environment) { environment, name in
            if environment[name] == nil { environment[name] = "unknown" }
        }
    }

    private let source: String

    /// - Parameter source: the name of the source, with which the names of variables begin.
    package init(source: String) { self.source = source }

    /// Adds a header as curl takes it: `Name: value`. If its name is one of a secret and its value names no variable,
    /// the value moves to a variable, so that the file holds no secret.
    ///
    /// - Returns: false if the text is no header.
    package mutating func addHeader(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":") else { return false }
        let name = String(text[..<colon].trimming(while: \.isWhitespace))
        let value = String(text[text.index(after: colon)...].trimming(while: \.isWhitespace))
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else { return false }
        headers.append((name: name, value: hiding(value, in: name, SensitiveName.isHeader(name))))
        return true
    }

    /// Adds a query parameter: `name=value`.
    ///
    /// - Returns: false if the text is no parameter.
    package mutating func addParameter(_ text: String) -> Bool {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else { return false }
        let name = String(text[..<equals])
        let value = String(text[text.index(after: equals)...])
        params.append((name: name, value: hiding(value, in: name, SensitiveName.isParameter(name, value: value))))
        return true
    }

    /// Sets a JSON body. A member with the name of a secret gets a variable, as a header does.
    ///
    /// - Returns: false if the text is not JSON.
    package mutating func setBody(_ text: String) -> Bool {
        guard let line = JSONLine(text) else { return false }
        json = line.text.replacing(/"((?:[^"\\]|\\.)*)": "((?:[^"\\]|\\.)*)"/) { match in
            let (name, value) = (String(match.1), match.2.replacing(/\\(["\\\/])/) { $0.1 })
            let isSecret = SensitiveName.isParameter(name, value: String(value))
            return "\"\(name)\": \"\(isSecret ? hiding(String(value), in: name, true) : String(match.2))\""
        }
        return true
    }

    package mutating func authenticate(by way: Authentication) {
        authentication = way
        switch way {
        case .bearer: variables.append((name: variable("TOKEN"), value: nil))
        case .basic: variables += [(variable("USER"), nil), (variable("PASSWORD"), nil)]
        case .apiKey: variables.append((name: variable("KEY"), value: nil))
        }
    }

    private mutating func hiding(_ value: String, in name: String, _ isSecret: Bool) -> String {
        guard isSecret, !value.contains("${") else { return value }
        let variable = variable(name.uppercased())
        // The scheme of `Bearer abc` is no secret.
        let scheme = value.split(separator: " ", maxSplits: 1)
        guard scheme.count == 2, name.lowercased() == "authorization" else {
            variables.append((name: variable, value: value))
            return "${\(variable)}"
        }
        variables.append((name: variable, value: String(scheme[1])))
        return "\(scheme[0]) ${\(variable)}"
    }

    private func variable(_ name: String) -> String {
        String("\(source)_\(name)".uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    /// The lines of the stream for this request, without its parameters.
    var lines: [String] {
        var lines: [String] = []
        if let method, json == nil || method != .post { lines.append("method: \(method.rawValue)") }
        if let json { lines.append("json: \(json)") }
        if !headers.isEmpty {
            let members = headers.map { (name: $0.name, value: YAMLText.quoted(Self.escaped($0.value))) }
            lines.append("headers: \(YAMLText.mapping(members))")
        }
        switch authentication {
        case .bearer: lines.append("auth: { type: bearer, token: \"${\(variable("TOKEN"))}\" }")
        case .basic:
            lines.append(
                "auth: { type: http_basic, username: \"${\(variable("USER"))}\", password: \"${\(variable("PASSWORD"))}\" }"
            )
        case .apiKey: lines.append("auth: { type: api_key, name: X-API-Key, value: \"${\(variable("KEY"))}\" }")
        case nil: break
        }
        return lines
    }

    /// Doubles each dollar that begins no variable.
    static func escaped(_ value: String) -> String {
        value.replacing(/\$(?!\{[A-Za-z_][A-Za-z0-9_]*\})/, with: "$$")
    }
}

/// JSON without space between its tokens, which YAML reads too.
private struct JSONLine {
    let text: String

    /// Returns nil if the text is no object or array, or if its brackets do not match. The check of the file finds
    /// other mistakes.
    init?(_ json: String) {
        var line = ""
        var isInText = false
        var isEscaped = false
        var depth = 0
        for scalar in json.unicodeScalars {
            if isInText {
                line.unicodeScalars.append(scalar)
                if !isEscaped, scalar == "\"" { isInText = false }
                isEscaped = !isEscaped && scalar == "\\"
                continue
            }
            switch scalar {
            case "\n", "\r", "\t", " ": continue
            case "{", "[": depth += 1
            case "}", "]": depth -= 1
            case "\"":
                isInText = true
                isEscaped = false
            default: break
            }
            guard depth >= 0 else { return nil }
            line.unicodeScalars.append(scalar)
            // YAML needs a space after these.
            if scalar == ":" || scalar == "," { line.unicodeScalars.append(" ") }
        }
        guard depth == 0, !isInText, line.hasPrefix("{") || line.hasPrefix("[") else { return nil }
        text = line
    }
}
