import GarnerPresentation
import TestSupport
import Testing

/// Tables on a terminal of 80 cells, and what they are in a pipe.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct TerminalTests {
    private static let long = "a blue whale 鯨 🐋 that has a description of more cells than any line of a terminal has"

    /// Two runs, between which a record changes; one is in quarantine.
    private static func withData(_ body: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        let isFirst = Watched(true)
        try await LoopbackServer.serve({ _ in
            let mass = isFirst.value ? 150_000 : 151_000
            let records = (1...30).map { number in
                #"{"id":\#(number),"name":"\#(long)","mass":\#(mass),"habitat":{"ocean":"Pacific","depth":\#(number)},"#
                    + #""tags":["\#(long)"],"seen_at":"2026-01-31T08:00:00Z","latin_name":"Balaenoptera musculus","#
                    + #""is_endangered_in_any_ocean":true}"#
            }
            return .json("[\(records.joined(separator: ",")),{\"name\":\"\(long)\"}]")
        }) { server in
            let place = try Workplace(
                api: server.url,
                "primary_key: id, history: true, search: [name], schedule: { every: 1h }, "
                    + "paginator: { type: single_page }"
            )
            try await place.garner("sync")
            isFirst.value = false
            try await place.garner("sync")
            try await body(place)
        }
    }

    private static let commands: [[String]] = [
        ["status"], ["runs"], ["runs", "show", "2"], ["runs", "lateness"], ["tables"], ["schema"],
        ["schema", "--diff"],
        ["state", "show"], ["quarantine", "list"], ["quarantine", "show", "1"], ["changes"], ["rows", "animals"],
        ["query", "SELECT *, id AS again FROM animals"], ["search", "animals", "whale"], ["plan"], ["check"],
        ["check", "--connect"], ["preview", "animals"], ["schedule"], ["doctor"], ["get", "animals", "1"],
        ["get", "animals", "1", "--history"], ["config", "show"], ["migrate", "--status"],
    ]

    @Test func `every table fits a terminal`() async throws {
        try await Self.withData { place in
            for command in Self.commands {
                let piped = try await place.start(command).end()
                let shown = try await place.start(command, output: .lines(columns: 80)).end()
                #expect(!piped.output.contains("…"), "\(command)")
                #expect(shown.code == piped.code, "\(command): \(shown.errors)")
                #expect(shown.output.isEmpty == piped.output.isEmpty, "\(command): \(shown.errors)")
                for line in withoutDecoration(shown.output).split(separator: "\n") {
                    // A path is not broken, so that it can be copied.
                    if command == ["doctor"], line.contains(place.path) { continue }
                    #expect(DisplayWidth.of(String(line)) <= 80, "\(command): \(line)")
                }
            }
        }
    }

    @Test func `cells are cut, columns without room are counted, and a pipe gets all`() async throws {
        try await Self.withData { place in
            let piped = try await place.garner("rows", "animals")
            #expect(piped.errors == "")
            #expect(piped.output.split(separator: "\n").dropFirst().allSatisfy { $0.contains(Self.long) })
            let withColumns = try await place.garner("rows", "animals", environment: ["COLUMNS": "40"])
            #expect(withColumns.output == piped.output)

            let shown = try await place.garner("rows", "animals", output: .lines(columns: 80))
            #expect(shown.output.contains("…") && !shown.output.contains("Balaenoptera musculus"))
            #expect(
                shown.errors.wholeMatch(of: /\d more columns?: --wide shows all, --vertical one field a line\n/) != nil)
            let quiet = try await place.garner("rows", "animals", "-q", output: .lines(columns: 80))
            #expect((quiet.output, quiet.errors) == (shown.output, ""))

            let wide = try await place.garner("rows", "animals", "--wide", output: .lines(columns: 80))
            #expect(withoutDecoration(wide.output) == piped.output)
            #expect(wide.errors == "")
        }
    }

    @Test func `a terminal that does not know its width has that of the environment`() async throws {
        try await Self.withData { place in
            let shown = try await place.garner(
                "rows", "animals", environment: ["COLUMNS": "40"], output: .terminal)
            let lines = withoutDecoration(shown.output).split(separator: "\n")
            // The last line is about the columns, on standard error.
            #expect(lines.dropLast().allSatisfy { DisplayWidth.of(String($0)) <= 40 })
            #expect(lines.count == 32 && shown.output.contains("…"))
        }
    }

    @Test func `a long result fits in all of its parts`() async throws {
        try await Self.withData { place in
            let sql = """
                WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
                SELECT i, printf('%.*c', 20 + i / 100, 'x') AS text, i * 1000 AS number FROM n
                """
            let shown = try await place.garner("query", sql, output: .lines(columns: 80))
            let lines = withoutDecoration(shown.output).split(separator: "\n")
            #expect(lines.count == 12_001)
            #expect(lines.allSatisfy { DisplayWidth.of(String($0)) <= 80 })
            #expect(lines.last.map { $0.hasPrefix("12000  xxx") && $0.hasSuffix("…  12000000") } ?? false)
        }
    }

    @Test func `a record can be shown with one field a line`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url)
            try await place.garner("sync")
            let rows = try await place.garner("rows", "animals", "--vertical")
            #expect(
                rows.output == """
                    ─── 1 ───
                    id    1
                    name  animal 1
                    ─── 2 ───
                    id    2
                    name  animal 2

                    """)
            let record = try await place.garner("--vertical", "get", "animals", "2")
            #expect(record.output == "id    2\nname  animal 2\n")
            let run = try await place.garner("runs", "show", "1", "--vertical")
            #expect(run.output.hasPrefix("run_id") && run.output.contains("\n─── 1 ───\nsent_at"))
            let usual = try await place.garner(
                "rows", "animals", "--wide", environment: ["GARNER_FORMAT": "json"])
            #expect(usual.output == "id  name\n 1  animal 1\n 2  animal 2\n")
        }
    }

    @Test(arguments: [
        ["--wide", "--json"], ["--vertical", "-f", "csv"], ["--wide", "-f", "markdown"], ["--wide", "--vertical"],
    ])
    func `forms of tables are none of other formats`(options: [String]) async throws {
        let refused = try await Workplace().start(["tables"] + options).end()
        #expect(refused.code == 64)
    }

    @Test func `a stream's status is one line of what matters`() async throws {
        try await Self.withData { place in
            let shown = try await place.garner("status")
            let lines = shown.output.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(
                lines.first?.split(separator: " ") == ["stream", "state", "rows", "ended", "due", "remark"])
            #expect(
                lines.last?.contains(/zoo\.animals +succeeded +30 +\d+[sm] ago +in \d+[smh] +/) ?? false, "\(lines)")
            let names = members(of: try await place.garner("status", "--json").output)
            let wide = try await place.garner("status", "--wide")
            #expect(wide.output.split(separator: "\n").first?.split(separator: " ").map(String.init) == names)
            let vertical = try await place.garner("status", "--vertical")
            #expect(
                vertical.output.split(separator: "\n").dropFirst().map { $0.prefix { $0 != " " } }
                    == names.map { $0[...] })
            let csv = try await place.garner("status", "-f", "csv")
            #expect(csv.output.hasPrefix(names.joined(separator: ",") + "\n"))
        }
    }
}
