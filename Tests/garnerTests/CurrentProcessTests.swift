import Foundation
import GarnerLibC
import Synchronization
import Testing

@testable import garner

struct CurrentProcessTests {
    @Test func environmentIsThatOfTheProcess() {
        #expect(CurrentProcess.environment == ProcessInfo.processInfo.environment)
        #expect(CurrentProcess.environment["PATH"] != nil)
    }

    @Test func executableIsTheProgramThatRuns() throws {
        let path = try #require(CurrentProcess.executablePath)
        #expect(URL(filePath: path).resolvingSymlinksInPath().path == Bundle.main.executablePath)
    }

    @Test func detachedThreadsRunTheirBodiesBesideTheCaller() async {
        let (count, caller) = (8, String(describing: pthread_self()))
        let threads = Mutex<Set<String>>([])
        let arrived = DispatchSemaphore(value: 0)
        let all = DispatchSemaphore(value: 0)
        // Each waits for the others, so none of them can run on another's thread.
        await withCheckedContinuation { continuation in
            for _ in 0..<count {
                DetachedThread.start {
                    threads.withLock { _ = $0.insert(String(describing: pthread_self())) }
                    arrived.signal()
                    all.wait()
                }
            }
            DetachedThread.start {
                for _ in 0..<count { arrived.wait() }
                for _ in 0..<count { all.signal() }
                continuation.resume()
            }
        }
        #expect(threads.withLock { $0.count } == count)
        #expect(!threads.withLock { $0.contains(caller) })
    }
}
