import ArgumentParser
import Catalog
import LibC
import Model
import Presentation
import Sync

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
            "Write an auth block that reads its secrets from the environment: bearer, basic or api_key.",
            valueName: "type"))
    var authentication: String?

    /// Returns the request. Throws `CommandError` if an option has not the form that its help describes.
    func request(of source: String) throws -> StarterRequest {
        var request = StarterRequest(source: source)
        if let method {
            guard let known = RequestTemplate.Method(rawValue: method.uppercased()) else {
                throw Self.wrong("'\(method)' is no method", hint: "write -X GET, -X POST or -X PUT")
            }
            request.method = known
        }
        if let body {
            guard request.method != .get else {
                throw Self.wrong("a GET request has no body", hint: "write -X POST, or leave --json out")
            }
            request.method = request.method ?? .post
            guard request.setBody(try Self.text(of: body)) else {
                throw Self.wrong(
                    "what --json gives is no JSON", hint: "write --json '{\"size\": 100}', or --json @file")
            }
        }
        for header in headers where !request.addHeader(header) {
            // The message does not repeat the value, since it may hold a secret.
            throw Self.wrong("-H takes a name and a value", hint: "write -H 'Name: value'")
        }
        for parameter in params where !request.addParameter(parameter) {
            throw Self.wrong("--param takes a name and a value", hint: "write --param name=value")
        }
        if let authentication {
            guard let way = StarterRequest.Authentication(rawValue: authentication) else {
                let known = StarterRequest.Authentication.allCases.map(\.rawValue).joined(separator: ", ")
                throw Self.wrong("'\(authentication)' is no type of authentication", hint: "write one of \(known)")
            }
            request.authenticate(by: way)
        }
        return request
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
                hint: "write --json @FILE with a file that is there")
        }
        guard bytes.count <= maximumBytes else {
            throw wrong("the JSON from \(path) is longer than \(maximumBytes) bytes", hint: "ask for less at a time")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func wrong(_ message: String, hint: String) -> CommandError {
        CommandError(.usage, kind: "usage", message: message, hint: hint)
    }
}

/// The options of commands whose `--json` is the body of the request, not a format of the result.
struct StarterOptions: ParsableArguments {
    @Option(
        name: .shortAndLong, help: ArgumentHelp("The configuration file.", valueName: "file"),
        completion: .configurationFile)
    var config: String?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Use this database instead of the configured one.", valueName: "file"),
        completion: .file())
    var database: String?

    @Option(name: .shortAndLong, help: "The output format.")
    var format: OutputFormat?

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print more detail.")
    var verbose = false

    @Option(help: "When to use colours.")
    var color: ColorChoice = .auto

    @Flag(help: "Do not show a progress line.")
    var noProgress = false

    /// The options that all commands share.
    var shared: SharedOptions {
        var shared = SharedOptions()
        shared.config = config
        shared.database = database
        shared.format = format
        shared.json = false
        shared.quiet = quiet
        shared.verbose = verbose
        shared.color = color
        shared.noProgress = noProgress
        shared.wide = false
        shared.vertical = false
        shared.noPager = false
        return shared
    }
}
