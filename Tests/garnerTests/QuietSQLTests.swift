import TestSupport
import Testing

/// SQL that SQLite, or a shell before it, takes without a word for something else than what is meant.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct QuietSQLTests {
    /// SQL that SQLite takes without a word, what it is told to be, and what the SQL with that gives.
    private static let quiet: [(sql: String, old: String, new: String, result: String)] = [
        ("SELECT count(*) FROM animals WHERE price > 5", "price > 5", "CAST(price AS REAL) > 5", "2"),
        (
            "SELECT count(*) FROM animals i WHERE id > 0 AND i.price<=10.5", "i.price<=10.5",
            "CAST(i.price AS REAL) <=10.5", "2"
        ),
        (
            "SELECT count(*) FROM animals WHERE price BETWEEN 5 AND 10", "price BETWEEN", "CAST(price AS REAL) BETWEEN",
            "2"
        ),
        ("SELECT count(*) FROM animals WHERE price = 7.0", "price =", "CAST(price AS REAL) =", "1"),
        ("SELECT id FROM animals ORDER BY price LIMIT 1", "ORDER BY price", "ORDER BY CAST(price AS REAL)", "2"),
        ("SELECT max(price) FROM animals", "max(price)", "max(CAST(price AS REAL))", "10.0"),
        ("SELECT name + 'z' FROM animals WHERE id = 1", "+", "||", "xz"),
        ("SELECT count(*) FROM animals WHERE day LIKE '2026*'", "'2026*'", "'2026%'", "2"),
        ("SELECT count(*) FROM animals WHERE closed = 'true'", "closed = 'true'", "closed = 1", "1"),
        ("SELECT count(*) FROM animals WHERE name = 'x' OR 'y'", "name = 'x' OR 'y'", "name IN ('x', 'y')", "2"),
        ("SELECT date(ts) FROM animals WHERE id = 1", "date(ts)", "date(ts, 'unixepoch')", "2026-01-01"),
        ("SELECT strftime('%Y', ms) FROM animals WHERE id = 1", "ms)", "ms / 1000, 'unixepoch')", "2026"),
        ("SELECT count(*) FROM animals WHERE day > '01.01.2026'", "'01.01.2026'", "'2026-01-01'", "1"),
        ("SELECT count(*) FROM animals a JOIN animals b", "animals b", "animals b ON a.id = b.id", "2"),
        (
            "SELECT count(*) FROM (SELECT name, count(*) FROM animals)", "FROM animals)", "FROM animals GROUP BY name)",
            "2"
        ),
    ]

    @Test func `SQL that gives wrong rows without a word is told of, with what gives the right ones`() async throws {
        let records = #"""
            [{"id":1,"price":"10.00","name":"x","closed":true,"ts":1767225600,"ms":1767225600000,"day":"2026-01-01"},
            {"id":2,"price":"7.0","name":"y","closed":false,"ts":1767312000,"ms":1767312000000,"day":"2026-01-02"}]
            """#
        try await LoopbackServer.serve({ _ in .json(records) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id")
            try await place.garner("sync")
            for (sql, old, new, result) in Self.quiet {
                let told = try await place.garner("query", sql)
                // Two advices leave it to the reader which columns are meant.
                let isShown = !sql.contains("JOIN") && !sql.contains("(SELECT")
                #expect(told.code == 0 && !isShown || told.errors.contains("\nTry: "), "\(sql): \(told)")
                if isShown { #expect(told.errors.contains(new), "\(told)") }
                let mended = try await place.garner("query", "-f", "csv", sql.replacing(old, with: new))
                #expect(mended.errors == "", "\(mended)")
                #expect(mended.output.split(separator: "\n").last.map(String.init) == result, "\(sql): \(mended)")
            }
            let told = try await place.garner("query", "SELECT name, count(*) FROM animals")
            #expect(told.errors.contains("Try: add GROUP BY name\n"), "\(told)")
            #expect(
                try await place.garner("query", "SELECT a.id FROM animals a JOIN animals b").errors.contains(
                    "JOIN … ON"))
            for right in [
                "id > 1", "name > 2025", "price > '5'", "-price > 5", "name BETWEEN 'a' AND 'z'", "day > '2026-01-01'",
                "name LIKE 'x%'", "closed = 1", "date(ts, 'unixepoch') > '2026'", "name = 'x' OR name = 'y'",
                "id = 2.0",
            ] {
                let silent = try await place.garner("query", "SELECT id FROM animals WHERE \(right) ORDER BY id")
                #expect(silent.code == 0 && silent.errors == "", "\(right): \(silent)")
            }
            let rows = try await place.garner("rows", "animals", "--where", "price > 5")
            #expect(rows.errors.contains("CAST(price AS REAL) > 5"), "\(rows)")
            for options in [["animals", "--where", "price > 5"], ["--sql", "SELECT id FROM animals WHERE price > 5"]] {
                let export = try await place.start(["export"] + options).end()
                #expect(export.code == 0 && export.errors.contains("CAST(price AS REAL) > 5"), "\(export)")
            }
        }
    }

    @Test(arguments: ["> 0", ">=1", ">1"])
    func `a comparison that a shell takes for a file is told of, with the line that compares`(comparison: String)
        async throws
    {
        try await OtherWordTests.withAnimals { place in
            let told = try await place.shell("garner query select id from animals where id \(comparison)")
            let line = try #require(told.errors.firstMatch(of: /Try: (garner query '.*')\n/)?.1, "\(told)")
            let mended = try await place.shell(String(line))
            #expect(mended.code == 0 && mended.errors == "", "\(mended)")
            let meant = try await place.shell("garner query select id from animals where id = 1 > 1.csv")
            #expect(meant.code == 0 && meant.errors == "", "\(meant)")
        }
    }

    @Test(arguments: ["name = NULL", "name <> null", "id > 0 AND name=null"])
    func `a comparison with NULL is told of, which no row meets`(condition: String) async throws {
        try await OtherWordTests.withAnimals { place in
            let told = try await place.garner("rows", "animals", "--where", condition)
            #expect(told.code == 0 && told.errors.contains("write IS NULL or IS NOT NULL"), "\(told)")
            let query = try await place.garner("query", "SELECT id FROM animals WHERE \(condition)")
            #expect(query.code == 0 && query.errors.contains("IS NOT NULL in the query"), "\(query)")
            let quoted = try await place.garner("rows", "animals", "--where", "name <> '= null' AND name IS NOT NULL")
            #expect(quoted.code == 0 && quoted.errors == "", "\(quoted)")
        }
    }

    @Test func `an index of a list is told of, which SQL takes for a name`() async throws {
        try await OtherWordTests.withAnimals { place in
            let told = try await place.garner("query", "SELECT name[0] FROM animals")
            #expect(told.code == 0 && told.errors.contains("Try: write name ->> 0\n"), "\(told)")
            let mended = try await place.garner("query", "SELECT '[7]' ->> 0, 'a[0]' FROM animals")
            #expect(mended.code == 0 && mended.errors == "", "\(mended)")
        }
    }
}
