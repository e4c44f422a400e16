import TestSupport
import Testing

/// Expressions of other databases and mistakes in SQL, and what comes of following the advice on them.
@Suite(.timeLimit(.minutes(5)))
struct OtherSQLTests {
    @Test(arguments: [
        "now()", "curdate()", "to_char(created, 'x')", "year(created)", "dateadd(day, 1, created)",
        "datediff(created, number)",
        "to_date(created)", "unix_timestamp(created)", "nvl(name, 1)", "isnull(name, 1)", "len(name)",
        "array_agg(name)", "left(name, 3)", "greatest(number, 2)", "regexp_replace(name, 'a', 'b')", "name::text",
        "name ilike 'k%'", "extract(year from created)", "locate('e', name)", "to_number(number)",
    ])
    func `an expression of another database leads to one of SQLite`(expression: String) async throws {
        try await OtherWordTests.withAnimals { place in
            let told = try await place.garner("query", "SELECT \(expression) FROM animals")
            let advice = try #require(told.errors.firstMatch(of: /; write (.+)\n$/)?.1, "\(told)")
            let ours = advice.firstRange(of: ", which ").map { advice[..<$0.lowerBound] } ?? advice
            let pasted = try await place.garner("query", "SELECT \(ours) FROM animals")
            #expect(pasted.code == 0, "\(ours): \(pasted)")
        }
    }

    /// What is written instead is about the columns that are named, however they are called.
    @Test(arguments: [
        ("len(id)", "length(id)"), ("year(\"id\")", "strftime('%Y', \"id\")"),
        ("date_trunc('month', name)", "strftime('%Y-%m', name)"), ("concat(id, '-', name)", "id || '-' || name"),
        ("date_trunc('day', name)", "strftime('%Y-%m-%d', name)"),
        ("date_trunc('hour', name)", "strftime('%Y-%m-%d %H:00', name)"),
        ("month(name)", "strftime('%m', name)"), ("concat(id,name)", "id || name"),
        ("concat_ws(', ', id, name)", "id || ', ' || name"), ("isnull(name, '')", "ifnull(name, '')"),
        ("now() - interval 1 day", "datetime('now', '-1 days')"),
        ("id + interval '2 hours'", "datetime(id, '+2 hours')"),
        ("date_sub(id, interval 3 month)", "datetime(id, '-3 months')"),
        ("dateadd(day, -1, now())", "datetime('now', '-1 days')"), ("date_trunc('era', id)", "strftime('FORMAT', id)"),
        ("now() - interval x", "datetime('now', '-NUMBER days')"), ("string_agg(name, ';')", "group_concat(name, ';')"),
        ("right(name, 2)", "substr(name, -2)"), ("locate('e', name)", "instr(name, 'e')"),
        ("left(upper(name), 3)", "substr(upper(name), 1, 3)"), ("id::text", "CAST(id AS TEXT)"),
        ("name::int", "CAST(name AS INTEGER)"),
        ("extract(year from name)", "strftime('%Y', name)"), ("id ilike '1%'", "id LIKE '1%'"),
        ("datediff(1, 2)", "julianday(1) - julianday(2)"),
    ])
    func `the expression of SQLite has the columns of the other one`(expression: String, ours: String) async throws {
        try await OtherWordTests.withAnimals { place in
            let told = try await place.garner("query", "SELECT \(expression) FROM animals")
            #expect(told.code == 64 && told.errors.contains("; write \(ours)"), "\(told)")
        }
    }

