extension HostileStatements {
    /// Statements that never end, or not in any reasonable time.
    static let endlessFamilies: [Family] = [
        Family(name: "recursion") { generator in
            let step = generator.pick([
                "SELECT 1 UNION ALL SELECT x + 1 FROM a", "SELECT 1 UNION SELECT x + 1 FROM a",
                "SELECT 'x' UNION ALL SELECT x || x FROM a",
                "SELECT 1 UNION ALL SELECT y FROM a, (SELECT 1 AS y UNION ALL SELECT 2)",
                "SELECT zeroblob(9) UNION ALL SELECT randomblob(length(x) + 1) FROM a",
                "SELECT 1.0 UNION ALL SELECT x * 1.0000001 FROM a",
                "SELECT 1 UNION ALL SELECT x + 1 FROM a ORDER BY 1 DESC",
            ])
            let use = generator.pick([
                "count(*)", "x", "max(x)", "group_concat(x)", "json_group_array(x)", "sum(length(x))",
                "count(DISTINCT x)", "group_concat(x) OVER (ORDER BY x ROWS 9 PRECEDING)",
            ])
            return "WITH RECURSIVE a(x) AS (\(step)) SELECT \(use) FROM a"
                + generator.pick(["", " ORDER BY 1", " WHERE x < 0", " GROUP BY x % 7"])
        },
        Family(name: "join") { generator in
            let tables = (0..<generator.number(4...12)).map { "animals AS t\($0)" }
            let use = generator.pick(["count(*)", "*", "max(t0.name || t1.name)", "DISTINCT t0.name", "random()"])
            return
                "SELECT \(use) FROM \(tables.joined(separator: generator.pick([", ", " CROSS JOIN ", " LEFT JOIN "])))"
                + generator.pick([
                    "", " ORDER BY random()", " WHERE t0.name LIKE '%' || t1.name || '%z'", " GROUP BY t2.name",
                ])
        },
        Family(name: "subquery") { generator in
            "SELECT \(generator.pick(["sum", "count", "max"]))((SELECT count(*) FROM animals b, animals c, animals d WHERE b.id <> a.id "
                + "AND c.name \(generator.pick(["LIKE", "GLOB", "<>", "IS NOT"])) d.name)) FROM animals a, animals e"
        },
        Family(name: "json rows") { generator in
            let list = "[" + (0..<generator.number(10...500)).map(String.init).joined(separator: ",") + "]"
            return
                "SELECT count(*) FROM json_each('\(list)') a, json_tree('\(list)') b, json_each('\(list)') c, animals d"
        },
    ]

