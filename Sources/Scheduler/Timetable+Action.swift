package import Catalog

extension Timetable {
    /// What is to be done, in this order.
    package enum Action: Sendable, Equatable {
        /// To be answered with `Event.finished`.
        case run(StreamName, nominal: Timestamp)
        case skip(Skip)
        /// To be answered with `Event.woke` at that instant, earlier or later; replaces the wake before.
        case wake(at: Timestamp)
        /// To be answered with `Event.graceEnded`.
        case startGrace
        case cancelRuns
        /// Nothing runs and nothing will.
        case finish
    }
}
