import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct OptionTests {
    private static func withData(_ body: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url)
            try await place.store()
            try await body(place)
        }
    }

    static let spellings: [([String], String)] =
        [
            ["--json", "tables"], ["tables", "--json"], ["-f", "json", "tables"], ["tables", "-f", "json"],
            ["--format", "json", "tables"], ["--format=json", "tables"], ["-f", "csv", "tables", "-f", "json"],
            ["-d", "garner.db", "--color=never", "-q", "--no-progress", "tables", "--json"],
            ["--config", "garner.yaml", "tables", "-v", "--json"],
        ].map { ($0, #"{"table":"animals","#) }
        + [
            ["--json", "runs", "show", "1"], ["runs", "--json", "show", "1"], ["runs", "show", "--json", "1"],
            ["runs", "show", "1", "--json"],
        ].map { ($0, #"{"run_id":1,"#) }

    @Test(arguments: spellings)
    func `shared options stand before a command, within it or after it`(arguments: [String], json: String) async throws
    {
        try await Self.withData { place in
            let told = try await place.start(arguments).end()
            #expect(told.code == 0 && told.output.contains(json), "\(told)")
        }
    }

    @Test(arguments: [["--json", "tables", "-f", "csv"], ["tables", "--format=ndjson", "--json"]])
    func `two formats are refused`(arguments: [String]) async throws {
        try await Self.withData { place in
            let told = try await place.start(arguments).end()
            #expect(told.code == 64 && told.output.isEmpty, "\(told)")
            #expect(told.errors.contains("exclude each other; leave out one of them"), "\(told)")
            let same = try await place.start(["tables", "--json", "-f", "json"]).end()
            #expect(same.code == 0, "\(same)")
        }
    }

    @Test func `an environment variable sets each option, and the option wins`() async throws {
        try await Self.withData { place in
            let json = try await place.garner("tables", environment: ["GARNER_FORMAT": "json"])
            #expect(json.output.contains(#"{"table":"animals","#))
            let csv = try await place.garner("tables", "-f", "csv", environment: ["GARNER_FORMAT": "json"])
            #expect(
                csv.output.hasPrefix(
                    "table,stream,rows,last_changed_at,deleted,kind,configured\nanimals,zoo.animals,2,"))
            let export = try await place.garner("export", "animals", environment: ["GARNER_FORMAT": "ndjson"])
            #expect(export.output.hasPrefix(#"{"id":1,"#))
            let failed = try await place.garner("rows", "animls", environment: ["GARNER_FORMAT": "json"])
            #expect(failed.errors.hasPrefix(#"{"error":{"code":64,"#))

            let other = try Workplace()
            let config = try await other.garner(
                "check", environment: ["GARNER_CONFIG": place.folder.path("garner.yaml")])
            #expect(config.code == 0)
            let rows = try await other.garner("rows", "animals", environment: ["GARNER_DATABASE": place.database])
            #expect(rows.output.contains("animal 2"))
            let missing = try await place.garner(
                "tables", "--database", "none.db", environment: ["GARNER_DATABASE": place.database])
            #expect(missing.code == 66)
        }
    }

    @Test func `rows that the usual limit leaves out are mentioned`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 60) }) { server in
            let place = try Workplace(api: server.url)
            try await place.garner("sync")
            let cut = try await place.garner("rows", "animals", "--format", "ndjson")
            #expect(cut.output.split(separator: "\n").count == 100)
            #expect(cut.errors == "There are more rows; --limit 0 shows all.\n")
            for options in [["--limit", "0"], ["--limit", "5"], ["-q"], ["--where", "id <= 100"]] {
                let rows = try await place.start(["rows", "animals"] + options).end()
                #expect(rows.errors == "", "\(options)")
            }
        }
    }

    @Test(
        arguments: [
            (
                ["sync", "-d", "postgresql://u:s3cret@db.example/w"], [:], "--database",
                "leave it out, and write database: postgresql://USER@HOST/DATABASE into the configuration"
            ),
            (
                ["--database=mysql://u:s3cret@db.example/w", "tables"], [:], "--database",
                "--database garner.db; to have each stream as a table in PostgreSQL, too, add publish: postgresql://"
            ),
            (
                ["serve"], ["GARNER_DATABASE": "mysql://u:s3cret@db.example/w"], "GARNER_DATABASE",
                "GARNER_DATABASE=garner.db; to have each stream as a table in PostgreSQL, too, add publish: postgresql://"
            ),
        ] as [([String], [String: String], String, String)])
    func `the URL of a server is no database, and makes no file`(
        arguments: [String], environment: [String: String], name: String, advice: String
    ) async throws {
        let place = try Workplace()
        let told = try await place.start(arguments, environment: environment).end()
        #expect(told.code == 64)
        expectThreeParts(told.errors, beginning: "Error: \(name) is the URL of a ")
        #expect(told.errors.contains("Try: \(advice)"), "\(told)")
        #expect(!(told.output + told.errors).contains("s3cret") && place.names.isEmpty)
    }

    @Test func `the URL of a server in the file is refused before anything is made`() async throws {
        let place = try Workplace("version: 1\ndatabase: mysql://u:s3cret@db.example/w\nsources: {}\n")
        for command in ["check", "sync", "serve", "status", "tables", "doctor"] {
            let told = try await place.garner(command)
            #expect(told.code == 78 || command == "doctor" && told.code != 0, "\(command): \(told)")
            #expect(!(told.output + told.errors).contains("s3cret"), "\(command): \(told)")
            #expect(told.errors.contains("publish: postgresql://USER@HOST/DATABASE") || command == "doctor")
            #expect(place.names == ["garner.yaml"], "\(command)")
        }
    }

    @Test func `a format in the environment that is none is told`() async throws {
        let told = try await Workplace().garner("tables", environment: ["GARNER_FORMAT": "jsn"])
        #expect(told.code == 64)
        #expect(told.errors == "Error: GARNER_FORMAT is 'jsn', which is no format\nTry: did you mean 'json'?\n")
    }

    @Test(arguments: [
        (["--color", "always"], [:], true), (["--color=always"], ["NO_COLOR": "1"], true),
        (["--color", "auto"], [:], false), ([], [:], false), ([], ["FORCE_COLOR": "1"], true),
        ([], ["FORCE_COLOR": "1", "NO_COLOR": "1"], false), (["--color", "never"], ["FORCE_COLOR": "1"], false),
    ])
    func `colour follows --color, NO_COLOR, FORCE_COLOR and the terminal`(
        options: [String], environment: [String: String], isColored: Bool
    ) async throws {
        try await Self.withData { place in
            let (bold, red, end) = isColored ? ("\u{1B}[1m", "\u{1B}[1;31m", "\u{1B}[0m") : ("", "", "")
            let rows = try await place.start(["rows", "animals"] + options, environment: environment).end()
            #expect(rows.output == "\(bold)id  name\(end)\n 1  animal 1\n 2  animal 2\n")
            let told = try await place.start(["rows", "animls"] + options, environment: environment).end()
            #expect(
                told.errors
                    == "\(red)Error:\(end) there is no table 'animls'\n\(bold)Try:\(end) did you mean 'animals'?\n")
            let json = try await place.start(["rows", "animals", "--json"] + options, environment: environment).end()
            #expect(!json.output.contains("\u{1B}"))
        }
    }

    @Test func `a configuration is found among the user's settings, or is said to be nowhere`() async throws {
        let place = try Workplace()
        let none = try await place.garner("config", "path")
        #expect(none.code == 66)
        expectThreeParts(none.errors, beginning: "Error: no configuration was found")
        #expect(none.errors.contains("Try: write one with 'garner init URL', where URL is that of a list in your API"))
        #expect(none.errors.contains("garner.yaml, \(place.path)/.config/garner/garner.yaml, /etc/garner/garner.yaml"))

        let settings = place.folder.url.appending(path: "settings/garner")
        try FileManager.default.createDirectory(at: settings, withIntermediateDirectories: true)
        try place.write("version: 1\nsources:\n", to: "settings/garner/garner.yaml")
        let found = try await place.garner(
            "config", "path", environment: ["XDG_CONFIG_HOME": place.folder.path("settings")])
        #expect(found.output == place.folder.path("settings/garner/garner.yaml") + "\n")
    }

    @Test(arguments: [["sync"], ["tables"], ["--help"], ["rows", "animals"], ["rows", "animls"]])
    func `forced colours and none say the same`(arguments: [String]) async throws {
        try await Self.withData { place in
            let plain = try await place.start(arguments, environment: ["NO_COLOR": "1", "FORCE_COLOR": "1"]).end()
            #expect(!plain.output.contains("\u{1B}"))
            #expect(!plain.errors.contains("\u{1B}"))
            let forced = try await place.start(arguments, environment: ["FORCE_COLOR": "1"]).end()
            if arguments != ["sync"] {
                #expect(withoutDecoration(forced.output) == plain.output)
                #expect(withoutDecoration(forced.errors) == plain.errors)
            }
        }
    }

    @Test(arguments: [
        ["tables", "--json"], ["rows", "animals"], ["rows", "animals", "--json"], ["export", "animals"], ["status"],
        ["runs"], ["schema"], ["config", "show"], ["--help"],
    ])
    func `a terminal gets the same as a pipe`(arguments: [String]) async throws {
        try await Self.withData { place in
            let piped = try await place.start(arguments).end()
            let shown = try await place.start(arguments, environment: ["TERM": "xterm-256color"], output: .terminal)
                .end()
            #expect(shown.code == 0)
            // A second may pass between the two.
            let age = /\ *\d+ ?\w+ ago\ */
            #expect(withoutDecoration(shown.output).replacing(age, with: " ") == piped.output.replacing(age, with: " "))
        }
    }

    @Test func `progress is drawn on a terminal only, and gone at the end`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 6) }) { server in
            let place = try Workplace(api: server.url)
            let shown = try await place.garner("sync", environment: ["TERM": "xterm"], output: .terminal)
            #expect(shown.code == 0)
            #expect(shown.output.contains("\r\u{1B}[Kzoo.animals: "))
            let last = shown.output.split(separator: "\u{1B}[K").last ?? ""
            #expect(last.hasPrefix("zoo.animals: succeeded, 6 pages, 12 inserted"))
            for option in ["--no-progress", "-q"] {
                let quiet = try await place.garner("sync", option, environment: ["TERM": "xterm"], output: .terminal)
                #expect(!quiet.output.contains("\u{1B}"))
            }
            let piped = try await place.garner("sync")
            #expect(piped.errors.split(separator: "\n").count == 1)
        }
    }

    @Test func `quiet says nothing but errors`() async throws {
        try await LoopbackServer.serve({ $0.target == "/plants" ? .json("{") : .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, streams: ["animals", "plants"])
            let good = try await place.garner("sync", "animals", "--quiet")
            #expect((good.code, good.output + good.errors) == (0, ""))
            let bad = try await place.garner("sync", "plants", "--quiet")
            #expect(bad.code == 65)
            #expect(bad.errors.hasPrefix("Error: zoo.plants: "))
        }
    }

    @Test(arguments: [
        ["export", "animals"], ["rows", "animals", "--limit", "0", "--json"], ["query", "SELECT * FROM animals"],
    ])
    func `a reader that goes away ends a command silently`(arguments: [String]) async throws {
        let records = (1...6_000).map { #"{"id":\#($0),"name":"a name that takes up some room on the pipe"}"# }
        try await LoopbackServer.serve({ _ in .json("[\(records.joined(separator: ","))]") }) { server in
            let place = try Workplace(api: server.url)
            try await place.garner("sync")
            let cut = try await place.start(arguments, output: .readerThatLeaves(after: 100)).end()
            #expect(cut.code == 0)
            #expect(cut.errors == "")
            #expect(cut.output.utf8.count == 100)
        }
    }

    @Test func `a query comes from standard input`() async throws {
        try await Self.withData { place in
            let query = try await place.garner("query", "-", "-f", "csv", input: "SELECT count(*) AS n\nFROM animals\n")
            #expect(query.output == "n\n2\n")
        }
    }

    /// What stands behind the name of a parameter, its type and its value.
    private static let parameters = [
        ("=7", "text", "7"), ("=007", "text", "007"), ("=", "text", "\"\""), ("=é=1", "text", "é=1"),
        (":text=1:2", "text", "1:2"), (":int=-7", "integer", "-7"), (":real=1e3", "real", "1000.0"),
        (":real=7", "real", "7.0"), (":json= [1, {\"a\":2}]", "text", "\"[1,{\"\"a\"\":2}]\""), (":null=", "null", ""),
    ]

    @Test func `a parameter is a text unless its type is named`() async throws {
        try await Self.withData { place in
            let names = Self.parameters.indices.map { "v\($0)" }
            let columns = names.map { "typeof(:\($0)), :\($0)" }.joined(separator: ", ")
            let given = zip(names, Self.parameters).flatMap { ["-p", $0 + $1.0] }
            let query = try await place.start(["query", "SELECT \(columns)", "-f", "csv"] + given).end()
            let values = Self.parameters.map { "\($0.1),\($0.2)" }.joined(separator: ",")
            #expect(query.output.hasSuffix("\n\(values)\n"), "\(query)")
        }
    }

    @Test(arguments: [
        "v:int=1.5", "v:int=9223372036854775808", "v:real=nan", "v:real=", "v:json={", "v:null=1", "v:date=1",
    ])
    func `a parameter that is none of its type is refused`(parameter: String) async throws {
        try await Self.withData { place in
            let query = try await place.garner("query", "SELECT :v", "-p", parameter)
            #expect(query.code == 64)
            expectThreeParts(query.errors, beginning: "Error: ")
        }
    }
}

/// Removes what a terminal adds: sequences of ECMA-48, and CR before LF.
func withoutDecoration(_ text: String) -> String {
    text.replacing("\r\n", with: "\n").replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "")
}
