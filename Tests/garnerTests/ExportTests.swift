import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct ExportTests {
    private static let records = """
        [{"id":1,"text":"=1+1","n":-5},{"id":2,"text":"-12.5e3","n":5},{"id":3,"text":"+44 20","n":null},
        {"id":4,"text":"@sum","n":0},{"id":5,"text":"\\tx","n":1},{"id":6,"text":"\\r\\"x","n":2},
        {"id":7,"text":"-","n":3},{"id":8,"text":"x=1","n":4},{"id":9,"text":"-1-2","n":5},{"id":10,"text":"","n":6}]
        """

    private static func withData(_ test: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        let place = try Workplace(api: "http://127.0.0.1:9")
        try await place.store(records)
        try await test(place)
    }

    @Test(arguments: [
        (["animals", "--where", "n = 5", "--columns", "id,n"], "id,n\n2,5\n9,5\n"),
        (["animals", "--order", "n DESC, id", "--limit", "2", "--columns", "id"], "id\n10\n2\n"),
        (["animals", "--where", "id = 4 OR id = 7", "--columns", "text", "-f", "tsv"], "text\n@sum\n-\n"),
        (["--sql", "SELECT count(*) AS n, 'a,b' AS t FROM animals"], "n,t\n10,\"a,b\"\n"),
        (["--sql", "SELECT max(id) AS n FROM animals", "-f", "json"], "[\n{\"n\":10}\n]\n"),
        (["animals", "--where", "0"], "id,text,n\n"), (["--sql", "SELECT 1 WHERE 0", "-f", "json"], "[]\n"),
        (["animals", "--limit", "0", "--columns", "id"], "id\n"),
    ])
    func `rows and columns are chosen by options or by SQL`(arguments: [String], output: String) async throws {
        try await Self.withData { place in
            let export = try await place.start(["export"] + arguments).end()
            #expect(export.code == 0)
            #expect(export.output == output)
        }
    }

    @Test(arguments: ["-o out", "-o out/"])
    func `a folder in the place of the file leads to a file in it`(options: String) async throws {
        try await Self.withData { place in
            let told = try await place.shell("mkdir out && garner export animals \(options)")
            #expect(told.code == 73 && told.errors.contains(": it is a folder\n"), "\(told)")
            let file = try #require(told.errors.firstMatch(of: /Try: name a file in it: (-o out\/animals\.\w+)\n/)?.1)
            let pasted = try await place.shell("garner export animals \(file)")
            #expect(pasted.code == 0, "\(pasted)")
        }
    }

    @Test func `spreadsheets take no cell for a formula, and numbers for numbers`() async throws {
        try await Self.withData { place in
            let csv = try await place.garner("export", "animals", "--excel-safe")
            #expect(
                csv.output == """
                    id,text,n
                    1,'=1+1,-5
                    2,-12.5e3,5
                    3,'+44 20,
                    4,'@sum,0
                    5,'\tx,1
                    6,"'\r""x",2
                    7,'-,3
                    8,x=1,4
                    9,'-1-2,5
                    10,"",6

                    """)
            let tsv = try await place.garner(
                "export", "--sql", "SELECT '=1' AS \"=a\", '\t' AS b", "-f", "tsv", "--excel-safe")
            #expect(tsv.output == "'=a\tb\n'=1\t'\\t\n")
        }
    }

    @Test func `lines and marks are as other programs need them`() async throws {
        try await Self.withData { place in
            let csv = try await place.garner(
                "export", "--sql", "SELECT 1 AS a, 'x\ny' AS b", "--crlf", "--bom")
            #expect(Array(csv.output.utf8) == Array("\u{FEFF}a,b\r\n1,\"x\ny\"\r\n".utf8))
            let marked = try await place.garner("export", "--sql", "SELECT 1 AS \"\u{FEFF}a\"")
            #expect(Array(marked.output.utf8) == Array("\"\u{FEFF}a\"\n1\n".utf8))
        }
    }

    @Test(arguments: ["--excel-safe", "--crlf", "--bom"], ["json", "ndjson"])
    func `what does not fit a format is a usage error`(option: String, format: String) async throws {
        try await Self.withData { place in
            let refused = try await place.garner("export", "animals", "-f", format, option)
            #expect(refused.code == 64)
            #expect(refused.output == "")
            #expect(refused.errors.contains("--excel-safe, --crlf and --bom do not fit \(format)"))
        }
    }

    @Test func `what was compressed is the same`() async throws {
        try await Self.withData { place in
            let plain = try await place.garner("export", "animals").output
            let piped = try await place.shell("garner export animals --compress gzip | gzip -dc")
            #expect(piped.output == plain)
            let filed = try await place.shell(
                """
                garner export --sql 'SELECT hex(randomblob(100)) FROM animals a, animals b, animals c' --compress gzip -o x.gz
                gzip -t x.gz && gzip -dc x.gz | wc -l
                """)
            #expect(filed.output.filter(\.isNumber) == "1001", "\(filed.errors)")
        }
    }

    @Test(arguments: ["garner.yaml", "./garner.yaml", "../{folder}/garner.yaml", "link.yaml", "hard.yaml"])
    func `the configuration is not replaced`(name: String) async throws {
        try await Self.withData { place in
            let name = name.replacing("{folder}", with: place.folder.url.lastPathComponent)
            try FileManager.default.createSymbolicLink(
                atPath: place.folder.path("link.yaml"), withDestinationPath: "garner.yaml")
            try FileManager.default.linkItem(
                atPath: place.folder.path("garner.yaml"), toPath: place.folder.path("hard.yaml"))
            let before = try place.text(of: "garner.yaml")
            for arguments in [
                ["export", "animals", "-o", name], ["export", "--sql", "SELECT 1", "-d", "garner.db", "-o", name],
                ["backup", "--force", name],
            ] {
                let refused = try await place.start(arguments).end()
                #expect(refused.code == 73, "\(arguments)")
                expectThreeParts(refused.errors, beginning: "Error: \(name) is the configuration")
            }
            #expect(try place.text(of: "garner.yaml") == before)
            #expect(try await place.garner("export", "animals", "-o", "other.yaml", "-f", "csv").code == 0)
        }
    }

    @Test func `what a killed export has left is gone with the next, and nobody else's file is`() async throws {
        try await Self.withData { place in
            let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
            @Sendable func parts() -> [String] { place.names.filter { $0.hasPrefix("animals.csv.") } }
            @Sendable func killed(_ arguments: String...) async throws {
                let count = parts().count
                let process = try place.start(arguments)
                try await eventually { parts().count > count }
                process.send(SIGKILL)
                #expect(try await process.end().code == 128 + SIGKILL)
            }
            try await killed("export", "--sql", endless, "-o", "animals.csv", "--force")
            #expect(parts().count == 1)
            let living = try place.start(["export", "--sql", endless, "-o", "animals.csv"])
            try await eventually { place.names.contains("animals.csv.\(living.id).garner.part") }
            try await eventually { parts() == ["animals.csv.\(living.id).garner.part"] }
            try place.write("x", to: "animals.csv.draft.part")
            #expect(try await place.garner("export", "animals", "-o", "animals.csv").code == 0)
            #expect(parts().sorted() == ["animals.csv.\(living.id).garner.part", "animals.csv.draft.part"].sorted())
            #expect(living.isRunning)
            living.send(SIGKILL)
            _ = try await living.end()
            let dry = try await place.garner("prune", "--dry-run")
            #expect(dry.errors.hasPrefix("would remove 1 leftovers of "), "\(dry.errors)")
            #expect(parts().count == 2)
            let doctor = try await place.garner("doctor")
            #expect(
                doctor.code == 0 && doctor.output.contains("ok      leftovers: removed a file ("), "\(doctor.output)")
            #expect(parts() == ["animals.csv.draft.part"])
            try await killed("export", "--sql", endless, "-o", "animals.csv", "--force")
            let prune = try await place.garner("prune")
            #expect(prune.errors.hasPrefix("removed 1 leftovers of "), "\(prune.errors)")
            #expect(parts() == ["animals.csv.draft.part"])
        }
    }

    /// A file's name, and how it begins.
    private static let written: [(String, String)] = [
        ("a.csv", "id,"), ("a.tsv", "id\t"), ("a.json", "[\n{\"id\":"), ("a.ndjson", "{\"id\":"),
        ("a.JSONL", "{\"id\":"),
        ("a.md", "| id | "), ("plain", "id,"), ("a.csv.gz", "\u{1F}"),
    ]

    @Test(arguments: written)
    func `a file's name says how it is written, and a second export replaces the first`(
        name: String, beginning: String
    ) async throws {
        try await Self.withData { place in
            for _ in 1...2 {
                let export = try await place.garner("export", "animals", "-o", name)
                #expect(export.code == 0, "\(export.errors)")
                #expect(export.output == "" && export.errors == "10 rows in \(name)\n")
                let bytes = try Data(contentsOf: URL(filePath: place.folder.path(name)))
                #expect(bytes.starts(with: beginning.utf8))
            }
            let chosen = try await place.garner("export", "animals", "-o", name, "-f", "ndjson", "--force", "-q")
            #expect(chosen.code == 0 && chosen.errors == "")
        }
    }

    /// Files at an export's destination, and whether each is an earlier export of rows with `id`, `text` and `n`.
    private static let others: [(String, String, Bool)] = [
        ("a.csv", "id,text,n,gone\n1,a,2,b\n", true), ("a.csv", "\u{FEFF}id\r\n1\r\n", true), ("a.csv", "", true),
        ("a.csv", "date,amount\n", false), ("a.json", "[\n{\"id\":1}\n]\n", true), ("a.json", "[]\n", true),
        ("a.json", "{\"name\":\"package\"}", false), ("a.ndjson", "{\"level\":1}\n", false),
        ("a.md", "# Notes\n", false), ("a.csv.gz", "no gzip", false),
    ]

    @Test(arguments: others)
    func `a file that is no earlier export is replaced with --force only`(
        name: String, text: String, isReplaced: Bool
    ) async throws {
        try await Self.withData { place in
            try place.write(text, to: name)
            let export = try await place.garner("export", "animals", "-o", name)
            #expect(export.code == (isReplaced ? 0 : 73), "\(export.errors)")
            if !isReplaced {
                expectThreeParts(export.errors, beginning: "Error: \(name) is there, and is no earlier export")
                #expect(try place.text(of: name) == text)
            }
            #expect(try await place.garner("export", "animals", "-o", name, "--force").code == 0)
        }
    }

    @Test(arguments: ["a.xlsx", "a.parquet", "a.txt", "a.xml.gz"])
    func `what cannot be written is refused before anything is there`(name: String) async throws {
        try await Self.withData { place in
            let export = try await place.garner("export", "animals", "-o", name)
            #expect(export.code == 64)
            expectThreeParts(export.errors, beginning: "Error: rows cannot be written as .")
            #expect(!place.names.contains(name))
        }
    }

    @Test(arguments: ["garner.db", "./garner.db", "garner.db-wal", "garner.db-journal", "garner.db.sock", "link.db"])
    func `no file of the database itself is replaced`(name: String) async throws {
        try await Self.withData { place in
            try FileManager.default.createSymbolicLink(
                atPath: place.folder.path("link.db"), withDestinationPath: place.database)
            let export = try await place.garner("export", "animals", "-o", name)
            #expect(export.code == 73)
            expectThreeParts(export.errors, beginning: "Error: \(name) belongs to the database itself")
            #expect(try place.integers("SELECT count(*) FROM animals") == [10])
            let query = try await place.garner("export", "--sql", "SELECT 1", "--compress", "gzip", "-o", name)
            #expect(query.code == 73)
            #expect(try await place.garner("export", "animals", "-o", "copy.db", "-f", "csv").code == 0)
        }
    }
}
