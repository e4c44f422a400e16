import GarnerCatalog

/// Tokens of OAuth 2.
extension StreamTranslation {
    func oauth(_ node: ManifestNode) throws -> FileMapping? {
        func text(_ node: ManifestNode?, of owner: ManifestNode) throws -> String? {
            try self.text(node, of: owner, for: .open)
        }
        guard let endpoint = node["token_refresh_endpoint"], !endpoint.isNull else {
            guard let token = try text(node["access_token_value"], of: node) else {
                throw LossError(.oauth, "no token_refresh_endpoint", at: node)
            }
            return FileMapping(["type": .text("bearer"), "token": .text(token)])
        }
        if node["profile_assertion"] != nil || node["use_profile_assertion"]?.bool == true {
            throw LossError(.jwt, Self.command, at: node)
        }
        var request = TokenRequest()
        for name in TokenRequest.names { request[name] = try text(node[name], of: node) }
        try addBody(node["refresh_request_body"], of: node, to: &request)
        let url = try tokenURL(endpoint, of: node)
        let hasOtherNames = try TokenRequest.names.contains { name in
            try knownText(node["\(name)_name"], of: node).map { $0 != name } ?? false
        }
        let isUsual = ["refresh_token", "client_credentials"].contains(request["grant_type"] ?? "refresh_token")
        let isInQuery = node["send_refresh_request_as_query_params"]?.bool == true
        guard hasOtherNames || isInQuery || !isUsual else { return try keys(of: request, at: url, node) }
        return try login(with: request, at: url, in: isInQuery ? "params" : "form", node)
    }

    /// A token request that OAuth 2 does not have is a login that gives a token.
    private func login(
        with request: TokenRequest, at url: String, in place: String, _ node: ManifestNode
    ) throws -> FileMapping {
        let grant = request["grant_type"] ?? "refresh_token"
        if grant.contains("jwt-bearer") { throw LossError(.jwt, Self.command, at: node) }
        if node["refresh_token_updater"]?.isMapping == true || node["scopes"].map({ !$0.isNull }) == true {
            throw LossError(.oauth, "\(grant.prefix(60)) with scopes or a rotating refresh token", at: node)
        }
        let isInHeader = try authStyle(node["refresh_request_headers"]) == "header"
        var fields = FileMapping()
        for name in TokenRequest.names where !isInHeader || !name.hasPrefix("client") {
            let value = request[name] ?? (name == "grant_type" ? grant : nil)
            fields[try knownText(node["\(name)_name"], of: node) ?? name] = value.map { .text($0) }
        }
        fields["scope"] = request.scopes
        for entry in request.params.entries where fields[entry.key] == nil { fields[entry.key] = entry.value }
        var login = FileMapping(["url": .text(url), place: .mapping(fields)])
        if isInHeader, let name = request["client_id"] {
            let secret = request["client_secret"] ?? ""
            login["auth"] = .mapping(
                FileMapping([
                    "type": .text("http_basic"), "username": .text(name), "password": .text(secret),
                ]))
        }
        let token = try knownText(node["access_token_name"], of: node) ?? "access_token"
        return FileMapping([
            "type": .text("session_token"), "request": .mapping(login),
            "take": .mapping(FileMapping(["token": .text(Self.jsonPath([.member(token)]))])), "expires": .plain("1h"),
        ])
    }

    private func tokenURL(_ endpoint: ManifestNode, of node: ManifestNode) throws -> String {
        guard var url = try text(endpoint, of: node, for: .url) else { throw LossError(.oauth, "no URL", at: endpoint) }
        if !url.contains("://") { url = "https://" + url }
        let host = url.prefix { $0 != "?" }.split(separator: "/", maxSplits: 2).dropFirst().first ?? ""
        guard !host.contains("${") else {
            throw LossError(
                .secretInText, "a secret in the host; a value that is none can be given with --set", at: endpoint)
        }
        guard Template(url).placeholders.isEmpty else { throw LossError(.oauth, "a URL that differs", at: endpoint) }
        return url
    }

    /// The fields of a token request.
    private struct TokenRequest {
        static let names = ["grant_type", "client_id", "client_secret", "refresh_token"]
        private var fields: [String: String] = [:]
        var scopes: FileValue?
        var params = FileMapping()

        subscript(name: String) -> String? {
            get { fields[name] }
            set { fields[name] = newValue }
        }
    }

    private func addBody(_ body: ManifestNode?, of node: ManifestNode, to request: inout TokenRequest) throws {
        for member in body?.members.prefix(Self.mostParameters) ?? [] where member.name != "$parameters" {
            guard let text = try text(member.value, of: node, for: .open) else { continue }
            switch member.name {
            case "scope": request.scopes = .text(text)
            case _ where TokenRequest.names.contains(member.name): request[member.name] = text
            default: request.params[member.name] = .text(text)
            }
        }
        guard let scopes = node["scopes"], !scopes.isNull else { return }
        request.scopes = try written(try value(scopes, of: node), for: .open)
    }

    private func keys(of request: TokenRequest, at url: String, _ node: ManifestNode) throws -> FileMapping {
        var grant = request["grant_type"] ?? "refresh_token"
        // Without a refresh token, the client proves itself.
        if request["refresh_token"] == nil { grant = "client_credentials" }
        if grant == "client_credentials", request["client_secret"] == nil {
            throw LossError(.oauth, "neither a refresh token nor a client's secret", at: node)
        }
        guard let client = request["client_id"] else { throw LossError(.oauth, "no client_id", at: node) }
        var keys = FileMapping([
            "type": .text("oauth2"), "grant_type": .text(grant), "token_url": .text(url), "client_id": .text(client),
        ])
        keys["client_secret"] = request["client_secret"].map { .text($0) }
        if grant == "refresh_token" { keys["refresh_token"] = request["refresh_token"].map { .text($0) } }
        keys["scopes"] = request.scopes
        let style = try authStyle(node["refresh_request_headers"])
        if request["client_secret"] != nil, style == "body" { keys["auth_style"] = .text(style) }
        keys[mapping: "params"] = request.params
        for (name, key, usual) in [
            ("access_token_name", "token_path", "access_token"), ("expires_in_name", "expires_path", "expires_in"),
        ] {
            guard let place = try knownText(node[name], of: node), place != usual else { continue }
            // A date is no length of time. The token is then renewed when the server refuses it.
            if key == "expires_path", node["token_expiry_date_format"] != nil { continue }
            keys[key] = .text(Self.jsonPath([.member(place)]))
        }
        return keys
    }

    /// Returns where the client's secret stands: in a header that a template makes of it, or in the body.
    private func authStyle(_ headers: ManifestNode?) throws -> String {
        var style = "body"
        for header in headers?.members ?? [] {
            switch header.name.lowercased() {
            case "$parameters", "accept", "cache-control", "user-agent": break
            case "content-type":
                guard header.value.text?.lowercased().contains("json") != true else {
                    throw LossError(.oauth, "the token is asked for with JSON", at: header.value)
                }
            case "authorization"
            where header.value.text?.contains("b64encode") == true
                || header.value.text?.contains("base64") == true:
                style = "header"
            default: throw LossError(.oauth, "the header \(header.name.prefix(40))", at: header.value)
            }
        }
        return style
    }
}
