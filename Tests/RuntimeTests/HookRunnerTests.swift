import GarnerCatalog
import Logging
import GarnerModel
import GarnerSync
import TestSupport
import Testing

@testable import GarnerRuntime

@Suite(.timeLimit(.minutes(5)))
struct HookRunnerTests {
    private static let failed = RunOutcome(unbegun: StreamName(source: "zoo", stream: "animals"), Gone())
    private struct Gone: Error {}

    private static func stream(_ name: String = "animals", _ hooks: Hooks = Hooks(onFailure: [.run(["x"])]))
        -> StreamConfiguration
    {
        var stream = StreamConfiguration(
            name: StreamName(source: "zoo", stream: name), table: name, place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(baseURL: "https://zoo.example/", path: name))
        stream.hooks = hooks
        return stream
    }

    /// A log of the jobs that began and ended; the jobs end when the test lets them.
    private struct Desk: Sendable {
        let begun = Watched([String]())
        let ended = Watched([String]())
        let isOpen: Watched<Bool>
        let clock = ManualClock()
        let log = Watched([String]())

        init(isOpen: Bool = true) { self.isOpen = Watched(isOpen) }

        func runner(capacity: Int = 256) -> HookRunner {
            HookRunner(
                clock: clock,
                logger: Logger(label: "test") { [log] _ in
                    Notebook(log) { "\($0.message) \($0.metadata?["stream"] ?? "")" }
                }, capacity: capacity,
                grace: .seconds(5)
            ) { job in
                let name = "\(job.stream.name.stream) \(job.status)"
                begun.change { $0.append(name) }
                await isOpen.until { $0 }
                if !Task.isCancelled { ended.change { $0.append(name) } }
            }
        }
    }

    @Test func `every hook of a run that ended before the shutdown is called`() async {
        let desk = Desk()
        let runner = desk.runner()
        let names = (0..<10).map { "stream\($0)" }
        for name in names { runner.ended(Self.failed, of: Self.stream(name), nominal: nil) }
        runner.finish()
        await runner.run()
        #expect(Set(desk.ended.value) == Set(names.map { "\($0) failed" }))
    }

    @Test func `reporting a run never waits, and hooks run for four streams at once, each in order`() async {
        let desk = Desk(isOpen: false)
        let runner = desk.runner()
        async let running: Void = runner.run()
        let pinged = Hooks(onFailure: [.run(["x"])], ping: .literal("https://ping.example/"))
        for number in 0..<6 {
            runner.began(Self.stream("s\(number)", pinged), nominal: nil)
            runner.ended(Self.failed, of: Self.stream("s\(number)", pinged), nominal: nil)
        }
        await desk.begun.until { $0.count == 4 }
        #expect(desk.begun.value.sorted() == (0..<4).map { "s\($0) started" })
        runner.finish()
        desk.isOpen.value = true
        await running
        #expect(desk.ended.value.count == 12)
        for number in 0..<6 {
            #expect(
                desk.ended.value.filter { $0.hasPrefix("s\(number) ") } == ["s\(number) started", "s\(number) failed"])
        }
    }

    @Test func `a stream without hooks, or without a matching hook, calls none`() async {
        let desk = Desk()
        let runner = desk.runner()
        runner.began(Self.stream(), nominal: nil)
        runner.ended(Self.failed, of: Self.stream("a", Hooks()), nominal: nil)
        runner.ended(
            Self.failed, of: Self.stream("a", Hooks(onSuccess: [.run(["x"])], onChange: [.run(["x"])])), nominal: nil)
        runner.finish()
        await runner.run()
        #expect(desk.begun.value == [])
    }

    @Test func `where too many wait the oldest are dropped, with a warning`() async {
        let desk = Desk()
        let runner = desk.runner(capacity: 2)
        for number in 0..<5 { runner.ended(Self.failed, of: Self.stream("s\(number)"), nominal: nil) }
        #expect(desk.log.value == (0..<3).map { "Hooks dropped zoo.s\($0)" })
        runner.finish()
        runner.ended(Self.failed, of: Self.stream("late"), nominal: nil)
        #expect(desk.log.value.last == "Hooks dropped zoo.late")
        await runner.run()
        #expect(Set(desk.ended.value) == ["s3 failed", "s4 failed"])
    }

    @Test func `a cancellation ends what is under way, and begins nothing more`() async {
        let desk = Desk(isOpen: false)
        let runner = desk.runner()
        let running = Task { await runner.run() }
        for number in 0..<6 { runner.ended(Self.failed, of: Self.stream("s\(number)"), nominal: nil) }
        await desk.begun.until { $0.count == 4 }
        running.cancel()
        await running.value
        #expect(desk.begun.value.count == 4)
        #expect(desk.ended.value == [])
    }

    @Test func `a shutdown waits within its grace, and then no longer`() async throws {
        let desk = Desk(isOpen: false)
        let runner = desk.runner()
        for number in 0..<6 { runner.ended(Self.failed, of: Self.stream("s\(number)"), nominal: nil) }
        let shutdown = AsyncStream<Void>.makeStream()
        async let served: Void = Shutdown.run(runner, until: shutdown.stream)
        await desk.begun.until { $0.count == 4 }
        shutdown.continuation.finish()
        await desk.clock.sleeper(for: .seconds(5))
        #expect(desk.ended.value == [])
        desk.clock.advance(by: .seconds(5))
        try await served
        #expect(desk.ended.value == [])
        #expect(desk.begun.value.count == 4)
        #expect(desk.log.value == ["Hooks did not end within the grace period and are cancelled "])
    }

    @Test func `a shutdown ends as soon as all have been told`() async throws {
        let desk = Desk()
        let runner = desk.runner()
        for number in 0..<6 { runner.ended(Self.failed, of: Self.stream("s\(number)"), nominal: nil) }
        let shutdown = AsyncStream<Void>.makeStream()
        shutdown.continuation.finish()
        try await Shutdown.run(runner, until: shutdown.stream)
        #expect(desk.ended.value.count == 6)
    }
}
