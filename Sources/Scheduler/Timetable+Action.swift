package import Catalog

extension Timetable {
    /// What is to be done, in this order.
    package enum Action: Sendable, Equatable {
        /// To be answered with `Event.finished`.
        case run(Start)
        /// The run is to end soon, as cancelled, so that a later instant can run; it is still to be answered.
        case cancel(RunID)
        /// To be stored in one transaction with the memory.
        case skip(Skip, StreamMemory)
        case remember(StreamName, StreamMemory)
        /// To be told: what was decided until an instant that is not yet holds the stream up no longer.
        case clockWasAhead(StreamName, until: Timestamp)
        /// Nothing will run for these requests: there is no such stream (any more), or the service stops.
        case refuse(StreamName, requests: [String])
        /// To be answered with `Event.woke` at that instant, earlier or later; replaces the wake before.
        case wake(at: Timestamp)
        /// To be answered with `Event.graceEnded`.
        case startGrace
        case cancelRuns
        /// Nothing runs and nothing will.
        case finish
    }
}