    /// SQL, the advice on it, and the SQL that follows that.
    @Test(arguments: [
        ("SELECT owner.id FROM animals", "did you mean 'owner__id'?", "SELECT owner__id FROM animals"),
        ("SELECT owner->'id' FROM animals", "did you mean 'owner__id'?", "SELECT owner__id FROM animals"),
        (
            "SELECT id FROM animals WHERE 7 = Owner ->> '$.id'", "did you mean 'owner__id'?",
            "SELECT id FROM animals WHERE 7 = owner__id"
        ),
        (
            "SELECT json_extract(owner, '$.id') FROM animals", "did you mean 'owner__id'?",
            "SELECT owner__id FROM animals"
        ),
        (
            "SELECT id FROM animals WHERE animals.owner.id = 7", "did you mean 'owner__id'?",
            "SELECT id FROM animals WHERE animals.owner__id = 7"
        ),
        ("SELECT uper(name) FROM animals", "did you mean 'upper'?", "SELECT upper(name) FROM animals"),
        ("SELECT zzzzzzzz(name) FROM animals", "SQLite has no function zzzzzzzz", "SELECT name FROM animals"),
        (
            "SELECT id FROM animals, animals AS other", "write which one is meant, as in: animals.id",
            "SELECT animals.id FROM animals, animals AS other"
        ),
        (
            "SELECT id FROM animals AS a JOIN animals AS b", "write which one is meant, as in: a.id",
            "SELECT a.id FROM animals AS a JOIN animals AS b"
        ),
        (
            "SELECT name FROM animals WHERE count(*) > 0 GROUP BY name",
            "write the condition on count() after GROUP BY, with HAVING",
            "SELECT name FROM animals GROUP BY name HAVING count(*) > 0"
        ),
        (
            "SELECT sum(count(*)) FROM animals GROUP BY name", "FROM (SELECT count(…) AS n FROM …)",
            "SELECT sum(n) FROM (SELECT count(*) AS n FROM animals GROUP BY name)"
        ),
        ("SELECT substr(name) FROM animals", "substr takes 2 or 3 values", "SELECT substr(name, 1) FROM animals"),
        ("SELECT max((1", "close the bracket: put )) at the end", "SELECT max((1))"),
        ("SELECT id FROM animals ORDER BY", "what is to follow 'BY'?", "SELECT id FROM animals ORDER BY id"),
        ("SELECT 'a FROM animals", "a quote is not closed: put ' behind the text", "SELECT 'a' FROM animals"),
        ("SELECT \"id FROM animals", "a quote is not closed: put \" behind the text", "SELECT \"id\" FROM animals"),
        ("SELECT id, FROM animals", "remove the comma before 'FROM'", "SELECT id FROM animals"),
        ("selct id FROM animals", "did you mean 'SELECT'?", "SELECT id FROM animals"),
        ("SELECT id FORM animals WHERE id > 0", "did you mean 'FROM'?", "SELECT id FROM animals WHERE id > 0"),
        ("SELECT id FROM animals WHER id > 0", "did you mean 'WHERE'?", "SELECT id FROM animals WHERE id > 0"),
        ("SELECT id FROM animals ORDER id", "write ORDER BY", "SELECT id FROM animals ORDER BY id"),
        (
            "SELECT id FROM animals WHERE id = 1 && number = 3", "write AND in place of &&",
            "SELECT id FROM animals WHERE id = 1 AND number = 3"
        ),
        (
            "SELECT id FROM animals OFFSET 5", "LIMIT -1 OFFSET 5 gives all rows but 5",
            "SELECT id FROM animals LIMIT -1 OFFSET 5"
        ),
        (
            "SELECT id FROM animals ORDER BY id OFFSET 5", "LIMIT -1 OFFSET 5 gives all rows but 5",
            "SELECT id FROM animals ORDER BY id LIMIT -1 OFFSET 5"
        ),
        (
            "SELECT id FROM animals OFFSET 0 LIMIT 5", "write LIMIT 5 OFFSET 0, in this order",
            "SELECT id FROM animals LIMIT 5 OFFSET 0"
        ),
        (
            "SELECT id AS order FROM animals",
            "put the name in double quotes: garner query 'SELECT id AS \"order\" FROM animals'",
            "SELECT id AS \"order\" FROM animals"
        ),
        (
            "SELECT id FROM animals WHERE name = 'O'Hara' AND id = 1",
            "write the apostrophe in a text twice: 'O''Hara'",
            "SELECT id FROM animals WHERE name = 'O''Hara' AND id = 1"
        ),
        (
            "SELECT id FROM animals WHERE name = ‘Kea’",
            "write text in single quotes: \"SELECT id FROM animals WHERE name = 'Kea'\"",
            "SELECT id FROM animals WHERE name = 'Kea'"
        ),
        (
            "SELECT id FROM animals WHERE name = “a kea”", "write text in single quotes: ",
            "SELECT id FROM animals WHERE name = 'a kea'"
        ),
        (
            "SELECT unnest(name) FROM animals", "SELECT json_each.value FROM TABLE, json_each(name)",
            "SELECT json_each.value FROM animals, json_each('[1]')"
        ),
        ("SELECT * animals", "write FROM before 'animals'", "SELECT * FROM animals"),
        (
            "SELECT id FROM animals ORDER BY id WHERE id > 0", "write WHERE before ORDER BY",
            "SELECT id FROM animals WHERE id > 0 ORDER BY id"
        ),
        ("SELECT count(* FROM animals", "close the bracket: put ) before FROM", "SELECT count(*) FROM animals"),
        (
            "SELECT count(DISTINCT id, name) FROM animals", "write count(DISTINCT id || '|' || name)",
            "SELECT count(DISTINCT id || '|' || name) FROM animals"
        ),
        ("SELECT 1 FROM dual", "leave out FROM dual", "SELECT 1"),
        (
            "SELECT id FROM animals WHERE id IN 1, 2", "write the values in brackets: IN (1, …)",
            "SELECT id FROM animals WHERE id IN (1, 2)"
        ),
        (
            "SELECT id FROM animals WHERE name IN 'a', 'b'", "write the values in brackets: IN ('a', …)",
            "SELECT id FROM animals WHERE name IN ('a', 'b')"
        ),
        (
            "SELECT id FROM animals WHERE name CONTAINS 'a'", "SQLite has no CONTAINS; write name LIKE '%TEXT%'",
            "SELECT id FROM animals WHERE name LIKE '%a%'"
        ),
        (
            "SELECT json_extract('[1]', '0') FROM animals", "a path of JSON begins with $",
            "SELECT json_extract('[1]', '$[0]') FROM animals"
        ),
        ("SELECT id FROM animals FOR UPDATE", "write the SQL without it", "SELECT id FROM animals"),
        (
            "SELECT id FROM animals QUALIFY row_number() OVER (ORDER BY id) = 1",
            "SQLite has no QUALIFY; write a query in brackets",
            "SELECT * FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM animals) WHERE n = 1"
        ),
        (
            "SELECT a.id, x.v FROM animals a, LATERAL (SELECT a.id AS v) x",
            "SQLite has no LATERAL; write a query in brackets",
            "SELECT a.id, (SELECT a.id) AS v FROM animals a"
        ),
        (
            "SELECT a.id FROM animals a CROSS APPLY (SELECT a.id AS v) x",
            "SQLite has no CROSS APPLY; write a query in brackets",
            "SELECT a.id, (SELECT a.id) AS v FROM animals a"
        ),
        ("", "write a statement, such as: SELECT name FROM sqlite_schema", "SELECT name FROM sqlite_schema"),
        ("SELECT id FROM animals; SELECT 1", "ask for each of them by itself", "SELECT id FROM animals"),
        (
            "SELECT id FROM animals ORDER BY id descending", "write DESC in place of 'descending'",
            "SELECT id FROM animals ORDER BY id DESC"
        ),
        (
            "SELECT id FROM animals ORDER BY name Ascending, id", "write ASC in place of 'Ascending'",
            "SELECT id FROM animals ORDER BY name ASC, id"
        ),
        (
            "SELECT id FROM animals WHERE id gte 1", "write >= in place of 'gte'",
            "SELECT id FROM animals WHERE id >= 1"
        ),
        ("SELECT id FROM animals ) x", "the mistake is at ')', or just before it", "SELECT id FROM animals"),
    ])
    func `each mistake in SQL has advice of its own`(sql: String, advice: String, mended: String) async throws {
        try await OtherWordTests.withAnimals { place in
            let told = try await place.garner("query", sql)
            #expect(told.code == 64 && told.errors.split(separator: "\n").last?.contains(advice) == true, "\(told)")
            #expect(try await place.garner("query", mended).code == 0)
        }
    }

