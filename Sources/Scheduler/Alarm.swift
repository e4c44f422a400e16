/// A sleep in a task group that can be set anew or silenced before it ends.
struct Alarm {
    private let clock: any Clock<Duration>
    private var silencer: AsyncStream<Never>.Continuation?

    init(on clock: any Clock<Duration>) {
        self.clock = clock
    }

    /// Replaces what was set before. A ring that is under way already may still be heard after this call.
    mutating func set(
        after delay: Duration, in group: inout DiscardingTaskGroup, ring: @escaping @Sendable () -> Void
    ) {
        silence()
        let (silence, silencer) = AsyncStream.makeStream(of: Never.self)
        self.silencer = silencer
        // A child of a group cannot be cancelled alone; the group inside this one can.
        group.addTask { [clock] in
            await withTaskGroup(of: Bool.self) { race in
                race.addTask { (try? await clock.sleep(for: delay)) != nil }
                race.addTask {
                    for await _ in silence {}
                    return false
                }
                if await race.next() == true { ring() }
                race.cancelAll()
            }
        }
    }

    mutating func silence() {
        silencer?.finish()
        silencer = nil
    }
}
