import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import Testing

struct RowRequestTests {
    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        try await fixture.sync(
            .animals(), "[{\"id\":0,\"\u{C9}\":1,\"\u{E9}\":2,\"caf\u{E9}\":3,\"cafe\u{301}\":4,\"name\":5}]")
    }

    private func values(of columns: String...) throws -> [Int64] {
        let reader = try ReadOnlyDatabase(path: fixture.path)
        let rows = try reader.rows(for: RowRequest(table: "animals", columns: columns))
        let row = try #require(try rows.next())
        return rows.columns.indices.map(row.integer)
    }

    @Test func `a column is the one of that name, else of that name but for the case of ASCII letters`() throws {
        #expect(try values(of: "\u{E9}", "\u{C9}") == [2, 1])
        #expect(try values(of: "cafe\u{301}", "caf\u{E9}") == [4, 3])
        #expect(try values(of: "CAFe\u{301}", "CAF\u{E9}", "NAME", "Id") == [4, 3, 5, 0])
    }

    @Test(arguments: ["e\u{301}", "CAF\u{C9}", "nam", ""]) func `any other name is told`(name: String) {
        let error = #expect(throws: PersistenceError.self) { try values(of: name) }
        #expect(error?.kind == .request)
        #expect(error?.hint.text?.hasPrefix("it has: id, ") == true)
    }

    @Test(arguments: [(nil, 3, false), (0, 0, true), (2, 2, true), (3, 3, false), (4, 3, false), (.max, 3, false)])
    func `a limit cuts the rows, and it is told that there are more`(
        limit: Int?, count: Int, hasMore: Bool
    ) async throws {
        try await fixture.sync(.animals(table: "plants"), #"[{"id":1},{"id":2},{"id":3}]"#)
        let reader = try ReadOnlyDatabase(path: fixture.path)
        let rows = try reader.rows(for: RowRequest(table: "plants", limit: limit))
        var read = 0
        while try rows.next() != nil { read += 1 }
        #expect(read == count)
        #expect(rows.hasMore == hasMore)
    }

    @Test func `a parameter is given by its own name only`() throws {
        let reader = try ReadOnlyDatabase(path: fixture.path)
        let sql = "SELECT :caf\u{E9} || :\u{301}x"
        let rows = try reader.rows(sql, parameters: ["caf\u{E9}": .text("a"), "\u{301}x": .text("b")])
        #expect(try rows.next()?.text(at: 0) == "ab")
        let error = #expect(throws: PersistenceError.self) {
            try reader.rows("SELECT :caf\u{E9} || :cafe\u{301}", parameters: ["caf\u{E9}": .text("a")])
        }
        #expect(error?.message.utf8.elementsEqual("the query's parameter :cafe\u{301} has no value".utf8) == true)
    }
}
