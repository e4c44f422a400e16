import TestSupport
import Testing

/// Mistakes that cost rows or values before anybody was told of them.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct QuietMistakeTests {
    private static func withAnimals(
        _ options: String, _ body: @escaping @Sendable (Workplace) async throws -> Void
    ) async throws {
        let records = (1...3).map { #"{"id":\#($0),"deleted":false,"owner":{"login":"o\#($0)"}}"# }
        try await LoopbackServer.serve({ _ in .json("[\(records.joined(separator: ","))]") }) { server in
            try await body(try Workplace(api: server.url, options))
        }
    }

    @Test func `a mark of deletion that every record has, and that says no, deletes nothing`() async throws {
        try await Self.withAnimals("primary_key: id, delete_missing: hard") { place in
            #expect(try await place.garner("sync").code == 0)
            try place.replace("primary_key: id", with: "primary_key: id, deleted_when: \"@.deleted\"")
            let sync = try await place.garner("sync")
            #expect(sync.errors.contains("do not say that they are deleted were kept: @.deleted is false"), "\(sync)")
            #expect(sync.errors.contains("write deleted_when: \"@.deleted == true\""), "\(sync)")
            #expect(try place.integers("SELECT id FROM animals ORDER BY id") == [1, 2, 3])
            try place.replace("\"@.deleted\"", with: "\"@.deleted == true\"")
            #expect(try await place.garner("sync").code == 0)
            #expect(try place.integers("SELECT id FROM animals ORDER BY id") == [1, 2, 3])
        }
    }

    @Test
    func
        `a filter that comes later is told of until rows were read with it, and so is the way to be rid of the others`()
        async throws
    {
        try await Self.withAnimals("primary_key: id, paginator: { type: single_page }") { place in
            #expect(try await place.garner("sync").code == 0)
            try place.replace("primary_key: id", with: "primary_key: id, record_filter: \"@.id > 1\"")
            let told = "was read without record_filter until now"
            let check = try await place.garner("check")
            #expect(check.code == 0 && check.errors.contains(told), "\(check)")
            #expect(try await place.garner("sync").errors.contains(told))
            #expect(try await !place.garner("sync").errors.contains(told))
            #expect(try place.integers("SELECT id FROM animals ORDER BY id") == [1, 2, 3])
            let line = try #require(check.errors.firstMatch(of: /'(garner drop [^']+)'/)?.1, "\(check)")
            #expect(try await place.shell("\(line) --yes").code == 0)
            #expect(try await place.garner("sync").code == 0)
            #expect(try place.integers("SELECT id FROM animals ORDER BY id") == [2, 3])
        }
    }

    @Test(arguments: [
        ("", "\"2026-01-02T00:00:00Z\"", "2025-01-31"),
        (", cursor_datetime_format: rfc3339, datetime_format: epoch", "\"2026-01-02T00:00:00Z\"", "2026-01-01"),
        (", cursor_datetime_format: epoch", "1767312000", "1767225600"),
    ])
    func `a start before the first one is told of until a read has begun there`(
        formats: String, start: String, earlier: String
    ) async throws {
        let time = start.hasPrefix("1") ? "1767398400" : "\"2026-01-03T00:00:00Z\""
        try await LoopbackServer.serve({ _ in .json("[{\"id\":1,\"at\":\(time)}]") }) { server in
            let place = try Workplace(
                api: server.url,
                "primary_key: id, params: { since: \"{incremental.start_value}\" }, "
                    + "incremental: { cursor_field: at, initial_value: \(start)\(formats) }")
            for _ in 1...2 { #expect(try await place.garner("sync").code == 0) }
            #expect(try await !place.garner("check").errors.contains("initial_value"))
            try place.replace(start, with: "\"\(earlier)\"")
            for command in ["check", "sync", "check"] {
                let told = try await place.garner(command)
                #expect(told.code == 0 && told.errors.contains("its first read began at"), "\(command): \(told)")
            }
            let line = try #require(
                await place.garner("check").errors.firstMatch(of: /'(garner sync [^']+)'/)?.1)
            #expect(try await place.shell(String(line)).code == 0)
            #expect(try await !place.garner("check").errors.contains("initial_value"))
        }
    }

    @Test func `a page size that the paginator replaces is told of until it is written there`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"{"data":[{"id":1}],"total":1}"#) }) { server in
            let place = try Workplace(
                api: server.url,
                "primary_key: id, params: { limit: 5 }, paginator: { type: offset, total_path: $.total }")
            for command in ["check", "plan", "sync"] {
                let told = try await place.garner(command)
                let words =
                    "'limit' in 'params' is not sent as 5: 'paginator' sends 100 there, the default of its 'limit'"
                #expect(told.code == 0 && told.errors.contains(words), "\(command): \(told)")
                #expect(told.errors.contains("Try: write limit: 5 in 'paginator' in its place"), "\(told)")
            }
            #expect(server.requests.map(\.target) == ["/animals?limit=100&offset=0"])
            try place.replace("type: offset", with: "type: offset, limit: 5")
            for command in ["check", "plan", "sync"] {
                #expect(try await !place.garner(command).errors.contains("is not sent as"), "\(command)")
            }
            #expect(server.requests.last?.target == "/animals?limit=5&offset=0")
        }
    }

    @Test(arguments: [
        "drop: [owner__login]", "keep: [id, owner__login]", "hash: { fields: [owner__login], key: 0123456789abcdef }",
    ])
    func `a rule for values that names a column instead of a member is an error that says how to name it`(rule: String)
        async throws
    {
        try await Self.withAnimals("primary_key: id, fields: { \(rule) }") { place in
            let sync = try await place.garner("sync")
            #expect(sync.code != 0, "\(sync)")
            #expect(sync.errors.contains("did you mean '$.owner.login'?"), "\(sync)")
            try place.replace("owner__login", with: "$.owner.login")
            #expect(try await place.garner("sync").code == 0)
        }
    }

    @Test func `times that are no such numbers as the file says are told of by the check and by the first sync`()
        async throws
    {
        let records = (1...3).map { #"{"id":\#($0),"at":"2026-01-0\#($0)T08:00:00Z"}"# }
        try await LoopbackServer.serve({ _ in .json("[\(records.joined(separator: ","))]") }) { server in
            let place = try Workplace(
                api: server.url,
                "primary_key: id, params: { since: \"{incremental.start_value}\" }, "
                    + "incremental: { cursor_field: at, cursor_datetime_format: epoch }")
            let check = try await place.garner("check", "--connect")
            let line = "write cursor_datetime_format: rfc3339"
            #expect(check.code == 0 && (check.output + check.errors).contains(line), "\(check)")
            #expect(try await place.garner("sync", "--dry-run").errors.contains(line))
            try place.write(
                try place.text(of: "garner.yaml").replacing("format: epoch", with: "format: rfc3339"),
                to: "garner.yaml")
            #expect(try await !place.garner("sync").errors.contains("cursor_datetime_format"))
            #expect(try await place.garner("plan").output.contains("since=2026-01-03T08%3A00%3A00Z"))
        }
    }

    @Test(arguments: [("total_pages_path", 1), ("total_path", 1), ("", 2)])
    func `a total that is not where the file says is told, and the line saves a request`(key: String, requests: Int)
        async throws
    {
        try await LoopbackServer.serve({ request in
            let rows = request.page < 2 ? (1...3).map { #"{"id":\#($0)}"# } : []
            return .json(#"{"data":[\#(rows.joined(separator: ","))],"meta":{"pages":1,"total":3}}"#)
        }) { server in
            let name = key.isEmpty ? "total_path" : key
            let place = try Workplace(
                api: server.url, "primary_key: id, paginator: { type: page_number, \(name): $.meta.n }")
            let told = "\(name) ($.meta.n) finds nothing"
            let check = try await place.garner("check", "--connect")
            #expect(check.code == 0 && (check.output + check.errors).contains(told), "\(check)")
            let sync = try await place.garner("sync")
            let line = try #require(sync.errors.firstMatch(of: /write (total_\w+: \S+) in paginator/)?.1, "\(sync)")
            #expect(sync.errors.contains(told) && line.hasPrefix(name), "\(sync)")
            if !key.isEmpty { try place.replace("\(name): $.meta.n", with: String(line)) }
            let before = server.requests.count
            #expect(try await !place.garner("sync").errors.contains(told))
            #expect(server.requests.count - before == requests)
        }
    }

    @Test func `a mark of deletion that no record of the first page has is noted by the check alone`() async throws {
        try await Self.withAnimals("primary_key: id, deleted_when: \"@.is_gone == true\"") { place in
            let told = "no record of the first page has 'is_gone' (deleted_when)"
            let check = try await place.garner("check", "--connect")
            #expect(check.code == 0 && (check.output + check.errors).contains(told), "\(check)")
            #expect(try await !place.garner("sync").errors.contains("is_gone"))
            #expect(try await !place.garner("check").errors.contains("is_gone"))
            let again = try await place.garner("check", "--connect")
            let line = try #require((again.output + again.errors).firstMatch(of: /add (optional_fields: \[.*?\])/)?.1)
            try place.replace("primary_key: id", with: "primary_key: id, \(line)")
            let settled = try await place.garner("check", "--connect")
            #expect(settled.code == 0 && !(settled.output + settled.errors).contains("is_gone"), "\(settled)")
        }
    }

    @Test(arguments: [
        ("GARNER_DB", "GARNER_DATABASE"), ("HTTPS_PROXY", "https_proxy"), ("GARNER_CONF", "GARNER_CONFIG"),
    ])
    func `a variable that is not read is told of with the one that is`(name: String, meant: String) async throws {
        let place = try Workplace(api: "https://zoo.example", "primary_key: id")
        let value = ["GARNER_CONFIG": "garner.yaml", "https_proxy": "http://127.0.0.1:9"][meant] ?? "x.db"
        let told = try await place.garner("check", environment: [name: value])
        #expect(told.code == 0 && told.errors.contains("export \(meant)=\"$\(name)\""), "\(told)")
        let pasted = try await place.shell("export \(meant)=\"$\(name)\"; garner check", environment: [name: value])
        #expect(pasted.code == 0 && !pasted.errors.contains(name), "\(pasted)")
        let own = try await place.garner("check", "-d", "value.db", environment: ["GARNER_DB": "value.db"])
        #expect(own.code == 0 && !own.errors.contains("GARNER_DB"), "\(own)")
    }

    @Test func `a database in a variable that is not read is told of where rows are read`() async throws {
        try await Self.withAnimals("primary_key: id") { place in
            #expect(try await place.garner("sync").code == 0)
            let told = try await place.garner("tables", environment: ["GARNER_DB": "x.db"])
            #expect(told.code == 0 && told.errors.contains("export GARNER_DATABASE=\"$GARNER_DB\""), "\(told)")
        }
    }

    @Test(arguments: [
        (#""Name":"A","name":"B""#, "'name' is stored as animals.name_2, since SQL takes it and 'Name' for one name"),
        (
            #""a__b":"A","a":{"b":"B"}"#,
            "'a.b' is stored as animals.a__b_2, since SQL takes it and 'a__b' for one name"
        ),
    ])
    func `a column with a number behind its name is told once, and the line gives it another one`(
        members: String, told: String
    ) async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1,\#(members)}]"#) }) { server in
            let place = try Workplace(api: server.url)
            let sync = try await place.garner("sync")
            #expect(sync.code == 0 && sync.errors.contains(told), "\(sync)")
            #expect(try await !place.garner("sync").errors.contains("SQL takes it"))
            let line = try #require(
                sync.errors.firstMatch(of: /(fields: \{ rename: \{ .* \} \}) gives it another one/)?.1, "\(sync)")
            try place.replace("primary_key: id", with: "primary_key: id, \(line.replacing("NEW", with: "other"))")
            #expect(try await place.garner("sync").code == 0)
            let column = members.contains("a__b") ? "a__other" : "other"
            #expect(try place.texts("SELECT \(column) FROM animals") == ["B"])
        }
    }

    @Test func `a log without its database is not thrown away`() async throws {
        try await Self.withAnimals("primary_key: id") { place in
            #expect(try await place.garner("sync").code == 0)
            #expect(
                try await place.shell(
                    "printf 'PRAGMA wal_autocheckpoint = 0;\nCREATE TABLE mine (x);\n.shell cp garner.db-wal kept\n' | sqlite3 garner.db"
                ).code == 0)
            #expect(try await place.shell("mv garner.db elsewhere.db; mv kept garner.db-wal").code == 0)
            for command in [["tables"], ["sync"], ["backup", "copy.db"]] {
                let told = try await place.start(command).end()
                #expect(told.errors.contains("garner.db-wal is there without its database"), "\(command): \(told)")
                #expect(told.errors.contains("'mv garner.db-wal garner.db-wal.old'"), "\(command): \(told)")
                #expect(!told.errors.contains("remove"), "\(command): \(told)")
            }
            #expect(try await place.shell("mv elsewhere.db garner.db").code == 0)
            #expect(try place.integers("SELECT count(*) FROM mine") == [0])
            #expect(try await place.garner("sync").code == 0)
        }
    }

    @Test func `the log of a moved database is its service's until that is stopped`() async throws {
        try await Self.withAnimals("primary_key: id, schedule: { every: 1h }") { place in
            let serve = try place.start(["serve"])
            try await eventually { serve.errorsSoFar.contains("Run ended") }
            #expect(try await place.shell("mv garner.db away.db").code == 0)
            let told = try await place.garner("sync")
            #expect(told.errors.contains("another garner (process \(serve.id)) has both open"), "\(told)")
            #expect(told.errors.contains("'kill \(serve.id)'") && !told.errors.contains("'mv"), "\(told)")
            // The service itself has seen it if it ended before.
            _ = try? await place.shell("kill \(serve.id)")
            _ = try await serve.end()
            #expect(try await place.shell("mv away.db garner.db").code == 0)
            #expect(try place.integers("SELECT id FROM animals ORDER BY id") == [1, 2, 3])
        }
    }

    @Test(arguments: [
        ("mkdir data.db", 74, "is a folder"), ("seq 9999 > data.db", 74, "is no SQLite database"),
        (
            "sqlite3 data.db 'CREATE TABLE animals (id)'", 78,
            "is a database of another program, which Garner leaves as it is"
        ),
    ])
    func `a check refuses what no sync can use`(script: String, code: Int, message: String) async throws {
        try await Self.withAnimals("primary_key: id") { place in
            #expect(try await place.shell(script).code == 0)
            let check = try await place.garner("check", "-d", "data.db")
            #expect(Int(check.code) == code)
            #expect(check.errors.contains("data.db \(message)"), "\(check)")
            #expect(try await Int(place.garner("sync", "-d", "data.db").code) == code)
        }
    }

    @Test func `a home folder in the path of the database is told in the form that is understood`() async throws {
        try await Self.withAnimals("primary_key: id") { place in
            let text = try place.text(of: "garner.yaml")
            try place.write(text.replacing("version: 1", with: "version: 1\ndatabase: ~/x.db"), to: "garner.yaml")
            let check = try await place.garner("check")
            let line = try #require(check.errors.firstMatch(of: /write (database: .*)/)?.1, "\(check)")
            try place.write(text.replacing("version: 1", with: "version: 1\n\(line)"), to: "garner.yaml")
            #expect(try await place.garner("sync").code == 0)
            #expect(place.names.contains("x.db"))
        }
    }

    @Test(arguments: ["garner.yml", "garner.yaml.txt", "../garner.yaml"])
    func `a file with a name or a place beside the right one is named`(name: String) async throws {
        try await Self.withAnimals("primary_key: id") { place in
            #expect(try await place.shell("mkdir in; mv garner.yaml in/\(name) 2>/dev/null || true").code == 0)
            let told = try await place.shell("cd in; garner check || true")
            #expect(told.errors.contains("Name it with --config \(name)\n"), "\(told)")
            #expect(try await place.shell("cd in; garner check --config \(name)").code == 0)
        }
    }

    @Test func `a list without records, and a first sync that goes on, are told instead of a sync`() async throws {
        let goesOn = Watched(false)
        try await LoopbackServer.serve({ _ in
            await goesOn.until { $0 }
            return .json("[]")
        }) { server in
            let place = try Workplace(api: server.url)
            let sync = try place.start(["sync"])
            await server.requestsArrived(1)
            let query = ["query", "SELECT * FROM animals"]
            for command in [["rows", "animals"], query, ["tables"], ["schema"]] {
                let told = try await place.start(command).end()
                #expect(told.errors.contains("the first sync of zoo.animals is running"), "\(command): \(told)")
            }
            goesOn.value = true
            #expect(try await sync.end().code == 0)
            for command in [["rows", "animals"], ["rows", "animls"], query, ["tables"], ["schema"]] {
                let told = try await place.start(command).end()
                #expect(told.errors.contains("the last sync of zoo.animals found no record"), "\(command): \(told)")
                #expect(!told.errors.contains("garner sync"), "\(command): \(told)")
            }
            #expect(try await place.shell("garner preview zoo.animals").code == 0)
        }
    }

    @Test func `a folder is no database`() async throws {
        try await Self.withAnimals("primary_key: id") { place in
            #expect(try await place.shell("mkdir data.db").code == 0)
            let tables = try await place.garner("tables", "-d", "data.db")
            #expect(tables.errors.contains("data.db is a folder and no database"), "\(tables)")
        }
    }

    @Test func `a device and a link to a disk that is not there are no database`() async throws {
        try await Self.withAnimals("primary_key: id") { place in
            #expect(
                try await place.shell("ln -s /none/of/it/garner.db loose.db; ln -s new.db link.db; mkfifo pipe.db").code
                    == 0)
            let cases: [(path: String, code: Int32, words: String)] = [
                ("/dev/null", 64, "--database is a device, and no file"),
                ("pipe.db", 74, "pipe.db is a device, a pipe or a socket, and no database"),
                ("loose.db", 73, "loose.db is a link to /none/of/it/garner.db, and /none/of/it is not there"),
            ]
            for (path, code, words) in cases {
                for command in ["sync", "check", "tables"] {
                    let told = try await place.garner(command, "-d", path)
                    #expect(told.code == code && told.errors.contains(words), "\(command): \(told)")
                }
            }
            #expect(try await place.garner("sync", "-d", "link.db").code == 0)
        }
    }

    @Test func `an export that is not what its name says tells so, and so does one without a file`() async throws {
        try await Self.withAnimals("primary_key: id, search: [owner__login]") { place in
            #expect(try await place.garner("sync").code == 0)
            let json = try await place.garner("export", "animals", "-f", "json", "-o", "x.csv")
            #expect(json.errors.contains("3 rows in x.csv, as json, although its name says another format"), "\(json)")
            let csv = try await place.garner("export", "animals", "-f", "csv", "-o", "y.csv")
            #expect(!csv.errors.contains("although"), "\(csv)")
            let files = try await place.garner("export", "animals", "--attachments", "pictures")
            #expect(
                files.errors.contains("0 files in pictures: no record of animals has a file that was stored"),
                "\(files)")
            let words = try await place.garner("search", "animals", "o1 OR o2")
            #expect(words.errors.contains("'OR' was looked for as a word; with --raw it is an operator"), "\(words)")
            let operators = try await place.garner("search", "animals", "o1 OR o2", "--raw")
            #expect(operators.output.contains("o2") && !operators.errors.contains("--raw"), "\(operators)")
        }
    }

    @Test func `a condition that no record of the parent meets is told of`() async throws {
        try await Self.withAnimals("primary_key: id") { place in
            let text = try place.text(of: "garner.yaml")
            func write(_ condition: String) throws {
                try place.write(
                    text
                        + "\n      toys: { path: \"toys/{parent.id}\", parent: { stream: animals, where: \"\(condition)\" } }\n",
                    to: "garner.yaml")
            }
            try write("owner__login = 'O1'")
            let none = try await place.garner("sync")
            #expect(
                none.errors.contains(
                    "meets parent.where (owner__login = 'O1'), so that nothing was asked for; owner__login is 'o1' or 'o2' or 'o3' there"
                ),
                "\(none)")
            try write("owner__login = 'o1'")
            let one = try await place.garner("sync")
            #expect(!one.errors.contains("meets parent.where"), "\(one)")
        }
    }

    @Test(arguments: [("[{\"id\":1,\"of\":\"PATH\"}]", true), ("[{\"id\":1,\"of\":\"all\"}]", false)])
    func `children of several parents with one key are told of where they differ, and the advice keeps all`(
        page: String, differs: Bool
    ) async throws {
        try await LoopbackServer.serve({ request in
            .json(
                request.target == "/zoos"
                    ? #"[{"id":1},{"id":2},{"id":3}]"# : page.replacing("PATH", with: request.target))
        }) { server in
            let place = try Workplace(api: server.url, streams: ["zoos"])
            let text = try place.text(of: "garner.yaml")
            func write(_ settings: String) throws {
                try place.write(
                    text + "\n      cages: { path: \"zoos/{parent.id}/cages\", parent: zoos, \(settings) }\n",
                    to: "garner.yaml")
            }
            try write("primary_key: id")
            let sync = try await place.garner("sync")
            #expect(sync.errors.contains("of different parents have the id of another one") == differs, "\(sync)")
            guard differs else { return }
            #expect(
                sync.errors.contains("set include_from_parent: [id] and primary_key: [_zoos_id, id] if they are"),
                "\(sync)")
            #expect(sync.errors.contains("or leave out with fields: { drop: … } what differs"), "\(sync)")
            try write("primary_key: id, fields: { drop: [of] }")
            let dropped = try await place.garner("sync")
            #expect(dropped.code == 0 && !dropped.errors.contains("of different parents"), "\(dropped)")
            try write("include_from_parent: [id], primary_key: [_zoos_id, id]")
            let changed = try await place.garner("sync")
            #expect(changed.errors.contains("run 'garner drop zoo.cages'"), "\(changed)")
            #expect(try await place.shell("garner drop zoo.cages --yes && garner sync").code == 0)
            #expect(try place.integers("SELECT _zoos_id FROM cages ORDER BY 1") == [1, 2, 3])
        }
    }
}
