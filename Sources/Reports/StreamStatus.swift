package import GarnerCatalog
import GarnerJSON
package import GarnerModel
package import GarnerPersistence
package import GarnerPresentation
import GarnerScheduler

/// A stream's last result and next due time.
package struct StreamStatus: Sendable {
    package let stream: StreamConfiguration
    /// The stream's runs; nil if it was never run.
    package let history: StreamHistory?
    /// The state of its schedule; nil if no service has looked at it.
    package let record: ScheduleState?
    /// The word for the state: `succeeded`, `failed`, `overdue`, `paused`, `suspended`, `waiting`, `never`, `running`;
    /// `unconfigured` for a stream that the configuration has not any more.
    package let state: String
    /// Why the stream does not run by itself; nil if it does.
    package let standstill: Standstill?
    package let nextDue: Timestamp?
    /// The first instant that was due after the last success, if the stream is overdue; nil if that is unknown, and for streams
    /// that fail: their tries were not missed.
    package let missedDue: Timestamp?
    package let summary: [Report.Field]
    package let fields: [Report.Field]
    package let isOverdue: Bool
    package let isFailing: Bool
    /// True if the last run sent no request, since the source had told another stream's run to wait, and the wait goes on.
    package let isWaiting: Bool
    /// True if the last read lacks records, or if nothing tells which rows are missing although these are to be deleted.
    package let isIncomplete: Bool
    /// The reason why missing rows stay although the last read was complete; nil if they do not.
    package let obstacle: Obstacle?
    /// The columns with values of another kind, which nothing has settled.
    package let oddColumns: [OddColumn]
    /// A sentence if the first read was left before its end; nil if it was not. While it goes on, or fails, other words tell it.
    package let partOfFirstRead: String?

    /// A reason why missing rows stay.
    package enum Obstacle: Sendable, Equatable {
        /// The table has no key that tells which rows are missing.
        case noKey
        /// So many rows are missing that one run does not delete them.
        case limit(rows: Int)

        package var text: String {
            switch self {
            case .noKey: "delete_missing needs a primary key, and the table has none: no missing row is deleted"
            case .limit(let rows):
                "\(rows.counted("row")) \(rows == 1 ? "is" : "are") missing from the source and \(rows == 1 ? "was" : "were") kept, as one run does not delete so many"
            }
        }

        package func remedy(for stream: StreamName) -> String {
            switch self {
            case .noKey:
                "set write_disposition: replace instead of delete_missing; or "
                    + Hint.dropToStartAnew(stream: stream.description, after: "give the stream a primary_key").words
            case .limit: "look at the source; if the rows are to go, set max_delete_ratio: 1 for a sync"
            }
        }
    }

    package var isPaused: Bool { record?.isPaused ?? false }
    /// A reason why a stream does not run by itself.
    package enum Standstill: Sendable, Equatable {
        case paused(since: Timestamp)
        /// A run or a decision is later than the clock can be believed.
        case clockAhead(Timestamp)
        case held(because: String, until: Timestamp)

        /// Returns true if no run begins by itself at this instant.
        package func holds(back instant: Timestamp) -> Bool {
            switch self {
            case .paused: true
            // The service runs such a stream as soon as it sees it.
            case .clockAhead: false
            case .held(_, let until): instant < until
            }
        }

        package var text: String {
            switch self {
            case .paused(let since): "paused since \(since)"
            case .clockAhead(let instant):
                "the clock was ahead, or was set back: it last ran or was decided on at \(instant)"
            case .held(let reason, let until): "\(reason) until \(until)"
            }
        }
    }

    /// Returns the status of each stream, in their order.
    ///
    /// - Parameters:
    ///   - isWritten: True if a process writes to the database. Without one, no run goes on.
    ///   - remedy: What to do about a stream that the configuration has not any more; nil for those that it has.
    package static func all(
        of streams: [StreamConfiguration], in reader: ReadOnlyDatabase, isWritten: Bool, now: Timestamp,
        goneWith remedy: String? = nil
    ) throws -> [StreamStatus] {
        let records = try reader.scheduleStates()
        let notes = streams.count > 1 ? try reader.streamNotes() : nil
        return try streams.map { stream in
            var history = try reader.history(of: stream.name, isIncomplete: stream.isIncomplete, notes)
            if let last = history?.lastRun { history?.lastRun = last.seen(isWritten: isWritten) }
            return StreamStatus(
                of: stream, history, records[stream.name.description], now: now, goneWith: remedy)
        }
    }

    package init(
        of stream: StreamConfiguration, _ history: StreamHistory?, _ record: ScheduleState?, now: Timestamp,
        goneWith advice: String? = nil
    ) {
        let dueTimes = stream.schedule.map { DueTimes($0, for: stream.name) }
        let isPaused = record?.isPaused ?? false
        let isWaiting = Self.isWaiting(history, record, now)
        self.isWaiting = isWaiting
        isFailing = !isWaiting && (history?.consecutiveFailures ?? 0) > 0
        let verdict = history?.lastVerdict
        obstacle = Self.obstacle(stream, history)
        partOfFirstRead = Self.partOfFirstRead(history)
        oddColumns = history?.oddColumns.filter { !stream.fields.settles($0) } ?? []
        isIncomplete =
            partOfFirstRead != nil || obstacle != nil
            || verdict.map { $0 != .nothingNew && stream.isIncomplete(after: $0.kind) } ?? false
        let since = history?.lastSuccessAt ?? record?.settled
        let ahead = dueTimes.flatMap { Self.instantAhead(of: now, on: $0, history, record) }
        isOverdue =
            dueTimes.map { !isPaused && !isWaiting && (ahead != nil || Self.isOverdue($0, since, now)) } ?? false
        let active = history?.lastRun.flatMap { $0.status == .running ? $0.nominalAt : nil }
        missedDue =
            isOverdue && !isFailing && ahead == nil ? dueTimes.flatMap { Self.missedDue($0, since, active) } : nil
        let nextDue =
            isPaused ? nil : Self.nextDue(of: stream, dueTimes, ahead == nil ? record : nil, active: active, now)
        let state =
            advice != nil ? "unconfigured" : isWaiting ? "waiting" : Self.state(history, record, isOverdue: isOverdue)
        let error = isWaiting ? nil : history?.lastRun?.failure?.message
        let standstill = Self.standstill(record, ahead, now)
        let reason = advice.map { "it is not in the file any more; \($0)" } ?? standstill?.text
        (self.stream, self.history, self.record) = (stream, history, record)
        (self.state, self.standstill, self.nextDue) = (state, standstill, nextDue)
        let isWhole = verdict?.completeness == .complete
        let remedy = stream.keepsMissingRows(after: verdict) ? "; a part deletes no missing rows" : ""
        let incompleteness =
            [verdict?.completeness.rawValue, verdict?.reason].compactMap { $0 }.joined(separator: ": ") + remedy
        let remarks =
            [isWhole || verdict == nil ? nil : incompleteness, partOfFirstRead, obstacle?.text]
            + oddColumns.prefix(Self.shownColumns).map(\.text)
            + [
                oddColumns.count > Self.shownColumns
                    ? "and \(oddColumns.count - Self.shownColumns) more columns with values of two kinds" : nil,
                history.flatMap { stream.words(of: $0.namedFields) },
                history.flatMap { stream.words(ofEmptied: $0.emptiedColumns) },
            ]
        let reasons = [isWhole ? nil : verdict?.reason.map { $0 + remedy }, partOfFirstRead, obstacle?.text]
        let count = history?.count ?? RowCount(all: 0)
        summary = [
            .init("stream", stream.name.description), .init("state", state), .init(count),
            .init("ended", history?.lastRun?.endedAt.map { Self.relative($0, to: now) }),
            .init("due", nextDue.map { Self.relative($0, to: now) }),
            .init("remark", advice == nil ? error ?? reason ?? Self.joined(remarks) : reason),
        ]
        let age = ahead == nil ? history?.lastSuccessAt.map { max(.zero, $0.duration(to: now)) } : nil
        fields = [
            .init("stream", stream.name.description), .init("state", state),
            .init("last_run", history?.lastRun?.id), .init("last_success_at", history?.lastSuccessAt),
            .init(
                "age_seconds", json: age.map { .integer($0.wholeMilliseconds / 1000) } ?? .null,
                text: age.map(Self.rounded)),
            .init("rows", count.all), .init("changes", history?.lastRun.map(\.counts.changes)),
            .init("next_due_at", nextDue),
            .init("consecutive_failures", history?.consecutiveFailures ?? 0),
            .init("reason", reason), .init("error", error),
            .init("completeness", verdict?.completeness.rawValue),
            .init("completeness_reason", Self.joined(reasons)),
            .init(
                "incomplete_since",
                isIncomplete
                    ? history?.incompleteSince
                        ?? (partOfFirstRead == nil ? history?.keptSince : history?.lastRun?.startedAt)
                    : nil),
            .init(
                "odd_columns", json: .array(oddColumns.map(\.json)),
                text: oddColumns.isEmpty ? nil : Self.joined(oddColumns.map(\.text))),
            .init("deleted", count.deleted),
        ]
    }

    /// The number of odd columns that a line tells of.
    private static let shownColumns = 3

    private static func partOfFirstRead(_ history: StreamHistory?) -> String? {
        guard let history, history.lastVerdict == nil, let run = history.lastRun,
            [.interrupted, .cancelled].contains(run.status)
        else { return nil }
        return "the first read has not ended: the table has a part of the records"
    }

    private static func obstacle(_ stream: StreamConfiguration, _ history: StreamHistory?) -> Obstacle? {
        guard let history, stream.deletesRows else { return nil }
        if stream.deleteMissing != .ignore, history.hasKey == false { return .noKey }
        return history.keptRows > 0 ? .limit(rows: history.keptRows) : nil
    }

    private static func joined(_ parts: [String?]) -> String? {
        let parts = parts.compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    package func dueTimes(from now: Timestamp, until end: Timestamp, limit: Int) -> [Timestamp] {
        guard let schedule = stream.schedule, let nextDue, nextDue <= end else { return [] }
        let times = DueTimes(schedule, for: stream.name)
        var (due, nominal): ([Timestamp], Timestamp?) = ([max(now, nextDue)], times.next(after: max(now, nextDue)))
        while due.count < limit, let next = nominal, next <= end {
            due.append(times.dueTime(of: next))
            nominal = times.next(after: next)
        }
        return due
    }

    /// The distance of two instants of the schedule; nil without a schedule, and if runs count from the end of the one before.
    package func period(at now: Timestamp) -> Duration? {
        guard let schedule = stream.schedule else { return nil }
        if case .afterFinish = schedule.rhythm { return nil }
        return DueTimes(schedule, for: stream.name).interval(after: now)
    }

    private static func isWaiting(_ history: StreamHistory?, _ record: ScheduleState?, _ now: Timestamp) -> Bool {
        guard let last = history?.lastRun, last.status == .failed, last.failure?.kind == "rate_limited",
            last.counts.requests == 0, let record, !record.isPaused, record.circuitOpenedAt == nil,
            let until = record.heldUntil
        else { return false }
        return until > now
    }

    private static func state(_ history: StreamHistory?, _ record: ScheduleState?, isOverdue: Bool) -> String {
        if record?.isPaused ?? false { return "paused" }
        if record?.circuitOpenedAt != nil { return "suspended" }
        guard let last = history?.lastRun else { return "never" }
        return isOverdue && last.status == .succeeded ? "overdue" : last.status.rawValue
    }

    private static func standstill(_ record: ScheduleState?, _ ahead: Timestamp?, _ now: Timestamp) -> Standstill? {
        if let since = record?.pausedAt { return .paused(since: since) }
        if let ahead { return .clockAhead(ahead) }
        guard let record, let until = record.heldUntil, until > now else { return nil }
        return .held(because: record.holdReason ?? "held", until: until)
    }

    /// Returns the time of a run or a schedule that is too far ahead of the clock to wait for; nil if there is none.
    private static func instantAhead(
        of now: Timestamp, on dueTimes: DueTimes, _ history: StreamHistory?, _ record: ScheduleState?
    ) -> Timestamp? {
        if let instant = record?.instantAhead(of: now, on: dueTimes) { return instant }
        return history?.lastSuccessAt.flatMap { dueTimes.isAhead($0, of: now) ? $0 : nil }
    }

    /// Returns true if two due times have passed since `since`, the last success or else the first decision of a
    /// service.
    ///
    /// Without either, no service has looked at the stream yet.
    private static func isOverdue(_ dueTimes: DueTimes, _ since: Timestamp?, _ now: Timestamp) -> Bool {
        guard let since else { return true }
        guard let first = dueTimes.next(after: since), let second = dueTimes.next(after: first) else {
            return false
        }
        return dueTimes.dueTime(of: second) < now
    }

    /// Returns the instant that a service missed, or else the next one.
    ///
    /// - Parameter active: The instant of the run that goes on; nil if none does, or if it was asked for by hand.
    private static func nextDue(
        of stream: StreamConfiguration, _ dueTimes: DueTimes?, _ record: ScheduleState?, active: Timestamp?,
        _ now: Timestamp
    ) -> Timestamp? {
        guard let dueTimes, let schedule = stream.schedule else { return nil }
        // The stored schedule is older than the run: it names the run's instant, or one before it.
        if let active { return dueTimes.pause == nil ? dueTimes.next(after: active).map(dueTimes.dueTime(of:)) : nil }
        guard let record, record.settled != nil || record.endedAt != nil else {
            return record?.nextDue ?? dueTimes.next(after: now).map(dueTimes.dueTime(of:))
        }
        let due = schedule.due(for: stream.name, after: record, startingAt: now)
        // The stored one may be that of an earlier schedule. A later one is behind instants that came due during the last run.
        guard let stored = record.nextDue, let due else { return due }
        return max(stored, due)
    }

    /// Returns the first instant after the last success that no run serves or served.
    private static func missedDue(_ dueTimes: DueTimes, _ since: Timestamp?, _ active: Timestamp?) -> Timestamp? {
        guard let since, let first = dueTimes.next(after: since) else { return nil }
        let missed = first == active ? dueTimes.next(after: first) : first
        return missed.map(dueTimes.dueTime(of:))
    }

    /// Returns an age such as `3h ago`, or a delay such as `in 5m`.
    private static func relative(_ instant: Timestamp, to now: Timestamp) -> String {
        instant > now ? "in \(rounded(now.duration(to: instant)))" : "\(rounded(instant.duration(to: now))) ago"
    }

    /// Rounds to the largest unit, as in `3h`.
    private static func rounded(_ age: Duration) -> String {
        let seconds = age.wholeMilliseconds / 1000
        return switch seconds {
        case ..<60: "\(seconds)s"
        case ..<3600: "\(seconds / 60)m"
        case ..<172_800: "\(seconds / 3600)h"
        default: "\(seconds / 86_400)d"
        }
    }
}

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
