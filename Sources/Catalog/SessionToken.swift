package import GarnerJSON
import GarnerYAML

/// A login that opens a session, and the header that shows the session to the server.
package struct SessionToken: Sendable, Equatable {
    package var login: Login
    package var take: Taking
    /// The header that carries the token; nil for `Authorization: Bearer …`, and for cookies.
    package var header: Header?
    /// The time for which a session is used; nil until the server answers 401.
    package var expires: Duration?

    package init(login: Login, take: Taking, header: Header? = nil, expires: Duration? = nil) {
        self.login = login
        self.take = take
        self.header = header
        self.expires = expires
    }

    /// The request that logs in.
    package struct Login: Sendable, Equatable {
        /// The path that is appended to `base_url`.
        package var path: String
        /// The URL that stands in the place of both.
        package var url: WebAddress?
        /// The secrets in the path or the URL, in which asterisks stand for them (see `HiddenURL`).
        package var urlSecrets: [Secret] = []
        package var method = RequestTemplate.Method.post
        package var params: [RequestTemplate.Parameter] = []
        /// Bearer, an API key or HTTP Basic.
        package var authentication = Authentication.none
        /// The `base_url` that the path follows; nil for that of the requests.
        package var baseURL: String?
        package var body: BodyValue?
        /// The fields of a form, which is the body instead of JSON.
        package var form: [RequestTemplate.Parameter]
        package var headers: [RequestTemplate.Parameter]

        package init(
            path: String, body: BodyValue? = nil, form: [RequestTemplate.Parameter] = [],
            headers: [RequestTemplate.Parameter] = []
        ) {
            self.path = path
            self.body = body
            self.form = form
            self.headers = headers
        }

        /// All secrets in it but those of its authentication.
        package var secrets: [Secret] {
            urlSecrets + (body?.secrets ?? [])
                + (params + form + headers).compactMap {
                    if case .secret(let secret) = $0.value { secret } else { nil }
                }
        }
    }

    /// The part of the answer that stands for the session.
    package enum Taking: Sendable, Equatable {
        /// The place of a token in the body.
        case token(Selector)
        /// All cookies that the answer sets.
        case cookies
    }

    /// The header, or the query parameter, that carries a token.
    package struct Header: Sendable, Equatable {
        package var name: String
        package var location = Authentication.KeyLocation.header
        /// The value, with `{token}` in the place of the token.
        package var value: String

        package init(name: String, value: String = Self.placeholder) {
            self.name = name
            self.value = value
        }

        package static let placeholder = "{token}"
    }
}

extension SessionToken {
    static let keys = Keys(
        SessionToken(login: Login(path: ""), take: .cookies),
        Key(
            "request", Login.keys.format(), to: \.login,
            required: "add 'request: { path: /login, json: { user: me, password: \"${PASSWORD}\" } }'",
            "The request that logs in."),
        Key(
            "take", Taking.format, to: \.take, required: "add 'take: { token: $.access_token }', or 'take: cookies'",
            "The part of the answer that stands for the session: a token, or cookies."),
        Key(
            "send", .optional(Header.keys.format()), to: \.header,
            "The header or parameter that carries the token; default: Authorization: Bearer {token}."),
        Key(
            "expires", .optional(.duration(), unset: .automatic), to: \.expires,
            "The time for which a session is used; default: until the server answers 401."),
        check: { _, mapping, session in
            guard mapping["take"]?.plainOrQuotedText == Taking.cookiesWord else { return }
            mapping["send"]?.fail(
                "'\(mapping.name).send' does not belong here",
                hint: "remove it: cookies are sent as cookies")
        })
}

extension SessionToken {
    /// The same with the header that carries the token if none is configured.
    var withUsualHeader: SessionToken {
        var session = self
        if case .token = take, header == nil {
            session.header = Header(name: "Authorization", value: "Bearer \(Header.placeholder)")
        }
        return session
    }
}

