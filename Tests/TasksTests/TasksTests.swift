import Synchronization
import GarnerTasks
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TasksTests {
    private struct Failure: Error, Equatable {}

    @Test func `the first of two operations gives the result, and the other one is cancelled`() async throws {
        let wasCancelled = Watched(false)
        let result = try await race {
            1
        } _: {
            do { try await Task.sleep(for: .seconds(3600)) } catch { wasCancelled.value = true }
            return 2
        }
        #expect(result == 1)
        // The other one has ended, since the race waits for it.
        #expect(wasCancelled.value)
    }

    @Test func `the first of two operations throws its error`() async {
        await #expect(throws: Failure.self) {
            try await race({ throw Failure() }, { try await Task.sleep(for: .seconds(3600)) })
        }
    }

    @Test(arguments: [false, true])
    func `an operation that takes too long is left alone, also by a cancelled task`(isCancelled: Bool) async throws {
        let (clock, gate, ended) = (ManualClock(), Watched(false), Watched(false))
        let waiting = Task {
            if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
            return try await result(
                of: {
                    await gate.until(\.self)
                    ended.value = true
                }, within: .seconds(1), on: clock) != nil
        }
        await clock.sleeper(for: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(try await waiting.value == false)
        #expect(!ended.value)
        gate.value = true
        await ended.until(\.self)
    }

    @Test func `an operation that ends in time gives its result, or throws its error`() async throws {
        let clock = ManualClock()
        #expect(try await result(of: { 1 }, within: .seconds(1), on: clock) == 1)
        await #expect(throws: Failure.self) {
            try await result(of: { throw Failure() }, within: .seconds(1), on: clock)
        }
        await clock.sleepers { $0.isEmpty }
    }

    @Test func `no more than the limit are active, and each element is performed once`() async {
        let active = Mutex((now: 0, most: 0))
        let others = Watched(0)
        var waiting = Array(0..<20)[...]
        var done: [Int] = []
        await performConcurrently(atMost: 3) {
            waiting.popFirst()
        } _: { number in
            active.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            // The first three wait for each other: fewer at a time would never end.
            others.change { $0 += 1 }
            await others.until { $0 >= 3 }
            active.withLock { $0.now -= 1 }
            return number
        } handle: {
            done.append($0)
        }
        #expect(done.sorted() == Array(0..<20))
        #expect(active.withLock { $0.most } == 3)
    }

    @Test func `an element that becomes ready later is performed when another has ended`() async {
        var ready = [1]
        var done: [Int] = []
        await performConcurrently(atMost: 2) {
            ready.popLast()
        } _: {
            $0
        } handle: {
            done.append($0)
            if $0 < 5 { ready.append($0 + 1) }
        }
        #expect(done == [1, 2, 3, 4, 5])
    }

    @Test func `an error cancels the other operations and begins none`() async {
        let wasCancelled = Watched(false)
        var begun = 0
        await #expect(throws: Failure.self) {
            try await performConcurrently(atMost: 2) {
                begun += 1
                return begun
            } _: { (number: Int) in
                if number == 1 { throw Failure() }
                do { try await Task.sleep(for: .seconds(3600)) } catch { wasCancelled.value = true }
            } handle: {
            }
        }
        #expect(begun == 2 && wasCancelled.value)
    }

    private actor Desk {
        let waiters = Waiters<String>()
        var queue: [UInt64] = []

        func wait() async throws -> String {
            let id = waiters.add()
            queue.append(id)
            return try await waiters.value(for: id) { await self.cancelled($0) }
        }

        func serve(_ text: String) -> Bool {
            queue.isEmpty ? false : waiters.resume(queue.removeFirst(), with: .success(text))
        }

        private func cancelled(_ id: UInt64) {
            queue.removeAll { $0 == id }
            waiters.resume(id, with: .failure(CancellationError()))
        }
    }

    @Test func `callers get their values in turn, and one that is cancelled loses its place`() async throws {
        let desk = Desk()
        var callers: [Task<String, any Error>] = []
        for number in 0..<3 {
            callers.append(Task { try await desk.wait() })
            while await desk.queue.count <= number { await Task.yield() }
        }
        callers[1].cancel()
        await #expect(throws: CancellationError.self) { try await callers[1].value }
        #expect(await desk.serve("a"))
        #expect(await desk.serve("b"))
        #expect(await desk.serve("c") == false)
        #expect(try await callers[0].value == "a")
        #expect(try await callers[2].value == "b")
        #expect(desk.waiters.count == 0)
    }

    @Test func `a caller is resumed once`() async throws {
        let waiters = Waiters<Int>()
        let id = waiters.add()
        #expect(waiters.resume(id, with: .success(7)))
        #expect(!waiters.resume(id, with: .success(8)))
        #expect(try await waiters.value(for: id) { _ in } == 7)
        #expect(!waiters.resume(id, with: .success(9)))
        #expect(waiters.count == 0)
    }
}
