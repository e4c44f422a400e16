import Catalog

/// Which job is next: some at a time, each stream's own in their order, and never more waiting than there is room for.
struct HookLine<Job> {
    private let capacity: Int
    private let maximumConcurrentJobs: Int
    private var waiting: [(stream: StreamName, job: Job)] = []
    private var running: Set<StreamName> = []

    init(capacity: Int, maximumConcurrentJobs: Int) {
        self.capacity = capacity
        self.maximumConcurrentJobs = maximumConcurrentJobs
    }

    var isIdle: Bool { waiting.isEmpty && running.isEmpty }

    /// The oldest one, where it had to make room.
    mutating func add(_ job: Job, of stream: StreamName) -> (stream: StreamName, job: Job)? {
        let dropped = waiting.count >= capacity ? waiting.removeFirst() : nil
        waiting.append((stream, job))
        return dropped
    }

    /// What is to be begun now; it counts as running from here on.
    mutating func next() -> (stream: StreamName, job: Job)? {
        guard running.count < maximumConcurrentJobs,
            let index = waiting.firstIndex(where: { !running.contains($0.stream) })
        else { return nil }
        let next = waiting.remove(at: index)
        running.insert(next.stream)
        return next
    }

    mutating func finish(_ stream: StreamName) { running.remove(stream) }

    /// Forgets what waits; returns how much that was.
    mutating func clear() -> Int {
        defer { waiting = [] }
        return waiting.count
    }
}
