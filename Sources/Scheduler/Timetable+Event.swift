package import Catalog

extension Timetable {
    /// What has happened.
    package enum Event: Sendable, Equatable {
        /// `lastNominal`: the latest nominal instant of each stream that was run to its end or skipped, in any process.
        case started(lastNominal: [StreamName: Timestamp])
        /// Time has passed: at the instant asked for, or at any other.
        case woke
        case finished(StreamName, nominal: Timestamp, RunResult)
        case stopRequested
        /// The runs in flight have had their time to end by themselves.
        case graceEnded
    }
}
