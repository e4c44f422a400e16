import Catalog
import LibC
import Model
import Persistence
import Presentation
import Reports
import Scheduler

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
            let dueTimes = DueTimes(schedule, for: stream.name)
            // A stream that never ran is due at once.
            let due = record == nil ? now : StreamStatus.nextDue(dueTimes, record, now)
            return due.map { (stream.name, $0) }
        }
        scheduled = configuration.streams.count { $0.schedule != nil }
        next = dues.min { $0.due < $1.due }
        self.now = now
    }

    var text: DisplayText {
        let begin = "\(scheduled.counted("stream"))"
        guard let next else { return "\(begin), all paused. Ctrl-C stops.\n" }
        guard next.due > now else { return "\(begin); \(next.stream) due now. Ctrl-C stops.\n" }
        let time = Self.localTime(at: next.due)
        let clock = [time.tm_hour, time.tm_min].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        let seconds = now.duration(to: next.due).wholeMilliseconds / 1000
        let wait =
            switch seconds {
            case ..<60: "\(seconds) s"
            case ..<7200: "\((seconds + 30) / 60) min"
            default: "\((seconds + 1800) / 3600) h"
            }
        return "\(begin); \(next.stream) due \(clock), in \(wait). Ctrl-C stops.\n"
    }

    /// Returns the time of the clock in the time zone of the person who started the service.
    private static func localTime(at instant: Timestamp) -> tm {
        var second = time_t(instant.millisecondsSince1970 / 1000)
        var local = tm()
        tzset()
        localtime_r(&second, &local)
        return local
    }
}
