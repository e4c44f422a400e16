package import GarnerJSON
import GarnerYAML

/// The way in which a request proves who sends it.
package enum Authentication: Sendable, Equatable {
    case none
    case bearer(token: Secret)
    case apiKey(name: String, location: KeyLocation, value: Secret)
    /// RFC 7617.
    case basic(username: ConfiguredText, password: Secret)
    case oauth2(OAuth2)
    case command(TokenCommand)
    indirect case session(SessionToken)

    package enum KeyLocation: String, Sendable, CaseIterable {
        case header, query
    }
}

/// A token endpoint, and the means to get access tokens from it (RFC 6749).
package struct OAuth2: Sendable, Equatable {
    package var grant: Grant
    /// The URL, in which asterisks stand for its secrets (see `HiddenURL`).
    package var tokenURL: WebAddress
    package var urlSecrets: [Secret] = []
    package var clientID: ConfiguredText
    /// The client's secret; nil for a public client, which sends its name in the body.
    package var clientSecret: Secret?
    package var scopes: [String]
    package var style: ClientStyle
    /// Further fields of the token request, such as `audience`.
    package var params: [RequestTemplate.Parameter] = []
    /// The place of the access token in the answer; nil for the member `access_token`.
    package var tokenPath: Selector?
    /// The place of the token's lifetime in seconds; nil for the member `expires_in`.
    package var expiresPath: Selector?

    package init(
        grant: Grant, tokenURL: WebAddress, clientID: ConfiguredText, clientSecret: Secret? = nil,
        scopes: [String] = [], style: ClientStyle = .header
    ) {
        self.grant = grant
        self.tokenURL = tokenURL
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scopes = scopes
        self.style = style
    }

    package enum Grant: Sendable, Equatable {
        case clientCredentials
        case refreshToken(Secret)
    }

    /// The place of the client's name and secret in a token request (RFC 6749, 2.3.1).
    package enum ClientStyle: String, Sendable, CaseIterable {
        /// An HTTP Basic header.
        case header
        case body
    }
}

extension Authentication {
    static let format: ValueFormat<Authentication> = {
        let format = ValueFormat.variants(
            variants.map(exemplified), hint: "write auth: { type: bearer, token: \"${TOKEN}\" }")
        return ValueFormat(
            schema: format.schema, read: { OAuth2.failsAsGrantOfPerson($1) ? nil : format.read($0, $1) },
            show: format.show)
    }()

    /// The ways in which a login proves who sends it.
    static let loginFormat = ValueFormat.variants(
        ownVariants.map(exemplified), hint: "write auth: { type: http_basic, username: me, password: \"${PASSWORD}\" }")

    /// The keys that each type needs, with examples of their values.
    private static let examples: [String: [(key: String, value: String)]] = [
        "bearer": [("token", "\"${TOKEN}\"")],
        "http_basic": [("username", "\"${USERNAME}\""), ("password", "\"${PASSWORD}\"")],
        "api_key": [("name", "X-API-Key"), ("value", "\"${API_KEY}\"")],
        "oauth2": [
            ("grant_type", "client_credentials"), ("token_url", "https://auth.example.com/token"),
            ("client_id", "\"${CLIENT_ID}\""), ("client_secret", "\"${CLIENT_SECRET}\""),
        ],
        "command": [("run", "[./token.sh]")],
        "session_token": [
            ("request", "{ path: /login, json: { user: me, password: \"${PASSWORD}\" } }"),
            ("take", "{ token: $.access_token }"),
        ],
    ]

    private static func exemplified(_ variant: Variant<Authentication>) -> Variant<Authentication> {
        var variant = variant
        variant.example = (examples[variant.type] ?? []).map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        return variant
    }

    /// The words that people write beside 'auth', each with the type and the key that it has in 'auth'.
    private static let keysBeside: [(words: String, type: String, key: String)] = [
        (
            "token bearer_token bearerToken access_token accessToken auth_token authToken api_token apiToken jwt",
            "bearer", "token"
        ),
        ("api_key apikey apiKey", "api_key", "value"), ("username user", "http_basic", "username"),
        ("password pass", "http_basic", "password"), ("client_id", "oauth2", "client_id"),
        ("client_secret", "oauth2", "client_secret"), ("token_url", "oauth2", "token_url"),
    ]

