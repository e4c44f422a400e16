import NIOCore
import NIOPosix

/// Runs the tasks that read slices on a thread that serves connections.
///
/// A task continues on the thread where its response arrived. That saves waking another thread for each step, which
/// costs more than the work for a small response (docs/decisions/0016-one-thread-for-small-answers.md).
package final class TransportThread: TaskExecutor {
    package static let shared = TransportThread()

    private let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Waits on a timer of the thread. Throws `CancellationError` as soon as the task is cancelled.
    fileprivate func sleep(for wait: Duration) async throws {
        let timer = loop.scheduleTask(in: TimeAmount(max(wait, .zero))) {}
        do {
            try await withTaskCancellationHandler {
                try await timer.futureResult.get()
            } onCancel: {
                timer.cancel()
            }
        } catch {
            // A timer fails only if it is cancelled.
            throw CancellationError()
        }
    }
}

/// The continuous clock, whose short waits are timers of the thread that serves connections.
///
/// Each attempt has a timer that is cancelled as soon as its answer has come. One of Dispatch's wakes another thread for that, which
/// took 7 % of the time of small pages.
struct TransportClock: Clock {
    /// Longer waits also count the time during which the machine is suspended, as `ContinuousClock` does.
    private static let longestWait = Duration.seconds(120)

    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { ContinuousClock().minimumResolution }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration? = nil) async throws {
        let wait = now.duration(to: deadline)
        guard wait <= Self.longestWait else {
            return try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
        }
        try await TransportThread.shared.sleep(for: wait)
    }
}
