import Foundation
import TestSupport
import Testing

/// `garner init -- curl …`: what goes out is what curl would send, and the file holds no secret.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct CurlTests {
    @Test(arguments: CurlExample.documentation + CurlExample.browsers)
    func `a command becomes a stream that sends the same`(example: CurlExample) async throws {
        try await LoopbackServer.serve({ _ in .page(1, of: 1) }) { server in
            let place = try Workplace()
            let origin = example.origin.contains("://") ? server.url : String(server.url.dropFirst(7))
            let command = example.command.replacing(example.origin, with: origin)
            let told = try await place.garner("init", "--", command, environment: CurlExample.environment)
            #expect(told.code == 0, "\(told.errors)")
            let sent = try #require(server.requests.first)
            #expect(sent.method == example.method && sent.target == example.target, "\(sent.method) \(sent.target)")
            #expect(sent.body == example.body)
            for header in example.headers {
                let colon = try #require(header.firstIndex(of: ":"))
                let value = String(header[colon...].dropFirst(2)).replacing(example.origin, with: origin)
                #expect(sent[String(header[..<colon])] == value, "\(sent.headers)")
            }
            #expect(sent["sec-fetch-site"] == nil && sent["priority"] == nil)
            #expect(sent["if-none-match"] == nil && sent["if-modified-since"] == nil)
            if let remark = example.remark { #expect(told.errors.contains(remark), "\(told.errors)") }
            let text = try place.text(of: "garner.yaml")
            #expect(!text.contains("canary") && !told.errors.contains("canary"), "\(text)")
        }
    }

    @Test func `a command may come in words, and options beside it count`() async throws {
        try await LoopbackServer.serve({ _ in .page(1, of: 1) }) { server in
            let place = try Workplace()
            let told = try await place.garner(
                "init", "--param", "state=all", "--limit", "body=100MiB", "-c", "zoo.yaml", "--", "curl", "-H",
                "Api-Version: 2",
                "\(server.url)/v1/animals", "-m", "20")
            #expect(told.code == 0, "\(told.errors)")
            #expect(server.requests.first?.target == "/v1/animals?state=all")
            #expect(server.requests.first?["api-version"] == "2")
            let text = try place.text(of: "zoo.yaml")
            #expect(
                text.contains(
                    "    headers: { \"Api-Version\": \"2\" }\n    limits: { total: \"20s\", body: \"100MiB\" }\n"))
            #expect(told.errors.contains("garner sync --config zoo.yaml"))
        }
    }

    @Test func `a second command shares the credentials of its source`() async throws {
        try await LoopbackServer.serve({ _ in .page(1, of: 1) }) { server in
            let place = try Workplace()
            func curl(_ name: String) -> [String] {
                [
                    "--", "curl", "\(server.url)/v1/\(name)", "-H", "Authorization: Bearer canary5e1f", "-H", "V: 2",
                    "-H", "Accept: a/b",
                ]
            }
            #expect(try await place.start(["init"] + curl("animals")).end().code == 0)
            let environment = ["API_TOKEN": "canary5e1f"]
            let added = try await place.start(["add"] + curl("keepers")).end()
            #expect(added.code == 0 && added.errors.contains("Added api.keepers"), "\(added.errors)")
            let text = try place.text(of: "garner.yaml")
            #expect(text.ranges(of: #"auth: { type: bearer, token: "${API_TOKEN}" }"#).count == 1, "\(text)")
            #expect(text.contains("    headers: { V: \"2\" }\n"), "\(text)")
            #expect(text.ranges(of: #"        headers: { Accept: "a/b" }"#).count == 2, "\(text)")
            #expect(server.requests.allSatisfy { $0["authorization"] == "Bearer canary5e1f" && $0["v"] == "2" })
            let other = try await place.garner(
                "add", "--", "curl -u me:canary77ab -x http://127.0.0.1:1 \(server.url)/v1/visits", "--offline",
                environment: environment)
            #expect(other.code == 64, "what stands behind -- is the command's")
            let own = try await place.garner(
                "add", "--offline", "--", "curl -u me:canary77ab -x http://127.0.0.1:1 \(server.url)/v1/visits",
                environment: environment)
            #expect(own.code == 0 && own.errors.contains("'proxy' is not taken"), "\(own.errors)")
            #expect(
                try place.text(of: "garner.yaml").contains(
                    "        auth: { type: http_basic, username: \"${API_USER}\""))
        }
    }

    @Test func `a database that is named is written, and data in its place are refused`() async throws {
        try await LoopbackServer.serve({ _ in .page(1, of: 1) }) { server in
            let place = try Workplace()
            for data in [#"{"a":1}"#, "@body.json", "a=1"] {
                let refused = try await place.garner("init", "\(server.url)/animals", "-d", data)
                #expect(refused.code == 64 && refused.errors.contains("-d is --database here"), "\(refused)")
                #expect(refused.errors.contains("write --json '…', or garner init -- curl …"))
            }
            #expect(server.requests.isEmpty && place.names.isEmpty)
            #expect(try await place.garner("init", "\(server.url)/animals", "-d", "zoo.db").code == 0)
            #expect(try place.text(of: "garner.yaml").contains("\ndatabase: zoo.db\n"))
            #expect(try await place.garner("sync").code == 0)
            #expect(place.names.contains("zoo.db"))
        }
    }

    @Test func `data come from files and standard input, as curl takes them`() async throws {
        try await LoopbackServer.serve({ _ in .page(1, of: 1) }) { server in
            let place = try Workplace()
            try place.write("{\"a\":\n1}", to: "body.json")
            let told = try await place.garner("init", "--", "curl", "--json", "@body.json", "\(server.url)/a")
            #expect(told.code == 0, "\(told.errors)")
            #expect(server.requests.first?.body == #"{"a":1}"#)
            let typed = try await place.garner(
                "add", "--", "curl", "-d", "@-", "-d", "c=3", "\(server.url)/b", input: "a=1\n&b=2\n")
            #expect(typed.code == 0, "\(typed.errors)")
            #expect(server.requests.last?.body == "a=1&b=2&c=3")
            let missing = try await place.garner("add", "--", "curl", "-d", "@none", "\(server.url)/c")
            #expect(missing.code == 66 && missing.errors.contains("cannot read none"), "\(missing.errors)")
            let empty = try await place.garner("add", "--", "curl", "-d", "@-", "\(server.url)/c")
            #expect(empty.code == 64 && empty.errors.contains("standard input has no data"), "\(empty.errors)")
            try place.write("", to: "none.json")
            let emptied = try await place.garner("add", "\(server.url)/c", "--json", "@none.json")
            #expect(emptied.code == 64 && emptied.errors.contains("none.json has no data"), "\(emptied.errors)")
        }
    }

    /// Commands that cannot be taken, and what is said.
    private static let refused: [([String], String)] = [
        (
            ["curl", "-F", "file=@canary.png", "https://x.example/a"],
            "'-F' cannot be taken: it sends a form with files"
        ),
        (["curl", "-X", "DELETE", "https://x.example/a"], "'DELETE' is no method"),
        (["curl https://x.example/canary https://y.example/b"], "names 2 URLs"),
        (["curl", "https://x.example/a", "|", "jq", "."], "leave out '|' and the program behind it"),
        (["curl -H 'A: b'"], "names no URL"),
        (["curl", "https://x.example/a", "-H", "“A:", "b”"], "the quotes of a word processor"),
        (["curl", "https://x.example/a", "-H", "Authorization: Bearer "], "'Authorization' has no value"),
        (["curl", "https://x.example/a", "-H", "X-API-Key: "], "'X-API-Key' has no value"),
        (["curl", "https://x.example/a", "-u", ":"], "-u has no value"),
        (["curl", "https://x.example/a", "--oauth2-bearer", ""], "--oauth2-bearer has no value"),
        (["wget https://x.example/canary -q"], "another command than curl"),
        (["curl https://x.example/a", "garner"], "there is no 'curl'"),
        (["curl ftp://x.example/canary"], "not an absolute URL of http or https"),
    ]

    @Test(arguments: refused)
    func `what cannot be taken is told, and nothing is written`(words: [String], told: String) async throws {
        let place = try Workplace()
        let ending = try await place.start(["init", "--"] + words).end()
        #expect(ending.code == 64 && ending.errors.contains(told), "\(ending.errors)")
        #expect(!ending.errors.contains("canary") && place.names.isEmpty)
        expectThreeParts(ending.errors, beginning: "Error: ")
    }

    @Test(arguments: [
        (["--", "curl", "-H", "Authorization: Bearer $TOKEN"], "authorization", "Bearer canary"),
        (["--", "curl", "--oauth2-bearer", "$TOKEN"], "authorization", "Bearer canary"),
        (["--", "curl", "-H", "X-API-Key: $TOKEN"], "x-api-key", "canary"),
        (["-H", "X-API-Key: $TOKEN", "--", "curl"], "x-api-key", "canary"),
    ])
    func `a variable that single quotes keep from the shell is one of the file`(
        words: [String], header: String, value: String
    ) async throws {
        try await LoopbackServer.serve({ _ in .page(1, of: 1) }) { server in
            let place = try Workplace()
            let told = try await place.start(
                ["init"] + words + ["\(server.url)/a"], environment: ["TOKEN": "canary"]
            ).end()
            #expect(told.code == 0 && told.errors.contains("'$TOKEN' is taken for the variable"), "\(told)")
            #expect(server.requests.first?[header] == value)
            #expect(try place.text(of: "garner.yaml").contains("${TOKEN}"))
        }
    }

    @Test func `a refusal names the variable that the command names`() async throws {
        let answer = LoopbackReply.response(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"a\"")], body: "")
        try await LoopbackServer.serve({ _ in answer }) { server in
            let told = try await Workplace().garner(
                "init", "\(server.url)/a", "-H", "X-API-Key: ${MY_KEY}", environment: ["MY_KEY": "canary"])
            #expect(told.code == 77 && told.errors.contains("check the value of MY_KEY and that"), "\(told)")
            #expect(told.errors.contains("the server asks for Basic"), "\(told)")
            let lacking = try await Workplace().garner("init", "\(server.url)/a", "-H", "Authorization: Bearer ")
            #expect(lacking.code == 64 && lacking.errors.contains("'Authorization' has no value"), "\(lacking)")
        }
    }

    @Test func `user and password of a URL are credentials, and stay out of the file`() async throws {
        try await LoopbackServer.serve({ _ in .page(1, of: 1) }) { server in
            let place = try Workplace()
            let url = server.url.replacing("://", with: "://me:canary%40%2B@")
            let told = try await place.garner("init", "\(url)/v1/animals?page_token=abcdefghijklmnop")
            #expect(told.code == 0 && told.errors.contains("export API_PASSWORD=…"), "\(told.errors)")
            #expect(
                server.requests.first?["authorization"] == "Basic \(Data("me:canary@+".utf8).base64EncodedString())")
            #expect(try !place.text(of: "garner.yaml").contains("canary"))
        }
    }

    @Test func `OAuth is written as a block that is valid when its variables are set`() async throws {
        let place = try Workplace()
        let told = try await place.garner(
            "init", "https://api.acme.example/v1/orders", "--offline", "--auth", "oauth2", "--token-url",
            "https://login.acme.example/token", "--grant", "refresh_token")
        #expect(told.code == 0 && told.errors.contains("export ACME_REFRESH_TOKEN=…"), "\(told.errors)")
        let environment = ["ACME_CLIENT_ID": "a", "ACME_CLIENT_SECRET": "b", "ACME_REFRESH_TOKEN": "c"]
        let check = try await place.garner("check", environment: environment)
        #expect(check.code == 0, "\(check)")
        let shown = try await place.garner("config", "show", environment: environment)
        #expect(shown.output.contains("https://login.acme.example/token"), "\(shown)")
        let without = try await place.garner("init", "https://a.example/b", "-c", "b.yaml", "--auth", "oauth2")
        #expect(without.code == 64 && without.errors.contains("needs --token-url"), "\(without.errors)")
    }
}
