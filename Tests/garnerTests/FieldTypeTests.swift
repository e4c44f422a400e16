import TestSupport
import Testing

/// `fields.types`: the columns that are made, and what happens to values that do not fit.
@Suite(.timeLimit(.minutes(2)))
struct FieldTypeTests {
    private static func sync(
        _ storing: String, _ pages: [String], body: @escaping @Sendable (Workplace, [String]) async throws -> Void
    ) async throws {
        let page = Watched("")
        try await LoopbackServer.serve({ _ in .json(page.value) }) { server in
            let types = "fields: { types: { price: text, count: integer, size: real, open: boolean } }"
            let place = try Workplace(api: server.url, "\(types), paginator: { type: single_page }, \(storing)")
            var reports: [String] = []
            for text in pages {
                page.value = text
                reports.append(try await place.garner("sync", "--json").output)
            }
            try await body(place, reports)
        }
    }

    private static let first = #"[{"id":1,"price":1.50,"count":"12","size":3,"open":0},{"id":2,"price":null}]"#
    private static let columns = "SELECT name || ' ' || type FROM pragma_table_info('animals') WHERE cid > 0"
    private static let rows = """
        SELECT coalesce(price, 'NULL') || ' ' || typeof(count) || ' ' || typeof(size) || ' ' || coalesce(open, 'NULL')
        FROM animals ORDER BY id
        """

    @Test(arguments: ["primary_key: id, history: true", "primary_key: id, write_disposition: replace"])
    func `columns have the declared types, and a second sync writes nothing`(storing: String) async throws {
        try await Self.sync(storing, [Self.first, Self.first]) { place, reports in
            try #expect(place.texts(Self.columns) == ["price TEXT", "count INTEGER", "size REAL", "open BOOLEAN"])
            try #expect(place.texts(Self.rows) == ["1.50 integer real 0", "NULL null null NULL"])
            #expect(reports[1].contains(#""inserted":0,"updated":0,"unchanged":2"#), "\(reports[1])")
            if storing.contains("history") {
                try #expect(place.integers("SELECT count(*) FROM _garner_history_animals") == [2])
            }
        }
    }

    @Test func `records that are appended have the declared types`() async throws {
        let second = #"[{"id":3,"price":99999999999999999999999999999.9,"count":"13","size":"4.5","open":"true"}]"#
        try await Self.sync("write_disposition: append", [Self.first, second]) { place, _ in
            try #expect(
                place.texts(Self.rows)
                    == ["1.50 integer real 0", "NULL null null NULL", "99999999999999999999999999999.9 integer real 1"])
        }
    }

    @Test func `a value that does not fit is set aside, or widens its column where the contract says so`() async throws
    {
        let second = #"[{"id":2,"count":"A12"}]"#
        try await Self.sync("primary_key: id", [Self.first, second]) { place, _ in
            try #expect(
                place.texts("SELECT coalesce(count, _garner_rest) FROM animals ORDER BY id") == [
                    "12", #"{"count":"A12"}"#,
                ])
            try #expect(place.texts(Self.columns)[1] == "count INTEGER")
        }
        let contract = "primary_key: id, schema_contract: { data_types: evolve }"
        try await Self.sync(contract, [Self.first, second]) { place, _ in
            try #expect(place.texts("SELECT count FROM animals ORDER BY id") == ["12", "A12"])
            try #expect(place.texts(Self.columns)[1] == "count TEXT")
        }
    }

    @Test func `a value that does not fit is quarantined where the contract says so`() async throws {
        let contract = "primary_key: id, schema_contract: { data_types: quarantine }"
        try await Self.sync(contract, [Self.first, #"[{"id":2,"count":"many"},{"id":3,"count":"7"}]"#]) { place, _ in
            try #expect(place.texts(Self.columns)[1] == "count INTEGER")
            try #expect(place.integers("SELECT count FROM animals WHERE count IS NOT NULL ORDER BY id") == [12, 7])
            try #expect(
                place.texts("SELECT reason FROM _garner_quarantine") == [
                    "the column 'count' (INTEGER) does not hold its value"
                ])
        }
    }
}
