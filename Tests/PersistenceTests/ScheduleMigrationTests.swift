import GarnerCatalog
import GarnerModel
import GarnerPersistence
import TestSupport
import Testing

/// A file of the version before schedules had a table.
struct ScheduleMigrationTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("garner.db")
        try EarlierVersion.write(9, to: path, rows: Self.rows)
    }

    private static func time(_ hour: Int) -> Timestamp? { Timestamp(rfc3339: "2026-01-31T0\(hour):00:00.000Z") }

    @Test func `its schedules go on from what its runs tell`() async throws {
        let writer = try Fixture.store(at: path)
        let reader = try ReadOnlyDatabase(path: path)
        #expect(
            try reader.scheduleStates() == [
                "zoo.animals": ScheduleState(settled: Self.time(4), endedAt: Self.time(5), failures: 2)
            ])
        let runs = try reader.runs(limit: 9)
        #expect(runs.map(\.id) == [7, 6, 5, 4, 3, 2, 1])
        #expect(runs.map(\.trigger) == [.manual, .manual, .schedule, .schedule, .schedule, .schedule, .schedule])
        #expect(runs.allSatisfy { $0.dueAt == nil && !$0.wasStopped })
        let four = try #require(Self.time(4))
        #expect(runs.compactMap(\.skipped) == [SkippedInstants(first: four, last: four, count: 1)])
        await writer.close()
    }

    @Test func `an instant of it is still run once`() async throws {
        let writer = try Fixture.store(at: path)
        let (three, five) = (try #require(Self.time(3)), try #require(Self.time(5)))
        await #expect(throws: PersistenceError.self) {
            try await writer.begin(
                .animals(), identity: "i", occasion: .scheduled(nominal: three, dueAt: three))
        }
        // Its run was interrupted.
        _ = try await writer.begin(.animals(), identity: "i", occasion: .scheduled(nominal: five, dueAt: five))
        await writer.close()
    }

    private static let rows = """
        INSERT INTO _garner_streams (stream_id, name, table_name)
        VALUES (1, 'zoo.animals', 'animals'), (2, 'zoo.plants', 'plants');
        INSERT INTO _garner_runs (run_id, stream_id, read_id, status, nominal_at, started_at, ended_at, warning) VALUES
        (1, 1, 1, 'succeeded', '2026-01-31T01:00:00.000Z', '2026-01-31T01:00:00.000Z', '2026-01-31T01:00:00.000Z', NULL),
        (2, 1, 2, 'failed', '2026-01-31T02:00:00.000Z', '2026-01-31T02:00:00.000Z', '2026-01-31T02:00:00.000Z', NULL),
        (3, 1, 3, 'failed', '2026-01-31T03:00:00.000Z', '2026-01-31T03:00:00.000Z', '2026-01-31T03:00:00.000Z', NULL),
        (4, 1, 4, 'skipped', '2026-01-31T04:00:00.000Z', '2026-01-31T04:00:00.000Z', '2026-01-31T09:00:00.000Z', 'busy'),
        (5, 1, 5, 'interrupted', '2026-01-31T05:00:00.000Z', '2026-01-31T05:00:00.000Z', '2026-01-31T05:00:00.000Z', NULL),
        (6, 2, 6, 'succeeded', NULL, '2026-01-31T01:00:00.000Z', '2026-01-31T01:00:00.000Z', NULL),
        (7, 2, 7, 'failed', NULL, '2026-01-31T01:00:00.000Z', '2026-01-31T01:00:00.000Z', NULL);
        """
}