    @Test func `a column that is called as a word of SQL is to be quoted`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1,"order":"b","group":"a","name":"Kea"}]"#) }) { server in
            let place = try Workplace(api: server.url)
            #expect(try await place.garner("sync").code == 0)
            for (sql, quoted) in [
                ("SELECT order FROM animals", "SELECT \"order\" FROM animals"),
                ("SELECT order, id FROM animals", "SELECT \"order\", id FROM animals"),
                ("SELECT id, order FROM animals LIMIT 2", "SELECT id, \"order\" FROM animals LIMIT 2"),
                ("SELECT id, group FROM animals", "SELECT id, \"group\" FROM animals"),
                ("SELECT id, order, name FROM animals", "SELECT id, \"order\", name FROM animals"),
                (
                    "select id, order from animals order by order",
                    "select id, \"order\" from animals order by \"order\""
                ),
                ("SELECT id FROM animals WHERE group = 1", "SELECT id FROM animals WHERE \"group\" = 1"),
            ] {
                let told = try await place.garner("query", sql, "-d", "garner.db")
                let line = "garner query '\(quoted)' -d garner.db"
                #expect(told.errors.contains("put the column in double quotes: \(line)\n"), "\(told)")
                #expect(try await place.shell(line).code == 0)
            }
            let told = try await place.garner("rows", "animals", "--where", "order = 'b'")
            let condition = try #require(told.errors.firstMatch(of: /in double quotes: (.+)\n$/)?.1, "\(told)")
            #expect(try await place.shell("garner rows animals --where \(condition)").code == 0)
            let comma = try await place.garner("query", "SELECT id, FROM animals WHERE \"order\" = 'b'")
            #expect(comma.errors.contains("remove the comma before 'FROM'"), "\(comma)")
        }
    }

    @Test(arguments: ["order", "group", "select", "index", "values"])
    func `a table that is called as a word of SQL is to be quoted`(word: String) async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1,"name":"Kea"}]"#) }) { server in
            let place = try Workplace(
                "version: 1\nsources: { zoo: { base_url: \"\(server.url)/\", streams: { a: { path: a, table: \(word) } } } }\n"
            )
            #expect(try await place.garner("sync").code == 0)
            for sql in [
                "SELECT id FROM TABLE LIMIT 2", "SELECT id FROM TABLE WHERE id = 1", "SELECT TABLE.id FROM TABLE",
                "SELECT o.id FROM TABLE o JOIN TABLE p ON p.id = o.id", "SELECT o.id FROM sqlite_schema, TABLE o",
            ] {
                let told = try await place.garner("query", sql.replacing("TABLE", with: word), "-d", "garner.db")
                let line = "garner query '\(sql.replacing("TABLE", with: "\"\(word)\""))' -d garner.db"
                #expect(told.errors.contains("put the table in double quotes: \(line)\n"), "\(told)")
                #expect(try await place.shell(line).code == 0)
            }
        }
    }

    @Test func `an object whose members are columns is told with them`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1,"user":{"id":7,"name":"Kea"}}]"#) }) { server in
            let place = try Workplace(api: server.url)
            #expect(try await place.garner("sync").code == 0)
            let query = try await place.garner("query", "SELECT user FROM animals")
            #expect(query.errors.contains("Try: its members are columns: user__id, user__name\n"), "\(query)")
            let member = try await place.garner("query", "SELECT user ->> 'name' FROM animals")
            #expect(member.errors.contains("Try: did you mean 'user__name'?\n"), "\(member)")
            let rows = try await place.garner("rows", "animals", "--columns", "id,user")
            #expect(rows.errors.contains("; did you mean 'user__id,user__name'?\n"), "\(rows)")
            #expect(try await place.garner("rows", "animals", "--columns", "id,user__id,user__name").code == 0)
        }
    }

    @Test func `a table whose name has a dot is to be quoted`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1}]"#) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, table: public.pets")
            #expect(try await place.garner("sync").code == 0)
            for sql in ["SELECT count(*) FROM public.pets", "SELECT Public.Pets.id FROM Public.Pets"] {
                let told = try await place.garner("query", sql)
                let quoted = sql.replacing(/(?i)public\.pets/) { "\"\($0.output)\"" }
                let line = "garner query '\(quoted)'"
                #expect(told.errors.contains("needs double quotes; write: \(line)\n"), "\(told)")
                #expect(try await place.shell(line).code == 0)
            }
        }
    }

    @Test func `a column whose name is a calculation is to be quoted`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1,"my-field":2}]"#) }) { server in
            let place = try Workplace(api: server.url)
            #expect(try await place.garner("sync").code == 0)
            let told = try await place.garner("query", "SELECT my-field FROM animals")
            let line = "garner query 'SELECT \"my-field\" FROM animals'"
            #expect(told.errors.contains("without double quotes; write: \(line)\n"), "\(told)")
            #expect(try await place.shell(line).code == 0)
        }
    }

    @Test(arguments: [
        ("rows animals --where", "created > 2024-01-31"), ("rows animals --where", "created > 2024-01-31T10:00:00Z"),
        ("export animals --where", "\"created\" > 2024-01-31 AND name <> '$x'"), ("rows animals --where", "name = Kea"),
        ("query", "select name from animals where created > 2024-01-31"),
        ("export --sql", "select name from animals where name = Kea"),
    ])
    func `text without quotes is refused with the line that a shell passes on`(command: String, sql: String)
        async throws
    {
        try await OtherWordTests.withAnimals { place in
            let told = try await place.start(command.split(separator: " ").map(String.init) + [sql]).end()
            #expect(told.code == 64)
            let advice = try #require(told.errors.firstMatch(of: /single quotes: (.+)\n$/)?.1, "\(told)")
            let pasted = try await place.shell("garner \(command) \(advice)")
            #expect(pasted.code == 0 && pasted.output.contains("Kea"), "\(advice): \(pasted)")
        }
    }

    @Test(arguments: [
        "created > '2024-01-31'", "number > 2024 - 01 - 31", "number < 2024-99-99", "id > 0 -- since 2024-01-31",
    ])
    func `what is no date without quotes is not refused`(condition: String) async throws {
        try await OtherWordTests.withAnimals { place in
            let told = try await place.garner("rows", "animals", "--where", condition)
            #expect(told.code == 0, "\(told)")
        }
    }
}
