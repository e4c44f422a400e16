import GarnerCatalog
import GarnerDigest
import Foundation
import GarnerModel
@testable import GarnerMaintenance
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

/// The removal of values that were stored before `fields` kept them out.
struct DroppedFieldPruningTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private static func animals(_ change: (inout StreamConfiguration) -> Void) -> StreamConfiguration {
        var stream = StreamConfiguration.animals(key: ["id"])
        change(&stream)
        return stream
    }

    private static func dropping(_ fields: String...) -> StreamConfiguration {
        animals { $0.fields.drop = fields.compactMap(FieldPath.init) }
    }

    private static func hashing(_ fields: String...) -> StreamConfiguration {
        animals { $0.fields.hash = .init(fields: fields.compactMap(FieldPath.init), key: Secret("key")) }
    }

    private static func keeping(_ fields: String...) -> StreamConfiguration {
        animals { $0.fields.keep = fields.compactMap(FieldPath.init) }
    }

    private static func hash(_ text: String) -> String {
        "'\(SHA256.hexAuthenticationCode(of: Array(text.utf8), key: Array("key".utf8)))'"
    }

    private func request(_ stream: StreamConfiguration) throws -> PruneRequest {
        var request = PruneRequest()
        request.hiddenFields = [try #require(HiddenFields(of: stream, among: [stream]))]
        request.patience = .zero
        return request
    }

    /// Prunes, and checks that the preview says the same before, and that nothing is left after.
    @discardableResult
    private func prune(_ stream: StreamConfiguration) async throws -> DroppedOutcome? {
        let request = try request(stream)
        await fixture.writer.close()
        let preview = try DatabasePruning(of: fixture.path, request).preview()
        let outcome = try DatabasePruning(of: fixture.path, request).run()
        #expect(preview.dropped == outcome.dropped)
        #expect(try request.hiddenFields[0].held(in: ReadOnlyDatabase(path: fixture.path)) == nil)
        #expect(try DatabasePruning(of: fixture.path, request).run().dropped == [])
        try fixture.expectIntegrity()
        return outcome.dropped.first
    }

    @Test func `a dropped field is emptied at every depth, and what is beside it stays`() async throws {
        try await fixture.sync(
            Self.animals { _ in },
            """
            [{"id":1,"name":"Kea","chip":"c1","home":{"city":"Bern","street":"s1"},"visits":[{"by":"vet","at":"t1"}]},
             {"id":2,"name":"Yak","chip":null,"home":{"city":"Linz"},"visits":[]}]
            """)
        let outcome = try await prune(Self.dropping("chip", "$.home.street", "$.visits.by"))
        #expect(
            try fixture.rows("SELECT id, name, chip, home__city, home__street, visits FROM animals") == [
                #"1 'Kea' NULL 'Bern' NULL '[{"at":"t1"}]'"#, "2 'Yak' NULL 'Linz' NULL '[]'",
            ])
        #expect(outcome?.fields.map { "\($0.column) \($0.removed)" } == ["chip 1", "home__street 1", "visits 1"])
    }

    @Test func `columns that are added stay as they are`() async throws {
        let added = AddedColumn(name: "origin", content: .text("zoo"))
        try await fixture.sync(Self.animals { $0.fields.additions = [added] }, #"[{"id":1,"name":"Kea","chip":"c1"}]"#)
        var keeping = Self.keeping("id", "name")
        keeping.fields.additions = [added]
        try await prune(keeping)
        #expect(try fixture.rows("SELECT id, name, chip, origin FROM animals") == ["1 'Kea' NULL 'zoo'"])
    }

    @Test func `only the fields to keep stay, with what Garner adds`() async throws {
        let partition = Partition(name: "zoo", values: ["a"])
        try await fixture.sync(
            Self.animals { _ in }, #"[{"id":1,"_zoo":"a","home":{"city":"Bern","street":"s1"},"chip":1,"tag":"t"}]"#)
        var stream = Self.keeping("id", "$.home.city", "$.tag.kind")
        stream.partitions = [partition]
        try await prune(stream)
        #expect(
            try fixture.rows("SELECT id, _zoo, home__city, home__street, chip, tag FROM animals")
                == ["1 'a' 'Bern' NULL NULL NULL"])
    }

    @Test func `values of every type get the hash that a sync stores, once`() async throws {
        try await fixture.sync(
            Self.animals { _ in },
            #"[{"id":1,"text":"x","count":7,"flag":true,"size":1.5,"list":[{"b":1,"a":"y"}]},{"id":2,"text":null}]"#)
        let outcome = try await prune(Self.hashing("text", "count", "flag", "size", "$.list.a"))
        let hashes = ["x", "7", "true", "1.5"].map(Self.hash).joined(separator: " ")
        #expect(
            try fixture.rows("SELECT id, text, count, flag, size, list FROM animals") == [
                #"1 \#(hashes) '[{"a":"\#(Self.hash("y").dropFirst().dropLast())","b":1}]'"#,
                "2 NULL NULL NULL NULL NULL",
            ])
        #expect(outcome?.fields.map(\.hashed) == [1, 1, 1, 1, 1])
        #expect(
            try fixture.columns(of: "animals").filter { $0.hasPrefix("count") || $0.hasPrefix("flag") } == [
                "count TEXT", "flag TEXT",
            ])
    }

    @Test func `versions of rows lose the values with the rows, and keep the spelling of their time`() async throws {
        let old = Self.animals { $0.history = true }
        try await fixture.sync(old, #"[{"id":1,"chip":true,"mail":"a"}]"#)
        try await fixture.sync(old, #"[{"id":1,"chip":true,"mail":"b"}]"#)
        var new = Self.hashing("chip")
        new.fields.drop = [try #require(FieldPath("mail"))]
        try await prune(new)
        #expect(
            try fixture.rows("SELECT chip, mail FROM _garner_history_animals")
                == Array(repeating: "\(Self.hash("true")) NULL", count: 2))
    }

    @Test func `a quarantined record with such a value goes, another one stays`() async throws {
        try await fixture.sync(
            Self.animals { _ in }, #"[{"id":1},{"id":null,"chip":"c"},{"id":null,"name":"b"},{"id":null,"chip":null}]"#)
        #expect(try await prune(Self.dropping("chip"))?.quarantined == 1)
        #expect(
            try fixture.rows("SELECT record FROM _garner_quarantine")
                == [#"'{"id":null,"name":"b"}'"#, #"'{"id":null,"chip":null}'"#])
    }

    @Test func `a read with such a value in a waiting page begins anew`() async throws {
        var stream = Self.animals { $0.writeDisposition = .replace }
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        _ = try await fixture.writer.commit(.page(#"[{"id":1,"chip":"c"}]"#, 1, .next("page=2")), to: run)
        _ = try await fixture.writer.end(run: run.id, as: .failed, rest: .kept)
        stream.fields.drop = [try #require(FieldPath("chip"))]
        #expect(try await prune(stream)?.pages == 1)
        #expect(try fixture.rows("SELECT count(*) FROM _garner_reads") == ["0"])
    }

    @Test func `rows whose key must not be stored are left, with advice`() async throws {
        try await fixture.sync(Self.animals { _ in }, #"[{"id":1,"chip":"c"}]"#)
        await fixture.writer.close()
        for stream in [Self.dropping("chip", "id"), Self.hashing("id")] {
            let error = #expect(throws: PersistenceError.self) {
                _ = try DatabasePruning(of: fixture.path, request(stream)).run()
            }
            #expect(error?.kind == .configuration)
            #expect(error?.hint == .dropToForgetKeys(stream: "zoo.animals"))
        }
        #expect(try fixture.rows("SELECT id, chip FROM animals") == ["1 'c'"])
    }

    @Test func `rows whose numbers must stay lose the values, and advice says what is left`() async throws {
        let stream = StreamConfiguration.animals(writing: .append)
        for chip in 1...3 { try await fixture.sync(stream, #"[{"chip":"c\#(chip)"}]"#) }
        try fixture.alter("DELETE FROM animals WHERE chip = 'c1'")
        await fixture.writer.close()
        var dropping = stream
        dropping.fields.drop = [try #require(FieldPath("chip"))]
        let error = #expect(throws: PersistenceError.self) {
            _ = try DatabasePruning(of: fixture.path, request(dropping)).run()
        }
        #expect(error?.hint == .dropToForgetBytes)
        #expect(try fixture.rows("SELECT _rowid_, chip FROM animals") == ["2 NULL", "3 NULL"])
    }

    @Test func `indexes and views of others stay, and their triggers do not run`() async throws {
        try await fixture.sync(Self.animals { _ in }, #"[{"id":1,"chip":"c"}]"#)
        try fixture.alter(
            """
            CREATE INDEX by_chip ON animals (chip);
            CREATE VIEW chips AS SELECT id, chip FROM animals;
            CREATE TABLE audit (chip);
            CREATE TRIGGER kept AFTER UPDATE ON animals BEGIN INSERT INTO audit VALUES (old.chip); END
            """)
        try await prune(Self.dropping("chip"))
        #expect(try fixture.rows("SELECT id, chip FROM chips") == ["1 NULL"])
        #expect(try fixture.rows("SELECT count(*) FROM audit") == ["0"])
        #expect(try fixture.rows("SELECT count(*) FROM sqlite_schema WHERE name = 'by_chip'") == ["1"])
    }

    @Test func `words of removed and of hashed values are found no more`() async throws {
        try await fixture.sync(
            Self.animals { $0.search = ["name", "chip"] }, #"[{"id":1,"name":"Kea","chip":"secret"}]"#)
        var stream = Self.dropping("chip")
        stream.search = ["name"]
        try await prune(stream)
        let index = "_garner_search_1"
        #expect(try fixture.rows("SELECT rowid FROM \(index) WHERE \(index) MATCH 'kea'") == ["1"])
        #expect(try fixture.rows("SELECT count(*) FROM \(index) WHERE \(index) MATCH 'secret'") == ["0"])
    }

    @Test func `the rules of a parent hold for what its children have of it`() async throws {
        try await fixture.sync(Self.animals { _ in }, #"[{"id":1,"_zoo_mail":"m","_zoo_name":"n","chip":"c"}]"#)
        let parent = Self.animals {
            $0.name = StreamName(source: "zoo", stream: "zoo")
            $0.fields.drop = [FieldPath("mail"), FieldPath("chip")].compactMap(\.self)
        }
        let child = Self.animals { $0.parent = Parent(stream: parent.name, include: ["mail", "name"]) }
        #expect(HiddenFields(of: child, among: [child]) == nil)
        var request = PruneRequest()
        request.hiddenFields = [try #require(HiddenFields(of: child, among: [parent, child]))]
        await fixture.writer.close()
        _ = try DatabasePruning(of: fixture.path, request).run()
        #expect(try fixture.rows("SELECT _zoo_mail, _zoo_name, chip FROM animals") == ["NULL 'n' 'c'"])
    }

    /// A parent that drops `mail`, and its child.
    private static func family(_ change: (inout StreamConfiguration) -> Void = { _ in }) -> [StreamConfiguration] {
        let parent = animals {
            $0.name = StreamName(source: "zoo", stream: "zoo")
            $0.table = "zoos"
            $0.fields.drop = [FieldPath("mail"), FieldPath("$.home.street")].compactMap(\.self)
        }
        return [
            parent,
            animals {
                $0.parent = Parent(stream: parent.name)
                change(&$0)
            },
        ]
    }

    @Test func `what children had of a dropped field goes, although it is not included any more`() async throws {
        try await fixture.sync(
            Self.animals { _ in },
            #"[{"id":1,"_zoo_mail":"m","_zoo_home__street":"s","_zoo_home__city":"c","_zoo":"z"}]"#)
        let streams = Self.family()
        var request = PruneRequest()
        request.hiddenFields = [try #require(HiddenFields(of: streams[1], among: streams))]
        await fixture.writer.close()
        _ = try DatabasePruning(of: fixture.path, request).run()
        #expect(
            try fixture.rows("SELECT _zoo_mail, _zoo_home__street, _zoo_home__city, _zoo FROM animals")
                == ["NULL NULL 'c' 'z'"])
    }

    @Test func `pages and cursors of requests with a dropped field of the parent are forgotten`() async throws {
        var streams = Self.family {
            $0.deleteMissing = .hard
            $0.request.path = "{parent.mail}/animals"
        }
        let (hiding, child) = (streams[0].fields, streams[1])
        streams[0].fields = FieldRules()
        try await fixture.sync(streams[0], #"[{"id":1,"mail":"\#(Canary.text)"}]"#)
        try await fixture.sync(child, #"[{"id":1}]"#)
        try fixture.alter(
            """
            INSERT INTO _garner_cursors (stream_id, bindings, identity, value, moved_at)
            SELECT stream_id, bindings, 'x', '\(Canary.text.replacing("'", with: "''"))', 't' FROM _garner_pages WHERE bindings IS NOT NULL;
            """)
        #expect(try fixture.rows("SELECT count(*) FROM _garner_members JOIN _garner_pages USING (page_id)") == ["1"])
        streams[0].fields = hiding
        var request = PruneRequest()
        request.hiddenFields = try streams.map { try #require(HiddenFields(of: $0, among: streams)) }
        request.patience = .zero
        await fixture.writer.close()
        let preview = try DatabasePruning(of: fixture.path, request).preview()
        let outcome = try DatabasePruning(of: fixture.path, request).run()
        #expect(outcome.dropped == preview.dropped)
        #expect(outcome.dropped.map(\.slices) == [0, 1])
        #expect(try fixture.rows("SELECT count(*) FROM _garner_pages") == ["0"])
        #expect(try fixture.rows("SELECT count(*) FROM _garner_cursors") == ["0"])
        #expect(try fixture.rows("SELECT id FROM animals") == ["1"])
        #expect(try Canary.trace(in: Data(contentsOf: URL(filePath: fixture.path))) == nil)
        try fixture.expectIntegrity()
    }

    @Test func `a unique index that needs the values is named, and nothing is changed`() async throws {
        try await fixture.sync(Self.animals { _ in }, #"[{"id":1,"chip":"a","n":1},{"id":2,"chip":"b","n":2}]"#)
        try fixture.alter("CREATE UNIQUE INDEX each_chip ON animals (coalesce(chip, ''))")
        await fixture.writer.close()
        let error = #expect(throws: PersistenceError.self) {
            _ = try DatabasePruning(of: fixture.path, request(Self.dropping("n", "chip"))).run()
        }
        #expect(error?.kind == .configuration)
        #expect(error?.hint.text?.contains("drop the unique index 'each_chip'") == true)
        #expect(try fixture.rows("SELECT id, chip, n FROM animals") == ["1 'a' 1", "2 'b' 2"])
        try fixture.alter("DROP INDEX each_chip")
        _ = try DatabasePruning(of: fixture.path, request(Self.dropping("n", "chip"))).run()
        #expect(try fixture.rows("SELECT id, chip, n FROM animals") == ["1 NULL NULL", "2 NULL NULL"])
    }

    @Test func `what has no column of its own loses the values, too`() async throws {
        try await fixture.sync(Self.animals { _ in }, #"[{"id":1}]"#)
        try fixture.alter(
            """
            ALTER TABLE animals ADD COLUMN _garner_rest TEXT;
            UPDATE animals SET _garner_rest = '{"chip":"c","home__city":"Bern","home__street":"s","mail":["m"]}'
            """)
        var stream = Self.dropping("chip", "$.home.street")
        stream.fields.hash = .init(fields: [try #require(FieldPath("mail"))], key: Secret("key"))
        try await prune(stream)
        #expect(
            try fixture.rows("SELECT _garner_rest FROM animals")
                == [#"'{"home__city":"Bern","mail":"\#(Self.hash(#"["m"]"#).dropFirst().dropLast())"}'"#])
    }

    @Test func `links of a dropped field go with their files, unless another field has the file`() async throws {
        try await fixture.sync(Self.animals { _ in }, #"[{"id":1,"photo":"u1","map":"u2"}]"#)
        try fixture.alter(
            """
            INSERT INTO _garner_blobs VALUES ('a', 'image/png', 1, x'61'), ('b', 'image/png', 1, x'62');
            INSERT INTO _garner_attachments (stream_id, field, url, sha256, read_id, run_id, asked_at) VALUES
            (1, 'photo', 'u1', 'a', 1, 1, 't'), (1, 'photo', 'u2', 'b', 1, 1, 't'), (1, 'map', 'u2', 'b', 1, 1, 't')
            """)
        #expect(try await prune(Self.dropping("photo"))?.links == 2)
        #expect(try fixture.rows("SELECT sha256 FROM _garner_blobs") == ["'b'"])
        #expect(try fixture.rows("SELECT field FROM _garner_attachments") == ["'map'"])
    }

    @Test func `what was overwritten goes out of the free space`() async throws {
        let long = String(repeating: "\(Canary.text) ", count: 4000)
        try await fixture.sync(Self.animals { _ in }, #"[{"id":1,"chip":"\#(long)"}]"#)
        await fixture.writer.close()
        // Some builds of SQLite overwrite what they delete unasked.
        try fixture.alter("PRAGMA secure_delete = OFF; UPDATE animals SET chip = NULL")
        let file = URL(filePath: fixture.path)
        #expect(try Canary.trace(in: Data(contentsOf: file)) != nil)
        #expect(try await prune(Self.dropping("chip")) == nil)
        #expect(try Canary.trace(in: Data(contentsOf: file)) == nil)
    }

    @Test func `a program that reads keeps the log, which the repetition empties`() async throws {
        try await fixture.sync(Self.animals { _ in }, #"[{"id":1,"chip":"\#(Canary.text)"}]"#)
        // The file has the value before the reader comes, and the log has what removes it.
        await fixture.writer.close()
        let request = try request(Self.dropping("chip"))
        let reader = try Connection(path: fixture.path, mode: .readOnly)
        try reader.snapshot {
            _ = try reader.integer("SELECT count(*) FROM animals")
            let error = #expect(throws: PersistenceError.self) {
                _ = try DatabasePruning(of: fixture.path, request).run()
            }
            #expect(error?.kind == .locked)
            #expect(error?.hint == .pruneDroppedAgain)
            #expect(try Canary.trace(in: Data(contentsOf: URL(filePath: fixture.path))) != nil)
        }
        reader.close()
        _ = try DatabasePruning(of: fixture.path, request).run()
        #expect(try Canary.trace(in: Data(contentsOf: URL(filePath: fixture.path))) == nil)
    }
}
