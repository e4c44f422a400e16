import Dispatch
import Synchronization

/// Waits for an operation on a thread that blocks, such as one on which SQLite reads, and returns its result.
///
///     let rows = try blockingResult { try await connection.execute("SELECT name FROM animals").rows }
///
/// The operation runs on the thread that waits, so it needs no thread of the concurrency pool, which may have only this one.
package func blockingResult<Output: Sendable>(
    of operation: @escaping @Sendable () async throws -> Output
) throws -> Output {
    let thread = WaitingThread()
    let answer = Answer<Output>()
    Task.detached(executorPreference: thread) {
        do {
            answer.set(.success(try await operation()))
        } catch {
            answer.set(.failure(error))
        }
    }
    while true {
        thread.runNextJob()
        if let result = answer.result { return try result.get() }
    }
}

private final class Answer<Output: Sendable>: Sendable {
    private let found = Mutex<Result<Output, any Error>?>(nil)

    var result: Result<Output, any Error>? { found.withLock { $0 } }

    func set(_ result: Result<Output, any Error>) { found.withLock { $0 = result } }
}

/// Runs the jobs of a task on the thread that waits for it.
private final class WaitingThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let ready = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        ready.signal()
    }

    func runNextJob() {
        ready.wait()
        jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
    }
}
