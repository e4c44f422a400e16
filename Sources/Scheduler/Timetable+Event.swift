package import Catalog

extension Timetable {
    /// What has happened.
    package enum Event: Sendable, Equatable {
        /// The memories of all streams that any process ever wrote, configured now or not.
        case started(memories: [StreamName: StreamMemory])
        /// Time has passed: at the instant asked for, or at any other.
        case woke
        /// A run has ended, with what `Start.memory(after:at:)` said when it did.
        case finished(RunID, RunResult, StreamMemory)
        /// Somebody asks for a run now; the same request twice is one.
        case wanted(StreamName, request: String)
        case paused(StreamName)
        case resumed(StreamName)
        /// The configuration has changed; these are all streams that it has now.
        case reloaded([ScheduledStream])
        case stopRequested
        /// The runs in flight have had their time to end by themselves.
        case graceEnded
    }
}
