import GarnerLibC
import GarnerPersistence
import GarnerSQLite
import GarnerTasks
import TestSupport
import Testing

@testable import GarnerShards

@Suite(.timeLimit(.minutes(1)))
struct WaitingPagesTests {
    private func commit(_ pages: ClosedRange<UInt32>, of count: UInt32, byte: UInt8 = 1) -> CommittedPages {
        let image = [UInt8](repeating: byte, count: 4096)
        return CommittedPages(
            images: Dictionary(uniqueKeysWithValues: pages.map { ($0, image) }), pageCount: count, pageSize: 4096)
    }

    private func waiting() -> WaitingPages { WaitingPages(Stopwatch(ContinuousClock())) {} }

    @Test func `of several versions of a page the last one counts, and none behind the end`() throws {
        let waiting = waiting()
        waiting.add(commit(1...9, of: 9, byte: 1))
        waiting.add(commit(3...3, of: 4, byte: 2))
        waiting.add(commit(5...6, of: 6, byte: 3))
        let batch = try #require(waiting.take())
        #expect(batch.pageCount == 6 && batch.commit == 3)
        #expect(batch.images.mapValues(\.[0]) == [1: 1, 2: 1, 3: 2, 4: 1, 5: 3, 6: 3])
        #expect(waiting.take() == nil && waiting.nextSending == nil)
    }

    @Test func `a batch is due at once when somebody waits, or when it is large`() async throws {
        let waiting = waiting()
        waiting.add(commit(1...1, of: 1))
        let due = try #require(waiting.nextSending)
        #expect(due > .zero)
        let caller = Task { try await waiting.safe() }
        try await eventually { waiting.nextSending == .zero }
        let batch = try #require(waiting.take())
        waiting.confirm(batch)
        try await caller.value
        // All is safe: nobody waits.
        try await waiting.safe()
        waiting.add(commit(1...2048, of: 2048))
        #expect(waiting.nextSending == .zero)
    }

    @Test func `commits wait while 64 MiB do, also those that are being sent`() async throws {
        let waiting = waiting()
        let added = Watched(0)
        DetachedThread.start {
            for number in 1...20 as ClosedRange<UInt32> {
                let first = (number - 1) * 1024 + 1
                waiting.add(commit(first...first + 1023, of: first + 1023))
                added.change { $0 += 1 }
            }
        }
        await added.until { $0 == 16 }
        let batch = try #require(waiting.take())
        #expect(batch.byteCount == 64 << 20)
        DetachedThread.start {
            waiting.add(commit(1...1, of: 20 * 1024))
            added.change { $0 += 1 }
        }
        // Time for a commit that should not come.
        for _ in 0..<10_000 { await Task.yield() }
        #expect(waiting.nextSending == nil)
        waiting.confirm(batch)
        await added.until { $0 == 21 }
    }

    @Test func `the end is told to all who wait`() async throws {
        let waiting = waiting()
        waiting.add(commit(1...1, of: 1))
        let caller = Task { await persistenceError { try await waiting.safe() }?.kind }
        let watcher = Task { try await waiting.untilEnd().kind }
        try await eventually { waiting.nextSending == .zero }
        #expect(waiting.end(.wentBack))
        #expect(!waiting.end(.givenBack))
        #expect(try await (caller.value, watcher.value) == (.lost, .lost))
        waiting.add(commit(2...2, of: 2))
        #expect(await persistenceError { try await waiting.safe() }?.kind == .lost)
        #expect(waiting.take() == nil)
    }
}

struct PageHashesTests {
    @Test func `the checksum is of the pages, whatever order they came in`() {
        let image = { (byte: UInt8) in [UInt8](repeating: byte, count: 4096) }
        var (first, second) = (PageHashes(), PageHashes())
        for page in 1...5 { first.set(page, to: image(UInt8(page))) }
        for page in (1...9).reversed() { second.set(page, to: image(7)) }
        for page in (1...5).reversed() { second.set(page, to: image(UInt8(page))) }
        #expect(first.checksum != second.checksum)
        second.cut(to: 5)
        #expect(first.checksum == second.checksum && second.pageCount == 5)
        // Two pages in each other's place.
        second.set(1, to: image(2))
        second.set(2, to: image(1))
        #expect(first.checksum != second.checksum)
    }
}
