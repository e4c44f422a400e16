package import Catalog

/// Consecutive nominal instants of one stream that are not run, for one reason.
package struct Skip: Sendable, Hashable {
    package let stream: StreamName
    /// The first and the last instant left out.
    package let nominals: ClosedRange<Timestamp>
    /// Of instants by cron, 10,000 stands for that many and for more.
    package let count: Int
    package let reason: Reason

    package init(stream: StreamName, nominals: ClosedRange<Timestamp>, count: Int, reason: Reason) {
        self.stream = stream
        self.nominals = nominals
        self.count = count
        self.reason = reason
    }

    package enum Reason: Sendable, Hashable {
        /// They came due while a run of the stream went on: of an instant, or a manual one.
        case stillRunning(nominal: Timestamp?)
        /// They passed while nobody watched: before a start, or when the clock leapt forward.
        case missed
        /// They waited for a free place until it was too late, or until a later one came due, which takes their place.
        case overtaken
        /// They came due while the stream was held, for this reason.
        case held(String)
        case paused
        /// More were missed than `max_catch_up` lets run, and these are the oldest.
        case beyondCatchUp(maximum: Int)
    }
}

extension Skip.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .stillRunning(let nominal?): "the run of \(nominal) went on"
        case .stillRunning(nil): "a manual run went on"
        case .missed: "missed while the service or the clock stood still"
        case .overtaken: "waited for a free place until it was too late"
        case .held(let reason): reason
        case .paused: "the stream was paused"
        case .beyondCatchUp(let maximum): "more were missed than the \(maximum) that max_catch_up lets run"
        }
    }
}
