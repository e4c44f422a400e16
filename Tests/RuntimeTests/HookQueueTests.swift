import GarnerCatalog
import GarnerModel
import Testing

@testable import GarnerRuntime

struct HookQueueTests {
    private static func stream(_ name: String) -> StreamName { StreamName(source: "zoo", stream: name) }

    private var line = HookQueue<Int>(capacity: 4, maximumConcurrentJobs: 2)

    private mutating func add(_ job: Int, of stream: String) -> Int? { line.add(job, of: Self.stream(stream))?.job }

    @Test mutating func `a hook queue runs a limited number of jobs at once`() {
        for (job, stream) in ["a", "b", "c"].enumerated() { _ = add(job, of: stream) }
        #expect(line.next()?.job == 0)
        #expect(line.next()?.job == 1)
        #expect(line.next() == nil)
        line.finish(Self.stream("a"))
        #expect(line.next()?.job == 2)
        #expect(line.next() == nil)
    }

    @Test mutating func `a stream's jobs keep their order, and others pass them`() {
        for (job, stream) in ["a", "a", "b", "a"].enumerated() { _ = add(job, of: stream) }
        #expect(line.next()?.job == 0)
        #expect(line.next()?.job == 2)
        line.finish(Self.stream("b"))
        #expect(line.next() == nil)
        line.finish(Self.stream("a"))
        #expect(line.next()?.job == 1)
        #expect(line.next() == nil)
        line.finish(Self.stream("a"))
        #expect(line.next()?.job == 3)
    }

    @Test mutating func `a full hook queue drops its oldest job`() {
        for job in 0..<4 { #expect(add(job, of: "a") == nil) }
        #expect(add(4, of: "a") == 0)
        #expect(add(5, of: "b") == 1)
        #expect(line.next()?.job == 2)
        // What runs takes no room.
        #expect(add(6, of: "c") == nil)
    }

    @Test mutating func `a hook queue is idle when no job waits or runs`() {
        #expect(line.isIdle)
        _ = add(0, of: "a")
        #expect(!line.isIdle)
        _ = line.next()
        #expect(!line.isIdle)
        line.finish(Self.stream("a"))
        #expect(line.isIdle)
        _ = add(1, of: "a")
        _ = add(2, of: "b")
        _ = line.next()
        #expect(line.clear() == 1)
        #expect(line.next() == nil)
        #expect(!line.isIdle)
    }
}