    /// Returns the lines of 'auth' for keys of it that stand in its place, by these. A secret that is no variable is not shown.
    static func lines(in mapping: YAMLMapping) -> [String: String] {
        var lines: [String: String] = [:]
        for (words, type, key) in keysBeside {
            for word in words.split(separator: " ").map(String.init) where mapping[word] != nil {
                let members = (examples[type] ?? []).map { member in
                    let text = mapping[member.key == key ? word : member.key]?.plainOrQuotedText ?? ""
                    let isOpen = ["client_id", "token_url", "username"].contains(member.key)
                    let isShown =
                        text.wholeMatch(of: /\$\{\w+\}/) != nil
                        || isOpen && text.wholeMatch(of: /[A-Za-z][\w.@+:\/-]{0,200}/) != nil
                    return "\(member.key): \(isShown ? YAMLText.scalar(text) : member.value)"
                }
                lines[word] = "write auth: { type: \(type), \(members.joined(separator: ", ")) }"
            }
        }
        return lines
    }

    private static let variants: [Variant<Authentication>] =
        [
            Variant("none", Keys(()), { Authentication.none }, from: { $0 == Authentication.none ? () : nil })
        ] + ownVariants + [
            Variant(
                "oauth2", OAuth2.keys, { .oauth2($0) },
                from: { if case .oauth2(let oauth2) = $0 { oauth2 } else { nil } }),
            Variant(
                "command", TokenCommand.keys, { .command($0) },
                from: { if case .command(let command) = $0 { command } else { nil } }),
            Variant(
                "session_token", SessionToken.keys, { .session($0) },
                from: { if case .session(let session) = $0 { session.withUsualHeader } else { nil } }),
        ]

    /// Those that need no other request.
    private static let ownVariants: [Variant<Authentication>] = [
        Variant(
            "bearer", bearerKeys, { .bearer(token: $0) },
            from: { if case .bearer(let token) = $0 { token } else { nil } }),
        Variant(
            "http_basic", basicKeys, { .basic(username: $0.username, password: $0.password) },
            from: { if case .basic(let username, let password) = $0 { (username, password) } else { nil } }),
        Variant(
            "api_key", apiKeyKeys, { .apiKey(name: $0.name, location: $0.location, value: $0.value) },
            from: { if case .apiKey(let name, let location, let value) = $0 { (name, location, value) } else { nil } }),
    ]

    private static let bearerKeys = Keys(
        Secret(""),
        Key("token", .secret(isHeader: true), to: \.self, required: Secret.missingHint("token"), "The token."))

    private static let basicKeys = Keys(
        (username: ConfiguredText.literal(""), password: Secret("")),
        Key(
            "username", .text(.secret) { $0.userName($1) }, to: \.username, required: "add 'username: …'",
            "The user's name."),
        Key(
            "password", .text(.secret) { $0.password($1) }, to: \.password,
            "The user's password; default: an empty one.")
    ) { _, mapping, _ in
        guard mapping["username"]?.plainOrQuotedText?.isEmpty == true,
            mapping["password"].map({ $0.plainOrQuotedText?.isEmpty == true }) ?? true
        else { return }
        mapping.issues.fail(
            at: mapping.place, "'\(mapping.name)' has neither a name nor a password",
            hint: "write the API's key as one of them, or auth: { type: none }")
    }

    /// The place of a key. A cookie is one header for all, which no key can have for itself.
    private static let place: ValueFormat<KeyLocation> = {
        let choice = ValueFormat<KeyLocation>.choice
        return ValueFormat(
            schema: choice.schema,
            read: { reader, value in
                guard value.plainOrQuotedText == "cookie" else { return choice.read(reader, value) }
                return value.failed(
                    "'\(value.name)' cannot be 'cookie'",
                    hint: "write headers: { Cookie: \"NAME=${KEY}\" } in the place of 'auth'")
            }, show: choice.show)
    }()

    private static let apiKeyKeys = Keys(
        (name: "", location: KeyLocation.header, value: Secret("")),
        Key("name", .name, to: \.name, required: "add 'name: X-API-Key'", "The name of the header or parameter."),
        Key("in", place, to: \.location, "The place of the key: header or query."),
        Key("value", .secret(isHeader: false), to: \.value, required: Secret.missingHint("value"), "The key.")
    ) { reader, mapping, key in
        let location = mapping["in"].map { $0.plainOrQuotedText.flatMap(KeyLocation.init) } ?? .header
        guard location == .header else { return }
        if let name = mapping["name"], !key.name.isEmpty { _ = reader.isHeaderName(key.name, name.place) }
        if let value = mapping["value"] { _ = reader.isHeaderValue(.secret(key.value), of: value) }
    }
}

