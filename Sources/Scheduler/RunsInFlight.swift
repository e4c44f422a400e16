/// The tasks of the runs in flight, each of which can be cancelled alone.
struct RunsInFlight {
    /// Ending one cancels its run.
    private var cancellers: [RunID: AsyncStream<Never>.Continuation] = [:]

    mutating func begin(
        _ run: RunID, in group: inout DiscardingTaskGroup, _ body: @escaping @Sendable () async -> Void
    ) {
        let (cancellation, canceller) = AsyncStream.makeStream(of: Never.self)
        cancellers[run] = canceller
        // A child of a group cannot be cancelled alone; the group inside this one can.
        group.addTask {
            await withTaskGroup(of: Void.self) { race in
                race.addTask { await body() }
                race.addTask { for await _ in cancellation {} }
                await race.next()
                race.cancelAll()
            }
        }
    }

    /// Cancels a run; where it has ended, only what waited for that is over.
    mutating func cancel(_ run: RunID) { cancellers.removeValue(forKey: run)?.finish() }

    mutating func forget() {
        for canceller in cancellers.values { canceller.finish() }
        cancellers = [:]
    }
}
