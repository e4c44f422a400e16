package import Catalog

/// A stream as the timetable knows it.
package struct ScheduledStream: Sendable, Equatable {
    package var name: StreamName
    /// A stream without one can be triggered and paused, and does nothing by itself.
    package var schedule: Schedule?
    /// The stream whose records this one is asked for with: its first run is waited for.
    package var parent: StreamName?
    /// What the limit per host goes by; an empty one has no limit.
    package var host: String

    package init(_ name: StreamName, _ schedule: Schedule?, parent: StreamName? = nil, host: String = "") {
        self.name = name
        self.schedule = schedule
        self.parent = parent
        self.host = host
    }
}
