import GarnerCatalog
import GarnerFetcher
import Logging
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import GarnerScheduler
import TestSupport
import Testing

@testable import GarnerRuntime

@Suite(.timeLimit(.minutes(5)))
struct DecisionKeepingTests {
    private static let instant = Timestamp(millisecondsSince1970: 1_769_846_700_000)

    @Test func `a decision waits for a database that another program has locked`() async throws {
        let place = try Workplace(api: "http://127.0.0.1:9")
        let configuration = try Configuration.load(
            contentsOf: place.folder.path("garner.yaml"), environment: [:])
        let writer = try DatabaseWriter(path: place.database, busyTimeout: .milliseconds(20)) { Self.instant }
        let log = Watched<[String]>([])
        let clock = ManualClock()
        let runner = ScheduledRunner(
            context: RuntimeContext(
                timing: Timing(clock: clock, now: { Self.instant }, random: { 0 }), environment: [:], userAgent: "test",
                load: { configuration }),
            streams: LiveConfiguration(configuration), writer: writer, transports: Transports(userAgent: "test"),
            manualRuns: ManualRuns(), hooks: nil, logger: Logger(label: "test") { _ in Notebook(log) })
        let skip = Skip(
            stream: StreamName(source: "zoo", stream: "animals"), nominals: Self.instant...Self.instant, count: 1,
            reason: .paused)

        let other = try Connection(path: place.database, mode: .readWrite)
        try other.executeScript("BEGIN IMMEDIATE")
        async let kept: Void = runner.keep(.skip(skip, ScheduleState(settled: Self.instant)))
        await clock.sleepers { $0 == [.seconds(1)] }
        try other.executeScript("ROLLBACK")
        clock.advance(by: .seconds(1))
        await kept
        #expect(log.value == ["Decisions wait for the database, which another program has locked"])
        #expect(try place.texts("SELECT warning FROM _garner_runs") == ["the stream was paused"])
        await writer.close()
    }
}