extension Secret {
    fileprivate static func missingHint(_ key: String) -> String { "add '\(key): \"${NAME}\"' and export NAME=…" }
}

extension OAuth2 {
    private enum GrantType: String, CaseIterable {
        case clientCredentials = "client_credentials"
        case refreshToken = "refresh_token"
    }

    private var grantType: GrantType {
        get { refreshToken == nil ? .clientCredentials : .refreshToken }
        set { grant = newValue == .clientCredentials ? .clientCredentials : .refreshToken(Secret("")) }
    }

    /// The refresh token; nil for the grant of client credentials.
    private var refreshToken: Secret? {
        get { if case .refreshToken(let token) = grant { token } else { nil } }
        set { if let newValue, grant != .clientCredentials { grant = .refreshToken(newValue) } }
    }

    private var hiddenTokenURL: HiddenURL {
        get { HiddenURL("\(tokenURL)", secrets: urlSecrets) }
        set { (tokenURL, urlSecrets) = (WebAddress(newValue.text) ?? tokenURL, newValue.secrets) }
    }

    static let keys = Keys(
        OAuth2(
            grant: .clientCredentials, tokenURL: WebAddress(scheme: "https", authority: "", path: "", query: nil),
            clientID: .literal("")),
        Key(
            "grant_type", .choice, to: \.grantType, required: "add 'grant_type: client_credentials'",
            "The OAuth 2 grant type."),
        Key(
            "refresh_token", .optional(.secret(isHeader: false)), to: \.refreshToken,
            "The first refresh token; needed for refresh_token."),
        Key(
            "token_url", .tokenURL, to: \.hiddenTokenURL, required: "add 'token_url: https://…'",
            "The absolute URL of the token endpoint."),
        Key(
            "client_id", .text(.secret) { $0.clientID($1) }, to: \.clientID, required: "add 'client_id: …'",
            "The client's name."),
        Key(
            "client_secret", .optional(.secret(isHeader: false)), to: \.clientSecret,
            "The client's secret; needed for client_credentials."),
        Key(
            "scopes", .texts { $0.scopes($1) }, to: \.scopes,
            "The requested scopes, as a list or a text with spaces."),
        Key(
            "auth_style", .choice, to: \.style,
            "The place of the client credentials: header (default) or body (default without a secret)."),
        Key(
            "params", .parameters { $0.tokenParams($1) }, to: \.params,
            "Further fields of the token request, such as audience."),
        Key(
            "token_path", .optional(.jsonPath, unset: .text("$.access_token")), to: \.tokenPath,
            "The JSONPath of the token in the answer; default: $.access_token."),
        Key(
            "expires_path", .optional(.jsonPath, unset: .text("$.expires_in")), to: \.expiresPath,
            "The JSONPath of the token's lifetime in seconds; default: $.expires_in."),
        check: { $2.check($1) })

