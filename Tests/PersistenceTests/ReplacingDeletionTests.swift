import GarnerCatalog
import Foundation
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

struct ReplacingDeletionTests {
    let fixture: Fixture
    private let stream = StreamConfiguration.animals(writing: .replace, ratio: 1)
    private let keyless = StreamConfiguration.animals(table: "visits", writing: .replace, ratio: 1)

    init() throws { fixture = try Fixture() }

    /// A page with records that say that they are deleted.
    private static func page(
        _ json: String, _ number: Int, _ continuation: PageCommit.Continuation, deleting deletions: Set<Int>
    ) throws -> PageCommit {
        var page = try PageCommit.page(json, number, continuation)
        page.deletions = deletions
        return page
    }

    @Test func `a record that says that it is deleted is not in the new table, nor is its row`() async throws {
        try await fixture.sync(stream, #"[{"id":1,"n":1},{"id":2,"n":2},{"id":3,"n":3}]"#)
        let run = try await fixture.writer.beginReading(stream, identity: "page=1", restarting: true)
        _ = try await fixture.writer.commit(
            Self.page(#"[{"id":1,"n":1},{"id":2,"gone":"a\nb"}]"#, 1, .next("page=2"), deleting: [1]), to: run)
        let ended = try await fixture.writer.commitLast(
            Self.page(#"[{"id":3,"n":4},{"id":1},{"id":4}]"#, 2, .complete, deleting: [1, 2]), to: run)
        #expect(ended.counts.ofRecords == "1 updated, 1 unchanged, 2 deleted")
        #expect(try fixture.rows("SELECT * FROM animals") == ["3 4"])
        try fixture.expectIntegrity()
    }

    @Test func `a row that was marked as deleted goes when its record still says so`() async throws {
        var marking = stream
        marking.writeDisposition = .merge
        marking.deleteMissing = .soft
        try await fixture.sync(marking, #"[{"id":1},{"id":2}]"#)
        try await fixture.sync(marking, #"[{"id":1}]"#)
        #expect(try fixture.rows("SELECT id FROM animals WHERE _garner_deleted_at IS NULL") == ["1"])
        let run = try await fixture.writer.beginReading(stream, identity: "page=1", restarting: true)
        try await fixture.writer.commitLast(
            Self.page(#"[{"id":1},{"id":2}]"#, 1, .complete, deleting: [1]), to: run)
        #expect(try fixture.rows("SELECT id FROM animals") == ["1"])
    }

    @Test func `without a key a record that says that it is deleted is left out`() async throws {
        try await fixture.sync(keyless, #"[{"n":1},{"n":2}]"#)
        for counts in ["1 inserted, 2 deleted", "1 unchanged"] {
            let run = try await fixture.writer.beginReading(keyless, identity: "page=1", restarting: true)
            let ended = try await fixture.writer.commitLast(
                Self.page(#"[{"n":1},{"n":2,"gone":true}]"#, 1, .complete, deleting: [1]), to: run)
            #expect(ended.counts.ofRecords == counts)
            #expect(try fixture.rows("SELECT n FROM visits") == ["1"])
        }
    }

    @Test func `a record on two numbered pages leaves the table as it was`() async throws {
        try await fixture.sync(stream, #"[{"id":1},{"id":2},{"id":3}]"#)
        let run = try await fixture.writer.beginReading(stream, identity: "page=1", restarting: true)
        var first = try PageCommit.page(#"[{"id":1},{"id":2}]"#, 1, .next("page=2"))
        first.isNumbered = true
        _ = try await fixture.writer.commit(first, to: run)
        var second = try PageCommit.page(#"[{"id":4},{"id":2}]"#, 2, .complete)
        second.isNumbered = true
        try await fixture.writer.commitLast(second, to: run)
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2", "3"])
    }
}
