import Dispatch
import GarnerLibC
import Synchronization

/// A queue of lines for a descriptor. A thread writes them, so that a blocked descriptor does not block callers.
final class LogWriter: Sendable {
    static let standardError = LogWriter(STDERR_FILENO)

    /// The number of lines that can wait. Further lines are lost, and counted.
    static let capacity = 8192
    private static let linesAtOnce = 256

    private struct State {
        var waiting: [String] = []
        var lost = 0
        var tellLoss: (@Sendable (Int) -> String)?
        var isBusy = false
        var hasThread = false
        /// The semaphores of callers that wait for the queue to empty.
        var flushes: [DispatchSemaphore] = []
    }

    private let descriptor: Int32
    private let capacity: Int
    private let state = Mutex(State())
    private let news = DispatchSemaphore(value: 0)

    init(_ descriptor: Int32, capacity: Int = LogWriter.capacity) {
        self.descriptor = descriptor
        self.capacity = capacity
    }

    /// Queues a line and returns at once.
    ///
    /// - Parameters:
    ///   - line: The line with its line feed.
    ///   - tellLoss: Returns the line that reports a number of lost lines.
    func add(_ line: String, tellLoss: @escaping @Sendable (Int) -> String) {
        let needsThread = state.withLock { state in
            if state.waiting.count < capacity, state.lost == 0 {
                state.waiting.append(line)
            } else {
                state.lost += 1
                state.tellLoss = tellLoss
            }
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if needsThread { DetachedThread.start { [self] in serve() } }
        news.signal()
    }

    /// Waits until all queued lines are written, at most for `limit`. Returns true if they were.
    @discardableResult
    func flush(within limit: DispatchTimeInterval = .seconds(1)) -> Bool {
        let flushed = DispatchSemaphore(value: 0)
        let isDone = state.withLock { state in
            if state.waiting.isEmpty, state.lost == 0, !state.isBusy { return true }
            state.flushes.append(flushed)
            return false
        }
        return isDone || flushed.wait(timeout: .now() + limit) == .success
    }

    private func serve() {
        while true {
            news.wait()
            while let text = take() { write(text) }
        }
    }

    /// Takes the next lines. If none wait, wakes the callers of `flush` and returns nil.
    private func take() -> String? {
        let (text, flushes) = state.withLock { state -> (String?, [DispatchSemaphore]) in
            var lines = Array(state.waiting.prefix(Self.linesAtOnce))
            state.waiting.removeFirst(lines.count)
            // The report of lost lines follows the last of the lines before them.
            if state.waiting.isEmpty, state.lost > 0, let tellLoss = state.tellLoss {
                lines.append(tellLoss(state.lost))
                state.lost = 0
            }
            state.isBusy = !lines.isEmpty
            if state.isBusy { return (lines.joined(), []) }
            defer { state.flushes = [] }
            return (nil, state.flushes)
        }
        for flush in flushes { flush.signal() }
        return text
    }

    /// Writes the text. Drops what the descriptor does not take because its reader is gone.
    private func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Descriptor.writeSome($0, to: descriptor) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&watched, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }
}
