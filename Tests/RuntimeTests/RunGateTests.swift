import TestSupport
import Testing

@testable import GarnerRuntime

@Suite(.timeLimit(.minutes(1)))
struct RunGateTests {
    @Test func `no more runs than the limit are active, and all have their turn`() async {
        let gate = RunGate(limit: 3)
        let counts = Watched((now: 0, most: 0, done: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    await gate.run {
                        counts.change { counts in
                            counts.now += 1
                            counts.most = max(counts.most, counts.now)
                        }
                        await Task.yield()
                        counts.change { counts in
                            counts.now -= 1
                            counts.done += 1
                        }
                    }
                }
            }
        }
        #expect(counts.value.most <= 3 && counts.value.done == 40)
    }

    @Test func `a run that is cancelled waits for no others, and takes nobody's place`() async {
        let gate = RunGate(limit: 1)
        let (isIn, mayEnd) = (Watched(false), Watched(false))
        async let first: Void = gate.run {
            isIn.value = true
            await mayEnd.until { $0 }
        }
        await isIn.until { $0 }
        let second = Task { await gate.run { Task.isCancelled } }
        second.cancel()
        #expect(await second.value)
        let third = Task { await gate.run { mayEnd.value } }
        mayEnd.value = true
        await first
        // It came in after the first one only.
        #expect(await third.value)
        #expect(await gate.run { true })
    }
}
