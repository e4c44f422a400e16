import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Calls a closure for each SIGHUP, which ends the program no more.
final class HangUps: Sendable {
    // Safe because it is made in `init` and only cancelled afterwards, which is thread-safe.
    private nonisolated(unsafe) let source: any DispatchSourceSignal

    init(_ handle: @escaping @Sendable () -> Void) {
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "garner.hangups"))
        source.setEventHandler(handler: handle)
        source.resume()
    }

    func stop() { source.cancel() }
}
