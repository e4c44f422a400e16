import NIOCore
import NIOPosix

/// Runs tasks on a thread that serves connections, for many small requests side by side.
///
/// There a task goes on where its answer came in, and waking another thread for each step, which costs more than a small
/// answer's own work, falls away (docs/decisions/0016-one-thread-for-small-answers.md).
package final class TransportThread: TaskExecutor {
    package static let shared = TransportThread()

    private let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
