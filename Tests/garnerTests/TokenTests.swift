import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct TokenTests {
    private static func place(_ url: String) throws -> Workplace {
        let client = "grant_type: refresh_token, token_url: \(url)/token, client_id: garner"
        return try Workplace(api: url, source: ["auth: { type: oauth2, \(client), refresh_token: \"${FIRST}\" }"])
    }

    /// Takes each refresh token once and gives the next one, from `refresh-0-canary` on.
    private static func serve(
        _ body: @escaping @Sendable (LoopbackServer) async throws -> Void
    ) async throws {
        let current = Watched(0)
        try await LoopbackServer.serve({ request in
            guard request.method == "POST" else {
                return request["Authorization"] == "Bearer access-\(current.value)-canary"
                    ? .page(request.page, of: 2) : .status(401)
            }
            guard request.body.contains("refresh_token=refresh-\(current.value)-canary&") else {
                return .response(
                    status: 400, body: #"{"error":"invalid_grant","error_description":"\#(request.body)"}"#)
            }
            let next = current.change { current in
                current += 1
                return current
            }
            return .json(
                #"{"access_token":"access-\#(next)-canary","token_type":"Bearer","refresh_token":"refresh-\#(next)-canary"}"#
            )
        }) { try await body($0) }
    }

    @Test func `a refresh token that changes with each sync is kept beside the database, and shown nowhere`()
        async throws
    {
        try await Self.serve { server in
            let place = try Self.place(server.url)
            let environment = ["FIRST": "refresh-0-canary"]
            for (arguments, tokens) in [(["--dry-run"], 1), ([], 2), (["--verbose"], 3)] {
                let sync = try await place.start(["sync"] + arguments, environment: environment).end()
                #expect(sync.code == 0, "\(sync.errors)")
                #expect(!(sync.output + sync.errors).contains("canary"))
                #expect(server.requests.count { $0.method == "POST" } == tokens)
                let attributes = try FileManager.default.attributesOfItem(atPath: place.folder.path("garner.db.tokens"))
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
                #expect(try place.text(of: "garner.db.tokens").contains("refresh-\(tokens)-canary"))
            }
            #expect(try place.integers("SELECT count(*) FROM animals") == [4])
            for name in place.names where name != "garner.db.tokens" {
                let content = try Data(contentsOf: URL(filePath: place.folder.path(name)))
                #expect(content.range(of: Data("canary".utf8)) == nil, "\(name)")
            }
        }
    }

    /// Answers like `serve` with two pages that say nothing of each other, and takes every refresh token that is sent twice for
    /// stolen.
    private static func serveWatchfully(
        _ body: @escaping @Sendable (LoopbackServer, Watched<[String]>) async throws -> Void
    ) async throws {
        let sent = Watched<[String]>([])
        try await LoopbackServer.serve({ request in
            guard request.method == "POST" else { return .items(page: (request.number(of: "page") ?? 1) - 1) }
            let token = request.body.split(separator: "&").first { $0.hasPrefix("refresh_token=") } ?? ""
            let next = sent.change { sent in
                sent.append(String(token))
                return sent.count
            }
            return .json(#"{"access_token":"a\#(next)","token_type":"Bearer","refresh_token":"refresh-\#(next)"}"#)
        }) { try await body($0, sent) }
    }

    private static let asking = [
        ["check", "--connect"], ["preview", "animals"], ["init", "--update"], ["sync", "--dry-run"], ["sync"],
    ]

    @Test func `no command sends a refresh token that another one has replaced`() async throws {
        try await Self.serveWatchfully { server, sent in
            let place = try Self.place(server.url)
            let others = [
                ["fetch", "\(server.url)/animals", "--auth", "zoo.animals"], ["add", "\(server.url)/keepers"],
            ]
            for arguments in Self.asking + others {
                let before = sent.value.count
                let told = try await place.start(arguments, environment: ["FIRST": "refresh-0"]).end()
                #expect(told.code == 0, "\(arguments): \(told.errors)")
                #expect(sent.value.count == before + 1, "\(arguments)")
            }
            #expect(Set(sent.value).count == sent.value.count, "\(sent.value)")
        }
    }

    @Test func `commands that run at once do not send a refresh token twice`() async throws {
        try await Self.serveWatchfully { server, sent in
            let place = try Self.place(server.url)
            let running = try (0..<4).map { _ in
                try place.start(["check", "--connect"], environment: ["FIRST": "refresh-0"])
            }
            for process in running { #expect(try await process.end().code == 0) }
            #expect(sent.value.count == 4)
            #expect(Set(sent.value).count == 4, "\(sent.value)")
        }
    }

    @Test func `a token that cannot be kept is not used`() async throws {
        try await Self.serve { server in
            let place = try Self.place(server.url)
            // Not even a privileged user can create the file that the link leads to.
            try FileManager.default.createSymbolicLink(
                atPath: place.folder.path("garner.db.tokens"), withDestinationPath: "/nowhere/tokens")
            let sync = try await place.garner("sync", environment: ["FIRST": "refresh-0-canary"])
            #expect(sync.code == 74)
            expectThreeParts(sync.errors, beginning: "Error: zoo.animals: the new refresh token cannot be saved in ")
            #expect(server.requests.map(\.method) == ["POST"])
        }
    }
}
