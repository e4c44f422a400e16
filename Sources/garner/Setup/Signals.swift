import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Calls a closure for the first SIGINT or SIGTERM; a second one ends the program at once.
final class Signals: Sendable {
    private let received = Mutex<Int32?>(nil)
    // Safe because they are made in `init` and only cancelled afterwards, which is thread-safe.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// The first signal that came.
    var first: Int32? { received.withLock { $0 } }

    init(_ handle: @escaping @Sendable (Int32) -> Void) {
        let queue = DispatchQueue(label: "garner.signals")
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: queue)
        }
        for (source, number) in zip(sources, [SIGINT, SIGTERM]) {
            source.setEventHandler { [self] in
                let isFirst = self.received.withLock { first in
                    defer { first = first ?? number }
                    return first == nil
                }
                if isFirst { return handle(number) }
                LogWriter.standardError.flush(within: .milliseconds(100))
                _exit(128 + number)
            }
            source.resume()
        }
    }

    func stop() { sources.forEach { $0.cancel() } }
}
