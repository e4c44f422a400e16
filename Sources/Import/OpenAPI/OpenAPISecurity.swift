import GarnerCatalog

/// How the requests of a list prove who asks, by what the document says.
struct OpenAPISecurity {
    /// The value of `auth`; nil for nothing.
    var auth: FileMapping?
    var headers = FileMapping()
    var params = FileMapping()
    /// Lines that the file has as comments.
    var comments: [String] = []

    /// What Garner cannot send: schemes, in words.
    private var unknown: [String] = []

    /// Takes the first requirement of which Garner can send all schemes.
    init(
        of list: OpenAPIList, base: String, in document: OpenAPIDocument, _ values: inout OpenAPIValues
    ) throws(ManifestError) {
        guard let requirements = (list.operation["security"] ?? document.root["security"])?.list else { return }
        // `{}` says that the proof may be left out.
        let proofs = requirements.prefix(20).map(\.members).filter { !$0.isEmpty }
        var refused: [String] = []
        for proof in proofs {
            var tried = Self()
            var changed = values
            for scheme in proof.prefix(5) {
                let node = try Self.scheme(scheme.name, document)
                tried.add(scheme.name, node, scopes: scheme.value.list.compactMap(\.text), base: base, &changed)
            }
            guard tried.unknown.isEmpty else {
                refused += tried.unknown.filter { !refused.contains($0) }
                continue
            }
            values = changed
            let others = proofs.flatMap { $0.map(\.name) }.filter { name in !proof.contains { $0.name == name } }
            self = tried
            if !others.isEmpty {
                let names = others.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
                comments.append(
                    "The API also takes: \(names.prefix(10).map(ImportReport.shown).joined(separator: ", "))")
            }
            return
        }
        guard !refused.isEmpty else { return }
        comments.append(
            "not written: the API wants \(refused.prefix(10).map(ImportReport.shown).joined(separator: " or "));"
                + " add 'auth' by hand, such as { type: command, run: [./token.sh] }")
    }

    private init() {}

    private static func scheme(_ name: String, _ document: OpenAPIDocument) throws(ManifestError) -> ManifestNode? {
        if document.isSwagger { return try document.resolved(document.root["securityDefinitions"]?[name]) }
        return try document.resolved(document.root["components"]?["securitySchemes"]?[name])
    }

    private mutating func add(
        _ name: String, _ scheme: ManifestNode?, scopes: [String], base: String, _ values: inout OpenAPIValues
    ) {
        let kind = (scheme?.type ?? "", scheme?["scheme"]?.text?.lowercased() ?? "")
        switch kind {
        case ("http", "bearer"):
            set(.init(["type": .text("bearer"), "token": values.secret("token", "the token")]), name)
        case ("http", "basic"), ("basic", _):
            set(
                .init([
                    "type": .text("http_basic"), "username": values.secret("username", "the user's name"),
                    "password": values.secret("password", "the user's password"),
                ]), name)
        case ("apiKey", _): addKey(name, scheme, &values)
        case ("oauth2", _): addOAuth(name, scheme, scopes, base, &values)
        default:
            let words = [kind.0, kind.1].filter { !$0.isEmpty }.joined(separator: " ")
            unknown.append(words.isEmpty ? "'\(name)', which it does not describe" : "\(words) ('\(name)')")
        }
    }

    /// Sets `auth`, which holds one scheme. A second one cannot be sent.
    private mutating func set(_ mapping: FileMapping, _ name: String) {
        if auth == nil { auth = mapping } else { unknown.append("'\(name)' beside another proof") }
    }

    private mutating func addKey(_ name: String, _ scheme: ManifestNode?, _ values: inout OpenAPIValues) {
        guard let key = scheme?["name"]?.text, OpenAPIValues.literal(key) != nil, let place = scheme?["in"]?.text,
            place == "query" || HeaderSyntax.isName(key)
        else {
            unknown.append("'\(name)', which it does not describe")
            return
        }
        // Two keys of one API are told apart by their names.
        let word = auth == nil && headers.isEmpty && params.isEmpty ? "api_key" : FileNames.name(of: name) + "_key"
        let secret = values.secret(word, "the value of '\(ImportReport.shown(key))'")
        switch place {
        case "cookie":
            headers["Cookie"] = Self.cookie(key.doublingDollars, secret, beside: headers["Cookie"])
        case "header" where auth != nil: headers[key] = secret
        case "query" where auth != nil: params[key] = secret
        case "header":
            auth = .init(["type": .text("api_key"), "name": .text(key), "value": secret])
            if key.lowercased() == "authorization" {
                comments.append("The value is the whole header: with the word before the key, if the API wants one.")
            }
        case "query":
            auth = .init(["type": .text("api_key"), "name": .text(key), "in": .text("query"), "value": secret])
        default: unknown.append("a key in '\(ImportReport.shown(place))'")
        }
    }

    static func cookie(_ name: String, _ value: FileValue, beside old: FileValue?) -> FileValue {
        .text((old?.text.map { "\($0); " } ?? "") + "\(name)=\(value.text ?? "")")
    }

    private mutating func addOAuth(
        _ name: String, _ scheme: ManifestNode?, _ scopes: [String], _ base: String, _ values: inout OpenAPIValues
    ) {
        // Swagger 2.0 has one flow, beside the type.
        let flows = scheme?["flows"]?.members ?? scheme.map { [.init(name: $0["flow"]?.text ?? "", value: $0)] } ?? []
        func flow(_ names: String...) -> ManifestNode? { flows.first { names.contains($0.name) }?.value }
        let client = flow("clientCredentials", "application")
        let people = flow("authorizationCode", "accessCode", "password")
        let url = ((client ?? people)?["tokenUrl"]?.text).flatMap { WebAddress(base)?.resolving($0) }.map { "\($0)" }
        guard let url, OpenAPIServer.isPlain(url) else {
            set(.init(["type": .text("bearer"), "token": values.secret("token", "an access token (OAuth 2)")]), name)
            comments.append("guess: the API wants an access token (OAuth 2), and does not say where a program gets one")
            return
        }
        var mapping = FileMapping([
            "type": .text("oauth2"), "grant_type": .text(client == nil ? "refresh_token" : "client_credentials"),
            "token_url": .text(url), "client_id": values.secret("client_id", "the client's name (OAuth 2)"),
            "client_secret": values.secret("client_secret", "the client's secret (OAuth 2)"),
        ])
        if client == nil {
            mapping["refresh_token"] = values.secret("refresh_token", "the first refresh token (OAuth 2)")
            comments.append("A person allows the access once, in the API's own way; that gives the refresh token.")
        }
        let wanted = scopes.compactMap { OpenAPIValues.literal($0)?.text }
        if !wanted.isEmpty { mapping["scopes"] = .texts(Array(wanted.prefix(100))) }
        set(mapping, name)
    }
}
