import Foundation
import TestSupport
import Testing

@testable import garner

/// Tables that are longer than the screen go through the user's pager.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct PagerTests {
    /// Sixty records, and a pager that writes what it gets into a file.
    private static func withData(_ body: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        let records = (1...60).map { #"{"id":\#($0),"name":"animal \#($0)"}"# }
        try await LoopbackServer.serve({ _ in .json(records.array) }) { server in
            let place = try Workplace(api: server.url)
            try await place.store(records.array)
            try place.write("cat > shown\necho \"$LESS\" > less\n", to: "pager")
            try await body(place)
        }
    }

    private static let screen = GarnerProcess.Output.screen(columns: 80, lines: 24)

    @Test(arguments: ["GARNER_PAGER", "PAGER"])
    func `a table that is longer than the screen goes through it`(variable: String) async throws {
        try await Self.withData { place in
            let piped = try await place.garner("rows", "animals", environment: [variable: "sh pager"])
            #expect(!place.names.contains("shown"))
            let shown = try await place.garner(
                "rows", "animals", environment: [variable: "sh pager", "TERM": "xterm"], output: Self.screen)
            #expect((shown.code, shown.output) == (0, ""))
            #expect(try withoutDecoration(place.text(of: "shown")) == piped.output)
            #expect(try place.text(of: "less") == "FRX\n")
            try await place.garner(
                "rows", "animals", environment: [variable: "sh pager", "LESS": "S"], output: Self.screen)
            #expect(try place.text(of: "less") == "S\n")
        }
    }

    @Test func `each command opens one pager, however many tables it writes`() async throws {
        try await Self.withData { place in
            let shown = try await place.garner(
                "preview", "animals", "--limit", "0", environment: ["PAGER": "sh pager"], output: Self.screen)
            #expect(shown.code == 0)
            let text = try withoutDecoration(place.text(of: "shown"))
            #expect(
                text.hasPrefix("column  type") && text.contains("\nid  name\n") && text.hasSuffix("60  animal 60\n"))
        }
    }

    @Test(arguments: [
        (["--no-pager"], ["PAGER": "sh pager"]), ([], ["GARNER_PAGER": "", "PAGER": "sh pager"]),
        ([], ["PAGER": "cat"]),
        (["--limit", "20"], ["PAGER": "sh pager"]), (["--json"], ["PAGER": "sh pager"]),
        (["-f", "csv"], ["PAGER": "sh pager"]), ([], ["PAGER": "sh pager", "TERM": "dumb"]),
    ])
    func `short output, other formats and --no-pager use no pager`(options: [String], environment: [String: String])
        async throws
    {
        try await Self.withData { place in
            let shown = try await place.start(
                ["rows", "animals"] + options, environment: environment, output: Self.screen
            ).end()
            #expect(shown.code == 0 && shown.output.contains("animal 20"))
            #expect(!place.names.contains("shown"))
        }
    }

    @Test(arguments: ["no-such-pager", "no-such-pager -R | cat >&2; exit 127", "./garner.yaml"])
    func `a pager that cannot be started loses nothing`(pager: String) async throws {
        try await Self.withData { place in
            let sql =
                "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT i FROM n"
            for command in [["rows", "animals"], ["query", sql]] {
                let piped = try await place.start(command).end()
                let shown = try await place.start(command, environment: ["PAGER": pager], output: Self.screen).end()
                #expect(shown.code == 0)
                #expect(withoutDecoration(shown.output).hasSuffix(piped.output))
            }
        }
    }

    @Test func `leaving the pager early ends the program with 0`() async throws {
        try await Self.withData { place in
            let sql = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
            let shown = try await place.garner(
                "query", sql, "--timeout", "0s", environment: ["PAGER": "head -n 2"], output: Self.screen)
            #expect(shown.code == 0)
            #expect(
                withoutDecoration(shown.output).split(separator: "\n").map { $0.filter { $0 != " " } } == ["i", "1"])
        }
    }

    @Test func `messages on standard error appear after the pager`() async throws {
        try await Self.withData { place in
            let shown = try await place.garner(
                "query",
                "SELECT a.*, b.*, printf('%.*c', 99, 'x') AS a_long_text_in_a_column FROM animals a, animals b",
                environment: ["PAGER": "tail -n 1"], output: .screen(columns: 30, lines: 24))
            #expect(shown.code == 0)
            let lines = withoutDecoration(shown.output).split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.last == "1 more column: --wide shows all, --vertical one field a line")
        }
    }

    @Test(arguments: [
        ("1\n2\n", 3, false), ("1\n2\n3\n", 3, true), ("1234567890\n2\n", 3, false), ("12345678901\n2\n", 3, true),
        ("1234567890123456789012345678901", 3, true), ("\n\n\n", 3, true),
    ])
    func `a screen is full when its first line would be gone`(text: String, lines: Int, isFull: Bool) {
        var screen = ScreenFill(lines: lines, columns: 10)
        var text = text
        #expect(text.withUTF8 { screen.add(UnsafeRawBufferPointer($0)) } == isFull)
    }
}
