import GarnerJSON
import GarnerModel

/// The request of a collection, apart from its URL, as options like those of curl describe it.
package struct StarterRequest: Sendable {
    /// A name with its value, which may name a variable: `Bearer ${TOKEN}`.
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    /// The body, in the notation of the file.
    package struct Body: Sendable, Equatable {
        let format: BodyFormat
        let text: String
    }

    package var method: RequestTemplate.Method?
    package private(set) var body: Body?
    /// The names and values in the given order.
    package private(set) var headers: [Field] = []
    package private(set) var params: [Field] = []
    package private(set) var authentication: Authentication?
    /// The variables that must be set, each with its value if that is known.
    package private(set) var variables: [(name: String, value: String?)] = []
    /// Sentences for people on the parts of a curl command that are not taken.
    package var remarks: [String] = []

    package enum Authentication: String, Sendable, CaseIterable {
        case bearer, basic
        case apiKey = "api_key"
        case oauth2, session
    }

    package enum Grant: String, Sendable, CaseIterable {
        case clientCredentials = "client_credentials"
        case refreshToken = "refresh_token"
    }

    /// Returns the environment with a value for each missing variable, for checks of a file without requests.
    package func assumed(_ environment: [String: String]) -> [String: String] {
        variableNames.reduce(into: environment) { environment, name in
            if environment[name] == nil { environment[name] = "unknown" }
        }
    }

    /// The variables that the file names, each once.
    package var variableNames: [String] {
        let named = (headers + params).map(\.value) + (body.map { [$0.text] } ?? []) + sourceLines + sharedLines
        let names = named.flatMap { $0.matches(of: /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/).map { String($0.1) } }
        var seen: Set<String> = []
        return (names + variables.map(\.name)).filter { seen.insert($0).inserted }
    }

    private let source: String
    /// The variables of the URL's secrets.
    private let taken: [String: String]
    private var limits: [Field] = []
    private var authLines: [String] = []
    /// The lines that only a source can have.
    private(set) var sourceLines: [String] = []

    /// - Parameters:
    ///   - source: the name of the source, with which the names of variables begin.
    ///   - taken: the variables that have another value already.
    package init(source: String, besides taken: [String: String] = [:]) { (self.source, self.taken) = (source, taken) }

    /// Adds a header as curl takes it: `Name: value`. If its name is one of a secret and its value names no variable,
    /// the value moves to a variable, so that the file holds no secret.
    ///
    /// - Returns: false if the text is no header.
    package mutating func addHeader(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":") else { return false }
        return addHeader(
            Field(
                name: String(text[..<colon].trimming(while: \.isWhitespace)),
                value: String(text[colon...].dropFirst().trimming(while: \.isWhitespace))))
    }

    package mutating func addHeader(_ field: Field) -> Bool {
        guard HeaderSyntax.isName(field.name) else { return false }
        let isSecret = SensitiveName.isHeader(field.name, value: field.value) || SensitiveName.isWithin(field.value)
        headers.append(Field(name: field.name, value: isSecret ? hiding(field.value, in: field.name) : field.value))
        return true
    }

    /// Adds a query parameter: `name=value`.
    ///
    /// - Returns: false if the text is no parameter.
    package mutating func addParameter(_ text: String) -> Bool {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else { return false }
        params.append(hidden(Field(name: String(text[..<equals]), value: String(text[equals...].dropFirst()))))
        return true
    }

    private mutating func hidden(_ field: Field) -> Field {
        guard SensitiveName.isParameter(field.name, orLooksSecret: field.value) || SensitiveName.isWithin(field.value)
        else { return field }
        return Field(name: field.name, value: hiding(field.value, in: field.name))
    }

    /// Sets a JSON body. A text with the name of a secret gets a variable, as a header does.
    ///
    /// - Returns: false if the text is no JSON object or array.
    package mutating func setBody(_ text: String) -> Bool {
        guard let document = try? Document(parsing: Bytes(Array(text.utf8))) else { return false }
        return document.withRoot { root in
            guard root.kind == .object || root.kind == .array else { return false }
            body = Body(format: .json, text: yaml(root, name: ""))
            return true
        }
    }

    package static func isJSON(_ text: String) -> Bool {
        var request = StarterRequest(source: "")
        return request.setBody(text)
    }

    /// Sets a body of fields. Those of one name become a list.
    package mutating func setForm(_ fields: [Field]) {
        body = Body(format: .form, text: Self.mapping(fields.map { hidden($0) }))
    }

    package mutating func setText(_ text: String) {
        body = Body(
            format: .text,
            text: YAMLText.quoted(SensitiveName.isWithin(text) ? hiding(text, in: "BODY") : Self.escaped(text)))
    }

    /// Returns a JSON value in YAML's flow style on one line.
    private mutating func yaml(_ node: Node, name: String) -> String {
        switch node.kind {
        case .object:
            let members = node.members.map { key, value in
                "\(YAMLText.quoted(key.text)): \(yaml(value, name: key.text))"
            }
            return "{\(members.joined(separator: ", "))}"
        case .array: return "[\(node.elements.map { yaml($0, name: name) }.joined(separator: ", "))]"
        case .string:
            let text = node.text
            let isSecret = SensitiveName.isParameter(name, value: text) || SensitiveName.isWithin(text)
            return YAMLText.quoted(isSecret ? hiding(text, in: name) : Self.escaped(Self.spaced(text, name)))
        default: return node.text
        }
    }

    /// Returns a GraphQL query with a space behind each brace, since a name in braces would be a placeholder. In GraphQL, a
    /// space means nothing.
    private static func spaced(_ text: String, _ name: String) -> String {
        guard name == "query", !Template.unknownNames(in: text).isEmpty,
            text.firstMatch(of: /^\s*(\{|query|mutation|subscription|fragment)/) != nil
        else { return text }
        return text.replacing(/\{(\S)/) { "{ \($0.1)" }
    }

    /// Sets the way in which the request proves who sends it. Values that are not given are those of variables.
    package mutating func authenticate(
        by way: Authentication, user: String? = nil, secret: String? = nil, tokenURL: String = "",
        grant: Grant = .clientCredentials
    ) {
        authentication = way
        switch way {
        case .bearer: authLines = ["auth: { type: bearer, token: \(variable("TOKEN", secret)) }"]
        case .basic:
            let user = user == "" ? "\"\"" : variable("USER", user)
            // A variable cannot be empty.
            let password = secret == "" ? "" : ", password: \(variable("PASSWORD", secret))"
            authLines = ["auth: { type: http_basic, username: \(user)\(password) }"]
        case .apiKey: authLines = ["auth: { type: api_key, name: X-API-Key, value: \(variable("KEY", secret)) }"]
        case .oauth2:
            authLines = [
                "auth:", "  type: oauth2", "  grant_type: \(grant.rawValue)",
                "  token_url: \(YAMLText.quoted(Self.escaped(tokenURL)))", "  client_id: \(variable("CLIENT_ID", nil))",
                "  client_secret: \(variable("CLIENT_SECRET", nil))",
            ]
            if grant == .refreshToken { authLines.append("  refresh_token: \(variable("REFRESH_TOKEN", nil))") }
        case .session:
            let login = "username: \(variable("USER", nil)), password: \(variable("PASSWORD", nil))"
            authLines = [
                "# A guess: the path of the login, its fields, and the place of the token in what it answers.", "auth:",
                "  type: session_token", "  request: { path: /login, json: { \(login) } }",
                "  take: { token: $.token }",
            ]
        }
    }

    package mutating func add(limit: Field) { limits.append(limit) }

    /// - Parameter user: the name for the proxy, and after a colon the password; nil for those in its URL.
    package mutating func setProxy(_ proxy: CurlCommand, user: String?) {
        let url = YAMLText.quoted(proxy.url)
        guard let user = user ?? proxy.user else { return sourceLines.append("proxy: \(url)") }
        let (name, password) = Self.credentials(user)
        let secret = password == "" ? "" : ", password: \(variable("PROXY_PASSWORD", password))"
        sourceLines.append("proxy: { url: \(url), username: \(variable("PROXY_USER", name))\(secret) }")
    }

    package mutating func setAuthority(_ path: String) { sourceLines.append("ca: \(YAMLText.quoted(path))") }

    package mutating func setCertificate(_ certificate: String, key: String) {
        let members = [
            (name: "certificate", value: YAMLText.quoted(certificate)), (name: "key", value: YAMLText.quoted(key)),
        ]
        sourceLines.append("client_certificate: \(YAMLText.mapping(members))")
    }

    /// Leaves out what only a source can have, for a stream of an existing one.
    package mutating func leaveToSource() {
        remarks += sourceLines.map { line in
            let key = line.prefix { $0 != ":" }
            return "'\(key)' is not taken: it belongs to the source, which is there already"
        }
        sourceLines = []
    }

    /// Returns a name and a password; the password is nil if there is no colon.
    package static func credentials(_ user: String) -> (name: String, password: String?) {
        let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : nil)
    }

    /// Returns a value with `${NAME}` in the place of `$NAME`, which single quotes have kept from a shell.
    private mutating func naming(_ value: String) -> String {
        guard let found = value.wholeMatch(of: /((?:[A-Za-z]+ )?)\$([A-Z_][A-Z0-9_]*)/)?.output else { return value }
        let remark = "'$\(found.2)' is taken for the variable of that name, which single quotes keep from a shell"
        if !remarks.contains(remark) { remarks.append(remark) }
        return "\(found.1)${\(found.2)}"
    }

    private mutating func hiding(_ value: String, in name: String) -> String {
        let value = naming(value)
        guard !value.contains("${") else { return value }
        // The scheme of `Bearer abc` is no secret.
        let scheme = value.split(separator: " ", maxSplits: 1)
        guard scheme.count == 2, name.lowercased() == "authorization" else {
            return "${\(free(name, for: value))}"
        }
        return "\(scheme[0]) ${\(free(name, for: String(scheme[1])))}"
    }

    /// Returns the reference to a variable, in quotes. A value that names one itself is kept.
    private mutating func variable(_ name: String, _ value: String?) -> String {
        let value = value.map { naming($0) }
        if let value, value.contains("${") { return YAMLText.quoted(Self.escaped(value)) }
        return "\"${\(free(name, for: value))}\""
    }

    /// Returns the name of a variable that has this value, or no value so far.
    private mutating func free(_ name: String, for value: String?) -> String {
        let name = String(
            "\(source)_\(name)".uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        for number in 1... {
            let variable = number == 1 ? name : "\(name)_\(number)"
            if let known = variables.first(where: { $0.name == variable }) {
                if known.value == value { return variable }
            } else if let known = taken[variable] {
                if known == value { return variable }
            } else {
                variables.append((name: variable, value: value))
                return variable
            }
        }
        return name
    }
}

// The lines of the file.
extension StarterRequest {
    /// The lines that the streams of a new source share.
    var sharedLines: [String] { authLines + Self.headerLine(sharedHeaders) + limitLines }

    /// The lines of the first stream of a new source, without its parameters.
    var lines: [String] { requestLines + Self.headerLine(headers.filter(Self.isOfStream)) }

    /// Returns the lines of a stream in a source that has some lines already.
    func lines(within source: Set<String>) -> [String] {
        let isShared = Self.headerLine(sharedHeaders).allSatisfy(source.contains)
        return requestLines + Self.headerLine(isShared ? headers.filter(Self.isOfStream) : headers)
            + (authLines.allSatisfy(source.contains) ? [] : authLines) + limitLines.filter { !source.contains($0) }
    }

    private var requestLines: [String] {
        var lines: [String] = []
        if let method, body == nil || method != .post { lines.append("method: \(method.rawValue)") }
        if let body { lines.append("\(body.format.rawValue): \(body.text)") }
        return lines
    }

    private var limitLines: [String] {
        limits.isEmpty ? [] : ["limits: \(YAMLText.mapping(limits.map { ($0.name, YAMLText.quoted($0.value)) }))"]
    }

    private var sharedHeaders: [Field] { headers.filter { !Self.isOfStream($0) } }

    /// Returns true for fields that depend on one stream's body or answer.
    private static func isOfStream(_ field: Field) -> Bool {
        ["accept", "content-type"].contains(field.name.lowercased())
    }

    private static func headerLine(_ headers: [Field]) -> [String] {
        headers.isEmpty ? [] : ["headers: \(mapping(headers))"]
    }

    private static func mapping(_ fields: [Field]) -> String { YAMLText.mapping(members(fields)) }

    /// Returns the members of a mapping. The values of one name become a list.
    static func members(_ fields: [Field]) -> [(name: String, value: String)] {
        var seen: Set<String> = []
        return fields.filter { seen.insert($0.name).inserted }.map { field in
            let values = fields.filter { $0.name == field.name }.map { YAMLText.quoted(escaped($0.value)) }
            return (name: field.name, value: values.count == 1 ? values[0] : "[\(values.joined(separator: ", "))]")
        }
    }

    /// Doubles each dollar that would be half of another one, or begin a variable without a name.
    static func escaped(_ value: String) -> String {
        var text = String.UnicodeScalarView()
        var rest = value.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            text.append(scalar)
            let isVariable = rest.first == "{" && Substring(rest).prefixMatch(of: /\{[A-Za-z_][A-Za-z0-9_]*\}/) != nil
            if scalar == "$", rest.first == "$" || rest.first == "{" && !isVariable { text.append("$") }
        }
        return String(text)
    }
}
