import GarnerCatalog
import GarnerSQLite
import TestSupport
import Testing

/// The advice that Garner gives to paste, pasted against the server that caused it.
///
/// The tables name every place that prints such advice. Advice that cannot be played is worded as a question. What `garner init`
/// and `garner add` write is played by `InitTests`.
@Suite(.timeLimit(.minutes(5)))
struct AdvicePlayedTests {
    @Test(arguments: PlayedAdvice.lines + PlayedAdvice.settings + PlayedAdvice.statements + PlayedAdvice.storing)
    func `what is pasted brings in what the server has`(advice: PlayedAdvice) async throws {
        let isLater = Watched(advice.earlier == nil)
        try await LoopbackServer.serve({ request in
            isLater.value ? advice.answer(request) : advice.earlier?(request) ?? .response(status: 500)
        }) { server in
            let place = try Workplace(advice.configuration(server.url))
            if advice.earlier != nil { #expect(try await place.garner("sync").code == 0) }
            isLater.value = true
            if advice.command == ["status"] { #expect(try await place.garner("sync").code == 0) }
            let told = try await place.start(advice.command, environment: advice.environment).end()
            let pasted = try #require(advice.pasted(from: told.errors + told.output), "\(told)")
            try place.write(
                advice.configuration(server.url, with: pasted, instead: advice.replaces), to: "garner.yaml")
            if advice.dropsTable { try Connection(path: place.database, mode: .readWrite).execute("DROP TABLE items") }
            for _ in 1...2 {
                let sync = try await place.start(["sync", "--json"], environment: advice.environment).end()
                #expect(sync.code == 0, "\(pasted): \(sync)")
                #expect(
                    sync.output.contains(#""completeness":"\#(advice.completeness)""#), "\(pasted): \(sync.output)")
                #expect(try place.integers("SELECT id FROM items ORDER BY id") == advice.ids, "\(pasted)")
            }
        }
    }

    /// Each of the lines is one that the configuration takes.
    @Test(arguments: PlayedAdvice.lines)
    func `every line is valid`(advice: PlayedAdvice) async throws {
        try await LoopbackServer.serve({ advice.answer($0) }) { server in
            let place = try Workplace(advice.configuration(server.url))
            let lines = PlayedAdvice.lines(in: try await place.start(advice.command).end().errors)
            try #require(!lines.isEmpty)
            for line in lines {
                let setting = try #require(line.firstRange(of: " }").map { String(line[..<$0.upperBound]) }, "\(line)")
                #expect(throws: Never.self, "\(line)") {
                    let text = advice.configuration(server.url, with: setting)
                    _ = try Configuration(parsing: text, file: "garner.yaml", environment: [:])
                }
            }
        }
    }

    @Test(arguments: [
        ("key", "primary_key: [key__id, key__r]"), ("[v, key]", "primary_key: [v, key__id, key__r]"),
        ("key.id", "primary_key: key__id"), ("tag", "primary_key: tag__n"),
    ])
    func `an object as primary key leads to the columns that it becomes`(key: String, line: String) async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"key":{"id":1,"r":"eu"},"tag":{"n":7},"v":1}]"#) }) { server in
            let place = try Workplace(PlayedAdvice.configuration(server.url, ["path: items", "primary_key: \(key)"]))
            let told = try await place.garner("sync")
            #expect(told.code == 78 && told.errors.contains("Try: write \(line)\n"), "\(told)")
            try place.write(PlayedAdvice.configuration(server.url, ["path: items", line]), to: "garner.yaml")
            #expect(try await place.garner("sync").code == 0)
        }
    }

    @Test(
        arguments: [
            ("tags", "primary_key: id"), ("[m, tags]", "primary_key: [m, id]"), ("box", "primary_key: id"),
            ("[id, tags]", nil),
        ] as [(String, String?)])
    func `a list as primary key leads to the field that identifies the records`(key: String, line: String?) async throws
    {
        let records = #"[{"id":1,"m":1,"tags":["a"],"box":{"a":1}},{"id":2,"m":1,"tags":[],"box":{"a":2}}]"#
        try await LoopbackServer.serve({ _ in .json(records) }) { server in
            func configuration(_ line: String) -> String {
                PlayedAdvice.configuration(server.url, ["path: items", "flatten_depth: 0", line])
            }
            let place = try Workplace(configuration("primary_key: \(key)"))
            let told = try await place.garner("sync")
            guard let line else { return #expect(told.code == 0, "\(told)") }
            #expect(told.code == 78 && told.errors.contains("Try: write \(line)\n"), "\(told)")
            try place.write(configuration(line), to: "garner.yaml")
            #expect(try await place.garner("sync").code == 0)
            #expect(try place.integers("SELECT id FROM items ORDER BY id") == [1, 2])
        }
    }

    @Test(
        arguments: [
            ("@.id == '2'", "write @.id == 2 for a number"), ("@.id >= '2'", "write @.id >= 2 for a number"),
            ("@.meta.n == '7'", "write @.meta.n == 7 for a number"), ("@.id == 'two'", nil),
        ] as [(String, String?)])
    func `a number compared with a text leads to the comparison with a number`(filter: String, line: String?)
        async throws
    {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1,"meta":{"n":3}},{"id":2,"meta":{"n":7}}]"#) }) {
            server in
            func configuration(_ filter: String) -> String {
                PlayedAdvice.configuration(
                    server.url, ["path: items", "record_filter: \"\(filter)\""])
            }
            let place = try Workplace(configuration(filter))
            let told = try await place.garner("sync").errors
            #expect(told.contains("a number, and no text"), "\(told)")
            for command in [["check", "--connect"], ["preview", "items"]] {
                let early = try await place.start(command).end()
                #expect((early.output + early.errors).contains("record_filter leaves out all 2 records"), "\(early)")
            }
            guard let line else { return #expect(!told.contains("for a number"), "\(told)") }
            #expect(told.contains(line), "\(told)")
            let pasted = line.replacing("write ", with: "").replacing(" for a number", with: "")
            try place.write(configuration(pasted), to: "garner.yaml")
            #expect(try await place.garner("sync").code == 0)
            #expect(try place.integers("SELECT id FROM items") == [2])
        }
    }

    /// Commands that advise another command, and what a page of the stream has.
    @Test(arguments: [["check", "--connect"], ["preview", "items"]])
    func `the command that is advised adds the paginator`(command: [String]) async throws {
        try await LoopbackServer.serve({ .items(page: $0.number(of: "page") ?? 0) }) { server in
            let place = try Workplace(PlayedAdvice.configuration(server.url, ["path: items", "primary_key: id"]))
            let told = try await place.start(command).end()
            #expect((told.output + told.errors).contains("run 'garner init --update' to add the paginator"), "\(told)")
            // The first page, the second one, and the first one again: a list that changes by itself proves nothing.
            #expect(server.requests.map(\.target) == ["/items", "/items?page=2", "/items"])
            #expect(try await place.garner("init", "--update").code == 0)
            #expect(server.requests.count <= 3 + 6)
            for _ in 1...2 {
                let sync = try await place.garner("sync", "--json")
                #expect(sync.output.contains(#""completeness":"complete""#), "\(sync)")
                #expect(try place.integers("SELECT id FROM items ORDER BY id") == Array(1...23))
            }
        }
    }

    @Test(
        arguments: ["type: json_link, next_url_path: $.next", "type: cursor, cursor_path: $.next"],
        [["sync"], ["check", "--connect"]])
    func `a list without the names that the paginator reads leads to the command that finds another one`(
        paginator: String, command: [String]
    ) async throws {
        try await LoopbackServer.serve({ request in
            let page = request.number(of: "page") ?? 1
            guard page > 0 else { return .status(404) }
            let ids = (1...16).dropFirst((page - 1) * 7).prefix(7)
            return .json("[\(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))]")
        }) { server in
            let lines = ["path: items", "primary_key: id"]
            let place = try Workplace(PlayedAdvice.configuration(server.url, lines + ["paginator: { \(paginator) }"]))
            let told = try await place.start(command).end()
            #expect(
                (told.output + told.errors).contains(
                    "the answer is a list, which has no $.next; remove the paginator, and run 'garner init --update'"),
                "\(told)")
            try place.write(PlayedAdvice.configuration(server.url, lines), to: "garner.yaml")
            #expect(try await place.garner("init", "--update").code == 0)
            let sync = try await place.garner("sync", "--json")
            #expect(sync.output.contains(#""completeness":"complete""#), "\(sync)")
            #expect(try place.integers("SELECT id FROM items ORDER BY id") == Array(1...16))
        }
    }

    @Test(arguments: [["sync"], ["check", "--connect"]])
    func `a single page of a longer list leads to the command that finds the paginator`(command: [String]) async throws
    {
        try await LoopbackServer.serve({ request in
            .items(page: (request.number(of: "page") ?? 1) - 1) { #""total":23,"data":\#($0)"# }
        }) { server in
            let lines = ["path: items", "primary_key: id"]
            let place = try Workplace(
                PlayedAdvice.configuration(server.url, lines + ["paginator: { type: single_page }"]))
            let told = try await place.start(command).end()
            let words = "10 of 23 records"
            let advice = "single_page reads one page only; for all, remove the paginator and run 'garner init --update'"
            let text = told.output + told.errors
            #expect(text.contains(words) && text.contains(advice), "\(told)")
            #expect(text.firstRange(of: advice).map { text[$0.upperBound...].contains(advice) } == false, "\(told)")
            try place.write(PlayedAdvice.configuration(server.url, lines), to: "garner.yaml")
            #expect(try await place.garner("init", "--update").code == 0)
            #expect(try await place.garner("sync", "--json").output.contains(#""completeness":"complete""#))
            #expect(try place.integers("SELECT count(*) FROM items") == [23])
        }
    }

    @Test(arguments: [["check", "--connect"], ["preview", "items"]])
    func `what nobody knows is a question, and two requests are enough for it`(command: [String]) async throws {
        try await LoopbackServer.serve({ _ in .items(page: 0) }) { server in
            let place = try Workplace(PlayedAdvice.configuration(server.url, ["path: items", "primary_key: id"]))
            let told = try await place.start(command).end()
            #expect((told.output + told.errors).contains("gives no other records; does it have more? "), "\(told)")
            #expect(!(told.output + told.errors).contains("single_page"))
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: ["soft", "hard"])
    func `the command that is advised on a list of one page says what keeps delete_missing`(mode: String) async throws {
        let count = Watched(10)
        try await LoopbackServer.serve({ _ in .items(from: 0, of: count.value) }) { server in
            let lines = ["path: items", "primary_key: id", "delete_missing: \(mode)", "max_delete_ratio: 1"]
            let place = try Workplace(PlayedAdvice.configuration(server.url, lines))
            let sync = try await place.garner("sync")
            #expect(sync.errors.contains("'garner init --update' asks") && !sync.errors.contains("replace"), "\(sync)")
            let told = try await place.garner("init", "--update")
            let line = try #require(
                (told.output + told.errors).firstMatch(of: /if there is none, set (paginator: \{[^}]*\})/)?.1, "\(told)"
            )
            try place.write(PlayedAdvice.configuration(server.url, lines + [String(line)]), to: "garner.yaml")
            count.value = 9
            #expect(try await place.garner("sync").code == 0)
            let gone = mode == "soft" ? "SELECT id FROM items WHERE _garner_deleted_at IS NULL" : "SELECT id FROM items"
            #expect(try place.integers(gone + " ORDER BY id") == Array(1...9))
        }
    }

    /// Settings under which a read fails or stays open, and what is never said of it.
    @Test(arguments: [
        ("paginator: { type: page_number }", "single_page"), ("paginator: { type: offset, limit: 10 }", "single_page"),
        ("delete_missing: soft", "single_page"),
    ])
    func `that there is one page only is not advised where not all was tried`(setting: String, word: String)
        async throws
    {
        try await LoopbackServer.serve({ _ in .items(page: 0) }) { server in
            let place = try Workplace(
                PlayedAdvice.configuration(server.url, ["path: items", "primary_key: id", setting]))
            let sync = try await place.garner("sync")
            #expect(sync.errors.contains("?"), "\(sync.errors)")
            #expect(!sync.errors.contains(word), "\(sync.errors)")
        }
    }
}
