/// A thread for work that blocks, which must not use the threads of the concurrency pool.
public enum DetachedThread {
    /// Starts a thread that runs `body` and then ends.
    ///
    ///     DetachedThread.start { continuation.resume(returning: process.attend()) }
    ///
    /// If the system has no thread to give, it waits until another one has ended, since the caller depends on the work.
    public static func start(_ body: @escaping @Sendable () -> Void) {
        let work = Work(body)
        while create(work) != 0 { usleep(10_000) }
    }

    /// Returns 0, or the number of an error.
    private static func create(_ work: Work) -> Int32 {
        let reference = Unmanaged.passRetained(work)
        #if canImport(Darwin)
            var created: pthread_t?
            let code = pthread_create(&created, nil, startRoutine, reference.toOpaque())
        #else
            var created = pthread_t()
            let code = pthread_create(&created, nil, startRoutine, reference.toOpaque())
        #endif
        if code != 0 { reference.release() }
        return code
    }
}

/// The first function of a thread. The system's C libraries differ in its type.
#if canImport(Darwin)
    private func startRoutine(_ work: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? { perform(work) }
#else
    private func startRoutine(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? { work.flatMap(perform) }
#endif

private func perform(_ work: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    pthread_detach(pthread_self())
    Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run()
    return nil
}

private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
