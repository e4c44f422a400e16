import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Lines on their way to a descriptor: a thread writes them, so that one that takes nothing stops nobody who logs.
final class LogWriter: Sendable {
    static let standardError = LogWriter(STDERR_FILENO)

    /// How many lines wait; what comes beyond that is lost, and counted.
    static let capacity = 8192
    private static let linesAtOnce = 256

    private struct State {
        var waiting: [String] = []
        var lost = 0
        var tellLoss: (@Sendable (Int) -> String)?
        var isBusy = false
        var hasThread = false
        /// Of those who wait for the end of it.
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

    /// Returns at once.
    ///
    /// - Parameters:
    ///   - line: with its line feed.
    ///   - tellLoss: the line that says how many were lost.
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
        if needsThread { Thread.detachNewThread { [self] in serve() } }
        news.signal()
    }

    /// Waits until all is written that was added, or that long; whether it was.
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

    /// nil where nothing waits; who waits for that is told.
    private func take() -> String? {
        let (text, flushes) = state.withLock { state -> (String?, [DispatchSemaphore]) in
            var lines = Array(state.waiting.prefix(Self.linesAtOnce))
            state.waiting.removeFirst(lines.count)
            // After the last of those that came before them.
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

    /// What the descriptor does not take because its reader is gone is no one's to hear.
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
