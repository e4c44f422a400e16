import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TokenSyncTests {
    @Test(arguments: [
        (LoopbackReply.response(headers: [("Content-Type", "text/html")], body: "<p>"), "no_token"),
        (.response(status: 400, body: #"{"error":"invalid_client"}"#), "token_refused"),
        (.response(status: 404, body: ""), "token_refused"),
    ])
    func `without a token an unfinished read stays where it is`(reply: LoopbackReply, kind: String) async throws {
        let run = Watched(1)
        try await SyncRig.run({ request in
            guard request.method == "POST" else {
                return request.page == 2 && run.value == 1 ? .status(500) : .page(request.page, of: 3)
            }
            return run.value == 2 ? reply : .json(#"{"access_token":"t0ken","token_type":"bearer"}"#)
        }) { rig in
            let address = try #require(WebAddress("\(rig.server.url)/token"))
            let stream = rig.stream {
                $0.request.authentication = .oauth2(
                    OAuth2(
                        grant: .clientCredentials, tokenURL: address, clientID: .literal("garner"),
                        clientSecret: Secret("hunter2")))
            }
            #expect(try await rig.sync(stream).failure?.kind == "status")
            run.value = 2
            #expect(try await rig.sync(stream).failure?.kind == kind)
            run.value = 3
            #expect(try await rig.sync(stream).status == .succeeded)
            #expect(rig.server.requests.filter { $0.method == "GET" }.map(\.page) == [1, 2, 2, 3])
            #expect(try rig.integers("SELECT count(*) FROM animals") == [6])
        }
    }
}
