import TestSupport
import Testing

/// Columns with values of two kinds, as the commands tell of them, and the lines that settle them.
@Suite(.timeLimit(.minutes(3)))
struct OddColumnCommandTests {
    private static let records = """
        [{"id":1,"age":61,"home":{"rooms":3},"visits":[{"kg":1.5}]},
         {"id":2,"age":62,"home":{"rooms":4},"visits":[{"kg":2}]},
         {"id":3,"age":"n/a","home":{"rooms":"many"},"visits":[{"kg":"?"}]}]
        """

    private static func sync(
        _ records: String, _ body: @escaping @Sendable (Workplace, String, String) async throws -> Void
    ) async throws {
        try await LoopbackServer.serve({ _ in .json(records) }) { server in
            let lines = ["path: items", "primary_key: id", "child_tables: true", "paginator: { type: single_page }"]
            let place = try Workplace(PlayedAdvice.configuration(server.url, lines))
            let sync = try await place.garner("sync")
            #expect(sync.code == 0)
            try await body(place, PlayedAdvice.configuration(server.url, lines), sync.errors)
        }
    }

    /// Returns the two lines of a warning, of which either settles its columns.
    private static func lines(in text: String) -> [String] {
        let rest = text.split(separator: "to settle ").dropFirst().first.map(String.init) ?? ""
        return rest.components(between: "fields: ", and: " } }").prefix(2).map { "fields: \($0) } }" }
    }

    @Test func `a sync, the status and the check tell of the columns, and programs by their kind`() async throws {
        try await Self.sync(Self.records) { place, _, warning in
            let age = #"items.age: 1 of 3 values is no number: "n/a"; SQL sees NULL"#
            #expect(warning.contains(age), "\(warning)")
            #expect(warning.contains(#"items__visits.kg: 1 of 3 values is no number: "?""#))
            let again = try await place.garner("sync")
            #expect(!again.errors.contains(age))
            let status = try await place.garner("status")
            #expect(status.output.contains("items.age: 1 of 3 values"), "\(status)")
            let json = try await place.garner("status", "--json").output
            #expect(
                json.contains(#""kind":"values_set_aside","table":"items","column":"age","type":"INTEGER""#), "\(json)")
            let check = try await place.garner("check")
            #expect(check.code == 0 && check.errors.contains(age), "\(check)")
            #expect(
                check.errors.contains(
                    "Try: to settle them, write fields: { types: { age: integer, $.home.rooms: integer, $.visits.kg: real } }"
                ))
            let shown = try await place.garner("rows", "items", "--columns", "age", "--json")
            #expect(shown.output.contains(#""n/a""#) && shown.output.contains("61"), "\(shown)")
        }
    }

    @Test func `each of the two lines settles all columns`() async throws {
        let columns = [("items", "age"), ("items", "home__rooms"), ("items__visits", "kg")]
        try await Self.sync(Self.records) { place, configuration, warning in
            let lines = Self.lines(in: warning)
            try #require(lines.count == 2, "\(warning)")
            for (line, isText) in zip(lines, [false, true]) {
                try place.write(configuration + "        \(line)\n", to: "garner.yaml")
                let sync = try await place.garner("sync")
                #expect(sync.code == 0, "\(line): \(sync)")
                let told = try await place.garner("check").errors + place.garner("status", "--json").output
                #expect(!told.contains(" values "), "\(line): \(told)")
                for (table, name) in columns {
                    let types = try place.texts("SELECT type FROM pragma_table_info('\(table)') WHERE name = '\(name)'")
                    #expect((types == ["TEXT"]) == isText, "\(line): \(types)")
                    let shown = try await place.garner("export", table)
                    #expect(["n/a", "many", "?"].contains { shown.output.contains($0) }, "\(shown)")
                }
            }
        }
    }

    @Test(arguments: [0, 1])
    func `where fields are configured, the entries of their types are told until a sync has made them so`(
        choice: Int
    ) async throws {
        try await Self.sync(#"[{"id":1,"code":7},{"id":2,"code":"A12"}]"#) { place, configuration, _ in
            try place.write(configuration + "        fields: { drop: [secret] }\n", to: "garner.yaml")
            let told = try await place.garner("check").errors
            let entries = told.components(between: "{ ", and: " }")
            try #require(told.contains("add to 'types' of 'fields': { code: integer }, or { code: text }"), "\(told)")
            let line = "        fields: { drop: [secret], types: { \(entries[choice]) } }\n"
            try place.write(configuration + line, to: "garner.yaml")
            guard choice == 0 else {
                #expect(!(try await place.garner("check").errors.contains("items.code")))
                return
            }
            #expect(try await place.garner("check").errors.contains("items.code: 1 of 2 values is no number"))
            #expect(try await place.garner("sync").code == 0)
            #expect(!(try await place.garner("check").errors.contains("items.code")))
        }
    }

