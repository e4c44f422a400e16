import Catalog
import Sync

extension RunQueue {
    /// Runs all streams, some at a time, and returns what came of them in the order of their ends.
    ///
    /// After a cancellation no further one begins.
    static func perform<Outcome: Sendable>(
        _ streams: [Catalog.Stream], atMost limit: Int,
        _ run: @escaping @Sendable (Catalog.Stream) async -> Outcome
    ) async -> [Outcome] {
        await withTaskGroup(of: (StreamName, Outcome).self) { group in
            var queue = RunQueue(streams)
            var outcomes: [Outcome] = []
            func startReady() {
                while queue.running.count < limit, let stream = queue.startNext() {
                    group.addTask { (stream.name, await run(stream)) }
                }
            }
            startReady()
            while let (stream, outcome) = await group.next() {
                outcomes.append(outcome)
                queue.finish(stream)
                if !Task.isCancelled { startReady() }
            }
            return outcomes
        }
    }
}
