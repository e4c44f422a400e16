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
        /// All runs up to these are counted, by the parts of the database.
        var marks: [Int: RunID] = [:]
        /// The later ones that are.
        var counted: [Int: Set<RunID>] = [:]
        /// The greatest marks there were, by the ranges of numbers of `ShardNumbers`. Runs keep their numbers in another part.
        var passed: [Int64: RunID] = [:]
        var runs: [Series: Int] = [:]
        var changes: [Series: Int] = [:]
        var requests: [Series: Int] = [:]
        var bytes: [String: Int] = [:]
        var durations: [String: Durations] = [:]
    }

    /// The instant since when runs are counted.
    let since: Timestamp
    private let state = Mutex(State())

    init(since: Timestamp) { self.since = since }

    /// The runs behind which `count` takes what it has not counted yet, by the parts of the database.
    var marks: [Int: RunID] { state.withLock { $0.marks } }

    /// Counts the runs that have ended, from `marks` on.
    func count(_ parts: [EndedRuns]) {
        state.withLock { state in
            let passed = state.passed
            for runs in parts {
                let before = state.marks[runs.part]
                for run in runs.ended where run.id > passed[run.id.range] ?? -1 {
                    if state.counted.values.contains(where: { $0.contains(run.id) }) { continue }
                    state.counted[runs.part, default: []].insert(run.id)
                    add(run, to: &state)
                }
                // A run that is still active, and later ones, must be asked for again.
                let last = runs.ended.last { run in runs.lowestActive.map { run.id < $0 } ?? true }
                guard let mark = last?.id ?? before else { continue }
                state.marks[runs.part] = max(mark, before ?? mark)
                state.passed[mark.range] = max(mark, state.passed[mark.range] ?? mark)
                state.counted[runs.part] = state.counted[runs.part]?.filter { $0 > mark }
            }
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

extension RunID {
    /// The range of numbers of which it is one. Only one part makes new ones in each.
    fileprivate var range: Int64 { number >> 32 }
}
