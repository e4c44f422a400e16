import GarnerCatalog
import Foundation
import GarnerModel
import GarnerPersistence
import Testing

/// Pages of which most records come as they were stored.
@Suite(.timeLimit(.minutes(5)))
struct RecordHashesTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    static func record(_ id: Int, _ a: String = "1", _ more: String = "") -> String {
        #"{"id":\#(id),"a":\#(a)\#(more)}"#
    }

    static let first = (1...60).map { record($0) }
    static let second = (101...160).map { record($0) }

    /// The first page with some of its records replaced.
    private static func changed(_ records: [Int: String]) -> [String] {
        first.enumerated().map { records[$0 + 1] ?? $1 }
    }

    static let one = changed([7: record(7, "2")])
    /// The pages with a new record in front.
    private static let moved = [[record(0)] + first.dropLast(), [record(60)] + second.dropLast(), [record(160)]]
    private static let objects = (1...60).map { record($0, #"{"b":\#($0)}"#) }

    static let scripts = [
        ReadScript("a record changes", [.read([first, second]), .read([one, second]), .read([first, second])]),
        ReadScript("records are added", [.read([first, second]), .read([first, second + [record(161)]])]),
        ReadScript("records are added in front", missing: .hard, [.read([first]), .read([[record(0)] + first])]),
        ReadScript(
            "records go and come back", missing: .hard,
            [.read([first, second]), .read([Array(first.dropLast(3)), second]), .read([one, second])]),
        ReadScript(
            "records are marked, and come back", missing: .soft,
            [.read([first, second]), .read([Array(first.dropFirst(3)), second]), .read([first, second])]),
        ReadScript(
            "a record is on two pages, and leaves the last one",
            [.read([first, second + [record(7, "2")]]), .read([changed([8: record(8, "3")]), second])]),
        ReadScript(
            "a number gets the spelling that its record has",
            [
                .read([first.map { $0.replacing("\"a\":1", with: "\"a\":1.50") }]),
                .read([changed([3: record(3, "\"x\"")]).map { $0.replacing("\"a\":1", with: "\"a\":1.50") }]),
            ]),
        ReadScript(
            "the configuration gives members of objects columns of their own",
            changing: { $0.flattenDepth = 0 },
            [.read([objects, second]), .deeper([[record(0)] + objects, second])]),
        ReadScript("records change places", [.read([first, second]), .read([one.reversed(), second])]),
        ReadScript(
            "records change pages", missing: .hard,
            [.read([first, second]), .read([second, one]), .read([one, second])]),
        ReadScript(
            "a new record shifts all others, and goes", missing: .hard,
            [.read([first, second]), .read(moved), .read(moved), .read([first, second])]),
        ReadScript(
            "records move, and one is also on a later page that has not changed it",
            [.read([first, second]), .read([[record(107, "2")] + first, second + [record(161)]]), .read(moved)]),
        ReadScript(
            "records move, and one is also on an earlier page",
            [.read([first, second]), .read([[record(0)] + first, second + [record(7, "2")]]), .read([one, second])]),
        ReadScript(
            "the pages change places, and one record is then on both", missing: .hard,
            [.read([first, second]), .read([second.reversed(), first]), .read([second + [record(7, "2")], first])]),
        ReadScript(
            "a record comes twice, first with other content",
            [.read([first]), .read([[record(7, "2")] + first]), .read([first]), .read([one])]),
        ReadScript(
            "a record comes twice, then with other content",
            [.read([first]), .read([first + [record(7, "2")]]), .read([first]), .read([one])]),
        ReadScript(
            "a record comes twice, with the same content",
            [.read([first + [first[6]]]), .read([one + [first[6]]]), .read([one]), .read([first + [first[6]]])]),
        ReadScript(
            "a column is new",
            [
                .read([first, second]), .read([changed([7: record(7, "1", #","b":2"#)]), second]),
                .read([one, second]),
            ]),
        ReadScript(
            "a type is wider",
            [.read([first, second]), .read([changed([30: record(30, #""x""#)]), second]), .read([one, second])]),
        ReadScript(
            "a key is wider", missing: .hard,
            [.read([first, second]), .read([changed([30: #"{"id":"x","a":1}"#]), second]), .read([one, second])]),
        ReadScript(
            "a record goes into quarantine",
            [.read([first]), .read([changed([9: #"{"a":1}"#])]), .read([one]), .read([first])]),
        ReadScript(
            "versions, and words", missing: .hard,
            changing: {
                $0.history = true
                $0.search = ["a"]
            }, [.read([first, second]), .read([one, second]), .read([one, Array(second.dropLast())])]),
        ReadScript(
            "the owner changes a row",
            [.read([first, second]), .alter("UPDATE animals SET a = 9 WHERE id = 20"), .read([one, second])]),
        ReadScript(
            "the owner deletes a row",
            [.read([first, second]), .alter("DELETE FROM animals WHERE id = 20"), .read([one, second])]),
        ReadScript(
            "the owner replaces a row",
            [.read([first, second]), .alter("INSERT OR REPLACE INTO animals VALUES (20, 9)"), .read([one, second])]),
        ReadScript(
            "the owner adds a column",
            [.read([first]), .alter("ALTER TABLE animals ADD COLUMN b DEFAULT 5"), .read([one]), .read([first])]),
        ReadScript(
            "everything is asked for anew", [.read([first, second]), .anew([one, second]), .read([first, second])]),
    ]

    /// Two pages of a table that is replaced, both of which have changed.
    private static let replaced = [
        ReadScript("both pages change", [.read([first, second]), .read([one, second + [record(161)]])]),
        ReadScript(
            "a record of the first page changes on the second one, too",
            [.read([first, second]), .read([one, second + [record(8, "5")]]), .read([one, second])]),
        ReadScript(
            "a record of the second page changes on the first one, too",
            [
                .read([first, second]), .read([one + [record(108, "5")], second + [record(161)]]),
                .read([one, second]),
            ]),
        ReadScript(
            "a column is new on the second page",
            [.read([first, second]), .read([one, second + [record(161, "1", #","b":2"#)]]), .read([first, second])]),
        ReadScript(
            "a type gets wider on the first page",
            [
                .read([spelled(first), spelled(second)]),
                .read([spelled(one) + [record(0, #""x""#)], spelled(second) + [record(161)]]),
                .read([spelled(first), spelled(second)]),
            ]),
        ReadScript(
            "a key of two fields", changing: { $0.primaryKey = ["a", "id"] },
            [.read([first, second]), .read([one, second + [record(161)]])]),
    ]

    private static func spelled(_ records: [String]) -> [String] {
        records.map { $0.replacing("\"a\":1", with: "\"a\":1.50") }
    }

    @Test(arguments: scripts + (replaced + scripts).map(\.replacing))
    func `records that are not compared leave what those leave that are`(_ script: ReadScript) async throws {
        // Both databases have the same random bits.
        await fixture.writer.close()
        let (compared, known) = (try Fixture(reopening: fixture), try Fixture(reopening: fixture))
        let told = try await script.play(in: compared, forgettingHashes: true)
        #expect(try await script.play(in: known) == told)
        let hashes: Set = ["_garner_record_hashes"]
        #expect(try known.content(except: hashes) == compared.content(except: hashes))
        try known.expectIntegrity()
    }

    @Test func `a record that comes as it was stored is not compared, unless everything is asked for anew`()
        async throws
    {
        let stream = StreamConfiguration.animals(key: ["id"])
        _ = try await fixture.read([Self.first], of: stream)
        // What nothing tells of.
        try fixture.alter("UPDATE animals SET a = 9 WHERE id = 20; UPDATE _garner_streams SET is_touched = 0")
        #expect(try await fixture.read([Self.one], of: stream).contains("updated: 1"))
        #expect(try fixture.rows("SELECT id FROM animals WHERE a = 9") == ["20"])
        #expect(try await fixture.read([Self.first], of: stream, restarting: true).contains("updated: 2"))
        #expect(try fixture.rows("SELECT id FROM animals WHERE a <> 1") == [])
    }

    @Test func `a record of a table that is replaced waits with its key only if it came as it was stored`() async throws
    {
        let stream = StreamConfiguration.animals(key: ["id"], writing: .replace, ratio: 1)
        _ = try await fixture.read([Self.first, Self.second], of: stream)
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        let text = { (records: [String]) in "[\(records.joined(separator: ","))]" }
        _ = try await fixture.writer.commit(fixture.page(text(Self.one), 1, of: 2, in: run), to: run.id)
        let lines = (1...60).map { $0 == 7 ? Self.record(7, "2") : "\t{\"id\":\($0)}" }
        #expect(
            try fixture.rows("SELECT records FROM _garner_staged") == ["'\(lines.joined(separator: "\n"))\n'"])
        let ended = try await fixture.writer.commit(
            fixture.page(text(Self.second + [Self.record(161)]), 2, of: 2, in: run), to: run.id
        ).ended
        #expect(ended?.counts.ofRecords == "1 inserted, 1 updated, 119 unchanged")
        #expect(try fixture.rows("SELECT count(*), sum(a) FROM animals") == ["121 122"])
        try fixture.expectIntegrity()
    }

    @Test func `rows that others change while a read waits are for the next read`() async throws {
        let stream = StreamConfiguration.animals(key: ["id"], writing: .replace, ratio: 1)
        _ = try await fixture.read([Self.first, Self.second], of: stream)
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        let text = { (records: [String]) in "[\(records.joined(separator: ","))]" }
        _ = try await fixture.writer.commit(fixture.page(text(Self.one), 1, of: 2, in: run), to: run.id)
        try fixture.alter("UPDATE animals SET a = 9 WHERE id IN (20, 120)")
        _ = try await fixture.writer.commit(
            fixture.page(text(Self.second + [Self.record(161)]), 2, of: 2, in: run), to: run.id)
        _ = try await fixture.read([Self.one, Self.second + [Self.record(161)]], of: stream)
        #expect(try fixture.rows("SELECT id FROM animals WHERE a = 9") == [])
    }

    @Test func `records that wait with their keys wait no longer if the table has gone`() async throws {
        let stream = StreamConfiguration.animals(key: ["id"], writing: .replace, ratio: 1)
        let pages = [Self.one, Self.second + [Self.record(161)]]
        let texts = pages.map { "[\($0.joined(separator: ","))]" }
        _ = try await fixture.read([Self.first, Self.second], of: stream)
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        _ = try await fixture.writer.commit(fixture.page(texts[0], 1, of: 2, in: run), to: run.id)
        await fixture.writer.close()
        let (resumed, dropped) = (try Fixture(reopening: fixture), try Fixture(reopening: fixture))
        let rest = try await resumed.writer.beginReading(stream, identity: "page=1")
        let ended = try await resumed.writer.commit(
            resumed.page(texts[1], 2, of: 2, in: rest), to: rest.id
        ).ended
        #expect(ended?.counts.ofRecords == "1 inserted, 1 updated, 119 unchanged")
        try dropped.alter("DROP TABLE animals")
        _ = try await dropped.writer.beginReading(stream, identity: "page=1")
        #expect(try dropped.rows("SELECT * FROM _garner_staged") == [])
        await dropped.writer.close()
        let anew = try Fixture(reopening: dropped)
        _ = try await anew.read(pages, of: stream, restarting: true)
        #expect(try anew.rows("SELECT * FROM animals") == resumed.rows("SELECT * FROM animals"))
    }

    @Test func `a record that stays on its page is not compared although others have moved`() async throws {
        let stream = StreamConfiguration.animals(key: ["id"])
        _ = try await fixture.read([Self.first, Self.second], of: stream)
        // What nothing tells of.
        try fixture.alter(
            "UPDATE animals SET a = 9 WHERE id IN (20, 60, 120); UPDATE _garner_streams SET is_touched = 0")
        #expect(try await fixture.read(Self.moved, of: stream).contains("updated: 1"))
        #expect(try fixture.rows("SELECT id FROM animals WHERE a = 9") == ["20", "120"])
    }

    @Test func `hashes are kept for pages of 50 records, and go with the page`() async throws {
        let stream = StreamConfiguration.animals(key: ["id"], missing: .hard, ratio: 1)
        let hashes = "SELECT length(hashes) FROM _garner_record_hashes ORDER BY page_id"
        _ = try await fixture.read([Array(Self.first.prefix(49)), Self.second], of: stream)
        #expect(try fixture.rows(hashes) == ["480"])
        _ = try await fixture.read([Self.first, Self.second + [Self.record(161)]], of: stream)
        #expect(try fixture.rows(hashes) == ["480", "488"])
        _ = try await fixture.read([Array(Self.first.prefix(49)), Self.second], of: stream)
        #expect(try fixture.rows(hashes) == ["480"])
        _ = try await fixture.read([Self.first], of: stream)
        #expect(try fixture.rows(hashes) == ["480"])
        #expect(try fixture.rows("SELECT count(*) FROM animals") == ["60"])
    }
}
