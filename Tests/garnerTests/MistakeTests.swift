import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct MistakeTests {
    static let mistakes: [([String], Int32, String, String)] = [
        (["snyc"], 64, "there is no command 'snyc'", "did you mean 'garner sync'?"),
        (["help", "snyc"], 64, "there is no command 'snyc'", "did you mean 'garner help sync'?"),
        (["help", "formts"], 64, "there is no command 'formts'", "did you mean 'garner help formats'?"),
        (["sync", "animls"], 64, "no stream is called 'animls'", "did you mean 'animals'?"),
        (
            ["sync", "anim\u{430}ls"], 64, "no stream is called",
            "did you mean 'animals'? '\u{430}' is U+0430, which that name does not have"
        ),
        (["sync", "zoo.animls"], 64, "no stream is called 'zoo.animls'", "did you mean 'zoo.animals'?"),
        (["sync", "zoo"], 64, "no stream is called 'zoo'", "did you mean 'zoo.animals'?"),
        (["sync", "whales"], 64, "no stream is called 'whales'", "the streams are: zoo.animals"),
        (["changes", "whales"], 64, "no stream is called 'whales'", "the streams are: zoo.animals"),
        (["rows", "animls"], 64, "there is no table 'animls'", "did you mean 'animals'?"),
        (["schema", "animls"], 64, "there is no table 'animls'", "did you mean 'animals'?"),
        (["export", "animls"], 64, "there is no table 'animls'", "did you mean 'animals'?"),
        (
            ["init", "api.example.com/items", "-c", "new.yaml"], 64, "this is not an absolute URL",
            "write https://api.example.com/items"
        ),
        (
            ["init", "127.0.0.1:8080/items", "--config", "new.yaml"], 64, "this is not an absolute URL",
            "write http://127.0.0.1:8080/items"
        ),
        (["init", "htpp://a.example/x", "-c", "new.yaml"], 64, "not an absolute URL", "write http://a.example/x"),
        (["add", "/v1/x"], 64, "not an absolute URL", "write the whole URL: http://127.0.0.1:"),
        (
            ["init", "file:///data/my%20x.json", "-c", "new.yaml"], 64, "not an absolute URL",
            "python3 -m http.server 8000 --bind 127.0.0.1 --directory /data/, and in another terminal: garner add http://127.0.0.1:8000/my%20x.json"
        ),
        (
            ["fetch", "items.json"], 64, "is no http or https URL",
            "and in another terminal: garner fetch http://127.0.0.1:8000/items.json"
        ),
        (["fetch", "a.example/x.json"], 64, "is no http or https URL", "write https://a.example/x.json"),
        (["fetch", "/animals/1"], 64, "is no http or https URL", "write garner fetch /animals/1 --auth zoo.animals"),
        (["fetch", "animals"], 64, "is no http or https URL", "write garner fetch animals --auth zoo.animals"),
        (["tables", "--js"], 64, "Unknown option '--js'", "did you mean '--json'?"),
        (["sync", "--full-r"], 64, "Unknown option '--full-r'", "did you mean '--full-refresh'?"),
        (
            ["get", "animals", "1", "2"], 64, "has 1 part: id",
            "use: garner rows animals --where '\"id\" IN (1, 2)'"
        ),
        (["sync", "--bogus"], 64, "Unknown option '--bogus'", "garner sync --help"),
        (["sync", "--max-pages", "0"], 64, "--max-pages must be at least 1", "garner sync --help"),
        (["sync", "--from", "1"], 64, "--from and --to need the name of a stream", "garner sync zoo.animals --from 1"),
        (
            ["sync", "animals", "--to", "1", "--full-refresh"], 64, "--full-refresh reads everything",
            "garner sync --help"
        ),
        (["sync", "animals", "--from", "1"], 64, "zoo.animals is not incremental", "--full-refresh"),
        (["rows"], 64, "Missing expected argument '<table>'", "garner rows --help"),
        (["rows", "animals", "--limit=-1"], 64, "--limit must not be negative", "garner rows --help"),
        (["runs", "--limit", "0"], 64, "--limit must be at least 1", "garner runs"),
        (["runs", "show", "99"], 64, "there is no run 99", "garner runs"),
        (["rows", "animals", "--columns", "nme"], 64, "has no column 'nme'", "did you mean 'name'?"),
        (["rows", "animals", "--columns", "weight"], 64, "has no column 'weight'", "it has: "),
        (["rows", "animals", "--order", "nmae DESC"], 64, "no such column: nmae", "did you mean 'name'?"),
        (["rows", "animals", "--where", "nmae = 1"], 64, "no such column: nmae", "did you mean 'name'?"),
        (
            ["rows", "animals", "--where", "name=open"], 64, "no such column: open",
            "write text in single quotes: \"name='open'\""
        ),
        (
            ["rows", "animals", "--where", "id = 1 AND name = \"open\""], 64, "no such column: ",
            "write text in single quotes: \"id = 1 AND name = 'open'\""
        ),
        (
            ["export", "animals", "--where", "name IN (it)"], 64, "no such column: it",
            "write text in single quotes: \"name IN ('it')\""
        ),
        (["query", "SELECT nmae FROM animals"], 64, "no such column: nmae", "did you mean 'name'?"),
        (["query", "SELECT a.nmae FROM animals AS a"], 64, "no such column: a.nmae", "did you mean 'name'?"),
        (["query", "SELECT * FROM animal"], 64, "no such table: animal", "did you mean 'animals'?"),
        (["query", "SELECT * FROM x"], 64, "no such table: x", "the tables are: animals"),
        (["query", "SELECT zzzzzz FROM animals"], 64, "no such column: zzzzzz", "garner schema"),
        (["export", "--sql", "SELECT nmae FROM animals"], 64, "no such column: nmae", "did you mean 'name'?"),
        (["sync", "--full"], 64, "Unknown option '--full'", "did you mean '--full-refresh'?"),
        (["import", "x.csv"], 64, "there is no command 'import'", "Garner reads JSON APIs ('garner init URL')"),
        (["load", "data/x.XLSX"], 64, "there is no command 'load'", "('garner init --from FILE'), but no XLSX"),
        (["import", "my spec.yaml"], 64, "there is no command 'import'", "garner init --from 'my spec.yaml'"),
        (["import", "zoo.animals"], 64, "there is no command 'import'", "did you mean 'garner sync zoo.animals'?"),
        (["run"], 64, "there is no command 'run'", "did you mean 'garner sync'?"),
        (["serve", "--port", "8787"], 64, "Unknown option '--port'", "did you mean '--listen 127.0.0.1:PORT'?"),
        (["rows", "animals", "--zzzz"], 64, "Unknown option '--zzzz'", "garner rows --help"),
        (["rows", "animals", "--sort", "id"], 64, "Unknown option '--sort'", "did you mean '--order'?"),
        (["export", "animals", "--filter", "id"], 64, "Unknown option '--filter'", "did you mean '--where'?"),
        (["status", "animls"], 64, "no stream is called 'animls'", "did you mean 'animals'?"),
        (["runs", "--until", "noon"], 64, "'noon' is neither an age nor an instant", "'2 days', today, yesterday"),
        (["export", "animals", "--attachments", "x", "--as-of", "1h"], 64, "as they are", "garner export --help"),
        (["rows", "animals", "--columns", "id,\u{301}x"], 64, "has no column '\u{301}x'", "it has: "),
        (["rows", "animals", "--where", "id ="], 64, "syntax error", "garner schema"),
        (
            ["rows", "animals", "--changed-since", "3 moons"], 64, "'3 moons' is neither an age nor an instant",
            "24h"
        ),
        (["rows", "animals", "--as-of", "2262-01-01"], 64, "'2262-01-01' lies in the future", "a time that has been"),
        (["rows", "animals", "--changed-since", "2262-01-01"], 64, "lies in the future", "a time that has been"),
        (["changes", "--since", "2262-01-01"], 64, "lies in the future", "a time that has been"),
        (["runs", "--since", "2262-01-01"], 64, "lies in the future", "a time that has been"),
        (["rows", "animals", "-where", "id = 3"], 64, "Unknown option '-where'", "did you mean '--where'?"),
        (["rows", "animals", "-where=id=3"], 64, "Unknown option '-where'", "did you mean '--where'?"),
        (["rows", "animals", "-format", "csv"], 64, "Unknown option '-format'", "did you mean '--format'?"),
        (["sync", "-full-refresh"], 64, "Unknown option '-full-refresh'", "did you mean '--full-refresh'?"),
        (["quarantine", "retry", "-all"], 64, "Unknown option '-all'", "did you mean '--all'?"),
        (["query", "SELEC 1"], 64, "syntax error", "did you mean 'SELECT'?"),
        (["query", "SELECT 1; SELECT 2"], 64, "more than one statement", "ask for each of them by itself"),
        (["query", "DELETE FROM animals"], 64, "the query would change the database", "queries only read"),
        (["query", "SELECT :a"], 64, "has no value", "-p a=VALUE"),
        (["query", "SELECT 1", "-p", "a=1"], 64, "has no parameter :a", ":a"),
        (["query", "SELECT 1", "-p", "a=\u{301}"], 64, "has no parameter :a", ":a"),
        (["query", "SELECT 1", "-p", "a"], 64, "-p a is not of the form name=value", "-p a=VALUE"),
        (["export", "animals", "-f", "table"], 64, "cannot be exported as table", "choose one of: "),
        (["export"], 64, "Give either a table or --sql", "garner export --help"),
        (
            ["export", "animals", "--sql", "SELECT 1"], 64, "Give either a table or --sql",
            "garner export --sql 'SELECT 1'"
        ),
        (["export", "--sql", "SELECT 1", "--where", "1"], 64, "are for tables", "garner export --help"),
        (["export", "animals", "--attachments", "x", "--crlf"], 64, "as they are", "garner export --help"),
        (["export", "animals", "--where", "load_extension('x')"], 64, "call load_extension()", "queries only read"),
        (["rows", "animals", "--order", "(DELETE FROM animals)"], 64, "syntax error", "at 'DELETE'"),
        (["rows", "zoo.animals"], 64, "there is no table 'zoo.animals'", "did you mean 'animals'?"),
        (["query", "SELECT * FROM zoo.animals"], 64, "no such table: zoo.animals", "did you mean 'animals'?"),
        (["query", "ATTACH 'x.db' AS x"], 64, "attach or detach a database", "garner query -d x.db 'SELECT name FROM"),
        (["query", "DETACH x"], 64, "attach or detach a database", "queries only read"),
        (["query", "SELECT :id", "-p", "idd=1"], 64, "has no parameter :idd", "give it with: -p id=VALUE"),
        (["query", "SELECT 1", "--timeout", "1"], 64, "'1' is not a duration", "garner query --help"),
        (
            ["status", "--format", "prometheus"], 64, "Please provide one of the following: table, json, ndjson",
            "garner status --help"
        ),
        (["schedule", "--every", "1"], 64, "'1' is not an interval", "90s"),
        (["schedule", "--cron", "0 0 30 2 *"], 64, "names a day that no month has", "change the day"),
        (["schedule", "--cron", "0 25 * * *"], 64, "'25' is out of range (hour)", "0 to 23"),
        (["schedule", "--cron", "@daily", "--timezone", "berlin"], 64, "'berlin' is no time zone", "Europe/Berlin"),
        (["schedule", "--cron", "@daily", "--every", "1m"], 64, "one of them", "garner schedule --help"),
        (["schedule", "--from", "noon"], 64, "'noon' is neither", "2026"),
        (["init", "not-a-url", "--config", "new.yaml"], 64, "not an absolute URL", "https://"),
        (["check", "--config", "none.yaml"], 66, "there is no configuration none.yaml", "garner init"),
        (["tables", "--config", "garner.db"], 66, "cannot read garner.db: it is a database of SQLite", "-d garner.db"),
        (["check", "--config", "garnr.yaml"], 66, "there is no configuration garnr.yaml", "--config garner.yaml"),
        (["sync", "--config", "none.yaml"], 66, "there is no configuration none.yaml", "garner init"),
        (["tables", "--database", "none.db"], 66, "there is no database none.db", "garner sync"),
        (["export", "animals", "-o", "none/x.csv"], 73, "cannot write none/x.csv", "mkdir -p none"),
        (["export", "animals", "-o", "garner.yaml/x.csv"], 73, "cannot write garner.yaml/x.csv", "the folder exists"),
        (
            ["sync", "--database", "garner.yaml/x.db"], 73, "garner.yaml/x.db cannot be created: garner.yaml is a file",
            "name one beside that file, such as x.db"
        ),
        (["init"], 73, "garner.yaml exists already", "--config"),
        (["demo", "--folder", "garner.yaml/x"], 73, "cannot write", "the folder exists"),
        (["tables", "--database", "garner.yaml"], 74, "garner.yaml", "restore it"),
        (["check", "--config", "broken.yaml"], 78, "unknown key 'base_ulr'", "did you mean 'base_url'?"),
    ]

    @Test(arguments: mistakes)
    func `a mistake is told on standard error, with what to do`(
        arguments: [String], code: Int32, message: String, hint: String
    ) async throws {
        let place = try await Self.place()
        let told = try await place.start(arguments).end()
        #expect(told.code == code)
        #expect(told.output == "")
        expectThreeParts(told.errors, beginning: "Error: ")
        #expect(told.errors.contains(message))
        #expect(told.errors.split(separator: "\n").last?.contains(hint) == true)
    }

    @Test func `a variable of the shell that leads elsewhere is named`() async throws {
        let place = try await Self.place()
        let moved = try await place.garner("tables", environment: ["GARNER_CONFIG": "/none/garner.yaml"])
        #expect(moved.code == 66 && moved.errors.contains("/none/garner.yaml, which GARNER_CONFIG names"), "\(moved)")
        #expect(
            try await place.shell("GARNER_CONFIG=/none; export GARNER_CONFIG; unset GARNER_CONFIG; garner check").code
                == 0)
        let old = try await place.garner("tables", environment: ["GARNER_DATABASE": "old.db"])
        #expect(
            old.code == 66 && old.errors.contains("old.db yet; GARNER_DATABASE names it\nTry: read that of"), "\(old)")
        #expect(try await place.garner("tables").code == 0)
    }

    @Test func `a database of another program is read by the line that is told`() async throws {
        let place = try Workplace()
        #expect(try await place.shell("sqlite3 other.db 'CREATE TABLE t(a)'").code == 0)
        let told = try await place.garner("rows", "t", "-d", "other.db")
        let line = try #require(told.errors.firstMatch(of: /Try: (garner query .+), which reads any/)?.1, "\(told)")
        #expect(told.code == 78)
        #expect(try await place.shell("\(line)").output.contains("t"))
    }

    @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .isoLatin1])
    func `a file in another encoding is told with the line that changes it`(encoding: String.Encoding) async throws {
        let place = try Workplace()
        let lines = "version: 1\n# für alle\nsources: { zoo: { base_url: http://a.example/, streams: { animals: } } }\n"
        let text = try #require(lines.data(using: encoding))
        try text.write(to: URL(filePath: place.folder.path("garner.yaml")))
        let told = try await place.garner("check")
        #expect(told.code == 66 && told.errors.contains("cannot read garner.yaml: it is "), "\(told)")
        let line = try #require(told.errors.firstRange(of: "iconv").map { String(told.errors[$0.lowerBound...]) })
        #expect(try await place.shell(line + "garner check").code == 0)
    }

    private static func place() async throws -> Workplace {
        let place = try Workplace(api: "http://127.0.0.1:9")
        try place.write("version: 1\nsources: { zoo: { base_ulr: http://a.example/ } }\n", to: "broken.yaml")
        try await place.store()
        return place
    }

    /// One mistake of each kind is enough: all are written in one place.
    private static let ofEachKind: [([String], Int32)] = [
        (["snyc"], 64), (["sync", "--bogus"], 64), (["rows"], 64), (["sync", "animls"], 64),
        (["query", "SELEC 1"], 64), (["query", "DELETE FROM animals"], 64), (["schedule", "--every", "1"], 64),
        (["sync", "--full"], 64), (["tables", "--database", "none.db"], 66), (["init"], 73),
        (["tables", "--database", "garner.yaml"], 74), (["check", "--config", "broken.yaml"], 78),
    ]

    @Test(arguments: ofEachKind)
    func `a mistake is an object where JSON is asked for`(arguments: [String], code: Int32) async throws {
        let json = try await Self.place().start(arguments + ["-f", "json"]).end()
        #expect(json.code == code)
        #expect(json.output == "")
        let named = ["error", "error.code", "error.kind", "error.message", "error.stream", "error.url", "error.hint"]
        #expect(members(of: json.errors).prefix(7) == named[...])
        #expect(json.errors.hasPrefix(#"{"error":{"code":\#(code),"#))
        #expect(json.errors.hasSuffix("}}\n"))
    }

    @Test(arguments: ["rows plants", "rows zoo.plants", "schema plants", "query 'SELECT * FROM plants'"])
    func `a stream of the file without a table is to be synced first`(command: String) async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, streams: ["animals", "plants"])
            #expect(try await place.garner("sync", "animals").code == 0)
            let told = try await place.shell("garner \(command)")
            let line = try #require(told.errors.firstMatch(of: /Try: run '(.+)' first\n$/)?.1, "\(told)")
            #expect(try await place.shell("\(line)").code == 0)
            let again = try await place.shell("garner \(command)")
            #expect(again.code == 0 || again.errors.contains("did you mean 'plants'?"), "\(again)")
        }
    }

    @Test func `a stream whose table has another name leads to that`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1}]"#) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, table: things")
            #expect(try await place.garner("sync").code == 0)
            for name in ["animals", "zoo.animals"] {
                let told = try await place.garner("query", "SELECT * FROM \(name)")
                #expect(told.errors.contains("Try: did you mean 'things'?"), "\(told)")
            }
            #expect(try await place.garner("query", "SELECT * FROM things").code == 0)
        }
    }

    @Test func `a stream without a schedule is named`() async throws {
        let place = try Workplace(api: "http://127.0.0.1:9")
        let told = try await place.garner("schedule", "animals")
        #expect((told.output + told.errors).contains("animals has no schedule; give it one with "), "\(told)")
    }

    @Test func `a table that no sync has made yet is not offered`() async throws {
        try await LoopbackServer.serve({ _ in .status(500) }) { server in
            let place = try Workplace(api: server.url)
            #expect(try await place.garner("sync").code == 69)
            let rows = try await place.garner("rows", "animals")
            #expect(rows.code == 64)
            #expect(rows.errors == "Error: there is no table 'animals'\nTry: run 'garner sync' first\n")
        }
    }
}
