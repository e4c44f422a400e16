import GarnerCatalog
import TestSupport
import Testing

@testable import GarnerFetcher

/// Bodies that are JSON in another form than "application/json" in UTF-8.
struct ResponseFormatTests {
    private static func page(
        _ body: [UInt8], _ headers: [(String, String)], _ format: ResponseFormat = ResponseFormat(),
        limits: Limits = Limits()
    ) async throws -> Page {
        try await firstPage {
            $0.response = format
            $0.limits = limits
            $0.paginator = Paginator(.singlePage)
        } from: { _ in
            .response(headers: headers, body: body)
        }
    }

    private static func failure(
        _ body: [UInt8], _ headers: [(String, String)], _ format: ResponseFormat = ResponseFormat(),
        limits: Limits = Limits()
    ) async throws -> FetchError.Kind? {
        await failureKind { try await page(body, headers, format, limits: limits) }
    }

    private static let json = Array(#"[{"id":"é€"}]"#.utf8)

    @Test(arguments: [
        (["text/plain"], "text/plain"), (["application/json", "text/plain"], "text/plain; charset=utf-8"),
        (["text/*"], "text/html"), (["*/*"], "application/octet-stream"), (["*/*"], nil),
        (["text/plain"], "TEXT/Plain"),
    ])
    func `a media type that the stream accepts is taken for JSON`(accepted: [String], type: String?) async throws {
        let headers = type.map { [("Content-Type", $0)] } ?? []
        let page = try await Self.page(Self.json, headers, ResponseFormat(mediaTypes: accepted))
        #expect(page.texts == [#"{"id":"é€"}"#])
    }

    @Test(arguments: ["text/plain", nil]) func `a value on each line is a record where the format says so`(
        type: String?
    ) async throws {
        let (headers, lines) = (type.map { [("Content-Type", $0)] } ?? [], Array("{\"id\":1}\n{\"id\":2}\n".utf8))
        let page = try await Self.page(lines, headers, ResponseFormat(mediaTypes: ["*/*"], form: .jsonLines))
        #expect(page.texts == [#"{"id":1}"#, #"{"id":2}"#])
        let failure = try #require(try await Self.failure(lines, headers, ResponseFormat(mediaTypes: ["*/*"])))
        #expect(failure.hint.contains("response: { format: json_lines }"))
    }

    @Test(arguments: [
        ([], "text/plain"), (["text/plain"], "text/html"), (["text/plain"], "application/json"), (["text/plain"], nil),
    ])
    func `any other media type is refused with the first words of the body`(
        accepted: [String], type: String?
    ) async throws {
        let headers = type.map { [("Content-Type", $0)] } ?? []
        let failure = try await Self.failure(Self.json, headers, ResponseFormat(mediaTypes: accepted))
        #expect(failure == .mediaType(type, excerpt: #"[{"id":"é€"}]"#))
    }

    @Test func `a page for people is refused whatever the stream accepts`() async throws {
        let failure = try await Self.failure(
            Array("\n <!doctype html><title>Sign in</title>".utf8), [("Content-Type", "text/plain")],
            ResponseFormat(mediaTypes: ["text/plain"]))
        #expect(failure == .mediaType("text/plain", excerpt: "<!doctype html><title>Sign in</title>"))
    }

    private static let encodings: [(ResponseFormat.Charset, [UInt8], String)] = [
        (.utf8, Array("[{\"id\":\"é\"}]".utf8), "é"),
        (.latin1, Array("[{\"id\":\"".utf8) + [0xE9, 0xA4, 0xFF] + Array("\"}]".utf8), "é¤ÿ"),
        (.latin9, Array("[{\"id\":\"".utf8) + [0xE9, 0xA4, 0xBD] + Array("\"}]".utf8), "é€œ"),
        (.windows1252, Array("[{\"id\":\"".utf8) + [0x80, 0x93, 0xE9] + Array("\"}]".utf8), "€“é"),
        (.utf16, [0xFF, 0xFE] + utf16("[{\"id\":\"é€😀\"}]", isLittleEndian: true), "é€😀"),
        (.utf16, [0xFE, 0xFF] + utf16("[{\"id\":\"é€😀\"}]", isLittleEndian: false), "é€😀"),
        (.utf16, utf16("[{\"id\":\"é\"}]", isLittleEndian: false), "é"),
        (.utf16LittleEndian, utf16("[{\"id\":\"😀\"}]", isLittleEndian: true), "😀"),
        (.utf16BigEndian, utf16("[{\"id\":\"😀\"}]", isLittleEndian: false), "😀"),
    ]

    @Test(arguments: encodings)
    func `a text is read in the encoding that the stream names`(
        charset: ResponseFormat.Charset, body: [UInt8], text: String
    ) async throws {
        let headers = [("Content-Type", "application/json; charset=whatever")]
        let page = try await Self.page(body, headers, ResponseFormat(charset: charset))
        #expect(page.texts == ["{\"id\":\"\(text)\"}"])
    }

    @Test(arguments: [
        (utf16("[1]", isLittleEndian: false) + [0], 6),
        (utf16("[\"", isLittleEndian: false) + [0xD8, 0x3D] + utf16("\"]", isLittleEndian: false), 4),
    ])
    func `half a character of UTF-16 is refused with its place`(body: [UInt8], offset: Int) async throws {
        let failure = try await Self.failure(
            body, [("Content-Type", "application/json")], ResponseFormat(charset: .utf16))
        guard case .json(let reason, let found)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(reason == "half a character of UTF-16")
        #expect((offset...offset + 2).contains(found))
    }

    @Test func `another encoding is refused with the key that reads it`() async throws {
        let headers = [("Content-Type", "application/json; charset=ISO-8859-1")]
        let error = await #expect(throws: FetchError.self) { try await Self.page(Self.json, headers) }
        #expect(error?.kind == .charset("iso-8859-1"))
        #expect(error?.hint.hasPrefix("set response: { charset: iso-8859-1 }") == true)
    }

    @Test(arguments: [[("Content-Type", "application/json")], [("Content-Type", "application/gzip")]])
    func `a gzip file is unpacked, whatever its media type`(headers: [(String, String)]) async throws {
        let format = ResponseFormat(mediaTypes: ["application/json", "application/gzip"])
        let halves = [Self.json.prefix(5), Self.json.dropFirst(5)].flatMap { Gzip.stored(Array($0)) }
        #expect(try await Self.page(Gzip.stored(Self.json), headers, format).texts == [#"{"id":"é€"}"#])
        // Two members, and the zeros of a tape.
        #expect(try await Self.page(halves + [0, 0, 0], headers, format).texts == [#"{"id":"é€"}"#])
    }

    @Test(arguments: ["application/gzip", "binary/octet-stream", nil], [true, false])
    func `a gzip file of another media type is not quoted, and the advice reads it`(
        type: String?, isInLines: Bool
    ) async throws {
        let headers = type.map { [("Content-Type", $0)] } ?? []
        let file = Gzip.stored(isInLines ? Array("{\"id\":1}\n{\"id\":2}\n".utf8) : Self.json)
        let error = await #expect(throws: FetchError.self) { try await Self.page(file, headers) }
        #expect(error?.message.contains("JSON, and is a gzip file (") == true)
        let accepted = type ?? "\"*/*\""
        let settings = [", format: json_lines", ""].map { "response: { media_types: [\(accepted)]\($0) }" }
        #expect(settings.allSatisfy { error?.hint.contains($0) == true })
        let format = ResponseFormat(mediaTypes: [type ?? "*/*"], form: isInLines ? .jsonLines : nil)
        #expect(try await Self.page(file, headers, format).recordCount == (isInLines ? 2 : 1))
    }

    private static let odd: [(body: [UInt8], excerpt: String)] = [
        ([0x89, 0x50, 0x4E, 0x47, 13, 10, 0x1A, 10, 0, 0, 0, 13], ""), (Array("PK\u{3}\u{4}\u{14}\u{0}".utf8), ""),
        (Array("caf".utf8) + [0xE9] + Array(" is open today".utf8), "caf\u{FFFD} is open today"),
        ([0xFF, 0xFE, 0x5B, 0, 0x5D, 0], "\u{FFFD}\u{FFFD}[ ]"),
    ]

    @Test(arguments: odd.indices, ["image/png", nil])
    func `nothing is quoted of a body that is no text`(place: Int, type: String?) async throws {
        let (body, excerpt) = Self.odd[place]
        let failure = try await Self.failure(body, type.map { [("Content-Type", $0)] } ?? [])
        guard case .mediaType(type, let quoted)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(excerpt.isEmpty == quoted.isEmpty)
        if place == 2 { #expect(quoted == excerpt) }
    }

    @Test func `text in another encoding is told with the key that names it`() async throws {
        let latin = Array("[{\"id\":\"".utf8) + [0xE9] + Array("\"}]".utf8)
        let kind = try await Self.failure(latin, [("Content-Type", "application/json")])
        #expect(kind?.hint.contains("response: { charset: iso-8859-1 }") == true)
    }

    /// The SHA-256 of `json`, and that of another body.
    private static let digests = [
        "4TxD0Zm4dE796+1yAFHzuG7CqaQKE/8RC6esxtRLtMc=", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    ]

    @Test(arguments: [
        ("Content-Digest", "sha-256=:", ":"), ("Repr-Digest", "sha-512=:AAAA:, sha-256=:", ":;x=1"),
        ("Digest", "SHA-256=", ""), ("digest", "md5=AAAA,sha-256=", ""),
    ])
    func `a body of another digest than its head states is refused`(name: String, start: String, end: String)
        async throws
    {
        func headers(_ digest: Int) -> [(String, String)] {
            [("Content-Type", "application/json"), (name, start + Self.digests[digest] + end)]
        }
        let page = try await Self.page(Self.json, headers(0))
        #expect(page.texts == [#"{"id":"é€"}"#])
        let failure = try await Self.failure(Self.json, headers(1))
        guard case .wrongDigest(let field)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(field.lowercased() == name.lowercased())
    }

    @Test(arguments: [
        [("Content-Digest", "sha-256=:AAAA:")], [("Digest", "sha-256=e3b0c442")],
        [("Content-Digest", "sha-512=:AAAA:")],
        [("Digest", "")],
    ])
    func `a digest that cannot be checked says nothing`(headers: [(String, String)]) async throws {
        let page = try await Self.page(Self.json, [("Content-Type", "application/json")] + headers)
        #expect(page.texts == [#"{"id":"é€"}"#])
    }

    @Test func `a digest of a compressed body is that of other bytes than came out`() async throws {
        let headers = [
            ("Content-Type", "application/json"), ("Content-Encoding", "gzip"),
            ("Digest", "sha-256=\(Self.digests[1])"),
        ]
        let page = try await Self.page(Gzip.stored(Self.json), headers)
        #expect(page.texts == [#"{"id":"é€"}"#])
    }

    @Test(arguments: [
        ("X-Stream-Error: timeout", false), ("X-Error: 7", false), ("grpc-status: 4", false), ("X-Error: none", true),
        ("grpc-status: 0", true), ("Server-Timing: db;dur=9", true),
    ])
    func `a body whose trailer tells of an error is not whole`(trailer: String, isWhole: Bool) async throws {
        let headers = [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")]
        let body = Array("a\r\n[{\"id\":1}]\r\n0\r\n\(trailer)\r\n\r\n".utf8)
        if isWhole {
            let page = try await Self.page(body, headers)
            #expect(page.texts == [#"{"id":1}"#])
        } else {
            let failure = try await Self.failure(body, headers)
            #expect(failure == .incompleteBody)
        }
    }

    @Test func `a gzip file within a gzip encoding is unpacked`() async throws {
        let headers = [("Content-Type", "application/json"), ("Content-Encoding", "gzip")]
        let page = try await Self.page(Gzip.stored(Gzip.stored(Self.json)), headers)
        #expect(page.texts == [#"{"id":"é€"}"#])
    }

    @Test func `a gzip file that is cut off or spoilt is refused`() async throws {
        let file = Gzip.stored(Self.json)
        let headers = [("Content-Type", "application/json")]
        for length in [11, 20, file.count - 9, file.count - 1] {
            #expect(
                try await Self.failure(Array(file.prefix(length)), headers)
                    == .decompression(reason: "its end is missing"), "\(length)")
        }
        var spoilt = file
        spoilt[20] ^= 1
        for body in [spoilt, file + [1, 2, 3], Gzip.header + [0xFF, 0xFF]] {
            guard case .decompression? = try await Self.failure(body, headers) else {
                Issue.record("\(body)")
                continue
            }
        }
    }

    @Test func `a gzip file may not become larger than the limits allow`() async throws {
        let headers = [("Content-Type", "application/json")]
        let bomb = Gzip.bomb(size: 64 << 10)
        #expect(try await Self.failure(bomb, headers, limits: Limits(body: 1 << 20)) == .bodyTooLarge(limit: 1 << 20))
        #expect(try await Self.failure(bomb, headers) == .excessiveRatio(limit: Limits.standardRatio))
        #expect(
            try await Self.failure(bomb, headers, limits: Limits(body: 512 << 20, ratio: 10))
                == .excessiveRatio(limit: 10))
    }

    @Test(arguments: [0, 1])
    func `a gzip file is unpacked under the largest ratio, whether its length is even or odd`(spaces: Int) async throws
    {
        let body = Gzip.stored(Self.json + Array(repeating: 0x20, count: spaces))
        let page = try await Self.page(
            body, [("Content-Type", "application/json")], limits: Limits(ratio: .max))
        #expect(page.texts == [#"{"id":"é€"}"#])
    }

    private static func utf16(_ text: String, isLittleEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
            return isLittleEndian ? [low, high] : [high, low]
        }
    }
}