extension SessionToken.Login {
    private var hiddenPath: HiddenURL? {
        get { url == nil ? HiddenURL(path, secrets: urlSecrets) : nil }
        set { if let newValue { (path, urlSecrets) = (newValue.text, newValue.secrets) } }
    }

    private var hiddenURL: HiddenURL? {
        get { url.map { HiddenURL("\($0)", secrets: urlSecrets) } }
        set { if let newValue { (url, urlSecrets) = (WebAddress(newValue.text), newValue.secrets) } }
    }

    fileprivate static let keys = Keys(
        Self(path: ""),
        Key(
            "path", .optional(.text { $0.loginPath($1) }), to: \.hiddenPath,
            "The path of the login, which is appended to base_url."),
        Key(
            "url", .optional(.loginURL), to: \.hiddenURL,
            "The absolute URL of the login, if it is elsewhere than below base_url."),
        Key("method", .choice(usual: .post), to: \.method, "POST (default), GET or PUT."),
        Key(
            "params", .parameters { $0.fields($1, hint: "write params: { user: me, key: \"${KEY}\" }") }, to: \.params,
            "Query parameters of the login."),
        Key(
            "auth", .later(Authentication.loginFormat), to: \.authentication,
            "The authentication of the login itself: http_basic, api_key or bearer."),
        Key(
            "json",
            ValueFormat(
                schema: .anything, read: { reader, value in reader.loginBody(value).map { .some($0) } },
                show: { $0.map { .text($0) } ?? .nothing }),
            to: \.body, "The body, sent as JSON."),
        Key(
            "form", .parameters { $0.fields($1, hint: "write form: { user: me, password: \"${PASSWORD}\" }") },
            to: \.form,
            "The fields of a form, which is sent instead of JSON."),
        Key(
            "headers", .parameters { $0.loginHeaders($1) }, to: \.headers, "Headers of the login alone."),
        check: { _, mapping, login in
            if mapping["url"] == nil {
                _ = mapping.required("path", hint: "add 'path: /login'")
            } else {
                mapping["path"]?.fail(
                    "'\(mapping.name)' has both 'path' and 'url'", hint: "a login has one URL: keep one of them")
            }
            if login.method == .get, let body = mapping["json"] ?? mapping["form"] {
                body.fail(
                    "'\(body.name)' does not belong to GET", hint: "write 'method: POST', or put it into 'params'")
                return
            }
            guard mapping["json"] != nil else { return }
            mapping["form"]?.fail(
                "'\(mapping.name)' has both 'json' and 'form'", hint: "a request has one body: keep one of them")
        })
}

extension SessionToken.Header {
    private var headerName: String? {
        get { location == .header ? name : nil }
        set { if let newValue { name = newValue } }
    }

    private var parameterName: String? {
        get { location == .query ? name : nil }
        set { if let newValue { name = newValue } }
    }

    fileprivate static let keys = Keys(
        Self(name: ""),
        Key("in", .choice(usual: .header), to: \.location, "The place of the token: header (default) or query."),
        Key("header", .optional(.text { $0.headerName($1) }), to: \.headerName, "The name of the header."),
        Key("name", .optional(.name), to: \.parameterName, "The name of the query parameter, with in: query."),
        Key("value", .text { $0.tokenTemplate($1) }, to: \.value, "The value with {token} in it; default: {token}."),
        check: { _, mapping, header in
            let isHeader = header.location == .header
            _ = mapping.required(
                isHeader ? "header" : "name", hint: isHeader ? "add 'header: Authorization'" : "add 'name: token'")
            let other = mapping[isHeader ? "name" : "header"]
            other?.fail(
                "'\(mapping.name).\(isHeader ? "name" : "header")' does not belong here",
                hint: isHeader
                    ? "write 'header: …', or add 'in: query'" : "write 'name: …', which is that of the parameter")
        })
}

