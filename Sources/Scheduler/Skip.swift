package import Catalog

/// Consecutive nominal instants of one stream that are not run, for one reason.
package struct Skip: Sendable, Hashable {
    package let stream: StreamName
    /// The first and the last instant left out.
    package let nominals: ClosedRange<Timestamp>
    package let count: Int
    package let reason: Reason

    package init(stream: StreamName, nominals: ClosedRange<Timestamp>, count: Int, reason: Reason) {
        self.stream = stream
        self.nominals = nominals
        self.count = count
        self.reason = reason
    }

    package enum Reason: Sendable, Hashable {
        /// They came due while the run of an earlier instant went on.
        case stillRunning(nominal: Timestamp)
        /// They passed while nobody watched: before a start, or when the clock leapt forward. The latest one is run for all.
        case missed
        /// They waited for a free place until a later one came due, which takes their place.
        case overtaken
    }
}

extension Skip.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .stillRunning(let nominal): "the run of \(nominal) went on"
        case .missed: "missed while the service or the clock stood still"
        case .overtaken: "waited for a free place until the next one was due"
        }
    }
}
