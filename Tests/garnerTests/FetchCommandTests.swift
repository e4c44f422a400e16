import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct FetchCommandTests {
    private static let page = LoopbackReply.response(
        headers: [("Content-Type", "text/html; charset=utf-8")], body: "<p>Zoo</p>\n")

    @Test func `a page goes to standard output as it is, without a configuration`() async throws {
        try await LoopbackServer.serve({ request in
            request.target == "/old" ? .response(status: 301, headers: [("Location", "/new")]) : Self.page
        }) { server in
            let place = try Workplace()
            let fetch = try await place.garner(
                "fetch", "\(server.url)/old", "--accept", "text/html", "-H", "API-Version: 2")
            #expect((fetch.code, fetch.output, fetch.errors) == (0, "<p>Zoo</p>\n", ""))
            #expect(server.requests.map { $0["Accept"] } == ["text/html", "text/html"])
            #expect(server.requests.map { $0["API-Version"] } == ["2", "2"])
            #expect(place.names == [])
        }
    }

    @Test func `an Accept field of one's own is sent as it is`() async throws {
        try await LoopbackServer.serve({ _ in Self.page }) { server in
            let place = try Workplace()
            let fetch = try await place.garner("fetch", server.url, "-H", "Accept: text/html;q=0.9, x/y")
            #expect(fetch.output == "<p>Zoo</p>\n")
            #expect(server.requests.map { $0["Accept"] } == ["text/html;q=0.9, x/y"])
        }
    }

    @Test func `a media type that is not accepted ends with 65 and shows the first bytes`() async throws {
        try await LoopbackServer.serve({ _ in Self.page }) { server in
            let place = try Workplace()
            let fetch = try await place.garner("fetch", server.url, "--accept", "application/pdf", "-o", "a.pdf")
            #expect(fetch.code == 65)
            #expect(fetch.output == "")
            expectThreeParts(
                fetch.errors,
                beginning: "Error: the answer is text/html instead of application/pdf, and begins with “<p>Zoo</p>”")
            #expect(fetch.errors.contains("Try: add --accept text/html if it is meant\n"))
            #expect(place.names == [])
        }
    }

    @Test func `a file appears when it is complete, and stays as it was otherwise`() async throws {
        try await LoopbackServer.serve({ request in
            request.target == "/whole"
                ? Self.page
                : .raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>", then: .close)
        }) { server in
            let place = try Workplace()
            let whole = try await place.garner("fetch", "\(server.url)/whole", "-o", "a.html")
            #expect((whole.code, whole.output, whole.errors) == (0, "", "11 bytes in a.html\n"))
            let part = try await place.garner("fetch", "\(server.url)/part", "-o", "a.html", "--quiet")
            #expect(part.code == 69)
            #expect(try place.text(of: "a.html") == "<p>Zoo</p>\n")
            #expect(place.names == ["a.html"])
        }
    }

    @Test func `the head shows no secret, whatever the status`() async throws {
        try await LoopbackServer.serve({ request in
            .response(
                status: 404,
                headers: [
                    ("Content-Type", "text/plain"), ("X-Seen", request["X-API-Key"] ?? ""),
                    ("Set-Cookie", "session=abc"), ("X-Query", request.target),
                ], body: "\(request.target) is missing")
        }) { server in
            let place = try Workplace()
            let arguments = [
                "\(server.url)/a?api_key=c4nary-parameter&b=1", "-H", "X-API-Key: c4nary-header", "--head",
            ]
            let head = try await place.start(["fetch"] + arguments).end()
            #expect(head.code == 69)
            #expect(head.output.hasPrefix("HTTP 404\nContent-Type: text/plain\nX-Seen: ***\nSet-Cookie: ***\n"))
            #expect(head.errors.contains("HTTP 404"))
            let json = try await place.start(["fetch", "--json"] + arguments).end()
            #expect(json.output.contains(#""status":404"#))
            for text in [head.output, head.errors, json.output, json.errors] { #expect(!text.contains("c4nary")) }
            // The server itself got both.
            let sent = try #require(server.requests.first)
            #expect(sent["X-API-Key"] == "c4nary-header")
            #expect(sent.target.contains("api_key=c4nary-parameter") && sent.target.contains("b=1"))
        }
    }

    @Test(arguments: [
        (404, "Try: check the URL"), (401, "Try: send credentials with -H"),
        (400, "Try: check the URL and the headers"),
        (429, "Try: wait, and ask less often"), (405, "Try: check the URL"), (302, "Try: check the URL"),
    ])
    func `advice names no key of a stream where there is none`(status: Int, advice: String) async throws {
        try await LoopbackServer.serve({ _ in .response(status: status) }) { server in
            let place = try Workplace()
            let errors = try await place.start(["fetch", server.url]).end().errors
            #expect(errors.contains(advice), "\(errors)")
            for key in ["base_url", "path", "params", "rate_limit", "the stream's"] { #expect(!errors.contains(key)) }
        }
    }

    @Test func `a stream lends its credentials, to its own origin only`() async throws {
        try await LoopbackServer.serve({ request in .json(#"{"key":"\#(request["Authorization"] ?? "none")"}"#) }) {
            server in
            let place = try Workplace(
                api: "\(server.url)/v1/", source: ["auth: { type: bearer, token: \"${TOKEN}\" }"])
            let environment = ["TOKEN": "s3cret-token"]
            for url in ["items/7?a=b", "\(server.url)/v1/items/7?a=b"] {
                let fetch = try await place.garner("fetch", url, "--auth", "animals", environment: environment)
                #expect((fetch.code, fetch.errors) == (0, ""))
                // A document is not a message: it is as the server sent it.
                #expect(fetch.output == #"{"key":"Bearer s3cret-token"}"#)
            }
            #expect(server.requests.map(\.target) == ["/v1/items/7?a=b", "/v1/items/7?a=b"])
            let other = try await place.garner(
                "fetch", "http://localhost:\(server.port)/", "--auth", "animals", environment: environment)
            #expect(other.code == 64)
            expectThreeParts(other.errors, beginning: "Error: http://localhost:\(server.port) is not the origin")
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: [
        (["ftp://a.example/"], "is no http or https URL"), (["http://me:s3cret@a.example/"], "user and password"),
        (["http://127.0.0.1:9/", "-H", "s3cret"], "-H takes a name and a value"),
        (["http://127.0.0.1:9/", "--head", "-o", "a"], "exclude each other"),
    ])
    func `a mistake is told before anything is sent`(arguments: [String], words: String) async throws {
        let place = try Workplace()
        let fetch = try await place.start(["fetch"] + arguments).end()
        #expect(fetch.code == 64)
        #expect(fetch.errors.contains(words), "\(fetch.errors)")
        #expect(place.names == [])
    }

    @Test func `the database and the configuration are not overwritten`() async throws {
        try await LoopbackServer.serve({ _ in Self.page }) { server in
            let place = try Workplace(api: server.url)
            let before = try place.text(of: "garner.yaml")
            for name in ["garner.yaml", "garner.db"] {
                let fetch = try await place.garner("fetch", server.url, "-o", name)
                #expect(fetch.code == 73, "\(fetch.errors)")
            }
            #expect(try place.text(of: "garner.yaml") == before)
            #expect(server.requests.count == 0)
        }
    }

    @Test func `a pipe is written to if a program reads it, and refused otherwise`() async throws {
        try await LoopbackServer.serve({ _ in .json("[1]") }) { server in
            let place = try Workplace()
            let pipe = place.folder.path("pipe")
            #expect(mkfifo(pipe, 0o600) == 0)
            let refused = try await place.start(["fetch", server.url, "-o", pipe]).end()
            #expect(refused.code == 73)
            #expect(refused.errors.contains("cannot write \(pipe): it is a pipe that no program reads"))

            let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            defer { close(reader) }
            #expect(try await place.start(["fetch", server.url, "-o", pipe]).end().code == 0)
            var bytes = [UInt8](repeating: 0, count: 10)
            let count = read(reader, &bytes, bytes.count)
            #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "[1]")

            #expect(try await place.start(["fetch", server.url, "-o", "/dev/null"]).end().code == 0)
            let standard = try await place.start(["fetch", server.url, "-o", "/dev/stdout"]).end()
            #expect(standard.output == "[1]")
        }
    }

    @Test func `a signal removes the unfinished file`() async throws {
        try await LoopbackServer.serve({ _ in
            LoopbackReply.raw(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>", then: .stall)
        }) { server in
            let place = try Workplace()
            let fetch = try place.start(["fetch", server.url, "-o", "a.html"])
            try await eventually { place.names.contains { $0.hasSuffix(".part") } }
            fetch.send(SIGTERM)
            #expect(try await fetch.end().code == 143)
            #expect(place.names == [])
        }
    }
}