    /// Notes an issue for a grant that needs a person at a browser, and for that of a user's password, which is a login here. Returns
    /// false for any other authentication.
    fileprivate static func failsAsGrantOfPerson(_ value: YAMLValue) -> Bool {
        guard let mapping = value.node.mapping else { return false }
        func node(_ key: String) -> YAMLNode? { mapping.first { $0.key.scalar?.string == key }?.value }
        func text(_ key: String, _ isShown: Regex<Substring>, _ usual: String) -> String {
            node(key)?.scalar.flatMap { $0.string.wholeMatch(of: isShown) }.map { String($0.output) } ?? usual
        }
        guard node("type")?.scalar?.string == "oauth2", let grant = node("grant_type"), let kind = grant.scalar?.string
        else { return false }
        if ["authorization_code", "implicit", "device_code"].contains(where: kind.hasSuffix) {
            value.issues.fail(
                at: value.issues.place(grant.mark),
                "'\(value.name).grant_type' cannot be '\(kind.prefix(60))', for which a person logs in at a browser",
                hint:
                    "write client_credentials if the API has it; else let a person log in once by another program, and write "
                    + "grant_type: refresh_token, refresh_token: \"${REFRESH_TOKEN}\"")
            return true
        }
        guard kind == "password" else { return false }
        // A text that is no variable may be the secret itself.
        let (variable, name) = (/\$\{\w+\}/, /[\w.@+-]{1,60}|\$\{\w+\}/)
        var members = [("grant_type", "password")]
        if node("client_id") != nil { members.append(("client_id", text("client_id", name, "${CLIENT_ID}"))) }
        if node("client_secret") != nil {
            members.append(("client_secret", text("client_secret", variable, "${CLIENT_SECRET}")))
        }
        members.append(("username", text("username", name, "${USERNAME}")))
        members.append(("password", text("password", variable, "${PASSWORD}")))
        let scopes =
            node("scopes")?.sequence?.compactMap { $0.scalar?.string } ?? [text("scopes", /[\w.:\/ -]{1,200}/, "")]
        let scope = scopes.joined(separator: " ")
        if !scope.isEmpty { members.append(("scope", scope)) }
        let url = text("token_url", /https?:\/\/[\w.:\/~-]{1,200}/, "https://auth.example.com/token")
        let path = text("token_path", /\$[\w.]{1,80}/, "$.access_token")
        let form = YAMLText.mapping(members.map { ($0.0, YAMLText.quoted($0.1)) })
        value.issues.fail(
            at: value.issues.place(grant.mark),
            "'\(value.name).grant_type' cannot be 'password'",
            hint: "write \(value.name): { type: session_token, request: { url: \"\(url)\", form: \(form) }, "
                + "take: { token: \(path) } }")
        return true
    }

    /// Notes the keys that the grant lacks, and the keys that it does not use.
    private mutating func check(_ mapping: YAMLMapping) {
        switch mapping["grant_type"]?.plainOrQuotedText.flatMap(GrantType.init) {
        case nil: break
        case .clientCredentials:
            mapping["refresh_token"]?.fail(
                "'\(mapping.name).refresh_token' does not belong here",
                hint: "write 'grant_type: refresh_token', or remove it")
            _ = mapping.required("client_secret", hint: Secret.missingHint("client_secret"))
        case .refreshToken:
            _ = mapping.required("refresh_token", hint: Secret.missingHint("refresh_token"))
            guard mapping["client_secret"] == nil else { return }
            let written = mapping["auth_style"]
            if written == nil { style = .body }
            guard let written, written.plainOrQuotedText == ClientStyle.header.rawValue else { return }
            written.fail("'\(written.name)' is header without a secret", hint: "add 'client_secret', or write body")
        }
    }
}

/// A program that prints a token, such as a script that signs a JWT, or the tool of a cloud or a vault.
package struct TokenCommand: Sendable, Equatable {
    /// The program, as a path or a name to find in `PATH`, and its arguments. No shell is between.
    package var words: [String]
    package var output: Output
    /// The time for which a token is used; nil if the program says it, or else for an hour.
    package var expires: Duration?
    package var timeout: Duration

    package init(
        words: [String], output: Output = .token, expires: Duration? = nil, timeout: Duration = .seconds(60)
    ) {
        self.words = words
        self.output = output
        self.expires = expires
        self.timeout = timeout
    }

    package enum Output: String, Sendable, CaseIterable {
        /// One line with the token, which is sent as a bearer token.
        case token
        /// An object with `token`, `headers` or both, and perhaps `expires_in` in seconds.
        case json
    }

    static let keys = Keys(
        TokenCommand(words: []),
        Key(
            "run", ValueFormat(schema: .list(.text), read: { $0.command($1) }, show: { .value(.list($0)) }),
            to: \.words, required: "add 'run: [./token.sh]'",
            "The program that prints the token, and its arguments."),
        Key(
            "output", .choice, to: \.output,
            "token: one line, the token (default). json: an object with token, headers and expires_in."),
        Key(
            "expires", .optional(.duration(), unset: .text("1h")), to: \.expires,
            "The time for which a token is used; default: what the program says, or 1h."),
        Key("timeout", .duration(), to: \.timeout, "The time limit of the program."))
}

extension ValueFormat where Value == HiddenURL {
    fileprivate static var tokenURL: Self {
        endpoint(
            like: "https://auth.example.com/token", userHint: "use 'client_id' and 'client_secret' instead")
    }

