import DemoAPI
import Foundation
import TestSupport
import Testing

/// `garner init` for a URL: its requests, the configuration that it writes, and that this works.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct InitTests {
    /// Query of the animals' URL, pages.
    @Test(arguments: [("", 4), ("?per_page=50", 2), ("?page=3&per_page=30", 3), ("?page=99", 4)])
    func `the file of the demo's API brings in all of it`(query: String, pages: Int) async throws {
        try await AnimalServer.serve { server in
            let place = try Workplace()
            let before = server.requestCount
            let written = try await place.garner("init", "\(server.baseURL)animals\(query)")
            #expect(written.code == 0 && written.output == "")
            #expect(server.requestCount == before + 1)
            let text = try place.text(of: "garner.yaml")
            #expect(text.contains(#"record_selector: "$.data[*]""#))
            #expect(text.contains("primary_key: id\n"))
            #expect(text.contains("paginator: { type: header_link, rel: next }"))
            let sync = try await place.garner("sync")
            #expect(sync.errors.contains("api.animals: succeeded, \(pages) pages, 78 inserted, "))
        }
    }

    /// Lists with ten records on a page, of which the first one does not say how the others are asked for: the query of
    /// the URL, what the server makes of a request, the line that is written, and the number of all records.
    private static let unsaid: [(String, @Sendable (LoopbackRequest) -> LoopbackReply, String, Int64)] = [
        ("", { .items(page: $0.number(of: "page") ?? 0) }, "{ type: page_number, page_param: page, base_page: 0 }", 23),
        (
            "",
            { .items(page: ($0.number(of: "page") ?? 1) - 1) },
            "{ type: page_number, page_param: page, base_page: 1 }", 23
        ),
        // Page 2 of these is empty.
        (
            "",
            { .items(page: $0.number(of: "page") ?? 0, of: 15) },
            "{ type: page_number, page_param: page, base_page: 0 }", 15
        ),
        (
            "",
            { .items(page: ($0.number(of: "page") ?? 1) - 1, of: 7) },
            "{ type: page_number, page_param: page, base_page: 1 }", 7
        ),
        // The header has the cursor of the next page.
        (
            "",
            { request in
                let from = request.number(of: "cursor") ?? 0
                let next = [("X-Next-Cursor", "\(from + 10)")].filter { _ in from + 10 < 23 }
                let ids = (1...23).dropFirst(from).prefix(10).map { #"{"id":\#($0)}"# }
                return .response(
                    headers: [("Content-Type", "application/json")] + next, body: "[\(ids.joined(separator: ","))]")
            }, "{ type: header_cursor, cursor_header: \"X-Next-Cursor\", cursor_param: cursor }", 23
        ),
        // Page 1 of this one, too, which says that it counts from 0.
        (
            "",
            { request in
                let page = request.number(of: "page") ?? 0
                return .items(page: page, of: 7) { "\"page\":\(page),\"items\":\($0)" }
            }, "{ type: page_number, page_param: page, base_page: 0 }", 7
        ),
        (
            "",
            { request in
                let page = request.number(of: "page") ?? 0
                return .items(page: page) { "\"content\":\($0),\"last\":\(page > 1),\"number\":\(page),\"size\":10" }
            }, #"{ type: page_number, page_param: page, base_page: 0, last_when: "$.last == true" }"#, 23
        ),
        (
            "",
            { .items(from: $0.number(of: "offset") ?? 0) },
            "{ type: offset, offset_param: offset, limit_param: limit, limit: 10 }", 23
        ),
        (
            "",
            { .items(from: $0.number(of: "start") ?? 0) },
            "{ type: offset, offset_param: start, limit_param: rows, limit: 10 }", 23
        ),
    ]

    /// Lists like those, whose first page has numbers or flags that are no names of parameters.
    private static let misnamed: [(String, @Sendable (LoopbackRequest) -> LoopbackReply, String, Int64)] = [
        // Strapi
        (
            "",
            { request in
                let page = request.number(of: "pagination[page]") ?? 1
                return .items(page: page - 1) {
                    "\"data\":\($0),\"meta\":{\"pagination\":{\"page\":\(page),\"pageSize\":10,\"pageCount\":3}}"
                }
            },
            #"{ type: page_number, page_param: "pagination[page]", base_page: 1, "#
                + "total_pages_path: $.meta.pagination.pageCount }", 23
        ),
        // Auth0
        (
            "?per_page=10",
            { request in
                let page = request.number(of: "page") ?? 0
                return .items(page: page) { "\"start\":\(page * 10),\"limit\":10,\"total\":23,\"users\":\($0)" }
            },
            "{ type: page_number, page_param: page, base_page: 0, page_size_param: per_page, page_size: 10, "
                + "total_path: $.total }", 23
        ),
        // Open Library
        (
            "?limit=10",
            { request in
                let from = request.number(of: "offset") ?? 0
                return .items(from: from) { "\"numFound\":23,\"start\":\(from),\"docs\":\($0)" }
            }, "{ type: offset, offset_param: offset, limit_param: limit, limit: 10, total_path: $.numFound }", 23
        ),
        // Eventbrite
        (
            "",
            { request in
                let from = request.number(of: "continuation") ?? 0
                let more = from < 20 ? "true,\"continuation\":\"\(from + 10)\"" : "false"
                let pages = "\"page_number\":\(from / 10 + 1),\"page_count\":3,\"has_more_items\":\(more)"
                return .items(from: from) { "\"pagination\":{\(pages)},\"items\":\($0)" }
            },
            "{ type: cursor, cursor_path: $.pagination.continuation, cursor_param: continuation, "
                + "has_more_path: $.pagination.has_more_items }", 23
        ),
        // Stripe
        (
            "?limit=10",
            { request in
                if ["offset", "page", "skip", "start"].contains(where: { request.number(of: $0) != nil }) {
                    return .status(400)
                }
                let from = request.number(of: "starting_after") ?? 0
                return .items(from: from) { "\"has_more\":\(from < 20),\"data\":\($0)" }
            },
            #"{ type: cursor, cursor_path: "$.data[-1].id", cursor_param: starting_after, has_more_path: $.has_more }"#,
            23
        ),
        // YouTrack
        (
            "?fields=id",
            { request in
                let ids = (1...23).dropFirst(request.number(of: "$skip") ?? 0).prefix(10)
                return .json("[\(ids.map { #"{"id":\#($0),"$type":"Issue"}"# }.joined(separator: ","))]")
            }, "{ type: offset, offset_param: $skip, limit_param: $top, limit: 10 }", 23
        ),
        // Nothing but the name of the list is that of OData.
        (
            "", { request in .items(from: request.number(of: "$skip") ?? 0) { "\"value\":\($0)" } },
            "{ type: offset, offset_param: $skip, limit_param: $top, limit: 10 }", 23
        ),
    ]

    @Test(arguments: unsaid + misnamed)
    func `what the first page does not say is found with few requests`(
        query: String, answer: @escaping @Sendable (LoopbackRequest) -> LoopbackReply, paginator: String, count: Int64
    ) async throws {
        try await LoopbackServer.serve({ answer($0) }) { server in
            let place = try Workplace()
            let written = try await place.garner("init", server.url + "/items" + query)
            #expect(server.requests.count <= 6, "\(server.requests.map(\.target))")
            let text = try place.text(of: "garner.yaml")
            #expect(text.contains("paginator: \(paginator)\n"), "\(written.errors)\n\(text)")
            let sync = try await place.garner("sync", "--json")
            #expect(sync.output.contains(#""completeness":"complete""#), "\(sync)")
            #expect(try place.integers("SELECT count(*) FROM items") == [count])
        }
    }

    /// The status of the second page, the doubt, and the line that is written.
    @Test(arguments: [
        (200, "the API gives no other page for any of page, ", "{ type: auto }"),
        (500, "'page' should ask for the rest, which could not be tried now", "{ type: page_number, "),
    ])
    func `the number of a page is no proof of its parameter`(status: Int, doubt: String, paginator: String) async throws
    {
        try await LoopbackServer.serve({ request in
            if status != 200, request.number(of: "page") != nil { return .status(status) }
            return .items(page: 0) { "\"page\":1,\"total\":23,\"data\":\($0)" }
        }) { server in
            let place = try Workplace()
            let written = try await place.garner("init", server.url + "/items")
            #expect(server.requests.count <= 6, "\(server.requests.map(\.target))")
            #expect(written.errors.contains("  - paginator: ") && written.errors.contains(doubt), "\(written)")
            #expect(try place.text(of: "garner.yaml").contains("paginator: \(paginator)"))
        }
    }

    /// Servers whose list goes on, of which no guess within six requests is right for certain.
    private static let misleading: [@Sendable (LoopbackRequest) -> LoopbackReply] = [
        // The offset counts pages.
        { .items(page: $0.number(of: "offset") ?? 0, of: 200) },
        { .items(page: $0.number(of: "seite") ?? 0) },
        // This one is found, and no request is left to make sure of it.
        { .items(from: $0.number(of: "skip") ?? 0) },
    ]

    @Test(arguments: misleading)
    func `what is not certain is not written`(answer: @escaping @Sendable (LoopbackRequest) -> LoopbackReply)
        async throws
    {
        try await LoopbackServer.serve({ answer($0) }) { server in
            let place = try Workplace()
            let written = try await place.garner("init", server.url + "/items")
            #expect(server.requests.count <= 6, "\(server.requests.map(\.target))")
            #expect(written.errors.contains("  - paginator: "), "\(written.errors)")
            #expect(try place.text(of: "garner.yaml").contains("paginator: { type: auto }\n"))
            #expect(try await place.garner("sync", "--json").output.contains(#""completeness":"unknown""#))
        }
    }

    @Test(arguments: [
        ("p=1&ps=10", "page_number"), ("pagina=1&registros=10", "page_number"), ("p=0&size=10", "page_number"),
        ("first=0&max=10", "offset"), ("iDisplayStart=0&iDisplayLength=10", "offset"), ("from=0&size=10", "offset"),
    ])
    func `a cursor that is always null is no end where the URL counts by parameters of any name`(
        query: String, type: String
    ) async throws {
        let parts = query.split { "=&".contains($0) }.map(String.init)
        let (position, size, base) = (parts[0], parts[2], Int(parts[1]) ?? 0)
        try await LoopbackServer.serve({ request in
            let (number, count) = (request.number(of: position) ?? base, request.number(of: size) ?? 10)
            let first = type == "offset" ? number : (number - base) * count
            let ids = first < 0 ? [] : Array((1...23).dropFirst(first).prefix(count))
            let items = ids.map { #"{"id":\#($0)}"# }.joined(separator: ",")
            return .json(#"{"next_cursor":null,"items":[\#(items)]}"#)
        }) { server in
            let place = try Workplace()
            _ = try await place.garner("init", "\(server.url)/items?\(query)")
            #expect(server.requests.count <= 6, "\(server.requests.map(\.target))")
            let text = try place.text(of: "garner.yaml")
            #expect(text.contains("paginator: { type: \(type), ") && !text.contains("params:"), "\(text)")
            let sync = try await place.garner("sync", "--json").output
            #expect(sync.contains(#""inserted":23"#) && sync.contains(#""completeness":"complete""#), "\(sync)")
        }
    }

    /// The offset of the first record, what the API answers to an offset before it (the first page, or that there is none), and the number of
    /// records.
    @Test(
        arguments: ["", #""next_cursor":null,"#],
        [(1, true, 23), (1, false, 23), (0, true, 23), (1, false, 10), (0, true, 4)])
    func `an offset of the URL that is 1 is that of the first page where the API counts from 1`(
        member: String, list: (base: Int, clamps: Bool, count: Int)
    ) async throws {
        try await LoopbackServer.serve({ request in
            let (offset, count) = (request.number(of: "skip") ?? 1, request.number(of: "limit") ?? 10)
            guard offset >= list.base || list.clamps else { return .status(400) }
            let ids = (1...list.count).dropFirst(max(offset - list.base, 0)).prefix(count)
            return .json(#"{\#(member)"items":[\#(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))]}"#)
        }) { server in
            let place = try Workplace()
            _ = try await place.garner("init", "\(server.url)/items?skip=1&limit=10")
            #expect(server.requests.count <= 6, "\(server.requests.map(\.target))")
            let text = try place.text(of: "garner.yaml")
            #expect(text.contains("base_offset: 1") == (list.base == 1), "\(text)")
        }
    }

    /// A place of a link that is always null, as others are, is no end where the URL names a page and another one has other records.
    @Test(
        arguments: [#""next_page_url":null"#, #""next":null"#, #""has_more":false"#],
        [("", 10), ("?limit=10", 10), ("?page=1&per_page=10", 10), ("?page=1&per_page=10", 23)])
    func `a full page without a link to another one needs no paginator that counts`(
        member: String, list: (query: String, count: Int)
    ) async throws {
        try await LoopbackServer.serve({ request in
            let ids = (1...list.count).dropFirst(max(0, (request.number(of: "page") ?? 1) - 1) * 10).prefix(10)
            let items = ids.map { #"{"id":\#($0)}"# }.joined(separator: ",")
            return .json(#"{\#(member),"per_page":10,"items":[\#(items)]}"#)
        }) { server in
            let place = try Workplace()
            _ = try await place.garner("init", "\(server.url)/items\(list.query)")
            let asks = list.query.contains("page=1") && !member.contains("has_more")
            #expect(server.requests.count <= (asks ? 3 : 1), "\(server.requests.map(\.target))")
            let text = try place.text(of: "garner.yaml")
            let isLast = list.count == 10 || member.contains("has_more")
            #expect(text.contains("paginator: { type: auto }") == isLast, "\(text)")
        }
    }

    @Test func `a parameter of the URL that chooses other records counts no pages`() async throws {
        try await LoopbackServer.serve({ request in
            let (kind, count) = (request.number(of: "kind") ?? 0, request.number(of: "limit") ?? 10)
            let items = (0..<count).map { #"{"id":\#(kind * 100 + $0)}"# }.joined(separator: ",")
            return .json(#"{"next_cursor":null,"items":[\#(items)]}"#)
        }) { server in
            let place = try Workplace()
            _ = try await place.garner("init", "\(server.url)/items?kind=1&limit=10")
            let text = try place.text(of: "garner.yaml")
            #expect(!text.contains("_param: kind") && text.contains("kind: \"1\""), "\(text)")
        }
    }

    @Test func `what is unsure is said and written`() async throws {
        let body = #"{"few":[{"a":1}],"birds":[{"a":1,"updated_at":"2026-01-31"},{"a":1,"updated_at":"2026-01-31"}]}"#
        try await LoopbackServer.serve({ _ in .json(body) }) { server in
            let place = try Workplace()
            let written = try await place.garner("init", "\(server.url)/birds")
            #expect(written.code == 0)
            #expect(written.errors.contains("  - record_selector: 'birds' is the largest of several arrays"))
            #expect(written.errors.contains("  - primary_key: "))
            let text = try place.text(of: "garner.yaml")
            #expect(text.contains("# Where the records are, unsure: 'birds' is the largest of several arrays"))
            #expect(text.contains("        # primary_key: id\n"))
            #expect(text.contains("        # incremental: { cursor_field: updated_at }\n"))
            #expect(try await place.garner("sync").code == 0)
        }
    }

    @Test(arguments: [("text/plain", "text/plain"), (nil, "*/*")])
    func `JSON that is not declared as such is accepted, written and said`(type: String?, accepted: String) async throws
    {
        let headers = type.map { [("Content-Type", $0)] } ?? []
        try await LoopbackServer.serve({ _ in .response(headers: headers, body: #"[{"id":1},{"id":2}]"#) }) { server in
            let place = try Workplace()
            let written = try await place.garner("init", "\(server.url)/animals", "--config", "garner.yaml")
            #expect(written.code == 0, "\(written.errors)")
            #expect(
                written.errors.contains("the API sends JSON \(type.map { "as \($0)" } ?? "without a media type")"),
                "\(written.errors)")
            #expect(try place.text(of: "garner.yaml").contains("response: { media_types: [\"\(accepted)\"] }"))
            let sync = try await place.garner("sync")
            #expect(sync.code == 0 && sync.errors.contains("2 inserted"), "\(sync.errors)")
        }
    }

    @Test func `a secret of the URL is sent, and neither written nor said`() async throws {
        let canary = "canary5e1f0c77ab12cd34"
        try await LoopbackServer.serve({ _ in .page(1, of: 1) }) { server in
            let place = try Workplace()
            let written = try await place.garner("init", "\(server.url)/animals?api_key=\(canary)&sort=id")
            #expect(written.code == 0)
            #expect(server.requests.first?.target.contains("api_key=\(canary)") == true)
            let text = try place.text(of: "garner.yaml")
            #expect(text.contains(#"params: { sort: "id", api_key: "${API_API_KEY}" }"#))
            #expect(!text.contains(canary) && !written.errors.contains(canary))
            #expect(written.errors.contains("\n  export API_API_KEY=…"))
            #expect(try await place.garner("sync").code == 78)
            #expect(try await place.garner("sync", environment: ["API_API_KEY": canary]).code == 0)
            #expect(server.requests.last?.target.contains("api_key=\(canary)") == true)
        }
    }

    private static let failures: [(LoopbackReply, Int32)] = [
        (.status(401), 77), (.status(404), 69), (.json("{"), 65), (.json("7"), 65),
        (.response(headers: [("Content-Type", "text/html")], body: "<p>"), 65),
    ]

    @Test(arguments: failures)
    func `without a page nothing is written`(reply: LoopbackReply, code: Int32) async throws {
        try await LoopbackServer.serve({ _ in reply }) { server in
            let place = try Workplace()
            let written = try await place.garner("init", "\(server.url)/animals?token=canary5e1f0c77ab12cd34")
            #expect(written.code == code)
            expectThreeParts(written.errors, beginning: "Error: ")
            #expect(written.errors.contains("--offline"))
            #expect(!written.errors.contains("canary"))
            #expect(place.names.isEmpty)
        }
    }

    /// The end of a URL, and what to write instead.
    @Test(arguments: [
        ("users/{id}/orders", "write a value in the place of 'id'"),
        ("users/:id", "write a value in the place of 'id'"),
        ("posted", "add -X POST"), ("users/7", "check base_url"),
    ])
    func `a URL that is not asked as it should be is told`(path: String, advice: String) async throws {
        try await LoopbackServer.serve({ request in
            switch (request.target, request.method) {
            case ("/posted", "GET"): .response(status: 405, headers: [("Allow", "POST")], body: "")
            case ("/posted", _): .json(#"[{"id":1}]"#)
            default: .status(404)
            }
        }) { server in
            let told = try await Workplace().garner("init", "\(server.url)/\(path)")
            #expect(told.code == 69 && told.errors.contains("Try: \(advice)"), "\(told)")
            guard advice.hasPrefix("add") else { return }
            #expect(try await Workplace().garner("init", "\(server.url)/\(path)", "-X", "POST").code == 0)
        }
    }

    @Test(arguments: ["ftp://me:canary@x.org/", "https://exämple.org/?key=canary", "x.org/?key=canary"])
    func `a URL that is none is not repeated`(url: String) async throws {
        let told = try await Workplace().garner("init", url)
        #expect(told.code == 64)
        expectThreeParts(told.errors, beginning: "Error: ")
        #expect(!told.errors.contains("canary"))
    }

    @Test func `an existing file is found before anything is asked`() async throws {
        try await LoopbackServer.serve({ _ in .page(1, of: 1) }) { server in
            let place = try Workplace()
            try place.write("mine", to: "garner.yaml")
            #expect(try await place.garner("init", "\(server.url)/animals").code == 73)
            #expect(server.requests.isEmpty)
            let offline = try await place.garner("init", "\(server.url)/animals", "--offline", "-c", "other.yaml")
            #expect(offline.code == 0)
            #expect(server.requests.isEmpty)
            #expect(try await place.garner("sync", "-c", "other.yaml").code == 0)
        }
    }
}

extension LoopbackRequest {
    /// The number that a parameter has.
    func number(of parameter: String) -> Int? {
        (target.removingPercentEncoding ?? target).split { "?&".contains($0) }.first { $0.hasPrefix("\(parameter)=") }
            .flatMap { Int($0.dropFirst(parameter.count + 1)) }
    }
}

extension LoopbackReply {
    /// Ten records of a list from this page on, which is numbered from 0; the body is what `envelope` makes of the array.
    static func items(
        page: Int, of count: Int = 23, _ envelope: ((String) -> String)? = nil
    ) -> LoopbackReply {
        items(from: page * 10, of: count, envelope)
    }

    static func items(from first: Int, of count: Int = 23, _ envelope: ((String) -> String)? = nil) -> LoopbackReply {
        let ids = first < 0 ? [] : Array((1...count).dropFirst(first).prefix(10))
        let array = "[\(ids.map { #"{"id":\#($0),"name":"n\#($0)"}"# }.joined(separator: ","))]"
        return .json(envelope.map { "{\($0(array))}" } ?? array)
    }
}
