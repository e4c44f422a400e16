/// A place where a configuration may hold a secret, or get one from a server: with the canary in it.
///
/// `CanaryPlaceTests` compares the keys with those in which the reader of configurations takes secrets.
package struct CanaryPlace: Sendable, CustomStringConvertible {
    /// The recipient of the secret, and the occasion on which it is sent.
    package enum Kind: Sendable {
        /// Sent to the API with each request.
        case request
        /// Printed by a program, and sent to the API with each request.
        case command
        /// Never sent.
        case unsent
        /// Sent to the token endpoint.
        case client
        /// Sent to the API with the login.
        case login
        /// The API gives it as an answer to the login.
        case session
        /// The endpoint gives it, as the access token.
        case accessToken
        /// The endpoint gives it, as the next refresh token.
        case nextRefreshToken
        /// Sent to the proxy that the configuration names.
        case proxy
        /// Sent by a hook that reports a run that succeeded.
        case successHook
        /// Sent by a hook that reports a run that failed.
        case failureHook
        /// Sent by a hook that reports any run.
        case hook
        /// Sent to the proxy that the environment names.
        case environmentProxy
    }

    /// Letters and underscores.
    package let name: String
    /// The key that holds it, as `CanaryPlaceTests` finds it in the schema; nil: the configuration does not hold it.
    package let key: String?
    package let kind: Kind
    /// A line of the source, and one of the stream. `TOKENS`, `HOOKS` and `PROXY` stand for the addresses of servers.
    private let source: String
    private let stream: String
    /// What follows the base URL.
    private let base: String

    package var description: String { name }

    private init(
        _ name: String, _ key: String?, _ kind: Kind = .request, base: String = "", source: String = "",
        stream: String = ""
    ) {
        self.name = name
        self.key = key
        self.kind = kind
        self.source = source
        self.stream = stream
        self.base = base
    }

    /// The lines of `sources:` for one source of the place's name, with one stream.
    ///
    /// - Parameters:
    ///   - settings: more lines of the source.
    ///   - streamSettings: more lines of the stream.
    package func source(
        at baseURL: String, tokens: String, hooks: String, proxy: String, settings: [String] = [],
        streamSettings: [String] = []
    ) -> String {
        let source = self.source.replacing("TOKENS", with: "\(tokens)/\(name)").replacing("PROXY", with: proxy)
            .replacing("HOOKS", with: "\(hooks)/\(name)")
        let lines =
            ["  \(name):", "    base_url: \(baseURL)\(base)"]
            + ([source] + settings).filter { !$0.isEmpty }.map { "    \($0)" }
            + ["    streams:", "      \(name):"] + (stream.hasPrefix("path:") ? [] : ["        path: \(name)"])
            + ([stream] + streamSettings).filter { !$0.isEmpty }.map { "        \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The environment that a configuration with these places needs.
    package static let environment = ["CANARY": Canary.text, "CANARY_TOKEN": Canary.text]
    package static let file = "canary.txt"

    private static let variable = #""${CANARY}""#
    private static let plain = "\"\(Canary.text)\""

    private static func oauth2(_ grant: String, _ rest: String) -> String {
        "auth: { type: oauth2, grant_type: \(grant), token_url: \"TOKENS\", \(rest) }"
    }

    private static func login(_ name: String, _ key: String, _ rest: String) -> CanaryPlace {
        CanaryPlace(
            name, "auth(session_token).request.\(key)", .login,
            source: "auth: { type: session_token, request: { path: login/\(name), \(rest) }, "
                + "take: { token: $.access_token } }")
    }

    package static let all: [CanaryPlace] = [
        CanaryPlace("header", "headers.*", source: "headers: { X-Trace: \(variable) }"),
        CanaryPlace("header_within", "headers.*", source: "headers: { Authorization: \"Bearer ${CANARY}\" }"),
        CanaryPlace("header_file", "headers.*", source: "headers: { X-Key: { file: \(file) } }"),
        CanaryPlace("header_plain", "headers.*", source: "headers: { X-API-Key: \(plain) }"),
        CanaryPlace("parameter", "params.*", source: "params: { key: \(variable) }"),
        CanaryPlace("parameter_within", "params.*", source: "params: { filter: \"is:${CANARY}\" }"),
        CanaryPlace("parameter_file", "params.*", stream: "params: { sig: { file: \(file) } }"),
        CanaryPlace("parameter_plain", "params.*", stream: "params: { api_key: \(plain) }"),
        CanaryPlace("body", "json", stream: "json: { query: q, key: \(variable) }"),
        CanaryPlace("body_of_get", "json", stream: "json: { key: \(variable) }\n        method: GET"),
        CanaryPlace("body_within", "json", stream: "json: { of: [ { text: \"x ${CANARY} y\" } ] }"),
        CanaryPlace("body_plain", "json", stream: "json: { password: \(plain) }"),
        CanaryPlace("parameter_list", "params.*", stream: "params: { tag: [a, \(variable)] }"),
        CanaryPlace("form", "form.*", stream: "form: { query: q, key: \(variable) }"),
        CanaryPlace("form_list", "form.*", stream: "form: { key: [a, \"x ${CANARY}\"] }"),
        CanaryPlace("form_file", "form.*", stream: "form: { key: { file: \(file) } }"),
        CanaryPlace("form_plain", "form.*", stream: "form: { password: \(plain) }"),
        CanaryPlace("raw_body", "body", stream: "body: \"key=${CANARY}\""),
        CanaryPlace("raw_body_file", "body", stream: "body: { file: \(file) }"),
        CanaryPlace("bearer", "auth(bearer).token", source: "auth: { type: bearer, token: \(variable) }"),
        CanaryPlace(
            "basic_username", "auth(http_basic).username",
            source: "auth: { type: http_basic, username: \(variable), password: \"${OTHER}\" }"),
        CanaryPlace(
            "basic_username_alone", "auth(http_basic).username",
            source: "auth: { type: http_basic, username: \(variable), password: \"\" }"),
        CanaryPlace(
            "basic_password_alone", "auth(http_basic).password",
            source: "auth: { type: http_basic, username: \"\", password: \(variable) }"),
        CanaryPlace(
            "basic_password", "auth(http_basic).password",
            source: "auth: { type: http_basic, username: zoo, password: \(variable) }"),
        CanaryPlace(
            "key_in_header", "auth(api_key).value",
            source: "auth: { type: api_key, name: X-Key, value: \(variable) }"),
        CanaryPlace(
            "key_in_query", "auth(api_key).value",
            stream: "auth: { type: api_key, name: key, in: query, value: \(variable) }"),
        CanaryPlace(
            "client_id", "auth(oauth2).client_id", .client,
            source: oauth2("client_credentials", "client_id: \(variable), client_secret: \"${OTHER}\"")),
        CanaryPlace(
            "client_secret", "auth(oauth2).client_secret", .client,
            source: oauth2("client_credentials", "client_id: zoo, client_secret: \(variable)")),
        CanaryPlace(
            "client_secret_in_body", "auth(oauth2).client_secret", .client,
            source: oauth2("client_credentials", "client_id: zoo, client_secret: \(variable), auth_style: body")),
        CanaryPlace(
            "client_param", "auth(oauth2).params.*", .client,
            source: oauth2(
                "client_credentials", "client_id: zoo, client_secret: \"${OTHER}\", params: { resource: \(variable) }")),
        CanaryPlace(
            "login_body", "auth(session_token).request.json", .login,
            source: "auth: { type: session_token, request: { path: login/login_body, json: { p: \(variable) } }, "
                + "take: { token: $.access_token } }"),
        CanaryPlace(
            "login_form", "auth(session_token).request.form.*", .login,
            source: "auth: { type: session_token, request: { path: login/login_form, form: { p: \(variable) } }, "
                + "take: { token: $.access_token } }"),
        CanaryPlace(
            "login_header", "auth(session_token).request.headers.*", .login,
            source:
                "auth: { type: session_token, request: { path: login/login_header, headers: { X-Key: \(variable) } }, "
                + "take: cookies }"),
        CanaryPlace(
            "session_token", nil, .session,
            source: "auth: { type: session_token, request: { path: login/session_token }, "
                + "take: { token: $.access_token }, send: { header: X-Session, value: \"s={token}\" } }"),
        CanaryPlace(
            "session_cookie", nil, .session,
            source: "auth: { type: session_token, request: { path: login/session_cookie }, take: cookies }"),
        // Their words are shown, so that they do not name the file.
        CanaryPlace("command", nil, .command, source: "auth: { type: command, run: [sh, -c, 'cat c*.txt'] }"),
        CanaryPlace(
            "command_header", nil, .command,
            source: "auth: { type: command, output: json, run: [sh, -c, "
                + #"'printf ''{"headers":{"X-Sign":"%s"}}'' "$(cat c*.txt)"'] }"#),
        CanaryPlace(
            "command_failing", nil, .unsent,
            source: "auth: { type: command, run: [sh, -c, 'cat c*.txt; cat c*.txt >&2; exit 3'] }"),
        CanaryPlace(
            "command_misprinting", nil, .unsent,
            source: "auth: { type: command, run: [sh, -c, 'cat c*.txt; cat c*.txt; cat c*.txt >&2'] }"),
        CanaryPlace(
            "command_object_misprinting", nil, .unsent,
            source: "auth: { type: command, output: json, run: [sh, -c, "
                + #"'printf ''{"token":["%s"],"%s":1}'' "$(cat c*.txt)" "$(cat c*.txt)"'] }"#),
        CanaryPlace(
            "hash_key", "fields.hash.key", .unsent, stream: "fields: { hash: { fields: [name], key: \(variable) } }"),
        CanaryPlace(
            "refresh_token", "auth(oauth2).refresh_token", .client,
            source: oauth2("refresh_token", "client_id: zoo, refresh_token: \(variable)")),
        CanaryPlace(
            "access_token", nil, .accessToken,
            source: oauth2("client_credentials", "client_id: zoo, client_secret: \"${OTHER}\"")),
        CanaryPlace(
            "next_refresh_token", nil, .nextRefreshToken,
            source: oauth2("refresh_token", "client_id: zoo, refresh_token: \"${OTHER}\"")),
        CanaryPlace(
            "proxy_username", "proxy.username", .proxy,
            source: "proxy: { url: \"PROXY\", username: \(variable), password: \"${OTHER}\" }"),
        CanaryPlace(
            "proxy_password", "proxy.password", .proxy,
            source: "proxy: { url: \"PROXY\", username: zoo, password: \(variable) }"),
        CanaryPlace(
            "success_url", "hooks.on_success.post", .successHook,
            source: "hooks: { on_success: [ { post: \"HOOKS/${CANARY}\" } ] }"),
        CanaryPlace(
            "success_header", "hooks.on_success.headers.*", .successHook,
            source: "hooks: { on_success: [ { post: \"HOOKS\", headers: { X-Key: \(variable) } } ] }"),
        CanaryPlace(
            "failure_url", "hooks.on_failure.post", .failureHook,
            source: "hooks: { on_failure: [ { post: \"HOOKS/?key=${CANARY}\" } ] }"),
        CanaryPlace(
            "failure_header", "hooks.on_failure.headers.*", .failureHook,
            source: "hooks: { on_failure: [ { post: \"HOOKS\", headers: { Authorization: \"Bearer ${CANARY}\" } } ] }"),
        CanaryPlace(
            "recovery_url", "hooks.on_recovery.post", .unsent,
            source: "hooks: { on_recovery: [ { post: \"HOOKS/${CANARY}\", after: 2 } ] }"),
        CanaryPlace(
            "recovery_header", "hooks.on_recovery.headers.*", .unsent,
            source: "hooks: { on_recovery: [ { post: \"HOOKS\", headers: { X-Key: \(variable) } } ] }"),
        CanaryPlace(
            "stale_url", "hooks.on_stale.post", .unsent,
            source: "hooks: { on_stale: [ { post: \"HOOKS/${CANARY}\" } ] }"),
        CanaryPlace(
            "stale_header", "hooks.on_stale.headers.*", .unsent,
            source: "hooks: { on_stale: [ { post: \"HOOKS\", headers: { X-Key: \(variable) } } ] }"),
        CanaryPlace(
            "change_url", "hooks.on_change.post", .successHook,
            source: "hooks: { on_change: [ { post: \"HOOKS/${CANARY}/x\" } ] }"),
        CanaryPlace(
            "change_header", "hooks.on_change.headers.*", .successHook,
            source: "hooks: { on_change: [ { post: \"HOOKS\", headers: { X-Key: { file: \(file) } } } ] }"),
        CanaryPlace("ping", "hooks.ping", .hook, source: "hooks: { ping: \"HOOKS/${CANARY}\" }"),
        CanaryPlace("base_url", nil, base: "${CANARY_TOKEN}/"),
        CanaryPlace("path", "path", stream: "path: \"path/bot${CANARY_TOKEN}/x\""),
        CanaryPlace("path_query", "path", stream: "path: \"path_query?key=${CANARY_TOKEN}&sort=id\""),
        CanaryPlace(
            "token_url", "auth(oauth2).token_url", .client,
            source: oauth2("client_credentials", "client_id: zoo, client_secret: \"${OTHER}\"")
                .replacing("TOKENS", with: "TOKENS/${CANARY_TOKEN}")),
        CanaryPlace(
            "login_path", "auth(session_token).request.path", .login,
            source: "auth: { type: session_token, request: { path: \"login/login_path/${CANARY_TOKEN}\" }, "
                + "take: { token: $.access_token } }"),
        CanaryPlace(
            "login_url", "auth(session_token).request.url", .client,
            source: "auth: { type: session_token, request: { url: \"TOKENS/${CANARY_TOKEN}\" }, "
                + "take: { token: $.access_token } }"),
        login("login_param", "params.*", "params: { p: \(variable) }"),
        login("login_bearer", "auth(bearer).token", "auth: { type: bearer, token: \(variable) }"),
        login(
            "login_username", "auth(http_basic).username",
            "auth: { type: http_basic, username: \(variable), password: \"${OTHER}\" }"),
        login(
            "login_password", "auth(http_basic).password",
            "method: GET, auth: { type: http_basic, username: zoo, password: \(variable) }"),
        login(
            "login_key", "auth(api_key).value", "auth: { type: api_key, name: key, in: query, value: \(variable) }"),
        CanaryPlace(
            "session_query", nil, .session,
            source: "auth: { type: session_token, request: { path: login/session_query }, "
                + "take: { token: $.access_token }, send: { in: query, name: key } }"),
        CanaryPlace("environment_proxy", nil, .environmentProxy),
    ]
}
