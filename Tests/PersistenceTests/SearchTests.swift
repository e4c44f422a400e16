import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

struct SearchTests {
    let timed: TimedFixture

    init() throws { timed = try TimedFixture() }

    private static func animals(
        _ search: [String] = ["name", "text"], table: String = "animals", key: [String]? = nil,
        missing: DeleteMissing = .ignore
    ) -> StreamConfiguration {
        TimedFixture.animals(table: table, key: key, missing: missing, history: false, search: search)
    }

    private func found(_ text: SearchText, in table: String = "animals", limit: Int? = nil) throws -> [String] {
        let reader = try timed.reader()
        return try withExtendedLifetime(reader) {
            try timed.rows(reader.search(table, for: text, limit: limit))
        }
    }

    private func ids(_ words: String) throws -> [String] {
        try found(.words(words)).map { String($0.split(separator: " ").first ?? "") }.sorted()
    }

    /// Expects that FTS5 finds no fault in the index, and that it finds the same rows as a search of the texts.
    private func expectIntegrity(_ words: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        try timed.fixture.alter("INSERT INTO _garner_search_1 (_garner_search_1) VALUES ('integrity-check')")
        for word in words {
            let texts = "(' ' || coalesce(name, '') || ' ' || coalesce(text, '') || ' ')"
            let rows = try timed.fixture.rows("SELECT id FROM animals WHERE \(texts) LIKE '% \(word) %'")
            #expect(try ids(word) == rows.sorted(), "\(word)", sourceLocation: sourceLocation)
        }
    }

    @Test func `a search finds all words in any case and without accents, and returns all columns`() async throws {
        try await timed.sync(
            0, Self.animals(),
            #"[{"id":1,"name":"Kea","text":"A parrot, wētāpunga","n":5},{"id":2,"name":"Wolf","text":"a wolf parrot"}]"#
        )
        #expect(try found(.words("KEA")) == ["1 'Kea' 'A parrot, wētāpunga' 5"])
        #expect(try ids("parrot wetapunga") == ["1"])
        #expect(try ids("parrot") == ["1", "2"])
        #expect(try ids("parrots") == [])
        #expect(try found(.words("5")) == [])
    }

