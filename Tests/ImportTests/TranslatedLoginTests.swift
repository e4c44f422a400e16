import Testing

@testable import GarnerImport

struct TranslatedLoginTests {
    private static func authenticator(_ text: String, _ keys: String = "{}", losses: [String] = []) -> StreamParts {
        StreamParts(requester: "authenticator: { \(text) }", keys: keys, losses: losses)
    }

    private static let kinds = [
        authenticator("type: NoAuth"),
        authenticator(
            "type: BearerAuthenticator, api_token: '{{ config.key }}'", "auth: { type: bearer, token: '${API_KEY}' }"),
        authenticator("type: BearerAuthenticator, api_token: '{{ config.empty }}'"),
        authenticator(
            "type: BasicHttpAuthenticator, username: '{{ config.key }}'",
            "auth: { type: http_basic, username: '${API_KEY}', password: '' }"),
        authenticator(
            "type: BasicHttpAuthenticator, username: '', password: '{{ config.key }}'",
            "auth: { type: http_basic, username: '', password: '${API_KEY}' }"),
        authenticator(
            "type: BasicHttpAuthenticator, username: '{{ config.name }}/token', password: '{{ config.key }}'",
            "auth: { type: http_basic, username: garner/token, password: '${API_KEY}' }"),
        authenticator(
            "type: ApiKeyAuthenticator, header: X-Key, api_token: 'k {{ config.key }}'",
            "auth: { type: api_key, name: X-Key, value: 'k ${API_KEY}' }"),
        authenticator(
            """
            type: ApiKeyAuthenticator, api_token: '{{ config.key }}',
            inject_into: { type: RequestOption, inject_into: request_parameter, field_name: key }
            """, "auth: { type: api_key, name: key, value: '${API_KEY}', in: query }"),
        authenticator(
            """
            type: ApiKeyAuthenticator, api_token: '{{ config.key }}',
            inject_into: { type: RequestOption, inject_into: body_json, field_path: [auth, key] }
            """, "json: { auth: { key: '${API_KEY}' } }"),
        authenticator(
            """
            type: ApiKeyAuthenticator, api_token: '{{ config.key }}',
            inject_into: { type: RequestOption, inject_into: body_data, field_name: key }
            """, "form: { key: '${API_KEY}' }"),
        authenticator(
            """
            type: SelectiveAuthenticator, authenticator_selection_path: [login, kind], authenticators: {
            basic: { type: BasicHttpAuthenticator, username: a, password: '{{ config.key }}' },
            token: { type: BearerAuthenticator, api_token: '{{ config.key }}' } }
            """, "auth: { type: bearer, token: '${API_KEY}' }"),
        authenticator(
            "type: JwtAuthenticator, secret_key: '{{ config.key }}'", losses: ["jwt: " + StreamTranslation.command]),
        authenticator(
            "type: CustomAuthenticator, class_name: source_zoo.Login", losses: ["custom_code: source_zoo.Login"]),
        authenticator("type: SignedAuthenticator", losses: ["authenticator: SignedAuthenticator"]),
        authenticator(
            "type: BearerAuthenticator, api_token: '{{ config.key | base64encode }}'",
            losses: ["secret_in_text: base64encode"]),
    ]

    /// Credentials that a template writes as HTTP Basic does.
    private static let basics = [
        ("Basic {{ (config.name ~ ':' ~ config.key) | base64encode }}", "garner", "${API_KEY}"),
        ("{{ 'Basic ' ~ (config.key + ':') | base64encode }}", "${API_KEY}", ""),
        ("Basic {{ ('user/token:' ~ config.key ~ ':b') | base64encode }}", "user/token", "${API_KEY}:b"),
        ("Basic {{ [config.name, config.key] | join(':') | base64encode }}", "garner", "${API_KEY}"),
    ].flatMap { value, name, password in
        let keys = "auth: { type: http_basic, username: '\(name)', password: '\(password)' }"
        let quoted = "'\(value.replacing("'", with: "''"))'"
        let both =
            "{ request_headers: { authorization: \(quoted) }, authenticator: { type: ApiKeyAuthenticator, header: X, api_token: a } }"
        return [
            StreamParts(
                requester: both, keys: "auth: { type: api_key, name: X, value: a }",
                losses: ["secret_in_text: base64encode"]),
            StreamParts(requester: "request_headers: { authorization: \(quoted) }", keys: keys),
            authenticator("type: ApiKeyAuthenticator, header: Authorization, api_token: \(quoted)", keys),
        ]
    }

