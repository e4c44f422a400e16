extension HostileStatements {
    /// Texts that are not a single statement, or hide another one.
    static let malformedFamilies: [Family] = [
        Family(name: "two statements") { generator in
            let first = generator.pick([
                "SELECT 1", "", "SELECT count(*) FROM animals", "-- a\n", "/* a */", "VALUES (1)",
            ])
            let between = generator.pick([
                ";", ";;", "; ;", ";\0", "\0", "\0;", ";/* */", ";--\n", "\u{FF1B}", "\u{37E}", ";\u{FEFF}", ";\u{A0}",
                "\n;\r\n", " ",
            ])
            let second = generator.pick(writingFamilies)
            return first + between + second.make(&generator)
        },
        Family(name: "noise") { generator in
            let words = [
                "SELECT", "FROM", "animals", "(", ")", ",", "*", "'", "\"", "`", "[", "]", ";", "--", "/*", "*/", "\0",
                "é", "\u{301}",
                "\u{202E}", "WITH", "DELETE", "INTO", "AS", "x'", "0x", "1e", ":a", "?", "@", "$a::b(c)", "||", "->>",
                "OVER", "\u{FEFF}",
            ]
            return (0..<generator.number(1...60)).map { _ in generator.pick(words) }.joined(
                separator: generator.pick([" ", "", "\n"]))
        },
        Family(name: "unclosed") { generator in
            "SELECT " + generator.pick(["'", "\"", "[", "`", "/*", "x'", "(", "CASE"])
                + String(repeating: "a", count: generator.number(0...100_000))
        },
        Family(name: "long") { generator in
            let size = generator.pick([10_000, 999_000, 1_000_001, 1_500_000])
            let piece = generator.pick([" ", "/**/", "1+", "(", "a,", "-- \n", "SELECT ", "\0"])
            return "SELECT " + String(repeating: piece, count: size / piece.utf8.count) + "1"
        },
    ]

    /// The same statement in another shape, or no statement any more.
    mutating func mutated(_ sql: String) -> String {
        var sql = sql
        if chance(20) { sql = inMixedCase(sql) }
        if chance(15) { sql = sql.replacing(" ", with: pick(["/**/", "\t", "\n", "  ", "/* ; */ ", "\u{0C}"])) }
        if chance(10) {
            sql = pick(["EXPLAIN ", "EXPLAIN QUERY PLAN ", "/* */", "\u{FEFF}", " ", ";", "--\n", "(", "\0"]) + sql
        }
        if chance(10) {
            sql += pick([";", ";;", "--", "/*", "\0", " ; DELETE FROM animals", ")", "\u{37E}", "\n\n", "; SELECT 1"])
        }
        if chance(8) { sql = "SELECT * FROM (\(sql)) LIMIT 5" }
        if chance(8) { sql = "WITH stolen AS (\(sql)) SELECT * FROM stolen" }
        if chance(5) { sql = String(decoding: sql.utf8.prefix(number(0...max(sql.utf8.count, 0))), as: UTF8.self) }
        if chance(5) { sql = withOneByteChanged(sql) }
        return sql
    }

    private mutating func inMixedCase(_ sql: String) -> String {
        guard sql.utf8.count < 10_000 else { return sql }
        return sql.map { chance(50) ? $0.lowercased() : String($0) }.joined()
    }

    private mutating func withOneByteChanged(_ sql: String) -> String {
        var bytes = Array(sql.utf8)
        guard !bytes.isEmpty else { return sql }
        bytes[number(0...bytes.count - 1)] = UInt8.random(in: 0...255, using: &random)
        return String(decoding: bytes, as: UTF8.self)
    }
}