    @Test(arguments: [DeleteMissing.ignore, .soft])
    func `records are found whatever their columns are called`(missing: DeleteMissing) async throws {
        try await timed.sync(
            0, Self.animals(["name"], missing: missing),
            #"[{"id":1,"name":"Kea","number":7,"place":"a","rank":9,"hit":1,"found":2}]"#)
        #expect(try found(.words("kea")).map { $0.hasPrefix("1 'Kea' 7 'a' 9 1 2") } == [true])
    }

    @Test func `a copy of the table that another program made is not searched until a sync has looked at it`()
        async throws
    {
        let stream = Self.animals(key: ["name"])
        let records = #"[{"name":"kea","text":"x"},{"name":"kiwi","text":"y"},{"name":"moa","text":"z"}]"#
        try await timed.sync(0, stream, records)
        try timed.fixture.alter(
            """
            CREATE TABLE new (name TEXT NOT NULL, text TEXT, PRIMARY KEY (name));
            INSERT INTO new SELECT name, text FROM animals ORDER BY name DESC;
            DROP TABLE animals; ALTER TABLE new RENAME TO animals
            """)
        let failure = #expect(throws: PersistenceError.self) { try found(.words("kea")) }
        #expect(failure?.message.contains("another program changed the rows of animals") == true)
        try await timed.sync(1, stream, records)
        #expect(try found(.words("kea")) == ["'kea' 'x'"])
    }

    @Test func `the best comes first, and no more than asked for`() async throws {
        try await timed.sync(
            0, Self.animals(),
            #"[{"id":1,"name":"a b c d e f wolf","text":"x"},{"id":2,"name":"wolf","text":"wolf"},{"id":3,"name":"z","text":"y"}]"#
        )
        #expect(try found(.words("wolf")).map { $0.prefix(1) } == ["2", "1"])
        #expect(try found(.words("wolf"), limit: 1).map { $0.prefix(1) } == ["2"])
    }

    @Test func `the search index follows rows that are inserted, updated, marked, deleted and restored`() async throws {
        let stream = Self.animals(missing: .hard)
        try await timed.sync(0, stream, #"[{"id":1,"name":"kea","text":"x"},{"id":2,"name":"kiwi","text":"x"}]"#)
        try await timed.sync(
            1, stream, #"[{"id":1,"name":"moa","text":"x"}]"#, #"[{"id":3,"name":"kiwi","text":null}]"#)
        #expect(try ids("kea") == [])
        #expect(try ids("moa") == ["1"])
        #expect(try ids("kiwi") == ["3"])
        try await timed.sync(2, stream, #"[{"id":1,"name":"moa","text":"x"},{"id":2,"name":"kiwi","text":"x"}]"#)
        #expect(try ids("kiwi") == ["2"])
        try expectIntegrity(["moa", "kiwi", "x", "kea"])
        try await timed.sync(3, stream, "[]")
        #expect(try ids("moa") == [])
        #expect(try timed.fixture.rows("SELECT count(*) FROM _garner_search_1") == ["0"])
    }

    @Test func `a column whose name differs by Unicode form only is another one`() async throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let page = "[{\"id\":1,\"\(composed)\":\"kea\",\"\(decomposed)\":\"moa\"}]"
        try await timed.sync(0, Self.animals([composed]), page)
        #expect(try ids("kea") == ["1"])
        try await timed.sync(1, Self.animals([decomposed]), page)
        #expect(try ids("kea") == [])
        #expect(try ids("moa") == ["1"])
    }

    @Test func `an unchanged sync writes nothing of it`() async throws {
        let page = #"[{"id":1,"name":"kea","text":"x"}]"#
        try await timed.sync(0, Self.animals(), page)
        let content = "SELECT id, hex(block) FROM _garner_search_1_data"
        let schema = "SELECT rootpage, sql FROM sqlite_schema ORDER BY name"
        let before = try (timed.fixture.rows(content), timed.fixture.rows(schema))
        try await timed.sync(1, Self.animals(), page)
        #expect(try timed.fixture.rows(content) == before.0)
        #expect(try timed.fixture.rows(schema) == before.1)
    }

    @Test func `the search index is created, rebuilt and dropped as configured`() async throws {
        let page = #"[{"id":1,"name":"kea","text":"parrot"}]"#
        let count = "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%search%'"
        try await timed.sync(0, Self.animals([]), page)
        #expect(try timed.fixture.rows(count) == ["0"])
        try await timed.sync(1, Self.animals(["text"]), page)
        #expect(try ids("kea") == [])
        #expect(try ids("parrot") == ["1"])
        try await timed.sync(2, Self.animals(["name", "text"]), page)
        #expect(try ids("kea parrot") == ["1"])
        try await timed.sync(3, Self.animals([]), page)
        #expect(try timed.fixture.rows(count) == ["0"])
        let error = #expect(throws: PersistenceError.self) { try found(.words("kea")) }
        #expect(error?.kind == .request)
        #expect(error?.hint == .setSearch(stream: "zoo.animals"))
    }

    @Test func `a field that comes later is searched from then on`() async throws {
        try await timed.sync(0, Self.animals(["name", "late"]), #"[{"id":1,"name":"kea"}]"#)
        try await timed.sync(
            1, Self.animals(["name", "late"]), #"[{"id":1,"name":"kea","late":"moa"},{"id":2,"late":"moa"}]"#)
        #expect(try ids("kea moa") == ["1"])
        #expect(try ids("moa") == ["1", "2"])
    }

    @Test func `the search index follows columns that are added and widened within a page`() async throws {
        let stream = Self.animals(key: ["id"])
        for round in 0..<4 {
            let records = (0..<40).map { number in
                let wide = (number == 20 && round == 2) ? "\"wide\"" : number == 30 && round == 1 ? "0.5" : "\(round)"
                let new = number % 9 == 4 ? #","m\#(round)_\#(number)":1"# : ""
                return #"{"id":\#(number),"name":"w\#((number * 7 + round) % 11)","text":\#(wide)\#(new)}"#
            }
            try await timed.sync(Int64(round), stream, "[\(records.joined(separator: ","))]")
        }
        try expectIntegrity((0..<11).map { "w\($0)" } + ["wide"])
        try timed.fixture.expectIntegrity()
    }

    @Test(arguments: ["id", "name"])
    func `the search index follows a key that becomes text, and a renamed table`(searched: String) async throws {
        try await timed.sync(0, Self.animals([searched]), #"[{"id":70,"name":"kea"},{"id":-5,"name":"moa"}]"#)
        try await timed.sync(1, Self.animals([searched]), #"[{"id":"x","name":"kiwi"},{"id":70,"name":"kaka"}]"#)
        let renamed = Self.animals([searched], table: "beasts")
        var stream = renamed
        stream.name = StreamName(source: "zoo", stream: "animals")
        try await timed.sync(2, stream, #"[{"id":"y","name":"takahe"},{"id":70,"name":"kaka"}]"#)
        let words = searched == "id" ? ["70", "y", "x"] : ["kaka", "takahe", "kiwi"]
        #expect(
            try words.map { try found(.words($0), in: "beasts") } == [
                ["'70' 'kaka'"], ["'y' 'takahe'"], ["'x' 'kiwi'"],
            ])
    }

    @Test func `a table that was dropped takes its index along`() async throws {
        try await timed.sync(0, Self.animals(["name"]), #"[{"id":1,"name":"kea"}]"#)
        try timed.fixture.alter("DROP TABLE animals")
        try await timed.sync(1, Self.animals(["name"]), #"[{"id":2,"name":"moa"}]"#)
        #expect(try ids("kea") == [])
        #expect(try ids("moa") == ["2"])
    }

    @Test func `rows that were numbered anew are refused, and indexed anew by the next run`() async throws {
        try await timed.sync(0, Self.animals(["name"]), #"[{"name":"kea"},{"name":"moa"},{"name":"kiwi"}]"#)
        try timed.fixture.alter("DELETE FROM animals WHERE name = 'kea'; VACUUM")
        #expect(try timed.fixture.rows("SELECT _rowid_, name FROM animals") == ["1 'moa'", "2 'kiwi'"])
        let error = #expect(throws: PersistenceError.self) { try found(.words("moa")) }
        #expect(error?.kind == .request)
        try await timed.sync(1, Self.animals(["name"]), #"[{"name":"kaka"}]"#)
        #expect(try found(.words("moa")) == ["'moa'"])
        #expect(try found(.words("kaka")) == ["'kaka'"])
    }

    @Test func `columns may be called what FTS5 keeps for itself`() async throws {
        let names = ["rank", "rank_", "ROWID", "a\\\"b", "c,d", "unindexed", "tokenize = x"]
        let members = names.enumerated().map { #""\#($1)":"word\#($0)""# }.joined(separator: ",")
        let fields = names.map { $0.replacing("\\\"", with: "\"") }
        try await timed.sync(0, Self.animals(fields, key: ["id"]), #"[{"id":1,\#(members)}]"#)
        for number in names.indices { #expect(try ids("word\(number)") == ["1"]) }
    }

    @Test func `two streams are searched apart`() async throws {
        try await timed.sync(0, Self.animals(["name"]), #"[{"id":1,"name":"kea"}]"#)
        try await timed.sync(0, Self.animals(["name"], table: "animals_data"), #"[{"id":2,"name":"kea"}]"#)
        #expect(try found(.words("kea")) == ["1 'kea'"])
        #expect(try found(.words("kea"), in: "animals_data") == ["2 'kea'"])
    }

    @Test(arguments: Self.hostileTexts)
    func `no words are a syntax error`(text: String) async throws {
        try await timed.sync(0, Self.animals(), #"[{"id":1,"name":"kea AND moa","text":"a"},{"id":2,"name":"x"}]"#)
        _ = try found(.words(text))
        #expect(try found(.words("kea")).count == 1)
    }

    @Test func `words that stand for something in FTS5 are words`() async throws {
        try await timed.sync(
            0, Self.animals(), #"[{"id":1,"name":"kea AND moa"},{"id":2,"name":"kea moa"},{"id":3,"name":"NEAR name"}]"#
        )
        #expect(try ids("kea AND moa") == ["1"])
        #expect(try ids("NEAR") == ["3"])
        #expect(try ids("name:kea") == [])
        #expect(try ids("ke*") == [])
        #expect(try ids("kea -- \"") == ["1", "2"])
        #expect(try ids("kea\0moa") == ["1", "2"])
        #expect(try ids("") == [])
    }

    @Test func `an expression is FTS5's own, and a wrong one is refused by name`() async throws {
        try await timed.sync(
            0, Self.animals(), #"[{"id":1,"name":"kea","text":"x"},{"id":2,"name":"moa","text":"kea"}]"#)
        #expect(try found(.expression("name : k*")).count == 1)
        #expect(try found(.expression("kea OR moa")).count == 2)
        for wrong in ["kea AND", "\"kea", "nothing:kea", "*", "NEAR(", ""] {
            let error = #expect(throws: PersistenceError.self, "\(wrong)") { try found(.expression(wrong)) }
            #expect(error?.kind == .request)
            #expect(error?.message.hasPrefix("the search: ") == true)
            #expect(error?.hint == .searchPlainWords)
        }
    }

    private static let hostileTexts: [String] = {
        var texts = [
            "", " ", "\t\n", "\"", "\"\"", "\"\"\"", "'", "''", "*", "**", "kea*", "^kea", "^", ":", "a:b", "{a b}:c",
            "-", "--", "-kea", "+", "kea + moa", "kea +", "(", ")", "()", "((((", "AND", "OR", "NOT", "kea AND",
            "OR kea",
            "NOT NOT", "NEAR", "NEAR(", "NEAR(a b, 5)", "NEAR(a b", "a NEAR/3 b", ",", ";", "; DROP TABLE animals", "%",
            "_", "\\", "?1", "@x", "\0", "kea\0\"", "\u{301}", "\u{FFFD}", "😀", "\u{202E}kea", "rank", "rowid:1",
            "_garner_search_1", "*reads", "{", "}", "[a]", "`a`", "\u{2028}", "\u{FEFF}", "a\"b\"c",
        ]
        texts += [
            String(repeating: "\"", count: 1001), String(repeating: "kea ", count: 5000),
            String(repeating: "(", count: 3000),
        ]
        return texts
    }()
}