    private static func oauth(_ more: String, _ keys: String = "", losses: [String] = []) -> StreamParts {
        let usual = """
            type: OAuthAuthenticator, token_refresh_endpoint: 'https://login.example/token',
            client_id: '{{ config.name }}', client_secret: '{{ config.key }}'
            """
        let written = "token_url: 'https://login.example/token', client_id: garner, client_secret: '${API_KEY}'"
        let auth = "auth: { type: oauth2, \(written), \(keys) }"
        return authenticator("\(usual), \(more)", losses.isEmpty ? auth : "{}", losses: losses)
    }

    private static func login(_ more: String, _ request: String, token: String = "access_token") -> StreamParts {
        let keys = """
            auth: { type: session_token, request: { url: 'https://login.example/token', \(request) },
              take: { token: $.\(token) }, expires: 1h }
            """
        let parts = oauth(more).requester
        return StreamParts(requester: parts, keys: "{ \(keys) }")
    }

    private static let tokens = [
        oauth("grant_type: client_credentials", "grant_type: client_credentials, auth_style: body"),
        oauth(
            "refresh_token: '{{ config.login.password }}', scopes: [read, write]",
            "grant_type: refresh_token, refresh_token: '${LOGIN_PASSWORD}', scopes: [read, write], auth_style: body"),
        oauth(
            """
            grant_type: client_credentials, refresh_request_body: { audience: zoo, scope: read },
            access_token_name: token, expires_in_name: lifetime
            """,
            """
            grant_type: client_credentials, scopes: read, auth_style: body, params: { audience: zoo },
            token_path: $.token, expires_path: $.lifetime
            """),
        oauth(
            """
            grant_type: client_credentials, token_expiry_date_format: "%Y", expires_in_name: expires_at,
            refresh_request_headers: { Authorization: "Basic {{ (config.name ~ ':' ~ config.key) | base64encode }}" }
            """, "grant_type: client_credentials"),
        login(
            "grant_type: password, refresh_request_body: { username: me, password: '{{ config.login.password }}', scope: a }",
            "form: { grant_type: password, client_id: garner, client_secret: '${API_KEY}', scope: a, username: me, "
                + "password: '${LOGIN_PASSWORD}' }"),
        login(
            """
            grant_type: password, access_token_name: token,
            refresh_request_headers: { Authorization: "Basic {{ (config.name ~ ':' ~ config.key) | base64encode }}" }
            """,
            "form: { grant_type: password }, auth: { type: http_basic, username: garner, password: '${API_KEY}' }",
            token: "token"),
        login(
            "client_id_name: app, refresh_token: '{{ config.login.password }}'",
            "form: { grant_type: refresh_token, app: garner, client_secret: '${API_KEY}', refresh_token: '${LOGIN_PASSWORD}' }"
        ),
        login(
            "send_refresh_request_as_query_params: true, grant_type: client_credentials",
            "params: { grant_type: client_credentials, client_id: garner, client_secret: '${API_KEY}' }"),
        oauth(
            "grant_type: password, scopes: [a]",
            losses: ["oauth: password with scopes or a rotating refresh token"]),
        oauth(
            "client_id_name: app, refresh_token_updater: {}",
            losses: ["oauth: refresh_token with scopes or a rotating refresh token"]),
        oauth("use_profile_assertion: true", losses: ["jwt: " + StreamTranslation.command]),
        oauth(
            "refresh_request_headers: { Content-Type: application/json }",
            losses: ["oauth: the token is asked for with JSON"]),
        oauth("refresh_request_headers: { X-App: zoo }", losses: ["oauth: the header X-App"]),
        authenticator(
            "type: OAuthAuthenticator, client_id: a, access_token_value: '{{ config.key }}'",
            "auth: { type: bearer, token: '${API_KEY}' }"),
        authenticator("type: OAuthAuthenticator, client_id: a", losses: ["oauth: no token_refresh_endpoint"]),
        authenticator(
            "type: OAuthAuthenticator, token_refresh_endpoint: 'https://{{ config.key }}.example/', client_id: a",
            losses: ["secret_in_text: a secret in the host; a value that is none can be given with --set"]),
    ]

