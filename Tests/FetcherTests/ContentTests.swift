import GarnerCatalog
import GarnerFetcher
import TestSupport
import Testing

/// The third and the fourth check, MIME type and body, where they say more than `FaultTests`.
@Suite(.timeLimit(.minutes(5)))
struct ContentTests {
    @Test(arguments: [
        "application/json", "application/json; charset=utf-8", "application/json;charset=\"UTF-8\"", "APPLICATION/JSON",
        "application/vnd.api+json", "application/problem+json; q=1", "text/json", "application/json; charset=us-ascii",
    ])
    func `JSON is accepted`(type: String) async throws {
        #expect(try await firstPage { _ in .response(headers: [("Content-Type", type)], body: "[1]") }.texts == ["1"])
    }

    @Test(arguments: ["text/html", "text/plain", "application/octet-stream", "application/jsonp", "image/png", "json"])
    func `an answer with another media type is refused, and the error shows its beginning`(type: String) async throws {
        let kind = try await firstPageFailure { _ in
            .response(headers: [("Content-Type", type)], body: "[1]\r\n\u{7}[2]")
        }
        #expect(kind == .mediaType(type, excerpt: "[1] [2]"))
    }

    @Test func `a login page with 200 is refused, and the first 200 bytes shown`() async throws {
        let html = "<!doctype html>\n<html>  <title>Log in</title>" + String(repeating: "x", count: 1000)
        let kind = try await firstPageFailure { _ in
            .response(headers: [("Content-Type", "text/html; charset=utf-8")], body: html)
        }
        guard case .mediaType("text/html", let excerpt) = kind else { Issue.record("\(kind)"); return }
        #expect(excerpt.hasPrefix("<!doctype html> <html> <title>Log in</title>xxx"))
        #expect(excerpt.count == 200)
    }

    private static let lineTypes = [
        "application/x-ndjson", "application/jsonl", "application/x-ndjson; charset=utf-8", "text/x-ndjson",
        "application/jsonlines", "application/json-lines", "application/x-jsonlines", "text/jsonl",
    ]

    @Test(arguments: lineTypes)
    func `a value on each line is a record`(type: String) async throws {
        let page = try await firstPage { _ in
            .response(headers: [("Content-Type", type)], body: "\u{FEFF}{\"id\":1}\r\n\n{\"id\":2.50}\n")
        }
        #expect(page.texts == [#"{"id":1}"#, #"{"id":2.50}"#])
    }

    @Test func `an invalid line is named`() async throws {
        let kind = try await firstPageFailure { _ in
            .response(headers: [("Content-Type", "application/jsonl")], body: "{}\n{\"a\":\n1}")
        }
        guard case .json(let reason, _) = kind else { Issue.record("\(kind)"); return }
        #expect(reason.hasPrefix("line 2: "))
        #expect(kind.category == .badContent)
    }

    private static let brokenBodies: [(String, [UInt8])] = [
        ("truncated", Array(#"[{"id":1},{"id":"#.utf8)), ("HTML", Array("<html>".utf8)),
        ("garbage behind", Array("[1] x".utf8)),
        ("two values", Array("{}\n{}".utf8)), ("NaN", Array("[NaN]".utf8)),
        ("UTF-16 with its mark", [0xFF, 0xFE, 0x5B, 0, 0x5D, 0]),
        ("invalid UTF-8", [0x5B, 0x22, 0xFF, 0x22, 0x5D]), ("two marks", Array("\u{FEFF}\u{FEFF}[1]".utf8)),
    ]

    @Test(arguments: brokenBodies)
    func `a body that is no JSON is refused with its place`(name: String, body: [UInt8]) async throws {
        let kind = try await firstPageFailure { _ in .response(body: body) }
        guard case .json(_, let offset) = kind else { Issue.record("\(name): \(kind)"); return }
        #expect((0...body.count).contains(offset))
    }

    @Test(arguments: [("<html>", "HTML or XML"), ("\n<a/>", "HTML or XML"), ("id,name\n1,Kea", "not JSON")])
    func `another format that is declared as JSON is named`(
        body: String, reason: String
    ) async throws {
        let kind = try await firstPageFailure { _ in .json(body) }
        #expect(kind == .json(reason: reason, offset: 0))
    }

    @Test func `the place of an error counts bytes`() async throws {
        let kind = try await firstPageFailure { _ in .json(#"["é", nope]"#) }
        guard case .json(_, 7) = kind else { Issue.record("\(kind)"); return }
    }

    @Test func `the shape is checked last, and its error names the URL`() async throws {
        let error = await #expect(throws: FetchError.self) {
            try await firstPage({ $0.recordSelector = "$.items[*]" }) { _ in .json(#"{"data":[],"total":0}"#) }
        }
        #expect(error?.kind == .missingPath(selector: "$.items[*]", found: ["data", "total"]))
        #expect(error?.url?.hasSuffix("/animals") == true)
        #expect(error?.request?.attempts == 1)
    }
}