    /// An absolute URL to which secrets are sent.
    static func endpoint(like example: String, userHint: String) -> Self {
        Self(
            schema: .text, read: { $0.endpoint($1, like: example, userHint: userHint) },
            // A query may hold a key.
            show: { url in
                guard let url = WebAddress(url.text) else { return .nothing }
                return .text("\(url.origin)\(url.path)\(url.query == nil ? "" : "?***")")
            })
    }
}

extension ConfigurationReader {
    /// A name that HTTP Basic can send.
    func userName(_ value: YAMLValue) -> ConfiguredText? {
        guard let text = configuredText(value, isSecret: false) else { return nil }
        // RFC 7617: "a user-id containing a colon character is invalid".
        guard !text.reveal().unicodeScalars.contains(":") else {
            return value.failed(
                "'\(value.name)' has a colon in it",
                hint: "write only what stands before the colon, and what is behind it as password: \"${NAME}\"")
        }
        return text
    }

    /// A password for HTTP Basic. Many APIs take a key as the name and an empty password, which is written as "": a variable
    /// without a value is a mistake.
    fileprivate func password(_ value: YAMLValue) -> Secret? {
        value.plainOrQuotedText?.isEmpty == true ? Secret("") : secret(value, isHeader: false)
    }

    func secret(_ value: YAMLValue, isHeader: Bool) -> Secret? {
        guard let text = configuredText(value, isSecret: true) else { return nil }
        if isHeader, !isHeaderValue(text, of: value) { return nil }
        return if case .secret(let secret) = text { secret } else { Secret(text.reveal()) }
    }

    /// Reads an absolute URL to which secrets are sent. Messages never show it, since it may hold a password.
    fileprivate func endpoint(_ value: YAMLValue, like url: String, userHint: String) -> HiddenURL? {
        let example = "write a URL such as \(url)"
        guard let hidden = hiddenURL(value, hint: example) else { return nil }
        let base = absoluteURL(
            hidden.text, of: value, example: example, userHint: userHint, mayHoldQuery: true)
        guard base != nil, let address = WebAddress(hidden.text) else { return nil }
        warnOfPlainHTTP(to: address, at: value)
        return hidden
    }

    /// Warns if others can read the requests to the address on their way.
    func warnOfPlainHTTP(to address: WebAddress, at value: YAMLValue) {
        let host = address.host
        let isLoopback =
            host == "localhost" || host == "::1"
            || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
        guard address.scheme == "http", !isLoopback else { return }
        value.warn("'\(value.name)' sends secrets unencrypted", hint: "write an https URL")
    }

    fileprivate func tokenParams(_ value: YAMLValue) -> [RequestTemplate.Parameter]? {
        guard let mapping = value.mapping(hint: "write params: { audience: … }") else { return nil }
        let keys = [
            "grant_type": "grant_type", "refresh_token": "refresh_token", "scope": "scopes", "client_id": "client_id",
            "client_secret": "client_secret",
        ]
        let params = mapping.entries.compactMap { entry -> RequestTemplate.Parameter? in
            guard !holdsVariable(entry) else { return nil }
            if let key = keys[entry.key] {
                return entry.value.failed(
                    "'\(entry.value.name)' has a key of its own", hint: "set 'auth: \(key)' instead")
            }
            let isSecret = SensitiveName.isParameter(entry.key, value: entry.value.plainOrQuotedText)
            return configuredText(entry.value, isSecret: isSecret).map { .init(name: entry.key, value: $0) }
        }
        return params.count == mapping.entries.count ? params : nil
    }

    fileprivate func clientID(_ value: YAMLValue) -> ConfiguredText? {
        guard let text = configuredText(value, isSecret: false) else { return nil }
        if !text.reveal().isEmpty { return text }
        return value.failed("'\(value.name)' is empty", hint: "write the client's name")
    }

    /// RFC 6749, 3.3: "scope-token = 1*( %x21 / %x23-5B / %x5D-7E )".
    fileprivate func scopes(_ value: YAMLValue) -> [String]? {
        guard let texts = value.texts() else { return nil }
        let scopes = texts.flatMap { $0.split(separator: " ").map(String.init) }
        let areTokens = scopes.joined().unicodeScalars.allSatisfy {
            (0x21...0x7E).contains($0.value) && $0 != "\"" && $0 != "\\"
        }
        if areTokens { return scopes }
        return value.failed(
            "'\(value.name)' holds a character that no scope has", hint: "write scopes such as [read, write]")
    }
}
