import Synchronization
import TestSupport
import Testing

@testable import GarnerRuntime

@Suite(.timeLimit(.minutes(1)))
struct RunGateTests {
    @Test func `no more runs than the limit are active, and all have their turn`() async {
        let gate = RunGate(limit: 3)
        let now = Atomic(0)
        let most = Atomic(0)
        let done = Atomic(0)
        await withDiscardingTaskGroup { group in
            for _ in 0..<40 {
                group.addTask {
                    await gate.run {
                        let active = now.add(1, ordering: .relaxed).newValue
                        most.max(active, ordering: .relaxed)
                        await Task.yield()
                        now.subtract(1, ordering: .relaxed)
                        done.add(1, ordering: .relaxed)
                    }
                }
            }
        }
        #expect(most.load(ordering: .relaxed) <= 3 && done.load(ordering: .relaxed) == 40)
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
