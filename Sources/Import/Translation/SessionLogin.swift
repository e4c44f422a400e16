import GarnerCatalog

/// Logins that give a token.
extension StreamTranslation {
    func session(_ node: ManifestNode) throws -> FileMapping {
        guard let login = node["login_requester"] else { throw LossError(.login, "no login_requester", at: node) }
        try LossError.refuseCode(login, "a login")
        if let decoder = node["decoder"], !["JsonDecoder", ""].contains(decoder.type) {
            throw LossError(.login, "an answer by \(decoder.type.prefix(40))", at: decoder)
        }
        var keys = FileMapping(["type": .text("session_token")])
        keys["request"] = .mapping(try loginRequest(login))
        let path = try (node["session_token_path"]?.list ?? []).map { try step($0, of: node) }
        guard !path.isEmpty else { throw LossError(.login, "no session_token_path", at: node) }
        keys["take"] = .mapping(FileMapping(["token": .text(Self.jsonPath(path))]))
        keys["send"] = try sending(node["request_authentication"]).map { .mapping($0) }
        if let written = node["expiration_duration"], let text = try knownText(written, of: node) {
            guard let span = SpanOfTime(text), span.seconds > 0 else {
                throw LossError(.login, "the duration '\(text.prefix(40))'", at: written)
            }
            keys["expires"] = .plain(span.text)
        }
        return keys
    }

    private func step(_ node: ManifestNode, of owner: ManifestNode) throws -> JinjaValue.Later.Step {
        let step = try known(node, of: owner)
        if case .integer(let index) = step { return .index(index) }
        return .member(step.printed ?? "")
    }

    private func loginRequest(_ login: ManifestNode) throws -> FileMapping {
        let base = try text(login["url"] ?? login["url_base"], of: login, for: .url) ?? ""
        let path = try text(login["path"], of: login, for: .url) ?? ""
        var url = base
        if path.contains("://") {
            url = path
        } else if !path.isEmpty {
            url = String(base.reversed().drop { $0 == "/" }.reversed()) + "/" + path.drop { $0 == "/" }
        }
        // A setting such as `example.com` without the scheme.
        if let first = url.first, first.isLetter || first.isNumber, !url.contains("://") { url = "https://" + url }
        guard Template(url).placeholders.isEmpty else { throw LossError(.login, "a URL that differs", at: login) }
        var request = FileMapping()
        if let mine = self.base, url.hasPrefix(mine), url.count > mine.count, mine.hasSuffix("/") {
            request["path"] = .text("/" + url.dropFirst(mine.count))
        } else if url.contains("://") {
            request["url"] = .text(url)
        } else {
            throw LossError(.login, "no URL", at: login)
        }
        let method = (try knownText(login["http_method"], of: login) ?? "GET").uppercased()
        guard ["GET", "POST", "PUT"].contains(method) else {
            throw LossError(.login, String(method.prefix(20)), at: login)
        }
        if method != "POST" { request["method"] = .text(method) }
        request["params"] = try loginFields(login["request_parameters"], of: login)
        request["headers"] = try loginFields(login["request_headers"], of: login)
        let body = login["request_body"]
        let isForm = body?.type == "RequestBodyUrlEncodedForm"
        request["json"] = try loginFields(login["request_body_json"] ?? (isForm ? nil : body?["value"]), of: login)
        request["form"] = try loginFields(login["request_body_data"] ?? (isForm ? body?["value"] : nil), of: login)
        if request["json"] != nil || request["form"] != nil, method == "GET" {
            throw LossError(.login, "GET with a body", at: login)
        }
        guard let authenticator = login["authenticator"], authenticator.isMapping else { return request }
        let auth = try credentials(authenticator) { option, value in
            guard case .json(let path) = try requestPlace(of: option), path.count == 1 else {
                throw LossError(.login, "a key in the body", at: option)
            }
            request[mapping: "json"][path[0]] = .text(value)
        }
        request["auth"] = auth.map { .mapping($0) }
        return request
    }

    private func loginFields(_ node: ManifestNode?, of login: ManifestNode) throws -> FileValue? {
        guard let node, !node.isNull else { return nil }
        let value = assuming(try value(node, of: login), token: nil)
        guard !value.isNothing, value != .mapping([]) else { return nil }
        guard case .mapping = value else { throw LossError(.login, "a body that a template makes", at: node) }
        return try loginValue(value)
    }

    private func loginValue(_ value: JinjaValue) throws -> FileValue? {
        switch value {
        case .mapping(let members):
            var mapping = FileMapping()
            guard members.count <= Self.mostParameters else { throw LossError(.login, "too many members") }
            for member in members { mapping[member.name] = try loginValue(member.value) }
            return .mapping(mapping)
        case .list(let values): return .list(try values.compactMap { try loginValue($0) })
        case .text(""): return .text("")
        default: return try written(value, for: .open)
        }
    }

    /// Returns where requests have the token; nil for the usual header.
    private func sending(_ node: ManifestNode?) throws -> FileMapping? {
        guard let node, node.type == "ApiKey" || node.type == "ApiKeyAuthenticator" else { return nil }
        guard let option = node["inject_into"] else { throw LossError(.login, "no place of the token", at: node) }
        let value = try node["api_token"].map { try tokenText(try self.value($0, of: node), at: $0) } ?? Self.token
        var keys = FileMapping()
        switch try requestPlace(of: option) {
        case .header(let name): keys["header"] = .text(name)
        case .param(let name):
            keys["in"] = .text("query")
            keys["name"] = .text(name)
        default: throw LossError(.login, "the token in a body", at: option)
        }
        if value != Self.token { keys["value"] = .text(value) }
        return keys
    }

    private static let token = "{token}"

    private func tokenText(_ value: JinjaValue, at node: ManifestNode) throws -> String {
        switch value.bare {
        case .later(let later) where later.root == .sessionToken: return Self.token
        case .joined(let pieces): return try pieces.map { try tokenText($0, at: node) }.joined()
        case let value where value.isNothing: return Self.token
        case let value:
            guard let text = value.printed else { throw LossError(.login, "a token that is computed", at: node) }
            return text
        }
    }

    func legacySession(_ node: ManifestNode) throws -> FileMapping? {
        let header = try knownText(node["header"], of: node) ?? "Authorization"
        func text(_ key: String) throws -> String? { try self.text(node[key], of: node, for: .open) }
        guard let name = try text("username"), let password = try text("password") else {
            return try text("session_token").map {
                FileMapping(["type": .text("api_key"), "name": .text(header), "value": .text($0)])
            }
        }
        let path = try self.text(node["login_url"], of: node, for: .url) ?? "login"
        let token = try knownText(node["session_token_response_key"], of: node) ?? "id"
        return FileMapping([
            "type": .text("session_token"),
            "request": .mapping(
                FileMapping([
                    path.contains("://") ? "url" : "path": .text(
                        path.contains("://") ? path : "/" + path.drop { $0 == "/" }),
                    "json": .mapping(FileMapping(["username": .text(name), "password": .text(password)])),
                ])),
            "take": .mapping(FileMapping(["token": .text(Self.jsonPath([.member(token)]))])),
            "send": .mapping(FileMapping(["header": .text(header)])),
        ])
    }
}
