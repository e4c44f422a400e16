import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

struct StateTests {
    private let fixture: Fixture
    private let stream = StreamConfiguration.animals(missing: .hard)

    init() throws { fixture = try Fixture() }

    /// A complete read of two pages, and one that stopped behind its first page.
    private func readOnceAndStop() async throws {
        try await fixture.sync(stream, #"[{"id":1}]"#, #"[{"id":2}]"#)
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        var page = try PageCommit.page(#"[{"id":1}]"#, 1, .next("page=2"))
        page.cursor.moved = "7"
        _ = try await fixture.writer.commit(page, to: run)
        _ = try await fixture.writer.end(run: run.id, as: .cancelled)
    }

    @Test func `the state lists an unfinished read, cursors and pages`() async throws {
        try await readOnceAndStop()
        let reader = try ReadOnlyDatabase(path: fixture.path)
        #expect(try reader.streamNames() == [stream.name])
        let state = try #require(try reader.state(of: stream.name, limit: 10))
        #expect(state.read?.run == 2)
        #expect(state.read?.slices.map(\.bindings) == ["{}"])
        #expect(state.read?.slices.map(\.goesOnAt) == ["page=2"])
        #expect(state.cursors.map(\.value) == ["7"])
        #expect((state.cursorCount, state.pages, state.pagesWithValidator) == (1, 2, 0))
        #expect(state.baselineRun == 1)
        #expect(state.lastRun?.status == .cancelled)
        let short = try #require(try reader.state(of: stream.name, limit: 0))
        #expect(short.cursors.isEmpty && short.cursorCount == 1)
        #expect(short.read?.slices.isEmpty == true && short.read?.sliceCount == 1)
    }

    @Test func `a stream that was never run has none`() throws {
        let reader = try ReadOnlyDatabase(path: fixture.path)
        #expect(try reader.state(of: stream.name, limit: 1) == nil)
        #expect(try reader.streamNames() == [])
    }

    @Test(arguments: [
        (ResetParts.cursors, "1 0", "0 2 2"),
        (ResetParts.pages, "0 2", "1 0 0"),
        (ResetParts([.cursors, .pages]), "1 2", "0 0 0"),
    ]) func `a reset removes the state and keeps the rows`(parts: ResetParts, expected: String, left: String)
        async throws
    {
        try await readOnceAndStop()
        let outcome = try #require(try await fixture.writer.reset(parts, of: stream.name))
        #expect(outcome.hadUnfinishedRead)
        #expect("\(outcome.cursors) \(outcome.pages)" == expected)
        let counts = """
            SELECT (SELECT count(*) FROM _garner_cursors), (SELECT count(*) FROM _garner_pages),
            (SELECT count(*) FROM _garner_members)
            """
        #expect(try fixture.rows(counts) == [left])
        #expect(try fixture.rows("SELECT count(*) FROM _garner_reads, _garner_slices") == ["0"])
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2"])
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        #expect(run.resumeAt == nil)
        let ended = try await fixture.writer.commitLast(.page(#"[{"id":2}]"#, 1, .complete), to: run)
        #expect(ended.counts.ofRecords == "1 unchanged, 1 deleted")
        try fixture.expectIntegrity()
    }

    @Test func `a reset keeps the state of other streams`() async throws {
        try await readOnceAndStop()
        let other = StreamName(source: "zoo", stream: "plants")
        #expect(try await fixture.writer.reset([.cursors, .pages], of: other) == nil)
        #expect(try fixture.rows("SELECT count(*) FROM _garner_pages") == ["2"])
    }
}
