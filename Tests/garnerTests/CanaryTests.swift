import GarnerCatalog
import Foundation
import GarnerJSON
import GarnerPresentation
import TestSupport
import Testing

@testable import garner

/// One secret in each place, a server that repeats it in its answers, and all that garner then says, stores and sends.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CanaryTests {
    /// Pages, and what becomes of their requests.
    enum Scenario: String, CaseIterable {
        case success, elsewhere, unauthorized, serverError, html, wrongType, brokenJSON, brokenLines, errors,
            refusedLink, memberNames
        case permanently, found, seeOther, temporarily, permanentlyAsAsked
        case refusedRedirect, noConnection, noTokens

        /// The status of a redirect that leads to another origin.
        var redirect: Int? {
            switch self {
            case .permanently: 301
            case .found: 302
            case .seeOther: 303
            case .temporarily: 307
            case .permanentlyAsAsked: 308
            default: nil
            }
        }
    }

    @Test(arguments: Scenario.allCases)
    func `no command tells or stores a secret, and no other origin gets one`(scenario: Scenario) async throws {
        try await Self.serve(scenario) { servers in
            let place = try Self.workplace(scenario, servers)
            let environment = Self.environment(servers)
            for arguments in Self.commands(scenario, servers) {
                let ending = try await place.start(arguments, environment: environment).end()
                for (stream, text) in [("output", ending.output), ("errors", ending.errors)] {
                    #expect(Canary.trace(in: text) == nil, "\(scenario) \(arguments) \(stream): \(text)")
                }
                #expect(ending.code != 139 && ending.code != 132 && ending.code != 64, "\(arguments): \(ending.errors)")
            }
            try Self.expectNoTrace(inFilesOf: place)
            for server in [servers.other, servers.secure] {
                for request in server.requests {
                    #expect(Canary.trace(in: request.wholeText) == nil, "\(scenario): \(request.wholeText)")
                }
            }
            // Otherwise there was nothing to be told.
            if scenario != .noConnection, scenario != .noTokens {
                let targets = Self.targetsWithTrace(of: servers.api)
                for held in Self.placesSent(in: scenario) {
                    #expect(targets.contains { $0.contains(held.name) }, "\(scenario) \(held)")
                }
            }
            let others = servers.other.requests.count + servers.secure.requests.count
            #expect((scenario == .elsewhere || scenario.redirect != nil) == (others > 0), "\(scenario)")
        }
    }

    @Test func `a scheduler logs no secret`() async throws {
        try await Self.serve(.html) { servers in
            let place = try Self.workplace(.html, servers)
            let serving = try place.start(["serve", "--verbose"], environment: Self.environment(servers))
            try await eventually { serving.errorsSoFar.components(separatedBy: "failed").count > CanaryPlace.all.count }
            serving.send(SIGTERM)
            let ending = try await serving.end()
            #expect(Canary.trace(in: ending.output + ending.errors) == nil, "\(ending.errors)")
            try Self.expectNoTrace(inFilesOf: place)
        }
    }

    /// Configuration lines with a mistake next to a secret; the error must not show the secret.
    private static let mistakes = [
        "auth: { type: bearer, tokne: \(quoted) }", "auth: { type: bearer, token: [\(quoted)] }", "auth: \(quoted)",
        "headers: { Authorization: \"a\\n\(Canary.text)\" }", "headers: [\(quoted)]", "headers: { \(quoted): x }",
        "auth: { type: http_basic, username: \"\(Canary.text):x\", password: \(quoted) }",
        "auth: { type: bearer, token: \(quoted)", "auth: { type: bearer, token: \(quoted) }\n    \tx",
        "auth: { type: bearer, token: \(quoted) }\n    auth: { type: bearer, token: \(quoted) }",
        "proxy: \"http://me:\(Canary.encoded)@127.0.0.1:9\"", "proxy: \"socks://me:\(Canary.encoded)@127.0.0.1:9\"",
        "params: { \"${CANARY}\": x }", "json: \"${CANARY}\"", "ca: \"${CANARY}\"", "limits: { body: \"${CANARY}\" }",
        "auth: { type: oauth2, grant_type: client_credentials, token_url: \"https://me:\(Canary.encoded)@127.0.0.1\", client_id: a, client_secret: \(quoted) }",
        "auth: { type: oauth2, grant_type: client_credentials, token_url: \"https://127.0.0.1:9/?key=\(Canary.encoded)\", client_id: a, client_secret: \(quoted) }",
    ]
    private static let quoted = "\"\(Canary.text)\""

    @Test(arguments: mistakes)
    func `a mistake beside a secret is told without it`(line: String) {
        let text =
            "version: 1\nsources:\n  zoo:\n    base_url: http://127.0.0.1:9/\n    \(line)\n    streams: { a: { path: a } }\n"
        var told = ""
        do {
            let configuration = try Configuration(
                parsing: text, file: "garner.yaml", environment: CanaryPlace.environment)
            told = "\(configuration.effective) \(configuration.warnings)"
        } catch {
            let failure = CommandError(error)
            told = failure.text(ANSIStyle(isOn: false)).text + failure.json.text
        }
        #expect(!told.isEmpty)
        #expect(Canary.trace(in: told) == nil, "\(told)")
    }

    private static func placesSent(in scenario: Scenario) -> [CanaryPlace] {
        CanaryPlace.all.filter { place in
            switch place.kind {
            // A refresh token is sent by the next run only.
            case .nextRefreshToken: scenario == .success
            case .unsent: false
            case .session: scenario != .unauthorized && scenario != .serverError
            case .successHook: scenario == .success
            case .failureHook: ![.success, .elsewhere].contains(scenario) && scenario.redirect == nil
            default: true
            }
        }
    }

    private static func targetsWithTrace(of server: LoopbackServer) -> [String] {
        server.requests.filter { Canary.trace(in: $0.wholeText) != nil }.map(\.target)
    }

    // MARK: - Servers

    struct Servers: Sendable {
        let api: LoopbackServer
        let other: LoopbackServer
        /// A server with TLS.
        let secure: LoopbackServer
        let refusing: RefusingPort
    }

    private static func serve(
        _ scenario: Scenario, _ body: @escaping @Sendable (Servers) async throws -> Void
    ) async throws {
        let context = try TestCertificates.get().context(.valid)
        let refusing = try RefusingPort()
        try await LoopbackServer.serve({ _ in .otherPage }) { other in
            try await LoopbackServer.serve(tls: context, { _ in .otherPage }) { secure in
                try await LoopbackServer.serve({ answer(scenario, to: $0, other: other, secure: secure) }) { api in
                    try await body(Servers(api: api, other: other, secure: secure, refusing: refusing))
                }
            }
        }
    }

    private static func answer(
        _ scenario: Scenario, to request: LoopbackRequest, other: LoopbackServer, secure: LoopbackServer
    ) -> LoopbackReply {
        let mirror = request.mirror
        if request.target.hasPrefix("/token/") {
            guard scenario == .noTokens else { return token(for: request) }
            // What is not given yet is no secret.
            let isGiven = ["access_token", "next_refresh_token"].contains { request.target.hasSuffix("/\($0)") }
            return .response(
                status: 400,
                body: isGiven
                    ? #"{"error":"invalid_client"}"#
                    : #"{"error":"\#(Canary.text)","error_description":\#(mirror.json)}"#)
        }
        if request.target.hasPrefix("/login/"), scenario != .unauthorized, scenario != .serverError {
            let isGiven = request.target.contains("/session_")
            let text = isGiven ? Canary.text : "another session"
            return .json(
                #"{"access_token":"\#(text)"}"#, headers: [("Set-Cookie", "sid=\(text.replacing(";", with: ""))")])
        }
        let elsewhere = [other.url, "http://localhost:\(other.port)", "//127.0.0.1:\(other.port)", secure.url][
            request.target.utf8.reduce(0) { $0 + Int($1) } % 4]
        let repeated = "page=2&key=\(Canary.encoded)&sig=\(Canary.encoded)"
        if let status = scenario.redirect {
            return .response(status: status, headers: [("Location", "\(elsewhere)/there?\(repeated)")] + mirror.headers)
        }
        let type = ("Content-Type", "application/json")
        switch scenario {
        case .success:
            let isFirst = !request.target.contains("page=2")
            return isFirst
                ? .json(#"{"data":[{"id":1,"photo":"photo.png"}],"next":"?\#(repeated)"}"#, headers: mirror.headers)
                : .json(#"{"data":[{"id":2}]}"#, headers: mirror.headers)
        case .elsewhere:
            return .json(
                #"{"data":[{"id":1,"photo":"\#(other.url)/photo.png"}],"next":"\#(elsewhere)/there?\#(repeated)"}"#,
                headers: mirror.headers)
        case .unauthorized: return .response(status: 401, headers: [type] + mirror.headers, body: mirror.json)
        case .serverError:
            return .response(status: 500, headers: [("Content-Type", "text/html")] + mirror.headers, body: mirror.html)
        case .html: return .response(headers: [("Content-Type", "text/html")] + mirror.headers, body: mirror.html)
        case .wrongType: return .response(headers: [("Content-Type", "text/\(Canary.text)")], body: mirror.json)
        case .brokenJSON: return .json("{\"\(Canary.text)\":\(mirror.json),\(Canary.text)}", headers: mirror.headers)
        case .brokenLines:
            return .response(headers: [("Content-Type", "application/x-ndjson")], body: "{\"id\":1}\n\(Canary.text)\n")
        case .errors:
            return .json(
                #"{"data":null,"\#(Canary.text)":[{}],"x\#(Canary.text)":[{}],"errors":[{"message":\#(mirror.json)}]}"#)
        case .memberNames: return .json(#"{"data":[{"\#(Canary.text)":1,"x\#(Canary.text)":2}]}"#)
        case .refusedLink:
            return .json(#"{"data":[{"id":1}],"next":"\#(elsewhere)/\#(Canary.encoded)/x?\#(repeated)"}"#)
        case .refusedRedirect:
            return .response(
                status: 302,
                headers: [("Location", "\(elsewhere)/\(Canary.encoded)?return_to=\(Canary.encoded(Canary.encoded))")])
        default: return .json("[]")
        }
    }

    private static func token(for request: LoopbackRequest) -> LoopbackReply {
        let access = request.target.contains("access_token") ? Canary.text : "access-0123"
        let next =
            request.target.contains("next_refresh_token") ? #","expires_in":0,"refresh_token":"\#(Canary.text)""# : ""
        return .json(#"{"access_token":"\#(access)","token_type":"Bearer"\#(next)}"#)
    }

    // MARK: - The command line

    private static func workplace(_ scenario: Scenario, _ servers: Servers) throws -> Workplace {
        let api = scenario == .noConnection ? "http://127.0.0.1:\(servers.refusing.number)" : servers.api.url
        let defaults = [
            "version: 1", "defaults:", "  ca: \(try TestCertificates.get().rootFile)", "  retry: { max_attempts: 1 }",
            "  schedule: { every: 1s }", "  allow_private_network: true",
            "  paginator: { type: json_link, next_url_path: $.next, allow_cross_origin: \(scenario == .elsewhere) }",
            "sources:\n",
        ]
        let sources = CanaryPlace.all.map { place in
            let isProxied = place.kind == .proxy || place.kind == .environmentProxy
            let isStraight = place.kind != .proxy && place.kind != .environmentProxy
            return place.source(
                at: isProxied ? "http://zoo.example/" : "\(api)/", tokens: "\(api)/token", hooks: "\(api)/hook",
                proxy: api,
                settings: isStraight ? ["proxy: none"] : [],
                streamSettings: ["attachments: [ { field: photo } ]"]
                    + (scenario == .memberNames ? ["primary_key: id"] : []))
        }
        let workplace = try Workplace(defaults.joined(separator: "\n") + sources.joined())
        try workplace.write(Canary.text + "\n", to: CanaryPlace.file)
        return workplace
    }

    private static func environment(_ servers: Servers) -> [String: String] {
        CanaryPlace.environment.merging([
            "OTHER": "another password", "http_proxy": "http://zoo:\(Canary.encoded)@127.0.0.1:\(servers.api.port)",
        ]) { $1 }
    }

    private static func commands(_ scenario: Scenario, _ servers: Servers) -> [[String]] {
        let ledger = "SELECT * FROM _garner_requests"
        let pages =
            "SELECT * FROM _garner_pages JOIN _garner_reads LEFT JOIN _garner_slices LEFT JOIN _garner_attachments"
        let sync = [["sync", "--verbose"], ["status", "--json"], ["state", "show", "--json"]]
        let start = [["init", "\(servers.api.url)/init?api_key=\(Canary.encoded)", "--config", "new.yaml"]]
        switch scenario {
        case .success:
            return [["sync", "--dry-run"]] + sync + start + [
                ["config", "show"], ["config", "show", "--json"], ["config", "schema"], ["config", "path"], ["runs"],
                ["runs", "--json"], ["runs", "show", "1"], ["status"], ["schedule"], ["tables"], ["schema"],
                ["query", ledger, "--json"], ["query", pages], ["rows", "bearer"], ["get", "header", "1"],
                ["preview", "key_in_query"], ["check", "--connect", "--json"], ["export", "header", "-o", "-"],
                ["doctor", "--json"],
            ]
        case .html:
            return sync + start + [
                ["runs", "show", "1", "--json"], ["runs"], ["query", "SELECT * FROM _garner_runs"],
                ["sync", "--json", "--full-refresh"], ["sync", "--quiet", "--max-pages", "1"], ["check", "--connect"],
                ["preview", "access_token"], ["preview", "body", "--json"],
            ]
        case .unauthorized, .found: return sync + start
        case .errors: return sync + [["preview", "body_within"]]
        case .memberNames:
            return sync + [
                ["preview", "bearer"], ["preview", "access_token"], ["runs", "--json"], ["runs", "show", "1"],
            ]
        default: return sync
        }
    }

    /// Tokens are kept where only their owner reads them; the file with the secret is the test's own, as is the
    /// configuration with those in plain text.
    private static func expectNoTrace(inFilesOf place: Workplace) throws {
        for name in place.names where name != CanaryPlace.file && name != "garner.yaml" {
            let path = place.folder.path(name)
            if name.hasSuffix(".tokens") {
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
                #expect(mode?.intValue == 0o600)
            } else {
                #expect(Canary.trace(in: try Data(contentsOf: URL(filePath: path))) == nil, "\(name)")
            }
        }
    }
}

/// A request's text in the forms in which a server repeats it.
private struct Mirror {
    let text: String

    var html: String { "<p>\(Canary.escapedInHTML) \(Canary.text) \(Canary.encoded) \(text)" }

    /// The text as a JSON string.
    var json: String {
        let whole = "\(Canary.escapedInJSON) \(Canary.encoded(Canary.encoded)) " + escaped(Canary.text + " " + text)
        return "\"\(whole)\""
    }

    var headers: [(String, String)] {
        [
            ("ETag", "\"\(Canary.text)\""), ("WWW-Authenticate", "Bearer realm=\"\(Canary.text)\""),
            ("Set-Cookie", "session=\(Canary.text)"), ("X-Request", text.replacing("\n", with: " ")),
        ]
    }

    private func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

extension LoopbackRequest {
    fileprivate var wholeText: String {
        (["\(method) \(target)"] + headers.map { "\($0.name): \($0.value)" } + [body]).joined(separator: "\n")
    }

    fileprivate var mirror: Mirror { Mirror(text: wholeText) }
}

extension LoopbackReply {
    /// The page that the other servers send, which names no files.
    fileprivate static var otherPage: LoopbackReply {
        .json(#"{"data":[{"id":7}]}"#, headers: [("ETag", "\"\(Canary.text)\"")])
    }
}