    /// Statements that are too large in text, values, depth or width.
    static let oversizedFamilies: [Family] = [
        Family(name: "value") { generator in
            let size = generator.pick([
                "1e9", "2147483647", "999999999", "64000000", "9223372036854775807", "-1", "1e5",
            ])
            return "SELECT "
                + generator.pick([
                    "zeroblob(\(size))", "randomblob(\(size))", "hex(zeroblob(\(size)))", "quote(zeroblob(\(size)))",
                    "printf('%.*c', \(size), 'x')", "format('%\(size)d', 1)", "printf('%.99999999f', 1)",
                    "char(\(size))",
                    "substr(zeroblob(\(size)), 1, 1)", "length(zeroblob(\(size)))", "upper(hex(zeroblob(\(size))))",
                    "json_array(hex(zeroblob(\(size))))", "replace(hex(zeroblob(100000)), '0', hex(zeroblob(100000)))",
                    "group_concat(hex(zeroblob(1000000))) FROM animals a, animals b",
                    "CAST(zeroblob(\(size)) AS TEXT)", "strftime('\(String(repeating: "%Y", count: 2000))', 'now')",
                ])
        },
        Family(name: "depth") { generator in
            let count = generator.pick([50, 99, 101, 400, 999, 1_001, 5_000, 100_000])
            let (open, close) = generator.pick([
                ("(", ")"), ("NOT ", ""), ("-", ""), ("~", ""), ("abs(", ")"), ("(SELECT ", ")"),
                ("CASE WHEN 1 THEN ", " END"),
                ("json(", ")"), ("CAST(", " AS TEXT)"), ("1 IN (", ")"),
            ])
            return "SELECT \(String(repeating: open, count: count))1\(String(repeating: close, count: count))"
        },
        Family(name: "width") { generator in
            let count = generator.pick([200, 501, 1_999, 2_001, 30_000])
            return generator.pick([
                "SELECT " + Array(repeating: "1", count: count).joined(separator: ", "),
                "SELECT 1" + String(repeating: " UNION ALL SELECT 1", count: count),
                "SELECT 1" + String(repeating: " + 1", count: count),
                "SELECT 1" + String(repeating: " OR id", count: count) + " FROM animals",
                "SELECT max(" + Array(repeating: "1", count: count).joined(separator: ", ") + ")",
                "SELECT 1 WHERE 1 IN (" + Array(repeating: "1", count: count).joined(separator: ", ") + ")",
                "SELECT 1 FROM " + (0..<count).map { "animals t\($0)" }.joined(separator: ", "),
                "SELECT ?\(count)", "SELECT " + (0..<count).map { ":p\($0)" }.joined(separator: ", "),
                "VALUES " + Array(repeating: "(1)", count: count).joined(separator: ", "),
                "SELECT '" + String(repeating: "x", count: count * 40) + "'",
                "SELECT 1" + String(repeating: " -- x\n", count: count),
            ])
        },
        Family(name: "json depth") { generator in
            let count = generator.pick([100, 1_000, 2_001, 100_000])
            let text = String(repeating: generator.pick(["[", "{\"a\":"]), count: count)
            return "SELECT \(generator.pick(["json", "json_valid", "json_type", "json_array_length"]))('\(text)')"
        },
    ]

    /// Statements that spend their time or memory inside one call.
    static let stuckFamilies: [Family] = [
        Family(name: "pattern", needsProcess: true) { generator in
            let text = "printf('%.*c', \(generator.pick([100_000, 3_000_000, 60_000_000])), 'a')"
            return "SELECT "
                + generator.pick([
                    "\(text) LIKE '\(String(repeating: "%a", count: generator.number(2...480)))b'",
                    "\(text) LIKE '%\(String(repeating: "a", count: generator.number(2...900)))b'",
                    "\(text) GLOB '\(String(repeating: "*[a-z]", count: generator.number(2...150)))b'",
                    "\(text) REGEXP '(a+)+b'", "instr(\(text), \(text) || 'b')",
                    "instr(\(text), substr(\(text), 9) || 'b')",
                    "replace(\(text), substr(\(text), \(generator.number(2...60_000))) || 'b', 'c')",
                    "trim(\(text), replace(\(text), 'a', 'b') || 'a')", "length(hex(\(text)))",
                ])
        },
        Family(name: "json merge", needsProcess: true) { generator in
            let object =
                "(WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a LIMIT \(generator.number(1_000...60_000))) "
                + "SELECT json_group_object('k' || x, x) FROM a)"
            return "SELECT length(json_patch(\(object), replace(\(object), 'k', 'j')))"
        },
        Family(name: "doubling", needsProcess: true) { generator in
            let count = generator.number(12...60)
            let tables = (1...count).map { ", t\($0) AS (SELECT x.a FROM t\($0 - 1) x, t\($0 - 1) y)" }.joined()
            return "WITH t0 AS (SELECT 1 AS a)\(tables) SELECT count(*) FROM t\(count)"
        },
        Family(name: "wide row", needsProcess: true) { generator in
            "SELECT "
                + Array(repeating: "hex(zeroblob(\(generator.number(1...31))000000))", count: generator.number(2...99))
                .joined(separator: ", ")
        },
    ]
}
