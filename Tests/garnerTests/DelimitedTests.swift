import GarnerDatabase
import Foundation
import GarnerSQLite
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct DelimitedTests {
    private static let records = """
        [{"id":1,"text":null,"n":9223372036854775807,"d":"plain"},
        {"id":2,"text":"","n":-9223372036854775808,"d":"a,b"},
        {"id":3,"text":"say \\"hi\\"","n":0,"d":"two\\nlines"},
        {"id":4,"text":"cr\\rhere","n":1,"d":" blank "},
        {"id":5,"text":"\\"\\u0301,","n":2,"d":"tab\\there"},
        {"id":6,"text":"é 漢字 😀","n":3,"d":"\\\\"}]
        """

    private static func withData(
        _ body: String = records, _ test: @escaping @Sendable (Workplace) async throws -> Void
    ) async throws {
        try await LoopbackServer.serve({ _ in .json(body) }) { server in
            let place = try Workplace(api: server.url)
            try await place.garner("sync")
            try await test(place)
        }
    }

    @Test func `NULL is nothing, the empty text is quoted, and so is what must be`() async throws {
        try await Self.withData { place in
            let csv = try await place.garner("export", "animals")
            #expect(
                csv.output == """
                    id,text,n,d
                    1,,9223372036854775807,plain
                    2,"",-9223372036854775808,"a,b"
                    3,"say ""hi""\",0,"two
                    lines"
                    4,"cr\rhere",1, blank\u{20}
                    5,\"""\u{301},",2,tab\there
                    6,é 漢字 😀,3,\\

                    """)
        }
    }

    @Test(arguments: [
        ["export", "animals"], ["rows", "animals", "-f", "csv"], ["query", "SELECT * FROM animals", "-f", "csv"],
    ])
    func `a parser of its own reads the table back`(arguments: [String]) async throws {
        try await Self.withData { place in
            let csv = try await place.start(arguments).end()
            #expect(csv.code == 0)
            let lines = parsedCSV(csv.output)
            #expect(lines.first == ["id", "text", "n", "d"])
            let stored = try place.rows("SELECT id, text, n, d FROM animals ORDER BY id") { row in
                (0..<4).map { row.optionalText(at: $0) }
            }
            #expect(Array(lines.dropFirst()) == stored)
        }
    }

    @Test func `TSV escapes what would break a line`() async throws {
        try await Self.withData { place in
            let tsv = try await place.garner("export", "animals", "-f", "tsv")
            let lines = tsv.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == 8)
            #expect(lines[3] == "3\tsay \"hi\"\t0\ttwo\\nlines")
            #expect(lines[4] == "4\tcr\\rhere\t1\t blank ")
            #expect(lines[5].unicodeScalars.elementsEqual("5\t\"\u{301},\t2\ttab\\there".unicodeScalars))
            #expect(lines[6] == "6\té 漢字 😀\t3\t\\\\")
        }
    }

    @Test func `our own reports quote in the same way`() async throws {
        let place = try Workplace(
            "version: 1\nsources: { zoo: { base_url: http://127.0.0.1:9, streams: { a: { headers: { X: \"\\\"\u{301},\" } } } } }\n"
        )
        let csv = try await place.garner("config", "show", "-f", "csv")
        #expect(csv.code == 0)
        let value = parsedCSV(csv.output).first { $0.contains("headers.X") }?[2]
        #expect(value?.unicodeScalars.elementsEqual("\"\u{301},".unicodeScalars) == true)
    }

    @Test func `numbers keep all their digits`() async throws {
        let numbers = """
            [{"id":1,"big":9007199254740993,"max":9223372036854775807,"huge":123456789012345678901234567890,
            "exact":0.1000000000000000055511151231257827,"real":1.5}]
            """
        try await Self.withData(numbers) { place in
            let rows = try await place.garner("rows", "animals", "--json")
            #expect(
                rows.output == """
                    [
                    {"id":1,"big":9007199254740993,"max":9223372036854775807,\
                    "huge":"123456789012345678901234567890","exact":"0.1000000000000000055511151231257827","real":1.5}
                    ]

                    """)
            let csv = try await place.garner("export", "animals")
            #expect(
                csv.output.split(separator: "\n").last
                    == "1,9007199254740993,9223372036854775807,123456789012345678901234567890,0.1000000000000000055511151231257827,1.5"
            )
        }
    }

    @Test func `a file appears whole or not at all`() async throws {
        try await Self.withData { place in
            try place.write("old", to: "animals.csv")
            let failed = try await place.garner("export", "animls", "-o", "animals.csv")
            #expect(failed.code == 64)
            #expect(try place.text(of: "animals.csv") == "old")
            let export = try await place.garner("export", "animals", "-o", "animals.csv", "--force")
            #expect(export.code == 0)
            #expect(export.output == "")
            let whole = try await place.garner("export", "animals").output
            #expect(try place.text(of: "animals.csv") == whole)
            #expect(!place.names.contains { $0.hasSuffix(".part") })
        }
    }

    @Test func `a pipe and a link stay what they are`() async throws {
        try await Self.withData { place in
            let whole = try await place.garner("export", "animals").output
            try place.write("old", to: "real.csv")
            try FileManager.default.createSymbolicLink(
                atPath: place.folder.path("link.csv"), withDestinationPath: "real.csv")
            try await place.garner("export", "animals", "-o", "link.csv", "--force")
            #expect(
                try FileManager.default.destinationOfSymbolicLink(atPath: place.folder.path("link.csv")) == "real.csv")
            #expect(try place.text(of: "real.csv") == whole)

            let piped = try await place.garner("export", "animals", "-o", "/dev/stdout")
            #expect(piped.code == 0)
            #expect(piped.output == whole)
        }
    }
}

/// RFC 4180, with LF and with nothing for NULL: written against the text, not after the writer.
func parsedCSV(_ text: String) -> [[String?]] {
    var lines: [[String?]] = []
    var line: [String?] = []
    var scalars = text.unicodeScalars[...]
    while let first = scalars.first {
        var field: String.UnicodeScalarView?
        if first == "\"" {
            var quoted = String.UnicodeScalarView()
            scalars.removeFirst()
            while let scalar = scalars.popFirst() {
                if scalar == "\"" {
                    guard scalars.first == "\"" else { break }
                    scalars.removeFirst()
                }
                quoted.append(scalar)
            }
            field = quoted
        } else {
            let plain = scalars.prefix { $0 != "," && $0 != "\n" }
            scalars = scalars[plain.endIndex...]
            field = plain.isEmpty ? nil : String.UnicodeScalarView(plain)
        }
        line.append(field.map { String($0) })
        if scalars.popFirst() != "," {
            lines.append(line)
            line = []
        }
    }
    return lines
}
