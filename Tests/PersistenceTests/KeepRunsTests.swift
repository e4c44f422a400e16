import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

/// The number of runs that are kept for a stream.
struct KeepRunsTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func stream(keeping runs: Int, table: String = "animals") -> StreamConfiguration {
        var stream = StreamConfiguration.animals(table: table, key: ["id"])
        stream.keepRuns = runs
        return stream
    }

    private func runs() throws -> [Int] { try fixture.rows("SELECT run_id FROM _garner_runs").compactMap { Int($0) } }

    @Test func `a new run removes runs beyond keep_runs with their requests`() async throws {
        for _ in 1...8 { try await fixture.sync(stream(keeping: 3), #"[{"id":1}]"#) }
        // 1 ended the first read.
        #expect(try runs() == [1, 6, 7, 8])
        #expect(try fixture.rows("SELECT run_id FROM _garner_requests") == ["1", "6", "7", "8"])
        try fixture.expectIntegrity()
    }

    @Test func `keep_runs of 0 keeps every run`() async throws {
        for _ in 1...5 { try await fixture.sync(stream(keeping: 0), #"[{"id":1}]"#) }
        #expect(try runs() == [1, 2, 3, 4, 5])
    }

    @Test func `keep_runs of one stream keeps the runs of others`() async throws {
        for _ in 1...4 { try await fixture.sync(stream(keeping: 0, table: "plants"), #"[{"id":1}]"#) }
        for _ in 1...4 { try await fixture.sync(stream(keeping: 1), #"[{"id":1}]"#) }
        // A run may go only once the next one has ended well.
        #expect(try runs() == [1, 2, 3, 4, 5, 7, 8])
    }

    @Test func `a new run removes at most fifty old runs`() async throws {
        for _ in 1...70 { try await fixture.sync(stream(keeping: 0), #"[{"id":1}]"#) }
        try await fixture.sync(stream(keeping: 2), #"[{"id":1}]"#)
        #expect(try runs() == [1] + Array(52...71))
        try await fixture.sync(stream(keeping: 2), #"[{"id":1}]"#)
        #expect(try runs() == [1, 71, 72])
        try fixture.expectIntegrity()
    }

    @Test func `a large keep_runs removes old runs in batches`() async throws {
        for _ in 1...43 { try await fixture.sync(stream(keeping: 40), #"[{"id":1}]"#) }
        #expect(try runs() == [1] + Array(4...43))
        try await fixture.sync(stream(keeping: 40), #"[{"id":1}]"#)
        #expect(try runs().count == 42)
    }

    @Test func `skips go as runs do, and the latest of them stays`() async throws {
        let stream = stream(keeping: 2)
        for minute in 1...4 as ClosedRange<Int64> {
            let nominal = Timestamp(millisecondsSince1970: minute * 60_000)
            try await fixture.writer.skip(stream, nominals: nominal...nominal, count: 1, reason: "busy")
        }
        for _ in 1...3 { try await fixture.sync(stream, #"[{"id":1}]"#) }
        #expect(
            try fixture.rows("SELECT run_id, status FROM _garner_runs") == [
                "4 'skipped'", "5 'succeeded'", "6 'succeeded'", "7 'succeeded'",
            ])
    }

    @Test func `what something refers to stays`() async throws {
        let stream = stream(keeping: 1)
        try await fixture.sync(stream, #"[{"id":1}]"#)
        try await fixture.sync(stream, #"[{"id":1,"name":"Kea"}]"#)  // notes a change, and one of the schema
        try await fixture.sync(stream, #"[{"id":1,"name":"Moa"}]"#)  // notes a change
        try await fixture.sync(stream, #"[{"id":null},{"id":1,"name":"Moa"}]"#)  // quarantines
        for _ in 5...8 { try await fixture.sync(stream, #"[{"id":1,"name":"Moa"}]"#) }
        #expect(try runs() == [1, 2, 3, 4, 7, 8])
        try fixture.expectIntegrity()
        try await fixture.sync(stream, #"[{"id":1,"name":"Moa"}]"#)
        #expect(try runs() == [1, 2, 3, 4, 8, 9])
    }

    @Test func `a run that changed rows of its arrays stays, as one whose versions are kept`() async throws {
        var stream = stream(keeping: 1)
        stream.childTables = true
        stream.history = true
        for visits in [1, 1, 2, 2, 2, 2] {
            let list = (1...visits).map { #"{"n":\#($0)}"# }.joined(separator: ",")
            try await fixture.sync(stream, #"[{"id":1,"visits":[\#(list)]}]"#)
        }
        #expect(try runs() == [1, 3, 5, 6])
        #expect(try fixture.rows("SELECT DISTINCT _garner_run FROM _garner_history_animals") == ["1", "3"])
        try fixture.expectIntegrity()
    }

    @Test func `a run that began an unfinished read stays, and so does the latest success behind failures`()
        async throws
    {
        let stream = stream(keeping: 1)
        try await fixture.sync(stream, #"[{"id":1}]"#)
        try await fixture.sync(stream, #"[{"id":1}]"#)
        for number in 3...6 {
            let run = try await fixture.writer.beginReading(stream, identity: "page=1")
            if number == 3 { _ = try await fixture.writer.commit(.page(#"[{"id":1}]"#, 1, .next("page=2")), to: run) }
            _ = try await fixture.writer.end(run: run.id, as: .failed)
        }
        #expect(try runs() == [1, 2, 3, 5, 6])
    }

    @Test func `a dry run removes no old run`() async throws {
        for _ in 1...4 { try await fixture.sync(stream(keeping: 0), #"[{"id":1}]"#) }
        await fixture.writer.close()
        let dryRun = try DatabaseWriter(path: fixture.path, isDryRun: true) { Timestamp(millisecondsSince1970: 0) }
        let run = try await dryRun.beginReading(stream(keeping: 1), identity: "page=1")
        _ = try await dryRun.commitLast(.page(#"[{"id":1}]"#, 1, .complete), to: run)
        await dryRun.close()
        #expect(try runs() == [1, 2, 3, 4])
    }
}