    private static let mixtures: [(type: String?, values: String, advised: [String])] = [
        ("integer", #"1, "012", 1.5, 9223372036854775808, " 7""#, ["numeric", "text"]),
        ("integer", #"1, 1.5, 2.5, 3.5, 9223372036854775808"#, ["numeric", "text"]),
        ("integer", #"1, "n/a", 1.5"#, ["real", "text"]),
        ("integer", #"1, 1.5"#, ["real", "text"]),
        ("boolean", #"true, "yes", "TRUE", 7"#, ["text"]),
        ("boolean", #"true, 7"#, ["integer", "text"]),
        ("boolean", #"true, 7, 1.5"#, ["text"]),
        ("real", #"1.5, 9223372036854775808"#, ["numeric", "text"]),
        ("real", #"1.5, 9007199254740993"#, ["numeric", "text"]),
        (nil, #"7, 1.5, 9223372036854775808, "A1""#, ["numeric", "text"]),
        (nil, #"7, 1.5, "A1""#, ["real", "text"]),
        (nil, #"7, 250, 9223372036854775808"#, ["numeric", "text"]),
        (nil, #"7, 250, -9223372036854775809, 0.1234567890123456789"#, ["numeric", "text"]),
        (nil, #"7, 250, 12345678901234567890123456789012345678901234567890"#, ["numeric", "text"]),
    ]

    @Test(arguments: [#"9223372036854775808, 18446744073709551616"#, #"7, 0.1234567890123456789, 0.5"#])
    func `numbers of which all are long, or that are decimals, are not told`(values: String) async throws {
        let records = values.split(separator: ", ").enumerated().map { #"{"id":\#($0),"v":\#($1)}"# }
        try await Self.sync("[\(records.joined(separator: ","))]") { place, _, warning in
            let check = try await place.garner("check")
            #expect(!warning.contains("items.v") && !check.errors.contains("items.v"), "\(check)")
        }
    }

    @Test func `long identifiers are told as text first, and as the key that they are`() async throws {
        let records =
            #"[{"id":12345678901234567890123,"n":"a"},{"id":12345678901234567890124,"n":"b"},{"id":5,"n":"c"}]"#
        try await LoopbackServer.serve({ _ in .json(records) }) { server in
            let lines = ["path: items", "paginator: { type: single_page }"]
            let place = try Workplace(PlayedAdvice.configuration(server.url, lines))
            let told = try await place.garner("sync").errors
            #expect(told.contains("such as primary_key: [id]"), "\(told)")
            let line = try #require(told.firstMatch(of: /to settle it, write (fields: \{ types: \{ id: \w+ \} \})/)?.1)
            try place.write(PlayedAdvice.configuration(server.url, lines + [String(line)]), to: "garner.yaml")
            #expect(try await place.garner("drop", "zoo.items", "--yes").code == 0)
            #expect(try await place.garner("sync").errors.contains("key id"))
            let one = "SELECT count(*) FROM items WHERE id = '12345678901234567890123'"
            #expect(try place.integers(one) == [1])
        }
    }

    @Test(arguments: mixtures)
    func `each type that is advised takes all values`(type: String?, values: String, advised: [String]) async throws {
        let records = values.split(separator: ", ").enumerated().map { #"{"id":\#($0),"v":\#($1)}"# }
        try await LoopbackServer.serve({ _ in .json("[\(records.joined(separator: ","))]") }) { server in
            let lines = ["path: items", "primary_key: id", "paginator: { type: single_page }"]
            func file(_ type: String?) -> String {
                PlayedAdvice.configuration(
                    server.url, lines + (type.map { ["fields: { types: { v: \($0) } }"] } ?? []))
            }
            let place = try Workplace(file(type))
            #expect(try await place.garner("sync").code == 0)
            let told = try await place.garner("check").errors
            let types = told.matches(of: /\{ v: (\w+) \}/).map { String($0.1) }
            #expect(types == advised, "\(told)")
            for type in types {
                try place.write(file(type), to: "garner.yaml")
                let sync = try await place.garner("sync")
                #expect(sync.code == 0 && !sync.errors.contains("to settle"), "\(type): \(sync)")
                #expect(try await place.garner("check").errors == "", "\(type)")
            }
        }
    }

    @Test func `integers beyond 64 bits are told, and the nearest number of each makes SQL right`() async throws {
        let records = #"[{"id":1,"n":7},{"id":2,"n":250},{"id":3,"n":18446744073709551616}]"#
        try await Self.sync(records) { place, configuration, warning in
            let told = "items.n: 1 of 3 values is no integer of 64 bits: 18446744073709551616; the column is TEXT"
            #expect(warning.contains(told), "\(warning)")
            let again = try await place.garner("sync")
            #expect(!again.errors.contains("items.n"), "\(again)")
            #expect(try await place.garner("check").errors.contains(told))
            let line = try #require(Self.lines(in: warning).first)
            try place.write(configuration + "        \(line)\n", to: "garner.yaml")
            #expect(try await place.garner("sync").code == 0)
            #expect(try place.integers("SELECT count(*) FROM items WHERE n > 100") == [2])
            let shown = try await place.garner("export", "items")
            #expect(shown.output.contains("18446744073709551616"), "\(shown)")
        }
    }

    @Test func `a column of texts becomes one of numbers by the line that says so`() async throws {
        let records = #"[{"id":1,"code":7},{"id":2,"code":"A12"},{"id":3,"code":9}]"#
        try await Self.sync(records) { place, configuration, warning in
            #expect(
                warning.contains(#"items.code: 1 of 3 values is no number: "A12"; the column is TEXT"#), "\(warning)")
            let line = try #require(Self.lines(in: warning).first)
            try place.write(configuration + "        \(line)\n", to: "garner.yaml")
            let sync = try await place.garner("sync")
            #expect(sync.errors.contains("column items.code is INTEGER now, it was TEXT"), "\(sync)")
            #expect(try place.integers("SELECT sum(code) FROM items") == [16])
            let shown = try await place.garner("get", "items", "2")
            #expect(shown.output.contains("A12"), "\(shown)")
        }
    }
}

extension String {
    /// Returns the texts between two others, in their order.
    fileprivate func components(between start: String, and end: String) -> [String] {
        split(separator: start).dropFirst().compactMap {
            $0.split(separator: end, omittingEmptySubsequences: false).first
        }
        .map(String.init)
    }
}
