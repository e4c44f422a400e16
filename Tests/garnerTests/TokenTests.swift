import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct TokenTests {
    private static func configuration(_ url: String) -> String {
        """
        version: 1
        sources:
          zoo:
            base_url: \(url)
            retry: { max_attempts: 1 }
            auth:
              type: oauth2
              grant_type: refresh_token
              token_url: \(url)/token
              client_id: garner
              refresh_token: "${FIRST}"
            streams:
              animals: { path: animals, primary_key: id }
        """
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
            let place = try Workplace(Self.configuration(server.url))
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

    @Test func `a refresh token that is over has three parts and a code`() async throws {
        try await Self.serve { server in
            let place = try Workplace(Self.configuration(server.url))
            let sync = try await place.garner("sync", environment: ["FIRST": "refresh-9-canary"])
            #expect(sync.code == 77)
            expectThreeParts(
                sync.errors,
                beginning: "Error: zoo.animals: no access token from \(server.url)/token: HTTP 400, invalid_grant: ")
            #expect(sync.errors.contains("Try: sign in again, and replace auth: refresh_token"))
            #expect(!sync.errors.contains("canary"))
        }
    }

    @Test func `a token that cannot be kept is not used`() async throws {
        try await Self.serve { server in
            let place = try Workplace(Self.configuration(server.url))
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
