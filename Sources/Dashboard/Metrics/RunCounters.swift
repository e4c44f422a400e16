import GarnerModel
import GarnerPersistence
import GarnerReports
import Synchronization

/// The counters of the runs that have ended since the program began.
///
/// They are counted from the database as the runs end, and kept here: runs that are pruned later do not make a counter fall,
/// which Prometheus would take for a restart.
final class RunCounters: Sendable {
    /// The bounds of the durations of runs, in seconds.
    static let bounds: [Double] = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800, 3600]

    private struct Durations {
        var counts = [Int](repeating: 0, count: bounds.count)
        var count = 0
        var sum = 0.0
    }

    private struct Series: Hashable, Comparable {
        let stream: String
        let label: String

        static func < (left: Self, right: Self) -> Bool { (left.stream, left.label) < (right.stream, right.label) }
    }

    private struct State {
        /// All runs up to this one are counted.
        var mark: RunID?
        /// The later ones that are.
        var counted: Set<RunID> = []
        var runs: [Series: Int] = [:]
        var changes: [Series: Int] = [:]
        var requests: [Series: Int] = [:]
        var bytes: [String: Int] = [:]
        var durations: [String: Durations] = [:]
    }

    private let since: Timestamp
    private let state = Mutex(State())

    init(since: Timestamp) { self.since = since }

    /// The runs from which `count` takes what it has not counted yet.
    var beginning: RunsBeginning { state.withLock { $0.mark.map { .after($0) } ?? .at(since) } }

    /// Counts the runs that have ended.
    ///
    /// - Parameter ended: The runs from `beginning` on, in the order of their numbers, and the lowest number of those that
    ///   are active; nil if none is.
    func count(_ ended: [EndedRun], lowestActive: RunID?) {
        state.withLock { state in
            for run in ended where !state.counted.contains(run.id) && run.id > state.mark ?? -1 {
                state.counted.insert(run.id)
                add(run, to: &state)
            }
            // A run that is still active, and later ones, must be asked for again.
            let last = ended.last { run in lowestActive.map { run.id < $0 } ?? true }
            guard let mark = last?.id ?? state.mark else { return }
            state.mark = max(mark, state.mark ?? mark)
            state.counted = state.counted.filter { $0 > mark }
        }
    }

    private func add(_ run: EndedRun, to state: inout State) {
        let stream = run.stream
        state.runs[Series(stream: stream, label: run.status.rawValue), default: 0] += 1
        guard run.status != .skipped else { return }
        for (operation, count) in [("insert", run.inserted), ("update", run.updated), ("delete", run.deleted)] {
            state.changes[Series(stream: stream, label: operation), default: 0] += count
        }
        for (status, count) in run.requests {
            state.requests[Series(stream: stream, label: status), default: 0] += count
        }
        state.bytes[stream, default: 0] += run.bytes
        let seconds = run.duration / .seconds(1)
        var durations = state.durations[stream] ?? Durations()
        if let place = Self.bounds.firstIndex(where: { seconds <= $0 }) { durations.counts[place] += 1 }
        durations.count += 1
        durations.sum += seconds
        state.durations[stream] = durations
    }

    func write(to text: inout MetricsText) {
        let state = state.withLock(\.self)
        func samples(_ counts: [Series: Int], _ label: String) -> [MetricsText.Sample] {
            counts.sorted { $0.key < $1.key }.map {
                ([("stream", $0.key.stream), (label, $0.key.label)], Double($0.value))
            }
        }
        text.counter(
            "garner_runs_total", "The runs that ended, and the instants skipped, since the start.",
            samples(state.runs, "status"))
        text.counter(
            "garner_records_changed_total", "The rows that runs inserted, updated or deleted since the start.",
            samples(state.changes, "operation"))
        text.counter(
            "garner_requests_total", "The requests of runs since the start, by the class of their status.",
            samples(state.requests, "status"))
        text.counter(
            "garner_response_bytes_total", "The bytes of the bodies that runs received since the start.",
            state.bytes.sorted { $0.key < $1.key }.map { ([("stream", $0.key)], Double($0.value)) })
        text.histogram(
            "garner_run_duration_seconds", "The durations of runs since the start.", bounds: Self.bounds,
            state.durations.sorted { $0.key < $1.key }.map { stream, durations in
                ([("stream", stream)], durations.counts, durations.count, durations.sum)
            })
    }
}
