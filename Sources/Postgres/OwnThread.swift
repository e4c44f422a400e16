import Dispatch
import GarnerLibC
import Synchronization

/// Runs an actor whose calls wait for another machine, on a thread of its own.
package final class OwnThread: SerialExecutor {
    /// In order; nil ends the thread.
    private let jobs = Mutex<[UnownedJob?]>([])
    private let ready = DispatchSemaphore(value: 0)

    package init() { DetachedThread.start { self.run() } }

    package func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

    /// Ends the thread after the jobs that it has. The actor calls it when it is gone.
    package func end() { add(nil) }

    private func add(_ job: UnownedJob?) {
        jobs.withLock { $0.append(job) }
        ready.signal()
    }

    private func run() {
        while true {
            ready.wait()
            guard let job = jobs.withLock({ $0.removeFirst() }) else { return }
            job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }
}
