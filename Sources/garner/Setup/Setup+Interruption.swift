import Persistence

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Setup {
    /// Runs `body`, which the first SIGINT or SIGTERM cancels: then the program ends with the signal's code.
    func interruptibly<Result>(_ body: (Cancellation) throws -> Result) throws -> Result {
        let cancellation = Cancellation()
        let signals = Signals { _ in cancellation.cancel() }
        defer { signals.stop() }
        do {
            return try body(cancellation)
        } catch is CancellationError {
            throw Ending(code: 128 + (signals.first ?? SIGINT))
        }
    }
}
