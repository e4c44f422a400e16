import Foundation
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

    private static func withData(_ test: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        let place = try Workplace(api: "http://127.0.0.1:9")
        try await place.store(records)
        try await test(place)
    }

    @Test(arguments: [
        ["export", "animals"], ["rows", "animals", "-f", "csv"], ["query", "SELECT * FROM animals", "-f", "csv"],
    ])
    func `NULL is nothing, the empty text is quoted, and so is what must be`(arguments: [String]) async throws {
        try await Self.withData { place in
            let csv = try await place.start(arguments).end()
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
