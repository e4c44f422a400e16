import Foundation
import TestSupport
import Testing

/// A stream of an API that needs more than a URL comes into a file that is there, and works.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct AddTests {
    /// Three pages of two records for who posts a token and a version; else what is missing.
    private static let api: LoopbackServer.Handler = { request in
        guard request["authorization"] == "Bearer canary5e1f0c77" else {
            return .response(status: 401, body: #"{"message":"API token is invalid."}"#)
        }
        guard request["zoo-version"] == "2" else {
            return .response(status: 400, body: #"{"message":"Zoo-Version header missing"}"#)
        }
        let body = request.body
        let start = (1...2).first { body.contains("\"c\($0)\"") } ?? 0
        let rows = (0..<2).map { #"{"id":"\#(start * 2 + $0)"}"# }.joined(separator: ",")
        let next = start < 2 ? "\"c\(start + 1)\"" : "null"
        return .json(#"{"object":"list","results":[\#(rows)],"next_cursor":\#(next),"has_more":\#(start < 2)}"#)
    }

    @Test func `init writes a POST with headers and a token that works`() async throws {
        try await LoopbackServer.serve(Self.api) { server in
            let place = try Workplace()
            let url = "\(server.url)/v1/databases/7/query"
            let refused = try await place.garner("init", url, "--json", #"{"page_size": 2}"#)
            #expect(refused.code == 77)
            #expect(refused.errors.contains("API token is invalid."), "\(refused.errors)")
            #expect(refused.errors.contains("--auth bearer"))
            let written = try await place.garner(
                "init", url, "--json", #"{"page_size": 2}"#, "-H", "Zoo-Version: 2", "-H",
                "Authorization: Bearer canary5e1f0c77")
            #expect(written.code == 0, "\(written.errors)")
            let text = try place.text(of: "garner.yaml")
            #expect(!text.contains("canary") && !written.errors.contains("canary"))
            #expect(text.contains("json: {\"page_size\": 2}"))
            #expect(text.contains("cursor"), "\(text)")
            let environment = ["API_AUTHORIZATION": "canary5e1f0c77"]
            let sync = try await place.garner("sync", environment: environment)
            #expect(sync.code == 0, "\(sync.errors)")
            #expect(try place.texts("SELECT count(*) FROM databases") == ["6"])
        }
    }

    /// What is typed behind 'garner add', and what it becomes.
    @Test(arguments: [
        ("URL/animals", ": garner init URL/animals\n", "URL/animals"),
        (
            "'URL/animals?of=1' --name zoo", ": put 'garner init' in place of 'garner add', without --name\n",
            "'URL/animals?of=1'"
        ),
        ("-- curl URL/animals", ": put 'garner init' in place of 'garner add'\n", "-- curl URL/animals"),
    ])
    func `without a file, the command that makes one is told`(typed: String, told: String, words: String) async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 2) }) { server in
            let place = try Workplace()
            func line(_ text: String) -> String { text.replacing("URL", with: server.url) }
            let add = try await place.shell("garner add \(line(typed))")
            #expect(add.code == 66 && add.errors.contains("Try: write one with it\(line(told))"), "\(add)")
            #expect(try await place.shell("garner init \(line(words)) && garner sync").code == 0)
        }
    }

    @Test(arguments: ["version: 1\n", "version: 1\nsources:\n  own:\n    base_url: URL\n    streams:\n"])
    func `a stream comes into a file without any`(file: String) async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 2) }) { server in
            let place = try Workplace()
            try place.write(file.replacing("URL", with: "\(server.url)/"), to: "garner.yaml")
            let empty = try await place.garner("check")
            #expect((empty.output + empty.errors).contains("'garner add URL' adds one"), "\(empty)")
            let added = try await place.garner("add", "\(server.url)/animals")
            #expect(added.code == 0, "\(added.errors)")
            #expect(try await place.garner("sync").code == 0)
        }
    }

    @Test func `init replaces an empty file, and no other one`() async throws {
        let place = try Workplace()
        for (file, code) in [("", 0), (" \n", 0), ("# mine\n", 73)] as [(String, Int32)] {
            try place.write(file, to: "garner.yaml")
            let told = try await place.garner("init", "http://127.0.0.1:9/animals", "--offline")
            #expect(told.code == code, "\(told.errors)")
        }
    }

    @Test func `a block of authentication is asked with, and stays in the environment`() async throws {
        try await LoopbackServer.serve(Self.api) { server in
            let place = try Workplace()
            let written = try await place.garner(
                "init", "\(server.url)/v1/items", "-X", "POST", "--json", "{}", "-H", "Zoo-Version: 2", "--auth",
                "bearer", environment: ["API_TOKEN": "canary5e1f0c77"])
            #expect(written.code == 0, "\(written.errors)")
            #expect(try place.text(of: "garner.yaml").contains(#"auth: { type: bearer, token: "${API_TOKEN}" }"#))
        }
    }

    @Test func `a refusal that is about the token says how to give one`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"{"ok":false,"error":"not_authed"}"#) }) { server in
            let told = try await Workplace().garner("init", "\(server.url)/users")
            #expect(told.code == 69 && told.errors.contains("not_authed") && told.errors.contains("--auth bearer"))
        }
    }

    @Test func `an update adds what the file does not say, and keeps the rest`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 2) }) { server in
            let place = try Workplace()
            let before = """
                version: 1   # mine
                sources:
                  zoo:
                    base_url: \(server.url)
                    streams:
                      animals:
                        path: animals   # all
                        primary_key: id

                      flow: { path: animals, primary_key: id }

                """
            try place.write(before, to: "garner.yaml")
            let told = try await place.garner("init", "--update")
            #expect(told.code == 0, "\(told.errors)")
            #expect(told.errors.contains("zoo.animals: added to garner.yaml:\n"))
            #expect(told.errors.contains("zoo.flow: add these lines by hand"))
            let text = try place.text(of: "garner.yaml")
            #expect(text.hasPrefix(before.prefix { $0 != "\n" }))
            #expect(text.contains("        primary_key: id\n        # Where the records are: "), "\(text)")
            #expect(
                text.contains("        paginator: { type: json_link, next_url_path: $.next }\n\n      flow:"), "\(text)"
            )
            #expect(try await place.garner("sync").code == 0)
            let again = try await place.garner("init", "--update")
            #expect(again.errors.contains("zoo.animals: there is nothing to add.\n"))
            #expect(try place.text(of: "garner.yaml") == text)
        }
    }

    @Test func `an update takes the place of the line that was written when nothing was known`() async throws {
        let isCounted = Watched(false)
        try await LoopbackServer.serve({
            let next = [("Link", "<?page=2>; rel=\"next\"")].filter { _ in isCounted.value }
            return $0.page == 1 || !isCounted.value
                ? .json(#"[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5}]"#, headers: next) : .json("[]")
        }) { server in
            let place = try Workplace()
            _ = try await place.garner("init", server.url + "/animals")
            #expect(try place.text(of: "garner.yaml").contains("paginator: { type: auto }\n"))
            let open = try await place.garner("init", "--update")
            #expect(open.errors.contains(": the API gives no other page for any of "), "\(open)")
            let mine = try place.text(of: "garner.yaml").replacing(
                "        paginator: {", with: "        # mine\n        paginator: {")
            try place.write(mine, to: "garner.yaml")
            isCounted.value = true
            let told = try await place.garner("init", "--update")
            #expect(told.code == 0 && told.errors.contains(".animals: added to garner.yaml:\n"), "\(told)")
            let text = try place.text(of: "garner.yaml")
            #expect(text.contains("paginator: { type: header_link, rel: next }\n"), "\(text)")
            #expect(text.components(separatedBy: "\n        paginator:").count == 2, "\(text)")
            #expect(text.contains("        # mine\n"), "a comment of the owner stays")
        }
    }

    @Test func `what a sync does not understand in a header is found by the command that it names`() async throws {
        try await LoopbackServer.serve({ request in
            let from = request.number(of: "cursor") ?? 0
            let next = [("X-Next-Cursor", "\(from + 3)")].filter { _ in from + 3 < 8 }
            let rows = (1...8).dropFirst(from).prefix(3).map { #"{"id":\#($0)}"# }
            return .json("[\(rows.joined(separator: ","))]", headers: next)
        }) { server in
            let place = try Workplace()
            try place.write(
                """
                version: 1
                sources:
                  zoo:
                    base_url: \(server.url)
                    streams:
                      animals:
                        path: animals
                        primary_key: id

                """, to: "garner.yaml")
            let sync = try await place.garner("sync")
            #expect(sync.errors.contains("ask 'garner init --update'"), "\(sync)")
            let check = try await place.garner("check", "--connect")
            #expect(check.output.contains("ask 'garner init --update'"), "\(check)")
            #expect(try await place.garner("init", "--update").code == 0)
            #expect(try await place.garner("sync", "--json").output.contains(#""completeness":"complete""#))
            #expect(try place.integers("SELECT count(*) FROM animals") == [8])
        }
    }

    @Test func `a list that seems whole is written down as such, and said to be a guess`() async throws {
        let records = (0..<7).map { #"{"id":\#($0)}"# }.joined(separator: ",")
        try await LoopbackServer.serve({ _ in .json("[\(records)]") }) { server in
            let place = try Workplace()
            let written = try await place.garner("init", "\(server.url)/items")
            #expect(
                written.errors.contains("; is there another parameter that does? Then set paginator\n"), "\(written)")
            #expect(try place.text(of: "garner.yaml").contains("paginator: { type: single_page }"))
        }
    }

    @Test func `an empty list in an object is no record`() async throws {
        let body =
            #"{"_links":{"self":{"href":"/items"}},"page":{"size":20,"totalElements":0,"totalPages":0,"number":0}}"#
        try await LoopbackServer.serve({ _ in .json(body) }) { server in
            let place = try Workplace()
            let written = try await place.garner("init", "\(server.url)/items")
            #expect(
                written.errors.contains("record_selector: the page is one object that looks like a list"), "\(written)")
            let text = try place.text(of: "garner.yaml")
            #expect(text.contains("paginator: { type: auto }") && text.contains("# record_selector: "), "\(text)")
            // Nothing is stored of the page itself.
            #expect(try await place.garner("sync", "--json").output.contains(#""completeness":"unknown""#))
            #expect(try await place.garner("check", "--connect").output.contains("says that there are no records"))
        }
    }

    @Test func `an update looks at the records that the file names`() async throws {
        let body = #"{"lines":[{"id":1,"n":"a"},{"id":1,"n":"b"}],"included":[{"id":1},{"id":2},{"id":3}]}"#
        try await LoopbackServer.serve({ _ in .json(body) }) { server in
            let place = try Workplace(api: server.url, "record_selector: \"$.lines[*]\"")
            let told = try await place.garner("init", "--update")
            #expect(!told.errors.contains("primary_key: id"), "\(told)")
        }
    }

    @Test func `an update finds the key among columns`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"{"hourly":{"time":["00","01","02"],"t":[1.5,2.5,1.5]}}"#) }) {
            server in
            let place = try Workplace()
            try place.write(
                """
                version: 1
                sources:
                  zoo:
                    base_url: \(server.url)
                    streams:
                      animals:
                        path: animals
                        record_selector: $.hourly
                        record_shape: { type: columns }

                """, to: "garner.yaml")
            #expect(try await place.garner("init", "--update").code == 0)
            #expect(try place.text(of: "garner.yaml").contains("        primary_key: time\n"))
            #expect(try await place.garner("sync", "--json").output.contains(#""inserted":3"#))
        }
    }

    @Test func `a value in the path that is no known record is left in it, with what would read all`() async throws {
        try await LoopbackServer.serve({ _ in .page(1, of: 1) }) { server in
            let place = try Workplace()
            #expect(try await place.garner("init", "\(server.url)/v1/animals").code == 0)
            let added = try await place.garner("add", "\(server.url)/v1/animals/999/visits")
            #expect(added.code == 0 && added.errors.contains("parent: 999 may be a record of 'animals'"), "\(added)")
            let text = try place.text(of: "garner.yaml")
            #expect(text.contains("        path: \"animals/999/visits\"\n"), "\(text)")
            #expect(
                text.contains("        # parent: animals\n        # path: \"animals/{parent.id}/visits\"\n"), "\(text)")
            #expect(try await place.garner("sync").code == 0)
            // What is stored tells it, too.
            let stored = try await place.garner("add", "\(server.url)/v1/animals/2/meals")
            #expect(stored.code == 0, "\(stored)")
            #expect(
                try place.text(of: "garner.yaml").contains(
                    "        parent: animals\n        path: \"animals/{parent.id}/meals\"\n"))
            #expect(try await place.garner("check").code == 0)
        }
    }

    @Test func `a list that changes with each request is not said to have other pages`() async throws {
        try await LoopbackServer.serve({ request in
            .json((0..<20).map { #"{"value":\#(request.number).\#($0 + 10)}"# }.array)
        }) { server in
            let check = try await Workplace(api: server.url, "").garner("check", "--connect")
            #expect(
                !check.output.contains("gives other records") && check.output.contains("all records change"), "\(check)"
            )
            #expect(server.requests.count == 3)
        }
    }

    @Test func `a further stream of a source goes behind its others, and comments stay`() async throws {
        try await LoopbackServer.serve({ _ in .page(1, of: 1) }) { server in
            let place = try Workplace()
            let before = """
                # Mine.
                version: 1
                sources:
                  zoo:
                    base_url: \(server.url)/v1
                    streams:
                      animals: { path: animals }   # the first

                # The end.

                """
            try place.write(before, to: "garner.yaml")
            let file = place.folder.path("garner.yaml")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let added = try await place.garner("add", "\(server.url)/v1/keepers?sort=id")
            #expect(added.code == 0, "\(added.errors)")
            #expect(added.errors.contains("Added zoo.keepers to "))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            let text = try place.text(of: "garner.yaml")
            #expect(text.contains("      animals: { path: animals }   # the first\n      keepers:"))
            #expect(text.hasPrefix("# Mine.\n") && text.hasSuffix("\n# The end.\n"))
            #expect(try await place.garner("sync", "zoo.keepers").code == 0)
            let again = try await place.garner("add", "\(server.url)/v1/keepers")
            #expect(again.code == 64 && again.errors.contains("--name"), "\(again.errors)")
            #expect(try place.text(of: "garner.yaml") == text)
            #expect(try await place.garner("add", "\(server.url)/v1/keepers", "--name", "people").code == 0)
            #expect(try await place.garner("sync", "zoo.people").code == 0)
        }
    }

    @Test func `a stream of another host, or under another path of it, becomes a source of its own`() async throws {
        try await LoopbackServer.serve({ _ in .page(1, of: 1) }) { server in
            let place = try Workplace()
            try place.write(
                "version: 1\nsources:\n  zoo:\n    base_url: https://zoo.example\n    streams:\n      a: { path: a }\n",
                to: "garner.yaml")
            #expect(try await place.garner("add", "\(server.url)/v1/animals").code == 0)
            let added = try await place.garner("add", "\(server.url)/v2/keepers")
            #expect(added.code == 0 && added.errors.contains("Added api_2.keepers to "), "\(added.errors)")
            let sync = try await place.garner("sync", "api.animals", "api_2.keepers")
            #expect(sync.code == 0, "\(sync.errors)")
        }
    }

    /// Arguments that are wrong, and what is said.
    private static let mistakes: [([String], Int32, String)] = [
        (["-X", "DELETE"], 64, "'DELETE' is no method"),
        (["--json", "{"], 64, "no JSON"),
        (["--json", "@missing.json"], 66, "cannot read missing.json"),
        (["-H", "canary5e1f0c77"], 64, "-H takes a name and a value"),
        (["--param", "canary5e1f0c77"], 64, "--param takes a name and a value"),
        (["--auth", "magic"], 64, "bearer, basic, api_key"),
    ]

    @Test(arguments: mistakes)
    func `a wrong option asks and writes nothing`(arguments: [String], code: Int32, words: String) async throws {
        try await LoopbackServer.serve({ _ in .page(1, of: 1) }) { server in
            let place = try Workplace()
            let told = try await place.start(["init", "\(server.url)/animals"] + arguments).end()
            #expect(told.code == code, "\(told.errors)")
            #expect(told.errors.contains(words), "\(told.errors)")
            #expect(!told.errors.contains("canary"))
            expectThreeParts(told.errors, beginning: "Error: ")
            #expect(server.requests.isEmpty && place.names.isEmpty)
        }
    }

    @Test func `a stream that cannot be asked for leaves the file as it was`() async throws {
        try await LoopbackServer.serve({ _ in .response(status: 404, body: "{}") }) { server in
            let place = try Workplace(api: server.url)
            let before = try place.text(of: "garner.yaml")
            #expect(try await place.garner("add", "\(server.url)/nothing").code == 69)
            #expect(try await place.garner("add", "nonsense").code == 64)
            #expect(try place.text(of: "garner.yaml") == before)
            #expect(try await place.garner("add", "\(server.url)/nothing", "--offline").code == 0)
            #expect(try place.text(of: "garner.yaml").contains("nothing:"))
        }
    }
}
