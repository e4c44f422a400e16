import Catalog
import Foundation
import Model
import Persistence
import Testing

/// Pages of which most records come as they were stored.
@Suite(.timeLimit(.minutes(5)))
struct RecordHashesTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    /// A step of a script: a read, or what its owner does to the database.
    enum Step: Sendable {
        case read([[String]])
        /// A read that asks for everything anew.
        case anew([[String]])
        /// A read with another configuration of the stream.
        case deeper([[String]])
        case alter(String)
    }

    struct Script: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let stream: Catalog.Stream
        let steps: [Step]

        init(
            _ name: String, missing: DeleteMissing = .ignore,
            changing change: (inout Catalog.Stream) -> Void = { _ in }, _ steps: [Step]
        ) {
            var stream = Catalog.Stream.animals(key: ["id"], missing: missing)
            stream.maxDeleteRatio = 1
            change(&stream)
            (testDescription, self.stream, self.steps) = (name, stream, steps)
        }
    }

    private static func record(_ id: Int, _ a: String = "1", _ more: String = "") -> String {
        #"{"id":\#(id),"a":\#(a)\#(more)}"#
    }

    private static let first = (1...60).map { record($0) }
    private static let second = (101...160).map { record($0) }

    /// The first page with some of its records replaced.
    private static func changed(_ records: [Int: String]) -> [String] {
        first.enumerated().map { records[$0 + 1] ?? $1 }
    }

    private static let one = changed([7: record(7, "2")])
    private static let objects = (1...60).map { record($0, #"{"b":\#($0)}"#) }

    static let scripts = [
        Script("a record changes", [.read([first, second]), .read([one, second]), .read([first, second])]),
        Script("records are added", [.read([first, second]), .read([first, second + [record(161)]])]),
        Script("records are added in front", missing: .hard, [.read([first]), .read([[record(0)] + first])]),
        Script(
            "records go and come back", missing: .hard,
            [.read([first, second]), .read([Array(first.dropLast(3)), second]), .read([one, second])]),
        Script(
            "records are marked, and come back", missing: .soft,
            [.read([first, second]), .read([Array(first.dropFirst(3)), second]), .read([first, second])]),
        Script(
            "a record is on two pages, and leaves the last one",
            [.read([first, second + [record(7, "2")]]), .read([changed([8: record(8, "3")]), second])]),
        Script(
            "a number gets the spelling that its record has",
            [
                .read([first.map { $0.replacing("\"a\":1", with: "\"a\":1.50") }]),
                .read([changed([3: record(3, "\"x\"")]).map { $0.replacing("\"a\":1", with: "\"a\":1.50") }]),
            ]),
        Script(
            "the configuration gives members of objects columns of their own",
            changing: { $0.flattenDepth = 0 },
            [.read([objects, second]), .deeper([[record(0)] + objects, second])]),
        Script("records change places", [.read([first, second]), .read([one.reversed(), second])]),
        Script(
            "records change pages", missing: .hard,
            [.read([first, second]), .read([second, one]), .read([one, second])]),
        Script(
            "a record comes twice, first with other content",
            [.read([first]), .read([[record(7, "2")] + first]), .read([first]), .read([one])]),
        Script(
            "a record comes twice, then with other content",
            [.read([first]), .read([first + [record(7, "2")]]), .read([first]), .read([one])]),
        Script(
            "a record comes twice, with the same content",
            [.read([first + [first[6]]]), .read([one + [first[6]]]), .read([one]), .read([first + [first[6]]])]),
        Script(
            "a column is new",
            [
                .read([first, second]), .read([changed([7: record(7, "1", #","b":2"#)]), second]),
                .read([one, second]),
            ]),
        Script(
            "a type is wider",
            [.read([first, second]), .read([changed([30: record(30, #""x""#)]), second]), .read([one, second])]),
        Script(
            "a key is wider", missing: .hard,
            [.read([first, second]), .read([changed([30: #"{"id":"x","a":1}"#]), second]), .read([one, second])]),
        Script(
            "a record goes into quarantine",
            [.read([first]), .read([changed([9: #"{"a":1}"#])]), .read([one]), .read([first])]),
        Script(
            "versions, and words", missing: .hard,
            changing: {
                $0.history = true
                $0.search = ["a"]
            }, [.read([first, second]), .read([one, second]), .read([one, Array(second.dropLast())])]),
        Script(
            "the owner changes a row",
            [.read([first, second]), .alter("UPDATE animals SET a = 9 WHERE id = 20"), .read([one, second])]),
        Script(
            "the owner deletes a row",
            [.read([first, second]), .alter("DELETE FROM animals WHERE id = 20"), .read([one, second])]),
        Script(
            "the owner replaces a row",
            [.read([first, second]), .alter("INSERT OR REPLACE INTO animals VALUES (20, 9)"), .read([one, second])]),
        Script(
            "the owner adds a column",
            [.read([first]), .alter("ALTER TABLE animals ADD COLUMN b DEFAULT 5"), .read([one]), .read([first])]),
        Script(
            "everything is asked for anew", [.read([first, second]), .anew([one, second]), .read([first, second])]),
    ]

    /// More than one statement stores, with values of each kind, and records that fit and that do not.
    private static let many = (1...700).map { id in
        switch id {
        case 5, 251, 252, 503: #"{"a":"no key"}"#
        case 260: record(id, #""a wider type""#)
        case 300: record(id, "1", #","later":true"#)
        case 301...310: record(id, "null", #","later":false,"list":[1,{"x":"é"}],"deep":{"x":[],"y":1.5}"#)
        case 400: record(399, "2")
        case 401: record(399, "3")
        case 450: record(id, "12345678901234567890")
        case 600...610: record(id, "1", #","b":{"c":{"d":\#(id)}},"b":7"#)
        default: record(id, "\(id % 3)", #","text":"line\n\#(id)""#)
        }
    }

    static let scriptsOfManyRecords = [
        Script("a large page", missing: .hard, [.read([many]), .read([many.reversed()]), .anew([many, second])]),
        Script(
            "a full table keeps the rest",
            [.read([[wide], many, [wide]]), .read([many.reversed(), [wide]])]),
        Script(
            "values", changing: { $0.primaryKey = nil },
            [.read([(1...300).map { "\($0)" } + ["null", "[1]", #""x""#]]), .read([["7"]])]),
        Script(
            "rows are appended",
            changing: {
                $0.primaryKey = nil
                $0.writeDisposition = .append
            }, [.read([many]), .read([many])]),
        Script(
            "a merge strategy", changing: { $0.mergeStrategy = .insertOnly }, [.read([first]), .read([one + many])]),
        Script(
            "a contract refuses rows",
            changing: { $0.schemaContract = SchemaContract(columns: .discardRow, dataTypes: .quarantine) },
            [.read([first, many]), .read([many])]),
    ]

    /// A record that leaves no room for another column.
    private static let wide =
        "{\"id\":9999,\((1...1996).map { "\"m\($0)\":\($0 % 7)" }.joined(separator: ","))}"

    /// Plays a script, and returns what the caller is told.
    ///
    /// - Parameter forgets: True if the hashes are removed before each step, so that each record is compared.
    private func play(_ script: Script, in fixture: Fixture, forgets: Bool) async throws -> [String] {
        var told: [String] = []
        for step in script.steps {
            if forgets { try fixture.alter("DELETE FROM _garner_record_hashes") }
            switch step {
            case .alter(let sql): try fixture.alter(sql)
            case .deeper(let pages):
                var stream = script.stream
                stream.flattenDepth = 1
                told.append(try await read(pages, of: stream, in: fixture, identity: "page=1 deeper"))
            case .read(let pages): told.append(try await read(pages, of: script.stream, in: fixture))
            case .anew(let pages):
                told.append(try await read(pages, of: script.stream, in: fixture, restarting: true))
            }
        }
        return told
    }

    private func read(
        _ pages: [[String]], of stream: Catalog.Stream, in fixture: Fixture, identity: String = "page=1",
        restarting: Bool = false
    ) async throws -> String {
        let run = try await fixture.writer.beginReading(stream, identity: identity, restarting: restarting)
        for (index, records) in pages.enumerated() {
            let text = "[\(records.joined(separator: ","))]"
            let page = try await fixture.page(text, index + 1, of: pages.count, in: run)
            if let ended = try await fixture.writer.commit(page, to: run.id).ended {
                return "\(ended.status) \(ended.counts) \(ended.notice ?? "")"
            }
        }
        return "not ended"
    }

    @Test(arguments: scripts)
    func `records that are not compared leave what those leave that are`(_ script: Script) async throws {
        // Both databases have the same random bits.
        await fixture.writer.close()
        let (compared, known) = (try Fixture(reopening: fixture), try Fixture(reopening: fixture))
        let told = try await play(script, in: compared, forgets: true)
        #expect(try await play(script, in: known, forgets: false) == told)
        let hashes: Set = ["_garner_record_hashes"]
        #expect(try known.content(except: hashes) == compared.content(except: hashes))
        try known.expectIntegrity()
    }

    @Test(arguments: scripts + scriptsOfManyRecords)
    func `records that one statement stores leave what those leave that are stored one by one`(_ script: Script)
        async throws
    {
        await fixture.writer.close()
        let (singly, together) = (try Fixture(reopening: fixture), try Fixture(reopening: fixture))
        // With a trigger of its owner, each row is a statement.
        for fixture in [singly, together] { try fixture.alter("CREATE TABLE own (x)") }
        try singly.alter("CREATE TRIGGER own_insert AFTER INSERT ON own BEGIN DELETE FROM own; END")
        let told = try await play(script, in: singly, forgets: false)
        #expect(try await play(script, in: together, forgets: false) == told)
        #expect(try together.content(except: []) == singly.content(except: []))
        try together.expectIntegrity()
    }

    @Test func `a record that comes as it was stored is not compared, unless everything is asked for anew`()
        async throws
    {
        let stream = Catalog.Stream.animals(key: ["id"])
        _ = try await read([Self.first], of: stream, in: fixture)
        // What nothing tells of.
        try fixture.alter("DROP TRIGGER _garner_touched_1_update; UPDATE animals SET a = 9 WHERE id = 20")
        #expect(try await read([Self.one], of: stream, in: fixture).contains("updated: 1"))
        #expect(try fixture.rows("SELECT id FROM animals WHERE a = 9") == ["20"])
        #expect(try await read([Self.first], of: stream, in: fixture, restarting: true).contains("updated: 2"))
        #expect(try fixture.rows("SELECT id FROM animals WHERE a <> 1") == [])
    }

    @Test func `hashes are kept for pages of 50 records, and go with the page`() async throws {
        let stream = Catalog.Stream.animals(key: ["id"], missing: .hard, ratio: 1)
        let hashes = "SELECT length(hashes) FROM _garner_record_hashes ORDER BY page_id"
        _ = try await read([Array(Self.first.prefix(49)), Self.second], of: stream, in: fixture)
        #expect(try fixture.rows(hashes) == ["480"])
        _ = try await read([Self.first, Self.second + [Self.record(161)]], of: stream, in: fixture)
        #expect(try fixture.rows(hashes) == ["480", "488"])
        _ = try await read([Array(Self.first.prefix(49)), Self.second], of: stream, in: fixture)
        #expect(try fixture.rows(hashes) == ["480"])
        _ = try await read([Self.first], of: stream, in: fixture)
        #expect(try fixture.rows(hashes) == ["480"])
        #expect(try fixture.rows("SELECT count(*) FROM animals") == ["60"])
    }
}
