import ArgumentParser
import GarnerCatalog
import GarnerLibC
import GarnerModel
import GarnerPresentation
import GarnerSync

/// The options of a request besides its URL, with the names of curl's options.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("X"), .customLong("request")],
        help: ArgumentHelp("GET, POST or PUT. The default is GET, or POST with --json.", valueName: "method"))
    var method: String?

    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp(
            "A header, such as 'Authorization: Bearer ${TOKEN}'. The file keeps the variable; garner reads it from the environment.",
            valueName: "name: value"))
    var headers: [String] = []

    @Option(
        name: .customLong("json"),
        help: ArgumentHelp("The body to post: JSON, @FILE, or @- for standard input.", valueName: "json"))
    var body: String?

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp("A query parameter, such as status=open.", valueName: "name=value"))
    var params: [String] = []

    @Option(
        name: .customLong("auth"),
        help: ArgumentHelp(
            "Write an auth block that reads its secrets from the environment: bearer, basic, api_key, oauth2 or session.",
            valueName: "type"))
    var authentication: String?

    @Option(
        name: .customLong("token-url"),
        help: ArgumentHelp("With --auth oauth2: the URL that issues tokens.", valueName: "url"))
    var tokenURL: String?

    @Option(help: "With --auth oauth2: client_credentials (the default) or refresh_token.")
    var grant: String?

    @Option(
        name: .customLong("limit"),
        help: ArgumentHelp("A limit of one response, such as body=100MiB or total=10m.", valueName: "name=value"))
    var limits: [String] = []

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp(
            "After --: a curl command, as words or as one text. Its URL, headers, data and credentials become the request.",
            valueName: "curl"))
    var curl: [String] = []

    /// Returns what a URL or the curl command asks for; nil if there is neither.
    func command(_ url: String?) throws -> CurlCommand? {
        guard url == nil || curl.isEmpty else {
            throw CommandError.usage("there is a URL and a curl command", hint: "give one of them")
        }
        if let url, !CurlCommand.isText(url) { return CurlCommand(url: url) }
        guard let first = url ?? curl.first else { return nil }
        let words = url.map { [$0] } ?? curl
        guard words.count > 1 || CurlCommand.isText(first) || first.contains(where: \.isWhitespace) else {
            return CurlCommand(url: first)
        }
        return try CurlCommand(words) { try Self.text(of: "@\($0)") }
    }

    /// Returns the request for a stream of a source. The options come before what the command says. Throws if an option has
    /// not the form that its help describes.
    func request(of source: String, _ command: CurlCommand, besides taken: [String: String]) throws -> StarterRequest {
        var request = StarterRequest(source: source, besides: taken)
        if let method = method ?? command.method {
            guard let known = RequestTemplate.Method(rawValue: method.uppercased()) else {
                throw CommandError.usage("'\(method)' is no method", hint: "write -X GET, -X POST or -X PUT")
            }
            request.method = known
        }
        try setBody(of: &request, command)
        for field in command.headers where !request.addHeader(field) {
            throw CommandError.usage("the command has a header without a usable name", hint: "write -H 'Name: value'")
        }
        if let lack = headers.lazy.compactMap(CurlError.init(lackingIn:)).first { throw lack }
        for header in headers where !request.addHeader(header) {
            // The message does not repeat the value, since it may hold a secret.
            throw CommandError.usage(
                "-H takes a name and a value", hint: "write -H 'Name: value', with a colon between them")
        }
        for parameter in params where !request.addParameter(parameter) {
            throw CommandError.usage("--param takes a name and a value", hint: "write --param name=value")
        }
        try setAuthentication(of: &request, command)
        try setConnection(of: &request, command)
        request.remarks = command.remarks + request.remarks
        return request
    }

    private func setBody(of request: inout StarterRequest, _ command: CurlCommand) throws {
        guard body != nil || command.body != nil else { return }
        request.method = request.method ?? .post
        if let body {
            guard request.setBody(try Self.text(of: body)) else {
                throw CommandError.usage(
                    "what --json gives is no JSON", hint: "write --json '{\"size\": 100}', or --json @file")
            }
            return
        }
        switch command.body {
        case .json(let text): _ = request.setBody(text)
        case .form(let fields): request.setForm(fields)
        case .text(let text): request.setText(text)
        case nil: break
        }
    }

    private func setAuthentication(of request: inout StarterRequest, _ command: CurlCommand) throws {
        guard let authentication else {
            guard tokenURL == nil, grant == nil else {
                throw CommandError.usage("--token-url and --grant belong to --auth oauth2", hint: "add --auth oauth2")
            }
            if let token = command.token {
                request.authenticate(by: .bearer, secret: token)
            } else if let user = command.user {
                let (name, password) = StarterRequest.credentials(user)
                request.authenticate(by: .basic, user: name, secret: password)
            }
            return
        }
        guard let way = StarterRequest.Authentication(rawValue: authentication) else {
            let known = StarterRequest.Authentication.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandError.usage("'\(authentication)' is no type of authentication", hint: "write one of \(known)")
        }
        guard (way == .oauth2) == (tokenURL != nil), way == .oauth2 || grant == nil else {
            throw CommandError.usage(
                way == .oauth2 ? "--auth oauth2 needs --token-url" : "--token-url and --grant belong to --auth oauth2",
                hint: "write --auth oauth2 --token-url https://login.example.org/token")
        }
        guard let grant = StarterRequest.Grant(rawValue: grant ?? "client_credentials") else {
            let known = StarterRequest.Grant.allCases.map(\.rawValue).joined(separator: " or ")
            throw CommandError.usage("--grant takes a type of grant", hint: "write \(known)")
        }
        request.authenticate(by: way, tokenURL: tokenURL ?? "", grant: grant)
    }

    private func setConnection(of request: inout StarterRequest, _ command: CurlCommand) throws {
        let written = try limits.map { limit in
            guard let equals = limit.firstIndex(of: "="), equals > limit.startIndex else {
                throw CommandError.usage("--limit takes a name and a value", hint: "write --limit body=100MiB")
            }
            return StarterRequest.Field(name: String(limit[..<equals]), value: String(limit[equals...].dropFirst()))
        }
        for limit in command.limits.filter({ limit in !written.contains { $0.name == limit.name } }) + written {
            request.add(limit: limit)
        }
        if let proxy = command.proxy { request.setProxy(CurlCommand(url: proxy), user: command.proxyUser) }
        if let authority = command.authority { request.setAuthority(authority) }
        if let certificate = command.certificate {
            request.setCertificate(certificate, key: command.key ?? certificate)
        }
    }

    private static let maximumBytes = 16 << 20

    private static func text(of argument: String) throws -> String {
        guard argument.hasPrefix("@") else { return argument }
        let path = String(argument.dropFirst())
        let limit = maximumBytes + 1
        let bytes: [UInt8]
        do {
            bytes =
                path == "-"
                ? try readBytes(of: STDIN_FILENO, upTo: limit) : try readFile(at: path, upTo: limit, isOnDisk: false)
        } catch {
            throw CommandError(
                .missing, kind: "missing", message: "cannot read \(path)",
                hint: "write @FILE with a file that is there")
        }
        guard bytes.count <= maximumBytes else {
            throw CommandError.usage(
                "what \(path) holds is longer than \(maximumBytes) bytes", hint: "ask for less at a time")
        }
        guard !bytes.isEmpty else {
            throw CommandError.usage(
                path == "-" ? "standard input has no data for the body" : "the file \(path) has no data for the body",
                hint: "write the data into the command, or name a file that has them: @FILE")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The options of commands whose `--json` is the body of the request, not a format of the result.
struct StarterOptions: ParsableArguments {
    @OptionGroup var common: CommonOptions

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    @OptionGroup var telling: TellingOptions

    /// Throws if the database looks like data, which `-d` takes for curl.
    func requireDatabase() throws {
        guard let database = common.database, database.prefixMatch(of: /\s*[{\[@]|[A-Za-z_]\w*=/) != nil else { return }
        throw CommandError.usage("-d is --database here", hint: "write --json '…', or garner init -- curl …")
    }

    /// The options that all commands share.
    var shared: SharedOptions {
        var shared = SharedOptions()
        (shared.common, shared.quiet, shared.telling) = (common, quiet, telling)
        (shared.json, shared.wide, shared.vertical, shared.noPager) = (false, false, false, false)
        return shared
    }
}
