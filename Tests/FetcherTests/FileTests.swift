import GarnerCatalog
import GarnerFetcher
import TestSupport
import Testing

/// Files that records point to.
@Suite(.timeLimit(.minutes(5)))
struct FileTests {
    @Test func `a file comes in byte for byte, with its type and its validator`() async throws {
        let bytes = [UInt8](0...255)
        try await Self.run({ _ in
            .response(headers: [("Content-Type", "Image/PNG; q=1"), ("ETag", #""a""#)], body: bytes)
        }) { fetcher, server in
            let file = try await fetcher.file(at: "\(server.url)/1.png", mediaTypes: ["image/*"])
            #expect(file.content == .file(mediaType: "image/png", bytes))
            #expect(file.validator == #"ETag: "a""#)
            #expect([file.request.status, file.request.bytes, file.request.attempts] == [200, 256, 1])
            #expect(server.requests.map { $0["Accept"] } == ["image/*"])
        }
    }

    @Test(arguments: [
        ("text/html", ["image/*"]), ("image/gif", ["image/png", "image/jpeg"]), ("imagery/png", ["image/*"]),
        ("application/json", ["image/*"]), ("nonsense", ["*/*"]),
    ])
    func `a file of another type is refused`(type: String, accepted: [String]) async throws {
        try await Self.run({ _ in .response(headers: [("Content-Type", type)], body: "abc") }) { fetcher, _ in
            let kind = await failureKind { try await fetcher.file(at: "/a", mediaTypes: accepted) }
            #expect(kind == .fileType(type, expected: accepted))
        }
    }

    @Test(arguments: [
        (LoopbackReply.response(status: 404, headers: image, body: "abc"), "status"),
        (.response(headers: image, body: ""), "empty_body"),
        (.response(headers: image, body: String(repeating: "a", count: 101)), "body_too_large"),
        (.response(headers: image + [("Content-Length", "9")], body: "abc").then(.close), "incomplete_body"),
        (.response(headers: image + [("Content-Encoding", "br")], body: "abc"), "decompression"),
        (
            LoopbackReply.raw(
                "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nConnection: close\r\n\r\nabc", then: .close),
            "open_end"
        ),
        (.response(status: 302, headers: [("Location", "ftp://a/")], body: ""), "redirect"),
    ])
    func `a file is held to the rules of a page`(reply: LoopbackReply, name: String) async throws {
        try await Self.run({ _ in reply }, { $0.limits.body = 100 }) { fetcher, _ in
            let kind = await failureKind { try await fetcher.file(at: "/a", mediaTypes: ["image/*"]) }
            #expect(kind?.name == name)
        }
    }

    @Test func `a file that has not changed is not sent again`() async throws {
        try await Self.run({ request in
            request["If-None-Match"] == #""a""#
                ? .response(status: 304) : .response(headers: Self.image + [("ETag", #""a""#)], body: "abc")
        }) { fetcher, _ in
            let first = try await fetcher.file(at: "/a", mediaTypes: ["image/*"])
            let second = try await fetcher.file(at: "/a", mediaTypes: ["image/*"], remembered: first.validator)
            #expect(second.content == .unchanged)
            #expect(second.request.isNotModified)
        }
    }

    @Test func `what a redirect led to is not asked about at the URL that led there`() async throws {
        try await Self.run({ request in
            request.target == "/a"
                ? .response(status: 302, headers: [("Location", "/b")])
                : .response(headers: Self.image + [("ETag", #""b""#)], body: "abc")
        }) { fetcher, _ in
            let file = try await fetcher.file(at: "/a", mediaTypes: ["image/*"])
            #expect(file.content == .file(mediaType: "image/png", Array("abc".utf8)))
            #expect(file.validator == nil)
        }
    }

    @Test(arguments: [
        ("a.png", "/v1/a.png"), ("/a.png", "/a.png"), ("../a b.png", "/a%20b.png"), ("?id=1", "/v1/?id=1"),
    ])
    func `a relative URL is one of the base URL`(reference: String, target: String) async throws {
        try await Self.run({ _ in .response(headers: Self.image, body: "abc") }) { fetcher, server in
            _ = try await fetcher.file(at: reference, mediaTypes: ["image/*"])
            #expect(server.requests.map(\.target) == [target])
        }
    }

    @Test(arguments: [
        "", "[\"/a.png\"]", "{}", "ftp://zoo.example/a", "data:image/png;base64,AA==", "https://", "http://u:p@a/",
    ])
    func `what is no URL is not asked for`(text: String) async throws {
        try await Self.run({ _ in .status(200) }) { fetcher, server in
            let kind = await failureKind { try await fetcher.file(at: text, mediaTypes: ["image/*"]) }
            #expect(kind == .invalidFileURL(text))
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `only the own origin gets what the configuration sends`() async throws {
        let change: @Sendable (inout StreamConfiguration) -> Void = {
            $0.request.authentication = .bearer(token: Secret("s3cretToken"))
            $0.request.headers = [.init(name: "X-Tenant", value: .literal("zoo"))]
            $0.request.params = [.init(name: "key", value: .secret(Secret("s3cretKey!")))]
        }
        try await LoopbackServer.serve({ _ in .response(headers: Self.image, body: "abc") }) { other in
            try await Self.run({ _ in .response(headers: Self.image, body: "abc") }, change) { fetcher, own in
                _ = try await fetcher.file(at: "/a", mediaTypes: ["image/*"])
                let inside = try #require(own.requests.first)
                #expect(inside["Authorization"] == "Bearer s3cretToken")
                #expect(inside["X-Tenant"] == "zoo")
                #expect(inside.target.hasPrefix("/a?key=s3cretKey"))
                _ = try await fetcher.file(at: "\(other.url)/a?x=s3cretToken&y=1", mediaTypes: ["image/*"])
                let outside = try #require(other.requests.first)
                #expect(outside["Authorization"] == nil && outside["X-Tenant"] == nil)
                #expect(outside.target == "/a?y=1")
                let kind = await failureKind {
                    try await fetcher.file(at: "\(other.url)/s3cretToken/a", mediaTypes: ["image/*"])
                }
                #expect(kind == .invalidFileURL("\(other.url)/***/a"))
                #expect(other.requests.count == 1)
            }
        }
    }

    @Test(arguments: ["http://127.0.0.2/a", "http://[::1]/a", "http://10.0.0.1/a", "http://169.254.169.254/a"])
    func `a private address is refused unless it is the stream's own`(url: String) async throws {
        try await Self.run({ _ in .response(headers: Self.image, body: "abc") }, { $0.allowsPrivateNetwork = nil }) {
            fetcher, _ in
            _ = try await fetcher.file(at: "/a", mediaTypes: ["image/*"])
            let kind = await failureKind { try await fetcher.file(at: url, mediaTypes: ["image/*"]) }
            #expect(kind?.name == "private_network")
        }
    }

    @Test func `what is to be ignored is no file`() async throws {
        let change: @Sendable (inout StreamConfiguration) -> Void = {
            $0.responseActions = [ResponseAction(status: 404, action: .ignore)]
        }
        try await Self.run({ _ in .status(404) }, change) { fetcher, _ in
            let file = try await fetcher.file(at: "/a", mediaTypes: ["image/*"])
            #expect(file.content == .nothing)
        }
    }

    private static let image = [("Content-Type", "image/png")]

    /// A fetcher of a stream whose base URL is the server's folder `v1`.
    private static func run(
        _ handler: @escaping LoopbackServer.Handler,
        _ change: @escaping @Sendable (inout StreamConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (PageFetcher, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer.serve(handler) { server in
            try await withFetcher(stream(at: server.url + "/v1", path: "animals", change)) {
                try await body($0, server)
            }
        }
    }
}
