import GarnerCatalog
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerScheduler

/// The first line of a new service in a terminal: `2 streams; api.items due 21:15, in 4 min. Ctrl-C stops.`
struct ServiceGreeting {
    private let scheduled: Int
    private let next: (stream: StreamName, due: Timestamp)?
    private let now: Timestamp

    /// - Parameter records: The streams' stored schedules, by name.
    init(_ configuration: Configuration, _ records: [String: ScheduleState], now: Timestamp) {
        let dues = configuration.streams.compactMap { stream -> (stream: StreamName, due: Timestamp)? in
            let record = records[stream.name.description]
            guard record?.isPaused != true, let schedule = stream.schedule else { return nil }
            return schedule.due(for: stream.name, after: record, startingAt: now).map { (stream.name, $0) }
        }
        scheduled = configuration.streams.count { $0.schedule != nil }
        next = dues.min { $0.due < $1.due }
        self.now = now
    }

    var text: DisplayText {
        let begin = "\(scheduled.counted("stream"))"
        guard let next else { return "\(begin), all paused. Ctrl-C stops.\n" }
        guard next.due > now else { return "\(begin); \(next.stream) due now. Ctrl-C stops.\n" }
        let seconds = now.duration(to: next.due).wholeMilliseconds / 1000
        // `2026-03-29 21:15`
        let local = LocalTime.system.text(next.due).prefix(16)
        let clock = "\(seconds < 86_400 ? "" : "\(local.prefix(10)) ")\(local.suffix(5))"
        let wait =
            switch seconds {
            case ..<60: "\(seconds) s"
            case ..<7200: "\((seconds + 30) / 60) min"
            case ..<172_800: "\((seconds + 1800) / 3600) h"
            default: "\((seconds + 43_200) / 86_400) days"
            }
        return "\(begin); \(next.stream) due \(clock), in \(wait). Ctrl-C stops.\n"
    }
}
