import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

/// The keys of each page, by which rows are found whose records are on no page.
struct PageMembersTests {
    private let fixture: Fixture
    private let stream = StreamConfiguration.animals(key: ["id"], missing: .hard)

    init() throws { fixture = try Fixture() }

    private static let first = [Array(1...6), Array(7...12), Array(13...18)]

    /// Pages of the list that follows the first one, and what is written of the numbers and keys of their members.
    private static let lists: [(String, [[Int]], [String])] = [
        ("the same", first, []),
        ("in another order", first.map { $0.reversed() }, []),
        (
            "a new record in front", [Array(0...5), Array(6...11), Array(12...17), [18]],
            ["- 1 6", "+ 1 0", "- 2 12", "+ 2 6", "- 3 18", "+ 3 12", "+ 4 18"]
        ),
        (
            "a record is gone", [[1, 2, 4, 5, 6, 7], Array(8...13), Array(14...18)],
            ["- 1 3", "+ 1 7", "- 2 7", "+ 2 13", "- 3 13"]
        ),
        ("a record more", first.dropLast() + [Array(13...19)], ["+ 3 19"]),
        (
            "a record on two pages", [Array(1...6), Array(6...11), Array(12...17)],
            ["- 2 12", "+ 2 6", "- 3 18", "+ 3 12"]
        ),
        ("a record twice on a page", [[1, 2, 3, 4, 5, 5]] + first.dropFirst(), ["- 1 6"]),
        (
            "other records", [[1] + Array(31...35)] + first.dropFirst(),
            (1...6).map { "- 1 \($0)" } + ["+ 1 1"] + (31...35).map { "+ 1 \($0)" }
        ),
    ]

    @Test(arguments: lists)
    private func `only the members that came or went are written`(list: String, pages: [[Int]], written: [String])
        async throws
    {
        try await fixture.sync(stream, pages: Self.first.map(Self.page(of:)))
        try noteWrites()
        for written in [written, []] {
            let run = try await fixture.sync(stream, pages: pages.map(Self.page(of:)))
            #expect(run.status == .succeeded)
            #expect(try fixture.rows("SELECT what FROM written ORDER BY rowid") == written.map { "'\($0)'" })
            try expectMembers(of: pages)
            try fixture.alter("DELETE FROM written")
        }
    }

    /// The text of a key, and of a key of two parts.
    private static let keys: [([String], @Sendable (Int) -> String)] = [
        (["name"], { #""name":"animal \#($0)""# }),
        (["name"], { #""name":"\#($0)\u0000x""# }),
        (["zoo", "number"], { #""zoo":"b\u0000\#($0)","number":1"# }),
        (["zoo", "number"], { #""zoo":"é","number":\#($0)"# }),
        (["zoo", "number"], { #""zoo":\#($0).5,"number":9007199254740993"# }),
    ]

    @Test(arguments: keys)
    private func `keys of every kind are known again`(key: [String], text: @Sendable (Int) -> String) async throws {
        let stream = StreamConfiguration.animals(key: key, missing: .hard)
        func pages(_ pages: [[Int]]) -> [String] {
            pages.map { "[" + $0.map { "{\(text($0))}" }.joined(separator: ",") + "]" }
        }
        try await fixture.sync(stream, pages: pages(Self.first))
        try noteWrites()
        let run = try await fixture.sync(stream, pages: pages([Array(0...5), Array(6...11), Array(12...16)]))
        #expect(run.counts.ofRecords == "1 inserted, 16 unchanged, 2 deleted")
        #expect(
            try fixture.rows("SELECT substr(what, 1, 3) FROM written")
                == ["- 1", "+ 1", "- 2", "+ 2", "- 3", "- 3", "+ 3"].map { "'\($0)'" })
        #expect(try fixture.rows("SELECT count(*) FROM animals") == ["17"])
        #expect(
            try await fixture.sync(stream, pages: pages([Array(0...5), Array(6...11), Array(12...16)])).counts.unchanged
                == 17)
    }

    @Test func `a kill between two pages of a list that has moved loses no row`() async throws {
        try await fixture.sync(stream, pages: Self.first.map(Self.page(of:)))
        let pages = [Array(0...5), Array(6...11), Array(12...17), [18]]
        let run = try await fixture.writer.beginReading(stream, identity: "page=1", restarting: true)
        _ = try await fixture.writer.commit(try .page(Self.page(of: pages[0]), 1, .next("page=2")), to: run)
        await fixture.writer.close()
        let other = try Fixture(reopening: fixture)
        try other.expectIntegrity()
        #expect(try other.rows("SELECT id FROM animals") == (0...18).map { "\($0)" })
        #expect(try await other.sync(stream, pages: pages.map(Self.page(of:))).counts.ofRecords == "19 unchanged")
        let others = Self.members(of: pages)
        #expect(try other.rows("SELECT page_id, record_key FROM _garner_members ORDER BY 1, 2") == others)
        #expect(try other.rows("SELECT id FROM animals") == (0...18).map { "\($0)" })
    }

    private static func page(of keys: [Int]) -> String {
        "[" + keys.map { #"{"id":\#($0)}"# }.joined(separator: ",") + "]"
    }

    private static func members(of pages: [[Int]]) -> [String] {
        pages.enumerated().flatMap { page, keys in Set(keys).sorted().map { "\(page + 1) \($0)" } }
    }

    private func expectMembers(of pages: [[Int]]) throws {
        let members = try fixture.rows("SELECT page_id, record_key FROM _garner_members ORDER BY 1, 2")
        #expect(members == Self.members(of: pages))
        let rows = Set(pages.joined()).sorted().map { "\($0)" }
        #expect(try fixture.rows("SELECT id FROM animals ORDER BY id") == rows)
    }

    /// Notes each member that is written from now on.
    private func noteWrites() throws {
        try fixture.alter(
            """
            CREATE TABLE written (what TEXT);
            CREATE TRIGGER member_came AFTER INSERT ON _garner_members BEGIN
                INSERT INTO written VALUES ('+ ' || NEW.page_id || ' ' || NEW.record_key); END;
            CREATE TRIGGER member_went AFTER DELETE ON _garner_members BEGIN
                INSERT INTO written VALUES ('- ' || OLD.page_id || ' ' || OLD.record_key); END;
            """)
    }
}
