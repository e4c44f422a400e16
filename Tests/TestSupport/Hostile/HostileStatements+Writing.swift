extension HostileStatements {
    /// Statements that would change the file.
    static let writingFamilies: [Family] = [
        Family(name: "delete") { $0.with("DELETE FROM \($0.table())") + $0.returning() },
        Family(name: "update") { $0.with("UPDATE \($0.table()) SET name = 'stolen'") + $0.returning() },
        Family(name: "insert") { generator in
            let verb = generator.pick(["INSERT", "REPLACE", "INSERT OR REPLACE", "INSERT OR IGNORE"])
            let values = generator.pick([
                "DEFAULT VALUES", "VALUES (1)", "SELECT * FROM animals", "(id) VALUES (7) ON CONFLICT DO NOTHING",
                "(id) VALUES (7) ON CONFLICT (id) DO UPDATE SET name = 'stolen'",
            ])
            return generator.with("\(verb) INTO \(generator.table()) \(values)") + generator.returning()
        },
        Family(name: "schema") { generator in
            let temporary = generator.pick(["", "TEMP ", "TEMPORARY "])
            let table = generator.table()
            return generator.pick([
                "CREATE \(temporary)TABLE stolen AS SELECT * FROM \(table)", "CREATE \(temporary)TABLE stolen (a)",
                "CREATE \(temporary)VIEW stolen AS SELECT * FROM \(table)", "CREATE INDEX stolen ON animals (name)",
                "CREATE \(temporary)TRIGGER stolen AFTER INSERT ON animals BEGIN DELETE FROM animals; END",
                "CREATE VIRTUAL TABLE stolen USING fts5(a)", "CREATE VIRTUAL TABLE temp.stolen USING rtree(a, b, c)",
                "CREATE VIRTUAL TABLE temp.stolen USING fts5vocab(main, words, row)",
                "DROP TABLE \(table)", "DROP VIEW IF EXISTS everything", "DROP INDEX IF EXISTS by_name",
                "ALTER TABLE \(table) RENAME TO stolen", "ALTER TABLE animals ADD COLUMN stolen",
                "ALTER TABLE animals DROP COLUMN name", "ANALYZE", "ANALYZE \(table)", "REINDEX", "REINDEX \(table)",
            ])
        },
        Family(name: "full text") { generator in
            generator.pick([
                "INSERT INTO words(words) VALUES ('rebuild')", "INSERT INTO words(words) VALUES ('delete-all')",
                "INSERT INTO words(words, rank) VALUES ('merge', 500)", "UPDATE words_data SET block = zeroblob(9)",
                "INSERT INTO words_config VALUES ('version', 0)", "DELETE FROM words_content",
                "SELECT * FROM words WHERE words MATCH '\"a\" OR NEAR(b c, 5)'",
                "SELECT highlight(words, 0, '<', '>') FROM words('a*')",
                "SELECT words FROM words WHERE words MATCH '\(String(repeating: "(", count: generator.number(1...900)))'",
            ])
        },
        Family(name: "transaction") { generator in
            generator.pick([
                "BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "COMMIT", "END", "ROLLBACK", "SAVEPOINT a",
                "RELEASE part",
                "ROLLBACK TO part",
            ])
        },
        Family(name: "vacuum") {
            "VACUUM" + $0.pick(["", " INTO '\($0.path())'", " main INTO '\($0.path())'", " temp"])
        },
    ]

    private mutating func with(_ statement: String) -> String {
        pick([
            statement, "WITH a AS (SELECT 1) \(statement)",
            "WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) \(statement)", "EXPLAIN \(statement)",
            "SELECT * FROM (\(statement))",
        ])
    }

    private mutating func returning() -> String { pick(["", " RETURNING *", " WHERE 1", " ORDER BY 1 LIMIT 1"]) }
}
