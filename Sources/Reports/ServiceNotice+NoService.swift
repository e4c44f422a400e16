package import GarnerCatalog
package import GarnerModel
import GarnerPresentation

extension ServiceNotice {
    /// Tells that no service runs what one has looked at before and what is due since a minute; nil if nothing is.
    ///
    /// - Parameter states: The states of the schedules, by the names of the streams.
    package static func noService(
        for streams: [StreamConfiguration], _ states: [String: ScheduleState], now: Timestamp
    ) -> ServiceNotice? {
        let due = streams.count { stream in
            guard stream.schedule != nil, let state = states[stream.name.description], !state.isPaused,
                let due = state.nextDue
            else { return false }
            return due.advanced(by: .seconds(60)) < now
        }
        guard due > 0 else { return nil }
        return ServiceNotice(
            .noService, "no service is running, and \(due.counted("stream")) \(due == 1 ? "is" : "are") due",
            remedy: "garner serve")
    }
}
