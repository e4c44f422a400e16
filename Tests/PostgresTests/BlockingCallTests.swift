import Dispatch
import Foundation
import GarnerLibC
import GarnerPostgres
import PostgresCluster
import Synchronization
import Testing

struct BlockingCallTests {
    @Test func `a result and an error come back to the thread that waits`() async throws {
        let connection = try await PostgresTests.connection()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DetachedThread.start {
                continuation.resume(
                    with: Result {
                        for number in 0..<100 as Range<Int64> {
                            let value = try blockingResult {
                                try await connection.execute("SELECT $1", .integer(number)).value
                            }
                            #expect(value == .integer(number))
                        }
                        #expect(throws: PostgresError.self) {
                            try blockingResult { _ = try await connection.execute("SELECT nothing") }
                        }
                    })
            }
        }
    }

    @Test func `it needs no thread of the concurrency pool`() async throws {
        let url = try await PostgresURL(PostgresCluster.shared().socketURL())
        let isDone = DispatchSemaphore(value: 0)
        let blocked = DispatchSemaphore(value: 0)
        let answers = Mutex(0)
        let count = ProcessInfo.processInfo.activeProcessorCount
        // Each thread of the pool has one of them, until the result is there.
        let blockers = (0..<count).map { _ in
            Task.detached {
                blocked.signal()
                return Self.wait(for: isDone)
            }
        }
        DetachedThread.start {
            for _ in 0..<count { blocked.wait() }
            let value = try? blockingResult {
                let connection = try await PostgresConnection.open(url)
                let value = try await connection.execute("SELECT 7").value
                await connection.close()
                return value
            }
            if value == .integer(7) { answers.withLock { $0 += 1 } }
            for _ in 0..<count { isDone.signal() }
        }
        for blocker in blockers { #expect(await blocker.value == .success) }
        #expect(answers.withLock { $0 } == 1)
    }

    private static func wait(for isDone: DispatchSemaphore) -> DispatchTimeoutResult {
        isDone.wait(timeout: .now() + 60)
    }
}
