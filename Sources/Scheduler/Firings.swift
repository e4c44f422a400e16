package import Catalog

/// The runs of some streams that are due at or after an instant, in the order of due time, then of the stream's name.
///
/// Where runs count from the end of the one before, the first is a pause after the instant, as if a run ended there.
/// Endless for all practical purposes: take a prefix. Complexity: O(streams) an element.
package struct Firings: Sequence, IteratorProtocol, Sendable {
    private var heads: [(timeline: Timeline, firing: Firing)] = []

    package init(of streams: [(StreamName, Schedule)], from start: Timestamp) {
        for (stream, schedule) in streams {
            let timeline = Timeline(schedule, for: stream)
            let latest = timeline.pause == nil ? timeline.latest(atOrBefore: start) : nil
            let current = latest.filter { timeline.dueTime(of: $0) >= start }
            guard let nominal = current ?? timeline.next(after: start) else { continue }
            heads.append((timeline, Firing(stream, nominal, timeline)))
        }
    }

    package mutating func next() -> Firing? {
        let earliest = heads.indices.min { left, right in
            let (left, right) = (heads[left].firing, heads[right].firing)
            return (left.dueAt, left.stream) < (right.dueAt, right.stream)
        }
        guard let earliest else { return nil }
        let (timeline, firing) = heads[earliest]
        if let nominal = timeline.next(after: firing.nominal) {
            heads[earliest].firing = Firing(firing.stream, nominal, timeline)
        } else {
            heads.remove(at: earliest)
        }
        return firing
    }
}

extension Firing {
    fileprivate init(_ stream: StreamName, _ nominal: Timestamp, _ timeline: Timeline) {
        self.init(stream: stream, nominal: nominal, dueAt: timeline.dueTime(of: nominal))
    }
}

extension Optional {
    fileprivate func filter(_ isIncluded: (Wrapped) -> Bool) -> Wrapped? {
        flatMap { isIncluded($0) ? $0 : nil }
    }
}
