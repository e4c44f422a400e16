import GarnerCatalog
import Logging
import GarnerModel
import GarnerPersistence
import TestSupport
import Testing

@testable import GarnerRuntime

@Suite(.timeLimit(.minutes(5)))
struct StaleWatchTests {
    private static let start = Timestamp(millisecondsSince1970: 1_769_846_700_000)

    @Test func `an overdue stream is told of once across restarts, and again only after it was in time`() async throws {
        let place = try Workplace(
            """
            version: 1
            sources:
              zoo:
                base_url: http://127.0.0.1:9/
                schedule: { every: 1m }
                streams:
                  animals: { path: animals, hooks: { on_stale: [ { run: [x] } ] } }
                  keepers: { path: keepers }
            """)
        let configuration = try Configuration.load(contentsOf: place.folder.path("garner.yaml"), environment: [:])
        let now = Watched(Self.start)
        let writer = try DatabaseWriter(path: place.database) { now.value }
        let stream = try #require(configuration.streams.first { $0.name.stream == "animals" })
        let clock = ManualClock()
        let told = Watched([String]())
        let hooks = HookRunner(
            clock: clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, capacity: 10,
            grace: .seconds(5)
        ) { batch in told.change { $0.append("\(batch.stream.name) \(batch.status)") } }
        let watch = StaleWatch(
            streams: LiveConfiguration(configuration), reader: DatabaseReader(path: place.database), writer: writer,
            hooks: hooks, clock: clock, now: { now.value })

        /// Ends a run of the stream now.
        func succeed() async throws {
            let run = try await writer.begin(stream, identity: "", restarting: true)
            _ = try await writer.openRead(of: run)
            _ = try await writer.finish(run)
        }
        /// Lets the watch look once.
        func look() async {
            await clock.sleepers { !$0.isEmpty }
            await clock.advanceToNextWake()
            await clock.sleepers { !$0.isEmpty }
        }

        try await succeed()
        let running = Task { await hooks.run() }
        var watching = Task { await watch.run() }
        /// Ends the watch and begins another one, as the start of a service does.
        func restart() async {
            watching.cancel()
            clock.advance(by: .seconds(3600))
            await watching.value
            watching = Task { await watch.run() }
        }
        await look()
        #expect(told.value == [])
        for _ in 1...3 {
            now.change { $0 = $0.advanced(by: .seconds(600)) }
            await look()
        }
        await told.until { !$0.isEmpty }
        await restart()
        await look()
        try await succeed()
        await look()
        now.change { $0 = $0.advanced(by: .seconds(600)) }
        await look()
        await restart()
        await look()
        try await succeed()
        await look()
        // A database that cannot be written makes no call come twice.
        await writer.close()
        for _ in 1...3 {
            now.change { $0 = $0.advanced(by: .seconds(600)) }
            await look()
        }
        hooks.finish()
        await running.value
        #expect(told.value == Array(repeating: "zoo.animals stale", count: 3))
        watching.cancel()
        clock.advance(by: .seconds(3600))
        await watching.value
    }
}