    private static func session(
        _ login: String, _ more: String = "", request: String, keys: String = "", losses: [String] = []
    ) -> StreamParts {
        authenticator(
            """
            type: SessionTokenAuthenticator, session_token_path: [data, token], \(more)
            login_requester: { type: HttpRequester, url_base: 'https://zoo.example/v1', path: login, \(login) }
            """,
            losses.isEmpty
                ? "auth: { type: session_token, request: { \(request) }, take: { token: $.data.token } \(keys) }"
                : "{}",
            losses: losses)
    }

    private static let sessions = [
        session(
            "http_method: POST, request_body_json: { user: me, password: '{{ config.login.password }}' }",
            "expiration_duration: PT90M,",
            request: "path: /login, json: { user: me, password: '${LOGIN_PASSWORD}' }", keys: ", expires: 1h30m"),
        session(
            """
            url_base: 'https://login.example', authenticator: { type: BasicHttpAuthenticator, username: a,
            password: '{{ config.key }}' }, request_parameters: { scope: read }, request_headers: { X-A: b }
            """,
            """
            request_authentication: { type: ApiKey, api_token: 'Zoo {{ session_token }}',
            inject_into: { type: RequestOption, inject_into: header, field_name: X-Session } },
            """,
            request: """
                url: 'https://login.example/login', method: GET, params: { scope: read }, headers: { X-A: b },
                auth: { type: http_basic, username: a, password: '${API_KEY}' }
                """, keys: ", send: { header: X-Session, value: 'Zoo {token}' }"),
        session(
            "http_method: POST, request_body_data: { user: me }",
            """
            request_authentication: { type: ApiKey,
            inject_into: { type: RequestOption, inject_into: request_parameter, field_name: sid } },
            """, request: "path: /login, form: { user: me }", keys: ", send: { in: query, name: sid }"),
        session(
            "url_base: login.example, http_method: POST",
            request: "url: 'https://login.example/login'"),
        session(
            "http_method: POST, request_body_json: '{{ config.key }}'", request: "",
            losses: ["login: a body that a template makes"]),
        session("http_method: DELETE", request: "", losses: ["login: DELETE"]),
        session(
            "http_method: POST", "decoder: { type: XmlDecoder },", request: "",
            losses: ["login: an answer by XmlDecoder"]),
        session("type: CustomRequester", request: "", losses: ["custom_code: a login"]),
        authenticator(
            """
            type: LegacySessionTokenAuthenticator, header: X-Zoo, login_url: session, session_token_response_key: id,
            username: me, password: '{{ config.login.password }}', validate_session_url: user
            """,
            """
            auth: { type: session_token, request: { path: /session,
              json: { username: me, password: '${LOGIN_PASSWORD}' } }, take: { token: $.id }, send: { header: X-Zoo } }
            """),
        authenticator(
            "type: LegacySessionTokenAuthenticator, header: X-Zoo, login_url: session, session_token: '{{ config.key }}'",
            "auth: { type: api_key, name: X-Zoo, value: '${API_KEY}' }"),
    ]

    @Test(arguments: kinds + basics + tokens + sessions)
    func `an authenticator becomes auth, or is named`(parts: StreamParts) throws {
        try parts.check(["auth", "json", "form"])
    }
}
