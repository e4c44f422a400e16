/// Translates what proves who asks.
extension StreamTranslation {
    func translateAuthentication(_ authenticator: ManifestNode?, of requester: ManifestNode) {
        guard let authenticator = authenticator?.isList == true ? authenticator?.list.first : authenticator,
            authenticator.isMapping
        else { return }
        attempt(at: authenticator) {
            guard let keys = try authentication(authenticator) else { return }
            stream["auth"] = .mapping(keys)
        }
    }

    /// Returns the keys of `auth`; nil if there are none, or if the credentials stand in the body.
    private func authentication(_ node: ManifestNode) throws -> FileMapping? {
        switch node.type {
        case "SelectiveAuthenticator": return try selected(node).flatMap { try authentication($0) }
        case "OAuthAuthenticator": return try oauth(node)
        case "SessionTokenAuthenticator": return try session(node)
        case "LegacySessionTokenAuthenticator": return try legacySession(node)
        case "JwtAuthenticator": throw LossError(.jwt, Self.command, at: node)
        default: break
        }
        return try credentials(node) { option, value in try place(.text(value), by: option) }
    }

    static let command = "auth: { type: command, run: [./token.sh] } runs a program of yours that signs one"

    /// Returns the keys of credentials that are sent as they are.
    ///
    /// - Parameter place: puts a key into a body.
    func credentials(
        _ node: ManifestNode, place: (_ option: ManifestNode, _ value: String) throws -> Void
    ) throws -> FileMapping? {
        func text(_ key: String) throws -> String? { try self.text(node[key], of: node, for: .open) }
        switch node.type {
        case "NoAuth": return nil
        case "BearerAuthenticator", "Bearer":
            return try text("api_token").map { FileMapping(["type": .text("bearer"), "token": .text($0)]) }
        case "BasicHttpAuthenticator":
            let (name, password) = (try text("username") ?? "", try text("password") ?? "")
            guard !name.isEmpty || !password.isEmpty else { return nil }
            if name.contains(":") { throw LossError(.authenticator, "a user's name with a colon", at: node) }
            return FileMapping([
                "type": .text("http_basic"), "username": .text(name), "password": .text(password),
            ])
        case "ApiKeyAuthenticator", "ApiKey":
            if let written = node["api_token"], let keys = try basic(try value(written, of: node)) { return keys }
            guard let value = try text("api_token") else { return nil }
            let option = node["inject_into"].flatMap { $0.isMapping ? $0 : nil }
            let kind = option?["inject_into"]?.text ?? "header"
            guard kind == "header" || kind == "request_parameter" else {
                if let option { try place(option, value) }
                return nil
            }
            let name = try knownText(option?["field_name"] ?? node["header"], of: option ?? node) ?? "Authorization"
            var keys = FileMapping(["type": .text("api_key"), "name": .text(name), "value": .text(value)])
            if kind != "header" { keys["in"] = .text("query") }
            return keys
        default:
            try LossError.refuseCode(node, "an authenticator")
            throw LossError(.authenticator, String(node.type.prefix(60)), at: node)
        }
    }

    /// Returns the keys of credentials that a template writes as HTTP Basic does; nil for another value.
    func basic(_ value: JinjaValue) throws -> FileMapping? {
        guard case .joined(let pieces) = value, pieces.count == 2, pieces[0].printed?.lowercased() == "basic ",
            case .joined(let parts)? = pieces[1].bare.arguments(of: "|base64encode")?.first?.bare,
            let place = parts.firstIndex(where: { $0.printed?.contains(":") == true }), let text = parts[place].printed,
            let colon = text.firstIndex(of: ":")
        else { return nil }
        func written(_ parts: [JinjaValue]) throws -> FileValue {
            try self.written(.joined(parts), for: .open) ?? .text("")
        }
        return FileMapping([
            "type": .text("http_basic"), "username": try written(parts[..<place] + [.text(String(text[..<colon]))]),
            "password": try written([.text(String(text[colon...].dropFirst()))] + parts[(place + 1)...]),
        ])
    }

    /// Returns the authenticator that the settings choose, else the first one.
    private func selected(_ node: ManifestNode) throws -> ManifestNode? {
        let path = try (node["authenticator_selection_path"]?.list ?? []).compactMap { try knownText($0, of: node) }
        let choice = path.reduce(settings) { $0[$1] }.printed
        let choices = node["authenticators"]?.members ?? []
        let chosen = choices.first { $0.name == choice } ?? choices.first
        return chosen?.value
    }
}