extension SessionToken.Taking {
    fileprivate static let cookiesWord = "cookies"
    private static let tokenField = Field(
        "token", .jsonPath, "The JSONPath of the token in the answer.", isRequired: true)

    fileprivate static let format = ValueFormat<Self>(
        schema: .anyOf([.choice([cookiesWord]), .mapping([tokenField])]),
        read: { reader, value in
            guard value.node.mapping != nil else { return value.choice([(cookiesWord, cookies)]) }
            guard let mapping = value.mapping() else { return nil }
            mapping.expect([tokenField])
            return mapping.required("token", hint: "add 'token: $.access_token'").flatMap(reader.selector)
                .map { .token($0) }
        },
        show: {
            switch $0 {
            case .token(let selector): .members([("token", .text(selector.description))])
            case .cookies: .text(cookiesWord)
            }
        })
}

extension ValueFormat where Value == [RequestTemplate.Parameter] {
    /// Names with texts, some of which may be secrets.
    static func parameters(
        _ read: @escaping @Sendable (ConfigurationReader, YAMLValue) -> [RequestTemplate.Parameter]?
    ) -> Self {
        Self(
            schema: .named(.secret), read: read,
            show: { .members($0.map { ($0.name, .text($0.value.description)) }) })
    }
}

extension ValueFormat where Value == HiddenURL {
    fileprivate static var loginURL: Self {
        let url = endpoint(
            like: "https://login.example.com/session", userHint: "use \(ConfigurationReader.basicHint) in 'request'")
        return Self(
            schema: url.schema,
            read: { reader, value in url.read(reader, value).flatMap { reader.withoutPlaceholder($0, value) } },
            show: url.show)
    }
}

extension ConfigurationReader {
    fileprivate func loginPath(_ value: YAMLValue) -> HiddenURL? {
        path(value).flatMap { withoutPlaceholder($0, value) }
    }

    fileprivate func withoutPlaceholder(_ url: HiddenURL, _ value: YAMLValue) -> HiddenURL? {
        guard Template(url.text).placeholders.isEmpty else {
            return value.failed("'\(value.name)' holds a placeholder", hint: Self.noPlaceholders)
        }
        return url
    }

    private static let noPlaceholders = "a login is the same for all requests: write a text without braces"

    fileprivate func loginBody(_ value: YAMLValue) -> BodyValue? {
        guard let body = body(value) else { return nil }
        guard body.literals.allSatisfy({ Template($0).placeholders.isEmpty }) else {
            return value.failed("'\(value.name)' holds a placeholder", hint: Self.noPlaceholders)
        }
        return body
    }

    fileprivate func fields(_ value: YAMLValue, hint: String) -> [RequestTemplate.Parameter]? {
        guard let mapping = value.mapping(hint: hint) else { return nil }
        let fields = mapping.entries.compactMap { entry -> RequestTemplate.Parameter? in
            guard !holdsVariable(entry) else { return nil }
            let isSecret = SensitiveName.isParameter(entry.key, value: entry.value.plainOrQuotedText)
            return configuredText(entry.value, isSecret: isSecret).map { .init(name: entry.key, value: $0) }
        }
        return fields.count == mapping.entries.count ? fields : nil
    }

    fileprivate func loginHeaders(_ value: YAMLValue) -> [RequestTemplate.Parameter]? {
        guard let mapping = value.mapping(hint: "write headers: { X-Key: \"${KEY}\" }") else { return nil }
        let fields = headers(mapping)
        return fields.count == mapping.entries.count ? fields.map { .init(name: $0.key, value: $1) } : nil
    }

    /// Reads the value of a header that carries a token.
    fileprivate func tokenTemplate(_ value: YAMLValue) -> String? {
        guard let text = name(value), isHeaderValue(.literal(text), of: value) else { return nil }
        if text.contains(SessionToken.Header.placeholder) { return text }
        return value.failed("'\(value.name)' does not say where the token is", hint: "write {token} into it")
    }
}
