import GarnerCatalog
import Foundation
import GarnerModel
import TestSupport
import Testing

@testable import GarnerFetcher

/// Documents of other types than JSON, in memory and in files.
@Suite(.timeLimit(.minutes(5)))
struct DocumentTypeTests {
    private static func fetched<Result: Sendable>(
        _ reply: LoopbackReply, accepting types: [String] = ["text/html"],
        _ body: @escaping @Sendable (DocumentFetcher) async throws -> Result
    ) async throws -> Result {
        try await LoopbackServer.serve({ _ in reply }) { server in
            var request = DocumentRequest(url: server.url)
            request.acceptedMediaTypes = types
            request.maximumAttempts = 1
            let connections = Connections(userAgent: "garner/test")
            do {
                let result = try await body(DocumentFetcher(request, over: connections))
                try await connections.shutdown()
                return result
            } catch {
                try await connections.shutdown()
                throw error
            }
        }
    }

    private static func page(_ type: String?, _ body: [UInt8]) -> LoopbackReply {
        .response(headers: type.map { [("Content-Type", $0)] } ?? [], body: body)
    }

    private static let texts: [(String?, [UInt8], String)] = [
        ("text/html", Array("<p>Kākāpō".utf8), "<p>Kākāpō"),
        ("text/html; charset=UTF8", [0xEF, 0xBB, 0xBF, 0x61], "a"),
        ("text/html; charset=iso-8859-1", [0x61, 0xE9], "aé"), ("text/html; charset=\"Windows-1252\"", [0x80], "€"),
        ("text/html; charset=utf-16", [0xFE, 0xFF, 0x01, 0x01], "ā"),
        // The mark tells more than the field.
        ("text/html; charset=iso-8859-1", [0xFF, 0xFE, 0x01, 0x01], "ā"),
    ]

    @Test(arguments: texts.indices)
    func `a page is text in the charset that it says`(index: Int) async throws {
        let (type, bytes, text) = Self.texts[index]
        try await Self.fetched(Self.page(type, bytes)) { fetcher in
            let document = try await fetcher.document()
            #expect(try document.text() == text)
            #expect(document.bytes == bytes)
            #expect(throws: FetchError.self) { try document.json() }
        }
    }

    @Test(
        arguments: [
            ("text/html; charset=klingon", [0x61], "klingon"), ("text/html", [0x61, 0xE9], "utf-8"),
            ("text/html; charset=utf-16le", [0x61], "utf-16le"),
        ] as [(String, [UInt8], String)])
    func `bytes that are no text are told`(type: String, bytes: [UInt8], charset: String) async throws {
        try await Self.fetched(Self.page(type, bytes)) { fetcher in
            let document = try await fetcher.document()
            let error = #expect(throws: FetchError.self) { try document.text() }
            #expect(error?.kind == .noText(charset: charset))
            #expect(document.bytes == bytes)
        }
    }

    private static let refused: [(LoopbackReply, [String], FetchError.Kind)] = [
        (
            page("text/plain", Array("hello".utf8)), ["text/html"],
            .documentType("text/plain", expected: ["text/html"], excerpt: "hello")
        ),
        (page(nil, Array("hi".utf8)), ["text/*"], .documentType(nil, expected: ["text/*"], excerpt: "hi")),
        (page("text/html", []), ["text/html"], .emptyBody(status: 200)),
        (.chunked(["[1,"], isEnded: false), ["*/*"], .incompleteBody),
        (page("application/json", Array("{".utf8)), ["*/*"], .json(reason: "", offset: 0)),
        (.raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>", then: .close), ["*/*"], .openEnd),
        // The status is checked before the media type.
        (
            .response(status: 404, headers: [("Content-Type", "text/plain")]), ["text/html"],
            .status(404, retryAfter: nil)
        ),
    ]

    @Test(arguments: refused.indices, [false, true])
    func `a document that fails a check is neither in memory nor in a file`(index: Int, isFile: Bool) async throws {
        let (reply, types, expected) = Self.refused[index]
        // A download does not read what it writes.
        if isFile, expected.name == "json" { return }
        let folder = try TemporaryFolder()
        try "before".write(toFile: folder.path("a"), atomically: false, encoding: .utf8)
        let kind = try await Self.fetched(reply, accepting: types) { fetcher in
            await failureKind(of: {
                if isFile {
                    _ = try await fetcher.download(to: folder.path("a"))
                } else {
                    _ = try await fetcher.document()
                }
            })
        }
        if expected.name == "json" { #expect(kind?.name == "json") } else { #expect(kind == expected) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a"])
        #expect(try String(contentsOfFile: folder.path("a"), encoding: .utf8) == "before")
    }

    @Test func `JSON is checked and decoded whatever else is accepted`() async throws {
        let body = #"{"name":"Kea","n":12345678901234567890,"list":[true,null,0.5]}"#
        try await Self.fetched(.json(body), accepting: ["*/*"]) { fetcher in
            let document = try await fetcher.document()
            #expect(try document.text() == body)
            let json = try document.json()
            #expect(json["name"]?.string == "Kea")
            #expect(json["n"] == .number("12345678901234567890"))
            #expect(json["list"]?[2]?.double == 0.5)
            #expect(json["list"]?[3] == nil && json["list"]?["name"] == nil && json["list"]?[1] == .null)
            struct Named: Decodable { let name: String }
            #expect(try document.decode(Named.self).name == "Kea")
            #expect(throws: DecodingError.self) { try document.decode([Int].self) }
        }
    }

