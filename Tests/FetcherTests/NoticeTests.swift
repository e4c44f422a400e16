import GarnerCatalog
import Foundation
import GarnerModel
import Synchronization
import TestSupport
import Testing

@testable import GarnerFetcher

@Suite(.timeLimit(.minutes(2)))
struct NoticeTests {
    private static func send(
        _ notice: Notice, lookup: HostLookup = .system, _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) async throws {
        let transports = Transports(userAgent: "garner/test", lookup: lookup)
        var stream = stream(at: "https://zoo.example/")
        stream.request.headers = [.init(name: "X-Own", value: .literal("of the stream"))]
        stream.allowsPrivateNetwork = nil
        change(&stream)
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await notice.send(
                    about: stream, over: transports, timing: timing(random: 0), limit: .seconds(30)))
        } catch {
            result = .failure(error)
        }
        try await transports.shutdown()
        try result.get()
    }

    private static func secret(_ url: String) -> ConfiguredText { .secret(Secret(url)) }

    @Test(arguments: [200, 201, 202, 204, 206])
    func `any good status is an acknowledgement, with or without a body`(status: Int) async throws {
        try await LoopbackServer.serve({ _ in
            .response(status: status, headers: [("Content-Type", "text/plain")], body: status == 204 ? "" : "ok")
        }) { server in
            let headers = [RequestTemplate.Parameter(name: "X-Key", value: .secret(Secret("s3cret-key")))]
            try await Self.send(Notice(to: .literal("\(server.url)/a?b=c"), headers: headers, json: #"{"a":1}"#))
            let request = try #require(server.requests.first)
            #expect((request.method, request.target, request.body) == ("POST", "/a?b=c", #"{"a":1}"#))
            #expect(request["Content-Type"] == "application/json")
            #expect(request["X-Key"] == "s3cret-key")
            #expect(request["X-Own"] == nil)
        }
    }

    @Test func `what failed is asked for again, and what may have been heard is not posted again`() async throws {
        try await LoopbackServer.serve({ _ in .status(503) }) { server in
            let kind = await failureKind { try await Self.send(Notice(to: .literal("\(server.url)/get"))) }
            #expect(kind == .status(503, retryAfter: nil))
            #expect(server.requests.count == 3)
            _ = await failureKind { try await Self.send(Notice(to: .literal("\(server.url)/post"), json: "{}")) }
            #expect(server.requests.map(\.method) == ["GET", "GET", "GET", "POST"])
        }
        let port = try RefusingPort()
        do {
            try await Self.send(Notice(to: .literal("http://127.0.0.1:\(port.number)/"), json: "{}"))
            Issue.record("nobody was there")
        } catch let error as FetchError {
            #expect(error.kind == .refused)
            #expect(error.request?.attempts == 3)
        }
    }

    @Test func `the words of a refusal are told`() async throws {
        try await LoopbackServer.serve({ _ in
            .response(status: 400, headers: [("Content-Type", "text/html")], body: "no_text")
        }) { server in
            let error = await #expect(throws: FetchError.self) {
                try await Self.send(Notice(to: .literal(server.url), json: "{}"))
            }
            #expect(error?.message.hasPrefix("HTTP 400: \"no_text\"") == true, "\(error?.message ?? "")")
        }
    }

    @Test(arguments: [401, 403, 404, 410, 500])
    func `an answer other than 2xx fails the notice`(status: Int) async throws {
        try await LoopbackServer.serve({ _ in .status(status) }) { server in
            let kind = await failureKind { try await Self.send(Notice(to: .literal(server.url), json: "{}")) }
            #expect(kind == (status < 404 ? .unauthorized(status: status) : .status(status, retryAfter: nil)))
        }
    }

    @Test(
        arguments: [
            (.status(404, retryAfter: nil), "ping", "check the URL in 'ping' of hooks"),
            (
                .status(400, retryAfter: nil), "post",
                "check the URL in 'post' of hooks; if its server wants other JSON, as Slack does, make that in a program, in place of "
                    + "post: run: [sh, -c, 'jq {text:.stream} | curl -sS --json @- $SLACK_URL']"
            ), (.status(410, retryAfter: nil), "post", "check the URL in 'post' of hooks"),
            (.unauthorized(status: 401), "post", "check 'headers' beside 'post' of hooks, and the secrets in its URL"),
            (.unauthorized(status: 403), "ping", "check the URL in 'ping' of hooks"),
            (.refused, "post", "check that the server is running and that 'post' of hooks names its port"),
            (.deadline(.total, limit: .seconds(1)), "post", "try again later, or raise 'timeout' of hooks"),
        ] as [(FetchError.Kind, String, String)])
    func `the advice on a notice names the key of hooks`(kind: FetchError.Kind, key: String, hint: String) {
        let stream = StreamName(source: "zoo", stream: "animals")
        #expect(FetchError(stream: stream, kind: kind, url: nil).hint(ofHook: key) == hint)
    }

    @Test func `a private address has to be named, or allowed`() async throws {
        try await LoopbackServer.serve({ _ in .status(200) }) { server in
            try await Self.send(Notice(to: .literal("http://127.0.0.1:\(server.port)/")))
            try await Self.send(Notice(to: .literal("http://localhost:\(server.port)/")))
            #expect(
                await failureKind {
                    try await Self.send(Notice(to: .literal(server.url))) { $0.allowsPrivateNetwork = false }
                } == .privateNetwork(host: "127.0.0.1"))
            #expect(server.requests.count == 2)
            // A name that leads there names nothing either.
            let named = Notice(to: .literal("http://evil.test:\(server.port)/"))
            #expect(
                await failureKind { try await Self.send(named, lookup: .loopback) }
                    == .privateNetwork(host: "127.0.0.1"))
            #expect(server.connectionCount == 2)
            // A redirect names nothing.
            try await LoopbackServer.serve({ _ in
                .response(status: 302, headers: [("Location", server.url)])
            }) { first in
                let notice = Notice(to: .literal(first.url))
                #expect(await failureKind { try await Self.send(notice) } == .privateNetwork(host: "127.0.0.1"))
                #expect(server.requests.count == 2)
                try await Self.send(notice) { $0.allowsPrivateNetwork = true }
                #expect(server.requests.count == 3)
            }
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `no redirect takes a secret elsewhere, and no message tells one`(status: Int) async throws {
        try await LoopbackServer.serve({ _ in .status(200) }) { other in
            try await LoopbackServer.serve({ request in
                let echo = request.target.contains("plain") ? "x" : request.target.dropFirst()
                return .response(status: status, headers: [("Location", "\(other.url)/\(echo)")])
            }) { server in
                let headers = [RequestTemplate.Parameter(name: "X-Key", value: .secret(Secret("s3cret-key")))]
                for notice in [
                    Notice(to: Self.secret("\(server.url)/s3cret-path"), headers: headers),
                    Notice(to: Self.secret("\(server.url)/?key=s3cret-path"), headers: headers),
                    Notice(to: Self.secret("\(server.url)/s3cret-path"), headers: headers, json: "{}"),
                    Notice(to: Self.secret("\(server.url)/plain/s3cret-path"), headers: headers),
                ] {
                    do {
                        try await Self.send(notice) { $0.allowsPrivateNetwork = true }
                    } catch {
                        #expect(!"\(error) \(String(reflecting: error))".contains("s3cret"))
                    }
                }
                for request in other.requests {
                    #expect(!"\(request.target) \(request.headers)".contains("s3cret"))
                }
                // A redirect that repeats nothing is followed, without what was meant for the first.
                #expect(other.requests.map(\.target).last == "/x")
            }
        }
    }

    @Test func `errors name the server only where its URL is no secret`() async throws {
        let refusing = try RefusingPort()
        defer { withExtendedLifetime(refusing) {} }
        let port = refusing.number
        func message(_ url: ConfiguredText) async -> String {
            do {
                try await Self.send(Notice(to: url))
                return ""
            } catch {
                return (error as? FetchError)?.message ?? "\(error)"
            }
        }
        let url = "http://127.0.0.1:\(port)/s3cret"
        #expect(await message(.literal(url)) == "the connection was refused (http://127.0.0.1:\(port), 3 attempts)")
        #expect(await message(Self.secret(url)) == "the connection was refused")
    }
}
