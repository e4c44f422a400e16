import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import Testing

struct RecordSelectionTests {
    /// Selector, body, records.
    private static let selected: [(String?, String, [String])] = [
        (nil, "[1,[2],null]", ["1", "[2]", "null"]), (nil, "[]", []), (nil, #"{"id":1}"#, [#"{"id":1}"#]),
        (nil, "{}", ["{}"]),
        (nil, #"{"data":[{"id":1}],"tags":["x"]}"#, [#"{"id":1}"#]), (nil, #"{"count":0,"results":[]}"#, []),
        (nil, #"{"items":[{"id":1}],"filters":[{"field":"a","op":"eq","value":1}]}"#, [#"{"id":1}"#]),
        (nil, #"{"results":[],"errors":[]}"#, []), (nil, #"{"animals":[],"errors":[]}"#, []),
        (nil, #"{"zebras":[],"errors":[]}"#, []), (nil, #"{"ok":true,"zebras":[],"included":[]}"#, []),
        (nil, #"{"zebras":[],"links":[{"rel":"self","href":"/zebras"}]}"#, []),
        (nil, #"{"data":[{"id":1}],"included":[{"id":2}]}"#, [#"{"id":1}"#]),
        (nil, #"{"data":[],"included":[{"id":2}]}"#, []),
        (nil, #"{"batchcomplete":"","continue":{},"query":{"allpages":[]}}"#, []),
        (nil, #"{"zebras":[],"herds":[]}"#, [#"{"herds":[],"zebras":[]}"#]),
        (nil, #"{"id":1,"tags":[]}"#, [#"{"id":1,"tags":[]}"#]), (nil, #"{"name":"x","herd":[]}"#, []),
        (nil, #"{"id":1,"data":[]}"#, []), (nil, #"{"id":1,"tags":["x"]}"#, [#"{"id":1,"tags":["x"]}"#]),
        (nil, #"{"data":[{"id":1}],"data":[{"id":2}]}"#, [#"{"id":2}"#]),
        (nil, #"{"data":{"after":[{"k":1}],"children":[{"id":1}]}}"#, [#"{"id":1}"#]),
        ("$", "[1,2]", ["1", "2"]), ("$", #"{"id":1}"#, [#"{"id":1}"#]), ("$[*]", "[1,2]", ["1", "2"]),
        ("$.a", #"{"a":[1,2]}"#, ["1", "2"]),
        ("$.a", #"{"a":{"id":1}}"#, [#"{"id":1}"#]), ("$.a", #"{"a":null}"#, []), ("$.a[*]", #"{"a":[]}"#, []),
        ("$.a[*]", #"{"a":null}"#, []),
        ("$.a.*", #"{"a":{"x":1,"y":2}}"#, ["1", "2"]), ("$.a[*].b", #"{"a":[{"b":1},{},{"b":2}]}"#, ["1", "2"]),
        ("$.a[*].b[*]", #"{"a":[{"b":[1,2]},{"b":[3]}]}"#, ["1", "2", "3"]),
        ("$['a b'][0].c[*]", #"{"a b":[{"c":[7]}]}"#, ["7"]),
        ("$.a[-1][*]", #"{"a":[[1],[2]]}"#, ["2"]),
    ]

    @Test(arguments: selected)
    func `the records are found`(selector: String?, body: String, records: [String]) async throws {
        let page = try await scriptedPage(Paginator(.singlePage), body: body) { $0.recordSelector = selector }
        #expect(page.texts == records)
        #expect(try page.records.count == records.count)
    }

    /// Selector, body, error.
    private static let missed: [(String?, String, FetchError.Kind)] = [
        (nil, "null", .scalar(found: "null")), (nil, "7", .scalar(found: "a number")),
        (nil, "1.5", .scalar(found: "a number")),
        (nil, "true", .scalar(found: "a boolean")), (nil, #""x""#, .scalar(found: "a string")),
        (nil, #"{"a":[{}],"b":[{}],"c":[]}"#, .severalArrays(["a", "b"])),
        (nil, "{\"\u{E9}\":[{}],\"e\u{301}\":[{}]}", .severalArrays(["\u{E9}", "e\u{301}"])),
        ("$.a", #"{"b":1,"c":2}"#, .missingPath(selector: "$.a", found: ["b", "c"])),
        ("$.a", "[]", .missingPath(selector: "$.a", found: [])),
        ("$.a", "{}", .missingPath(selector: "$.a", found: [])),
        ("$.a[*]", #"{"A":[1]}"#, .missingPath(selector: "$.a[*]", found: ["A"])),
        ("$.a [ * ] ", #"{"A":[1]}"#, .missingPath(selector: "$.a [ * ] ", found: ["A"])),
        ("$.a.*", #"{"A":[1]}"#, .missingPath(selector: "$.a.*", found: ["A"])),
        ("$.a.b[*]", #"{"a":{"c":1}}"#, .missingPath(selector: "$.a.b[*]", found: ["a"])),
        ("$[3]", "[1]", .missingPath(selector: "$[3]", found: [])),
        ("$.a[*]", #"{"a":"x"}"#, .noArray(selector: "$.a[*]", found: "a string")),
        ("$.a[*]", #"{"a":5}"#, .noArray(selector: "$.a[*]", found: "a number")),
        ("$[*]", "false", .noArray(selector: "$[*]", found: "a boolean")),
    ]

    private static let besideAnError: [(String?, String)] = [
        (nil, #"{"success":false,"error":{"code":"DB_DOWN"},"data":[]}"#), ("$.data", #"{"data":[],"ok":false}"#),
        (nil, #"{"data":[],"error":"boom"}"#), ("$.d[*]", #"{"d":{},"error":"boom"}"#),
        (nil, #"{"status":"error","data":[]}"#), ("$.d[*]", #"{"d":[],"code":"503"}"#), ("$.d", #"{"cod":404}"#),
        (nil, #"{"data":{"items":[]},"meta":{"status":"FAILED"}}"#), (nil, #"{"code":404,"message":"x"}"#),
        (nil, #"{"stat":"fail","photos":null}"#), (nil, #"{"id":"request 7","isSuccess":"False","items":[]}"#),
        ("$.data.items", #"{"data":{"items":[]},"success":false}"#), (nil, #"{"data":{"items":[]},"success":false}"#),
    ]

    @Test(arguments: besideAnError)
    func `an empty list beside an error is no empty page`(selector: String?, body: String) async {
        let kind = await failureKind {
            try await scriptedPage(Paginator(.singlePage), body: body) { $0.recordSelector = selector }
        }
        guard case .refusal? = kind else {
            Issue.record("\(String(describing: kind))")
            return
        }
    }

    @Test(arguments: [#""error":"boom""#, #""success":false"#, #""ok":false"#, #""errors":["x"]"#])
    func `records beside an error are not all`(member: String) async throws {
        let page = try await scriptedPage(Paginator(.singlePage), body: #"{"data":[{"id":1}],\#(member)}"#) {
            $0.recordSelector = "$.data"
        }
        #expect(page.verdict?.completeness == .partial)
    }

    @Test(arguments: missed)
    func `a body of another shape is an error`(selector: String?, body: String, kind: FetchError.Kind) async throws {
        let found = await failureKind(of: {
            try await scriptedPage(Paginator(.singlePage), body: body) { $0.recordSelector = selector }
        })
        #expect(found == kind)
        #expect(found?.category == .badContent)
    }

    @Test func `the configured key tells a record from an empty page`() async throws {
        let body = #"{"herd":[],"name":"x"}"#
        func texts(key: [String]) async throws -> [String] {
            try await scriptedPage(Paginator(.singlePage), body: body) { $0.primaryKey = key }.texts
        }
        #expect(try await texts(key: ["name"]) == [body])
        #expect(try await texts(key: ["id"]) == [])
    }

    @Test func `after pages that are arrays an object is no record`() async throws {
        let first = try await scriptedPage(.counted, body: #"[{"id":1}]"#)
        let next = try #require(first.next)
        #expect(
            await failureKind(of: {
                try await scriptedPage(
                    .counted, at: "animals?page=2", history: next.history, body: #"{"message":"no more pages"}"#)
            }) == .noArray(selector: "$", found: "an object"))
    }

    @Test func `later pages have their records where the first one had them`() async throws {
        let first = try await scriptedPage(
            Paginator(), body: #"{"zebras":[{"id":1}],"errors":[],"next":"?page=2"}"#)
        let history = try #require(first.next).history
        func texts(_ body: String) async throws -> [String] {
            try await scriptedPage(Paginator(), at: "animals?page=2", number: 1, history: history, body: body).texts
        }
        #expect(try await texts(#"{"zebras":[],"errors":[]}"#) == [])
        #expect(try await texts(#"{"zebras":null}"#) == [])
        #expect(try await texts(#"{"zebras":[{"id":2}],"errors":[{"line":1}]}"#) == [#"{"id":2}"#])
        #expect(
            await failureKind(of: { _ = try await texts(#"{"error":"x"}"#) })
                == .refusal(words: "x"))
        #expect(
            await failureKind(of: { _ = try await texts(#"{"mood":"x"}"#) })
                == .missingPath(selector: "$.zebras", found: ["mood"]))
        #expect(try await texts(#"{"next":null}"#) == [])
        #expect(
            await failureKind(of: { _ = try await texts(#"{"zebras":7}"#) })
                == .noArray(selector: "$.zebras", found: "a number"))
    }

    @Test func `the message names the keys that are there, on one line and not endlessly`() async throws {
        let long = String(repeating: "x", count: 1000)
        let body =
            #"{"one":1,"two\n\u001b[31m":2,"\#(long)":3,\#((0..<50).map { #""k\#($0)":0"# }.joined(separator: ","))}"#
        let error = await #expect(throws: FetchError.self) {
            try await scriptedPage(Paginator(.singlePage), body: body) { $0.recordSelector = "$.data[*]" }
        }
        let message = try #require(error?.message)
        #expect(message.hasPrefix("$.data[*] selects nothing; the keys at the top are one, two [31m, xxx"))
        #expect(message.hasSuffix("k15, k16 (https://zoo.example/v1/animals)"))
        #expect(message.utf8.count < 400)
    }
}

extension Paginator {
    fileprivate static var counted: Paginator {
        Paginator(.pageNumber(.init(pageParam: "page", basePage: 1)))
    }
}
