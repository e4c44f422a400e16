import Foundation
import GarnerSQLite
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct QueryTests {
    private static let endless =
        "WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) SELECT count(*) FROM a"
    private static let stuck = "SELECT instr(zeroblob(60000000) || x'01', zeroblob(30000000) || x'02')"

    private static func withData(_ body: @Sendable (Workplace) async throws -> Void) async throws {
        let place = try Workplace(api: "http://127.0.0.1:9")
        try await place.store()
        try await body(place)
    }

    @Test(arguments: [
        ["query", stuck], ["rows", "animals", "--where", "(\(endless))"], ["export", "--sql", endless],
    ])
    func `what takes longer than it may is ended`(arguments: [String]) async throws {
        try await Self.withData { place in
            let ended = try await place.start(arguments + ["--timeout", "50ms"]).end()
            #expect(ended.code == 1)
            #expect(
                ended.errors == """
                    Error: the query ran for longer than 50ms
                    Try: ask for less, or give it more time with --timeout

                    """)
            let json = try await place.start(arguments + ["--timeout", "50ms", "--json"]).end()
            #expect(json.errors.hasPrefix(#"{"error":{"code":1,"kind":"limit","#))
        }
    }

    @Test(arguments: [
        "SELECT " + Array(repeating: "hex(zeroblob(30000000))", count: 60).joined(separator: ", "),
        "WITH t0 AS (SELECT 1 AS a)"
            + (1...40).map { ", t\($0) AS (SELECT x.a FROM t\($0 - 1) x, t\($0 - 1) y)" }.joined()
            + " SELECT count(*) FROM t40",
    ])
    func `what takes more memory than it may is ended`(sql: String) async throws {
        try await Self.withData { place in
            let ended = try await place.garner("query", "-", "--timeout", "0s", input: sql)
            #expect(ended.code == 1)
            #expect(ended.errors.hasPrefix("Error: the query needs more memory than it may have\n"))
        }
    }

    @Test func `a query reads the database of another program, which other commands refuse`() async throws {
        let place = try Workplace()
        let path = place.folder.url.appending(path: "other.db").path
        let other = try Connection(path: path, mode: .readWrite)
        try other.executeScript("PRAGMA application_id = 7; CREATE TABLE t (a, b); INSERT INTO t VALUES (1, x'00')")
        other.close()
        let csv = try await place.garner("query", "SELECT a, hex(b) AS b FROM t", "-d", path, "-f", "csv")
        #expect(csv.output == "a,b\n1,00\n")
        #expect(try await place.garner("query", "DELETE FROM t", "-d", path).code == 64)
        for arguments in [["rows", "t"], ["tables"], ["query", "SELECT 1", "--as-of", "1h"]] {
            let refused = try await place.start(arguments + ["-d", path]).end()
            #expect(refused.errors.contains("is a database of another program"), "\(arguments): \(refused.errors)")
        }
    }

    @Test func `a query of an empty file and of a file that is no database fail`() async throws {
        let place = try Workplace()
        for (content, message) in [
            ("", "is empty"), (String(repeating: "no database ", count: 99), "is no SQLite database"),
        ] {
            let path = place.folder.url.appending(path: "other.db").path
            try Data(content.utf8).write(to: URL(filePath: path))
            let refused = try await place.garner("query", "SELECT 1", "-d", path)
            #expect(refused.code != 0)
            #expect(refused.errors.contains(message), "\(refused.errors)")
        }
    }

    @Test func `a view of the user is read and exported as a table is`() async throws {
        try await Self.withData { place in
            try place.alter(
                "CREATE VIEW \"my Names\" AS SELECT id, name FROM animals; CREATE VIEW endless AS \(Self.endless)")
            let rows = try await place.garner("export", "animals", "--columns", "id,name")
            #expect(rows.output.contains("\n1,"))
            #expect(try await place.garner("export", "my names").output == rows.output)
            #expect(try await place.garner("rows", "my Names", "--limit", "0", "-f", "csv").output == rows.output)
            let some = try await place.garner("rows", "my Names", "--where", "id = 1", "--columns", "ID", "-f", "csv")
            #expect(some.output == "id\n1\n")

            let changed = try await place.garner("rows", "my Names", "--changed-since", "1h")
            #expect(changed.errors.contains("my Names is a view, and the changes of its rows are not recorded"))
            let schema = try await place.garner("schema", "my Names", "--json")
            #expect(
                schema.output.hasPrefix(
                    #"{"table":"my Names","primary_key":[],"columns":[{"name":"id","type":"INTEGER","#))
            #expect(schema.output.hasSuffix(#","kind":"view"}\#n"#))
            let tables = try await place.garner("tables", "-f", "csv")
            #expect(tables.output.contains(",table,true\nendless,,,,,view,\nmy Names,,,,,view,\n"))
            #expect(try await place.garner("tables").output.contains(" kind\n"))
            for command in ["rows", "export"] {
                let ended = try await place.garner(command, "endless", "--timeout", "50ms")
                #expect(ended.errors.hasPrefix("Error: the query ran for longer than 50ms\n"))
            }
        }
    }

    @Test(arguments: [endless, stuck]) func `Ctrl-C ends a query`(sql: String) async throws {
        try await Self.withData { place in
            let query = try place.start(["query", sql, "--timeout", "0s"])
            // Before it has its handler, the signal ends it as well, but with another code.
            try await eventually { place.names.contains("garner.db-shm") || !query.isRunning }
            while query.isRunning {
                query.send(SIGINT)
                try await Task.sleep(for: .milliseconds(50))
            }
            let ended = try await query.end()
            #expect(ended.code == 130)
            #expect(ended.output + ended.errors == "")
        }
    }

    @Test func `an export that is ended leaves no file`() async throws {
        try await Self.withData { place in
            for sql in [Self.endless, Self.stuck] {
                let ended = try await place.garner("export", "--sql", sql, "-o", "all.csv", "--timeout", "50ms")
                #expect(ended.code == 1)
                #expect(!place.names.contains { $0.hasPrefix("all.csv") })
            }
        }
    }

    @Test func `what is no statement is said to be none`() async throws {
        try await Self.withData { place in
            let long = try await place.garner("query", "-", input: String(repeating: " ", count: 1_000_001))
            #expect(long.code == 64)
            #expect(long.errors.contains("the SQL from standard input is longer than 1000000 bytes"))
            let hidden = try await place.garner("query", "-", input: "SELECT 1;\0 DELETE FROM animals")
            #expect(hidden.code == 64)
            #expect(hidden.errors.contains("there is a NUL in the statement"))
        }
    }
}
