import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct CheckTests {
    private static func withStreams(
        _ streams: [String], _ run: @escaping @Sendable (Workplace, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer.serve({ request in
            switch request.target {
            case "/plants": .status(500)
            case "/rocks": .status(401)
            case "/one": .json(#"[{"id":1}]"#)
            default: .page(request.page, of: 2)
            }
        }) { server in
            try await run(try Workplace(api: server.url, streams: streams), server)
        }
    }

    @Test func `each stream is asked for its first page, and nothing is stored`() async throws {
        try await Self.withStreams(["animals", "one"]) { place, server in
            let check = try await place.garner("check", "--connect")
            #expect((check.code, check.errors) == (0, ""))
            #expect(
                check.output == """
                    zoo.animals: 2 records, more follow
                    zoo.one: 1 record; asked with page=2 the API gives other records; run 'garner init --update' to \
                    add the paginator that reads them

                    """)
            // Of one stream the page says that there is another one; of the other it is tried to be made sure of.
            #expect(Set(server.requests.map(\.target)) == ["/animals", "/one", "/one?page=2"])
            #expect(place.names == ["garner.yaml"])
        }
    }

    @Test func `a page in the path is not asked for beside the next one`() async throws {
        try await LoopbackServer.serve({ .json($0.target == "/animals?page=2" ? #"[{"id":2}]"# : #"[{"id":1}]"#) }) {
            server in
            let place = try Workplace(api: server.url)
            try place.replace("path: animals,", with: "path: animals?page=1,")
            let check = try await place.garner("check", "--connect")
            #expect(check.output.contains("asked with page=2 the API gives other records"), "\(check)")
        }
    }

    @Test func `streams with each other's tables are told their own`() async throws {
        try await Self.withStreams(["animals", "one"]) { place, _ in
            #expect(try await place.garner("sync").code == 0)
            try place.replace("path: animals,", with: "path: animals, table: one,")
            try place.replace("path: one,", with: "path: one, table: animals,")
            let check = try await place.garner("check")
            #expect(check.errors.contains("; else write 'table: animals' in zoo.animals\n"), "\(check)")
            #expect(check.errors.contains("; else write 'table: one' in zoo.one\n"), "\(check)")
            try place.replace("path: animals, table: one,", with: "path: animals, table: animals,")
            try place.replace("path: one, table: animals,", with: "path: one, table: one,")
            #expect(try await place.garner("check").code == 0)
        }
    }

    /// A setting of a field that no record has, and the same with the field that is advised.
    @Test(arguments: [
        ("primary_key: uuid", "the members are: id, name, updated_at; set primary_key", "primary_key: id"),
        (
            "params: { since: \"{incremental.start_value}\" }, incremental: { cursor_field: stamp }",
            "set cursor_field to a member that grows with every change, such as updated_at",
            "params: { since: \"{incremental.start_value}\" }, incremental: { cursor_field: updated_at }"
        ),
    ])
    func `a key or cursor that no record has fails as it does in a sync, with the fields that fit`(
        setting: String, hint: String, remedy: String
    ) async throws {
        let page = #"[{"id":1,"name":"Kea","updated_at":"2026-01-01T00:00:00Z"}]"#
        try await LoopbackServer.serve({ _ in .json(page) }) { server in
            let place = try Workplace(api: server.url, setting)
            let check = try await place.garner("check", "--connect")
            #expect(check.code == 78 && check.errors.contains(hint), "\(check)")
            let sync = try await place.garner("sync")
            #expect(sync.code == 78 && sync.errors.contains(hint), "\(sync)")
            try place.replace(setting, with: remedy)
            #expect(try await place.garner("check", "--connect").code == 0)
            #expect(try await place.garner("sync").code == 0)
        }
    }

    /// A setting, what a check says of it, and the setting that it advises.
    @Test(arguments: [
        (
            "record_selector: '$.data[*].id'",
            "; the records are single values; write record_selector: \"$.data[*]\" for",
            "record_selector: '$.data[*]'"
        ),
        (
            "record_selector: '$.grid[*]'",
            "; the records are lists of values; write record_selector: \"$.grid\" and record_shape: { type: rows, names: "
                + "[column_1, column_2] }",
            "record_selector: '$.grid', record_shape: { type: rows, names: [column_1, column_2] }"
        ),
        (
            "paginator: { type: json_link, next_url_path: $.next }",
            "seems to be no URL; if it is a cursor, write paginator: { type: cursor, cursor_path: $.next }",
            "paginator: { type: cursor, cursor_path: $.next }"
        ),
    ])
    func `a place that seems to be another one is told of`(setting: String, words: String, remedy: String) async throws
    {
        let page = #"{"data":[{"id":1}],"grid":[[1,"a"],[2,"b"]],"next":"eyJpZCI6MX0="}"#
        try await LoopbackServer.serve({ _ in .json(page) }) { server in
            // What the first setting leaves to detection would be refused.
            let others = setting.hasPrefix("record") ? ", paginator: { type: single_page }" : ""
            let wrong = try await Workplace(api: server.url, setting + others).garner("check", "--connect")
            #expect(wrong.code == 0 && wrong.output.contains(words), "\(wrong)")
            let right = try await Workplace(api: server.url, remedy + others).garner("check", "--connect")
            #expect(right.code == 0 && !right.output.contains("; write"), "\(right)")
            #expect(!right.output.contains("seems"), "\(right)")
        }
    }

    /// The setting, a page, what a check says of it, what the sync says, and the code of both.
    @Test(
        arguments: [
            (
                "u", #"[{"id":1,"u":"a"},{"id":2,"u":null},{"id":3}]"#,
                "; 2 of the 3 records could not be stored: the key 'u' is null; set primary_key to fields that every record has",
                "2 records were quarantined", 0
            ),
            (
                "id", #"[{"id":null,"u":"a"},{"id":null,"u":"b"}]"#,
                "; none of the records could be stored: the key 'id' is null",
                "none of the records could be stored: the key 'id' is null", 0
            ),
            (
                "id", ids(1, 1, 2, 3, 4),
                "; 1 record has the id of another record with other content, such as 1; of each",
                "1 record has the id of another record with other content, such as 1; of each", 0
            ),
            (
                "id", ids(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), "12 records have 1 key (id); n tells them apart",
                "12 records have 1 key (id); n tells them apart", 78
            ),
            ("id", ids(1, 2, 3), "zoo.animals: 3 records\n", "succeeded", 0),
            ("n", ids(1, 1, 1), "zoo.animals: 3 records\n", "succeeded", 0),
        ] as [(String, String, String, String, Int32)])
    func `keys of the first page that are missing or come again are told as by a sync`(
        key: String, page: String, checked: String, synced: String, code: Int32
    ) async throws {
        try await LoopbackServer.serve({ _ in .json(#"{"data":\#(page),"next":null}"#) }) { server in
            let place = try Workplace(api: server.url, "primary_key: \(key)")
            let check = try await place.garner("check", "--connect")
            #expect(check.code == code && (check.output + check.errors).contains(checked), "\(check)")
            let sync = try await place.garner("sync")
            #expect(sync.code == code && sync.errors.contains(synced), "\(sync)")
            guard code == 0 else {
                let advice = try #require(check.errors.firstMatch(of: /such as (\w+)\n/)?.1)
                try place.write(
                    place.text(of: "garner.yaml").replacing("primary_key: id", with: "primary_key: \(advice)"),
                    to: "garner.yaml")
                #expect(try await place.garner("sync").code == 0)
                return
            }
            // Now there is a table.
            let again = try await place.garner("check", "--connect")
            #expect(again.code == 0, "\(again)")
        }
    }

    @Test func `a page 0 before the configured page 1 is asked for once, and the line reads it`() async throws {
        for base in [0, 1] {
            try await LoopbackServer.serve({ request in
                let page = request.number(of: "page") ?? base
                return page < base ? .status(400) : .items(page: page - base)
            }) { server in
                let place = try Workplace(
                    PlayedAdvice.configuration(
                        server.url, ["path: items", "primary_key: id", "paginator: { type: page_number }"]))
                let check = try await place.garner("check", "--connect")
                #expect(server.requests.map(\.target) == ["/items?page=1", "/items?page=0"])
                let line = "write base_page: 0 in paginator if they come first"
                #expect(check.code == 0 && (check.output + check.errors).contains(line) == (base == 0), "\(check)")
                if base == 0 { try place.replace("type: page_number", with: "type: page_number, base_page: 0") }
                let again = try await place.garner("check", "--connect")
                #expect(!(again.output + again.errors).contains("base_page"), "\(again)")
                #expect(try await place.garner("sync").code == 0)
                #expect(try place.integers("SELECT count(*) FROM items") == [23])
            }
        }
    }

    /// What page 0 is, and whether the first sync tells of it.
    @Test(
        arguments: [
            ("", "other", true), ("", "page 1", false), ("", "the last page", false), ("", "none", false),
            ("", "400", false), ("", "404", false), ("", "500", false), (", base_page: 1", "other", true),
            (", base_page: 1", "none", false), ("", "page 2", false), ("", "a message", false),
            ("", "an object", false), ("", "no record", false),
        ] as [(String, String, Bool)])
    func `the first sync asks once for page 0, and only warns where the configuration says that page 1 is the first`(
        setting: String, zero: String, isTold: Bool
    ) async throws {
        try await LoopbackServer.serve({ request in
            let page = request.number(of: "page") ?? 1
            guard page == 0 else { return .items(from: page * 10, of: 33) }
            return switch zero {
            case "other": .items(from: 0)
            case "page 1": .items(from: 10)
            case "page 2": .items(from: 20, of: 33)
            case "the last page": .items(from: 30, of: 33)
            case "a message": .json(#"{"message":"page must be >= 1"}"#)
            case "an object": .json(#"{"summary":{"n":43}}"#)
            case "no record": .json(#"[{"message":"page must be >= 1"}]"#)
            case "none": .json("[]")
            default: .status(Int(zero) ?? 500)
            }
        }) { server in
            let place = try Workplace(
                PlayedAdvice.configuration(
                    server.url, ["path: items", "primary_key: id", "paginator: { type: page_number\(setting) }"]))
            let sync = try await place.garner("sync", "--json")
            #expect(sync.code == 0)
            #expect(sync.output.contains("write base_page: 0 in paginator") == isTold, "\(sync)")
            let isUnknown = isTold && setting.isEmpty
            #expect(sync.output.contains(#""completeness":"\#(isUnknown ? "unknown" : "complete")""#), "\(sync)")
            #expect(server.requests.count { $0.target == "/items?page=0" } == 1)
            _ = try await place.garner("sync")
            #expect(server.requests.count { $0.target == "/items?page=0" } == 1)
            guard isTold else { return }
            try place.replace("type: page_number\(setting)", with: "type: page_number, base_page: 0")
            #expect(try await place.garner("sync", "--json").output.contains(#""completeness":"complete""#))
            #expect(try place.integers("SELECT id FROM items ORDER BY id") == Array(1...33))
        }
    }

    @Test(arguments: [("offset", "limit"), ("startIndex", "count")])
    func `the line for a list that counts from 1 reads it`(start: String, size: String) async throws {
        try await LoopbackServer.serve({ request in
            let first = request.number(of: start) ?? 1
            return first < 1 ? .status(400) : .items(from: first - 1)
        }) { server in
            let place = try Workplace(
                PlayedAdvice.configuration(
                    server.url,
                    ["path: items?\(size)=10&\(start)=1", "primary_key: id", "paginator: { type: auto }"]))
            let told = try await place.garner("sync", "--json")
            #expect(told.output.contains(#""completeness":"partial""#), "\(told)")
            let line = try #require(told.output.firstMatch(of: /write (paginator: \{[^}]*\})/)?.1)
            try place.replace("paginator: { type: auto }", with: "\(line)")
            for _ in 1...2 {
                let sync = try await place.garner("sync", "--json")
                #expect(sync.code == 0 && sync.output.contains(#""completeness":"complete""#), "\(sync)")
            }
            #expect(try place.integers("SELECT count(*) FROM items") == [23])
        }
    }

    /// Records with these ids, and each with a number of its own.
    private static func ids(_ ids: Int...) -> String {
        "[\(ids.enumerated().map { #"{"id":\#($1),"n":\#($0)}"# }.joined(separator: ","))]"
    }

    @Test func `a key of the parent that its children lack is told how they get it`() async throws {
        try await LoopbackServer.serve({ request in
            .json(request.target == "/zoos" ? #"[{"id":1},{"id":2}]"# : #"[{"id":1,"name":"\#(request.target)"}]"#)
        }) { server in
            let place = try Workplace(
                """
                version: 1
                sources:
                  zoo:
                    base_url: \(server.url)
                    streams:
                      zoos: { path: zoos }
                      animals: { path: "zoos/{parent.id}/animals", parent: zoos, primary_key: [_zoos_id, id] }
                """)
            let check = try await place.garner("check", "--connect")
            let sync = try await place.garner("sync")
            for told in [check, sync] { #expect(told.errors.contains("primary key '_zoos_id'\n"), "\(told)") }
            let line = try #require(sync.errors.firstMatch(of: /Try: write (include_from_parent: .*)\n/)?.1)
            try place.replace("parent: zoos,", with: "parent: zoos, \(line),")
            #expect(try await place.garner("sync").code == 0)
            let rows = try await place.garner("query", "SELECT count(*) AS n FROM animals", "-f", "csv")
            #expect(rows.output == "n\n2\n", "\(rows)")
        }
    }

    @Test func `a field that the parent lacks is named before the first sync`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1,"meta":{"code":"a"}}]"#) }) { server in
            let place = try Workplace(
                """
                version: 1
                sources:
                  zoo:
                    base_url: \(server.url)
                    streams:
                      zoos: { path: zoos }
                      animals: { path: "zoos/{parent.uid}/animals", parent: zoos }
                """)
            for arguments in [["check", "--connect"], ["preview", "animals"], ["sync"]] {
                let told = try await place.start(arguments).end()
                #expect(told.errors.contains("the parent zoo.zoos has no field 'uid'"), "\(told)")
                #expect(told.errors.contains("its fields are: id, meta"), "\(told)")
            }
            try place.replace("{parent.uid}", with: "{parent.meta.code}")
            #expect(try await place.garner("check", "--connect").code == 0)
            // The column that it becomes is the same field.
            try place.replace("{parent.meta.code}", with: "{parent.meta__code}")
            for arguments in [["check", "--connect"], ["sync"]] {
                #expect(try await place.start(arguments).end().code == 0, "\(arguments)")
            }
        }
    }

    @Test func `what the database knows is looked up before the first request`() async throws {
        let place = try Workplace()
        let isChecking = Watched(false)
        try await LoopbackServer.serve({ _ in
            if isChecking.value { try? FileManager.default.removeItem(atPath: place.database) }
            return .json(isChecking.value ? #"[{"no":1}]"# : #"[{"id":1}]"#)
        }) { server in
            try place.write(Workplace(api: server.url).text(of: "garner.yaml"), to: "garner.yaml")
            #expect(try await place.garner("sync").code == 0)
            isChecking.change { $0 = true }
            // The records of a new table would need the key.
            let check = try await place.garner("check", "--connect")
            #expect(check.code == 0 && check.output.contains("zoo.animals: 1 record; "), "\(check)")
            #expect(!place.names.contains("garner.db"))
        }
    }

    /// A setting of a table that is there, what a check without and with a connection says, and how it helps.
    @Test(arguments: [
        ("primary_key: name", ["check"], "has the primary key [\"id\"], but [\"name\"] is configured"),
        ("dedupe: true", ["check"], "was made without dedupe, which is now true"),
        (
            "primary_key: id, params: { since: \"{incremental.start_value}\" }, incremental: { cursor_field: name }",
            ["check", "--connect"], "the cursor field 'name' has values such as 'Kea', which do not grow"
        ),
    ])
    func `settings that do not fit a table that is there are told as by a sync`(
        setting: String, command: [String], words: String
    ) async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1,"name":"Kea"}]"#) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id")
            #expect(try await place.garner("sync").code == 0)
            #expect(try await place.garner("check").errors == "")
            try place.write(
                place.text(of: "garner.yaml").replacing("primary_key: id", with: setting), to: "garner.yaml")
            let sync = try await place.garner("sync")
            let check = try await place.start(command).end()
            for told in [sync, check] { #expect(told.code == 78 && told.errors.contains(words), "\(told)") }
            #expect(check.errors.split(separator: "\n").suffix(1) == sync.errors.split(separator: "\n").suffix(1))
            guard let line = check.errors.firstMatch(of: /'(garner drop [^']+)'/)?.1 else { return }
            #expect(try await place.shell("\(line) --yes").code == 0)
            #expect(try await place.garner("check").code == 0)
            #expect(try await place.garner("sync").code == 0)
        }
    }

    @Test func `the key that a table without one is told to have works where the advice is followed`() async throws {
        let records = (0..<12).map { #"{"ts":\#($0 / 2),"sensor":"s\#($0 % 2)","v":0.5}"# }.joined(separator: ",")
        try await LoopbackServer.serve({ _ in .json("[\(records)]") }) { server in
            let place = try Workplace(api: server.url, "retry: { max_attempts: 1 }")
            let first = try await place.garner("sync")
            let (_, key, drop) = try #require(
                first.errors.firstMatch(of: /such as (primary_key: [^\]]+\]), and run '(garner drop [^']+)'/)?.output,
                "\(first)")
            try place.replace("retry: { max_attempts: 1 } }", with: "\(key) }")
            let refused = try await place.garner("sync")
            #expect(refused.code == 78 && refused.errors.contains("Try: leave out primary_key; or keep it, run "))
            #expect(try await place.shell("\(drop) --yes").code == 0)
            for _ in 1...2 { #expect(try await place.garner("sync").code == 0) }
        }
    }

    @Test func `a stream that reads a part by choice and is to delete what is missing is told of`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 3) }) { server in
            let place = try Workplace(
                api: server.url,
                "primary_key: id, delete_missing: hard, paginator: { type: auto, max_pages: 1 }, "
                    + "fields: { types: { weight: real } }")
            #expect(try await place.garner("check").errors == "")
            try await place.garner("sync")
            let check = try await place.garner("check")
            #expect(check.code == 0)
            #expect(check.errors.contains("zoo.animals: its last read left a part out by choice (max_pages: 1), and "))
            #expect(check.errors.contains("Try: read all pages, or remove delete_missing\n"))
            let connected = try await place.garner("check", "--connect")
            #expect(connected.output.contains("(max_pages: 1), so missing rows are never deleted"), "\(connected)")
            // What a sync has looked for is told with and without a connection.
            #expect(connected.errors.contains("no record has had 'weight' (fields.types); "), "\(connected)")
            let status = try await place.garner("status", "--check", "--json")
            #expect(status.code == 0)
            #expect(
                status.output.contains(#""completeness_reason":"max_pages: 1; a part deletes no missing rows""#),
                "\(status)")
        }
    }

    @Test func `missing rows that are more than one run deletes are told of until they go`() async throws {
        let count = Watched(40)
        try await LoopbackServer.serve({ _ in
            .json(#"{"data":[\#((1...count.value).map { #"{"id":\#($0)}"# }.joined(separator: ","))],"next":null}"#)
        }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, delete_missing: hard")
            #expect(try await place.garner("sync").code == 0)
            count.value = 3
            for _ in 1...2 { #expect(try await place.garner("sync").code == 0) }
            let status = try await place.garner("status", "--check", "--json")
            #expect(status.code == 3)
            let text = "37 rows are missing from the source and were kept, as one run does not delete so many"
            #expect(status.output.contains(#""completeness_reason":"\#(text)""#), "\(status)")
            #expect(!status.output.contains(#""incomplete_since":null"#))
            count.value = 39
            #expect(try await place.garner("sync").code == 0)
            #expect(try await place.garner("status", "--check").code == 0)
            #expect(try place.integers("SELECT count(*) FROM animals") == [39])
        }
    }

    @Test func `a stream that is to delete missing rows and has no key is told of at once`() async throws {
        // Integers beyond 64 bits are never taken for a key.
        let page = #"[{"id":100000000000000000001},{"id":100000000000000000002},{"id":100000000000000000003}]"#
        try await LoopbackServer.serve({ _ in .json(page) }) { server in
            let settings = "paginator: { type: single_page }, delete_missing: hard"
            let place = try Workplace(api: server.url, settings)
            let first = try await place.garner("check", "--connect")
            #expect(first.code == 0)
            #expect(first.output.contains("no usual field identifies the records; set primary_key"), "\(first)")
            #expect(try await place.garner("sync").code == 0)
            let status = try await place.garner("status", "--check")
            #expect(status.code == 3)
            #expect(status.output.contains("delete_missing needs a primary key"), "\(status)")
            let json = try await place.garner("status", "--json").output
            #expect(json.contains(#""completeness_reason":"delete_missing needs a primary key, and "#), "\(json)")
            let check = try await place.garner("check")
            #expect(check.errors.contains("garner.yaml:7:7: stream zoo.animals: delete_missing needs a primary key"))
            #expect(check.errors.contains("; or give the stream a primary_key, run 'garner drop zoo.animals', and "))
            // What it says helps.
            let mended = try place.text(of: "garner.yaml").replacing(settings, with: "\(settings), primary_key: id")
            try place.write(mended, to: "garner.yaml")
            #expect(try await place.garner("sync").code == 78)
            #expect(try await place.garner("drop", "zoo.animals", "--yes").code == 0)
            #expect(try await place.garner("sync").code == 0)
            #expect(try await place.garner("status", "--check").code == 0)

            for key in ["dedupe: true", "primary_key: id"] {
                let keyed = try Workplace(api: server.url, "\(settings), \(key)")
                let connected = try await keyed.garner("check", "--connect")
                #expect(!connected.output.contains("delete_missing"), "\(connected)")
                #expect(try await keyed.garner("sync").code == 0)
                #expect(try await keyed.garner("status", "--check").code == 0)
                #expect(try await keyed.garner("check").errors == "")
            }
        }
    }

    @Test(arguments: [(["animals", "plants", "rocks"], 2), (["rocks"], 77)] as [([String], Int32)])
    func `all that fail are told, with the code of a sync`(streams: [String], code: Int32) async throws {
        try await Self.withStreams(["animals", "plants", "rocks"]) { place, _ in
            let check = try await place.start(["check", "--connect"] + streams).end()
            #expect(check.code == code)
            for stream in streams where stream != "animals" {
                expectThreeParts(check.errors, beginning: "Error: zoo.\(stream): HTTP ")
            }
            #expect(check.output.contains("zoo.animals: 2 records") == streams.contains("animals"))
        }
    }

    @Test func `as JSON each stream is an object`() async throws {
        try await Self.withStreams(["animals", "plants"]) { place, _ in
            let check = try await place.garner("check", "--connect", "-f", "ndjson")
            #expect((check.code, check.errors) == (2, ""))
            let lines = check.output.split(separator: "\n")
            let shape = ["stream", "table", "schedule", "result", "records", "more", "advice", "error"]
            try #require(lines.count == 2)
            #expect(members(of: lines[0]) == shape)
            #expect(lines[0].hasSuffix(#""result":"ok","records":2,"more":true,"advice":null,"error":null}"#))
            #expect(
                lines[1].contains(
                    #""result":"failed","records":null,"more":null,"advice":null,"error":{"code":69,"kind":"status","#))
            let plain = try await place.garner("check", "-f", "ndjson")
            #expect(plain.code == 0)
            #expect(
                members(of: plain.output.prefix { $0 != "\n" }) == ["stream", "table", "schedule", "result", "error"])
        }
    }

    @Test func `without a connection nothing is asked`() async throws {
        try await Self.withStreams(["animals", "plants"]) { place, server in
            let check = try await place.garner("check")
            #expect((check.code, check.errors) == (0, ""))
            #expect(check.output.contains("\nzoo.plants "))
            #expect(server.requests.isEmpty)
        }
    }
}