    @Test func `a delegate gets no head of a type that is not accepted`() async throws {
        for (type, isAccepted) in [("text/html", true), ("text/plain", false)] {
            try await Self.fetched(Self.page(type, Array("<p>".utf8))) { fetcher in
                let delegate = RecordingDelegate()
                await fetcher.deliver(to: delegate)
                #expect(delegate.milestones.count == (isAccepted ? 2 : 1), "\(delegate.events.value)")
                #expect((delegate.events.value.last == .complete) == isAccepted)
            }
        }
    }

    @Test func `a POST request carries its body and says what it accepts`() async throws {
        try await LoopbackServer.serve({ _ in .json("[1]") }) { server in
            var request = DocumentRequest(url: server.url)
            request.setBody("a=b", mediaType: "application/x-www-form-urlencoded")
            request.addHeader("Accept", "text/plain")
            request.acceptedMediaTypes = ["application/json", "text/csv"]
            let connections = Connections(userAgent: "garner/test")
            _ = try await DocumentFetcher(request, over: connections).document()
            try await connections.shutdown()
            let sent = try #require(server.requests.first)
            #expect((sent.method, sent.body) == ("POST", "a=b"))
            #expect(sent["Content-Type"] == "application/x-www-form-urlencoded")
            #expect(sent["Accept"] == "application/json, text/csv")
        }
    }

    @Test func `a download replaces a file, and keeps its permissions and the links to it`() async throws {
        let folder = try TemporaryFolder()
        try "before".write(toFile: folder.path("a"), atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("a"))
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.path("a"))
        let page = String(repeating: "<p>", count: 100_000)
        try await Self.fetched(.response(headers: [("Content-Type", "text/html")], body: page)) { fetcher in
            let file = try await fetcher.download(to: folder.path("link"))
            #expect(file.bytes == 300_000)
            #expect(file.head.status == 200)
        }
        #expect(try String(contentsOfFile: folder.path("a"), encoding: .utf8) == page)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path("a"))[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["a", "link"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link")) == folder.path("a"))
    }

    @Test(arguments: ["none/a", "."])
    func `a place that cannot be written is an error of the file`(name: String) async throws {
        let folder = try TemporaryFolder()
        try await Self.fetched(.response(headers: [("Content-Type", "text/html")], body: "<p>")) { fetcher in
            let error = await #expect(throws: FetchError.self) { try await fetcher.download(to: folder.path(name)) }
            #expect(error?.failure.category == .cannotCreate)
        }
    }

    @Test func `a download that breaks off is asked for again, from the beginning`() async throws {
        let folder = try TemporaryFolder()
        try await LoopbackServer.serve({ request in
            request.number == 0
                ? .raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<p", then: .close)
                : .response(headers: [("Content-Type", "text/html")], body: "<p>!")
        }) { server in
            var request = DocumentRequest(url: server.url)
            request.acceptedMediaTypes = ["text/html"]
            let connections = Connections(userAgent: "garner/test")
            _ = try await DocumentFetcher(request, over: connections).download(to: folder.path("a"))
            try await connections.shutdown()
            #expect(server.requests.count == 2)
        }
        #expect(try String(contentsOfFile: folder.path("a"), encoding: .utf8) == "<p>!")
    }
}
