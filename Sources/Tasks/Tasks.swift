/// Runs both operations, and returns the result of the one that ends first, or throws its error.
///
/// The other one is cancelled and waited for. Both are cancelled if the calling task is.
///
///     let reply = try await race({ try await client.reply() }, { try await clock.sleep(for: limit); throw TimeIsUp() })
package func race<Result: Sendable>(
    _ first: @escaping @Sendable () async throws -> Result, _ second: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await first() }
        group.addTask { try await second() }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}

/// Waits for an operation for a limited time. Returns its result, or nil if the time is up; the operation then goes on by itself.
///
///     try await result(of: { try await client.shutdown() }, within: .seconds(1), on: clock)
@discardableResult
package func result<Result: Sendable>(
    of operation: @escaping @Sendable () async throws -> Result, within limit: Duration, on clock: any Clock<Duration>
) async throws -> Result? {
    let waiters = Waiters<Result?>()
    let id = waiters.add()
    Task {
        do {
            waiters.resume(id, with: .success(try await operation()))
        } catch {
            waiters.resume(id, with: .failure(error))
        }
    }
    let timer = Task {
        try await clock.sleep(for: limit)
        waiters.resume(id, with: .success(nil))
    }
    defer { timer.cancel() }
    return try await waiters.value(for: id) { _ in }
}

/// Performs an operation for each element that `next` returns, at most `limit` at a time.
///
/// `next` and `handle` are called one at a time, but not on an actor. If one of the closures throws, the operations that
/// still run are cancelled and waited for.
///
/// - Parameters:
///   - executor: The executor that the operations prefer.
///   - next: Returns the next element; nil if none can begin until another operation has ended. If none runs either, the
///     work is done.
///   - handle: Receives each result as soon as its operation has ended.
package func performConcurrently<Element: Sendable, Output: Sendable, Failure: Error>(
    atMost limit: Int, on executor: (any TaskExecutor)? = nil, next: () async throws(Failure) -> Element?,
    _ operation: @escaping @Sendable (Element) async throws(Failure) -> Output,
    handle: (Output) async throws(Failure) -> Void
) async throws(Failure) {
    try await withTaskGroup(of: Result<Output, Failure>.self) { group -> Result<Void, Failure> in
        var active = 0
        do throws(Failure) {
            while true {
                while active < limit, let element = try await next() {
                    active += 1
                    group.addTask(executorPreference: executor) {
                        do throws(Failure) {
                            return .success(try await operation(element))
                        } catch {
                            return .failure(error)
                        }
                    }
                }
                guard let result = await group.next() else { return .success(()) }
                active -= 1
                try await handle(try result.get())
            }
        } catch {
            group.cancelAll()
            return .failure(error)
        }
    }.get()
}

/// Measures the time since its creation, on any clock.
package struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    package init<C: Clock<Duration>>(_ clock: C) {
        let start = clock.now
        read = { start.duration(to: clock.now) }
        wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// The time since the creation.
    package var elapsed: Duration { read() }

    /// Sleeps until that much time has passed since the creation.
    package func sleep(until elapsed: Duration) async throws { try await wait(elapsed) }
}
