import ArgumentParser
import Catalog
import Persistence
import Scheduler
import Sync

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show each stream's last result, age and next due time.",
        discussion: """
              garner status
              garner status --check || echo 'something is overdue or failing'
            """)

    @Flag(help: "Exit with 3 when a stream is overdue or failing.")
    var check = false

    @OptionGroup var shared: SharedOptions

    func run() throws {
        let setup = Setup(shared)
        let configuration = try setup.configuration()
        let archive = try Archive(path: configuration.database)
        let nominals = try archive.lastNominalInstants()
        let statuses = try configuration.streams.map { stream in
            StreamStatus(
                of: stream, try archive.history(of: stream.name), lastNominal: nominals[stream.name.description],
                now: setup.now())
        }
        try Report(
            records: statuses.map(\.fields),
            emptyHint: "There is no stream yet; add one under 'sources:' in \(configuration.file)."
        ).write(to: setup)
        if check, statuses.contains(where: { $0.isOverdue || $0.isFailing }) { throw Ending(code: ExitCode.overdue) }
    }
}

/// How one stream stands.
struct StreamStatus {
    let fields: [Report.Field]
    let isOverdue: Bool
    let isFailing: Bool

    init(of stream: Stream, _ history: StreamHistory?, lastNominal: Timestamp?, now: Timestamp) {
        let schedule = stream.schedule.map { IntervalSchedule($0, for: stream.name) }
        isFailing = (history?.consecutiveFailures ?? 0) > 0
        let isOverdue = stream.schedule.map { Self.isOverdue($0, history?.lastSuccessAt, now) } ?? false
        self.isOverdue = isOverdue
        let state =
            history?.lastRun.map { isOverdue && $0.status == .succeeded ? "overdue" : $0.status.rawValue } ?? "never"
        fields = [
            .init("stream", stream.name.description), .init("state", state),
            .init("last_run", history?.lastRun.map { Int($0.id) }), .init("last_success_at", history?.lastSuccessAt),
            .init("rows", history?.rows ?? 0), .init("next_due_at", Self.nextDue(schedule, lastNominal, now)),
            .init("consecutive_failures", history?.consecutiveFailures ?? 0),
            .init("error", history?.lastRun?.failure?.message),
        ]
    }

    /// Whether two intervals have passed without a success.
    private static func isOverdue(_ schedule: Schedule, _ lastSuccess: Timestamp?, _ now: Timestamp) -> Bool {
        guard let lastSuccess else { return true }
        return lastSuccess.advanced(by: schedule.every).advanced(by: schedule.every).advanced(by: schedule.jitter) < now
    }

    /// The instant that was missed, where a service ran before; else the next one.
    private static func nextDue(_ schedule: IntervalSchedule?, _ lastNominal: Timestamp?, _ now: Timestamp)
        -> Timestamp?
    {
        guard let schedule else { return nil }
        let nominal = lastNominal.flatMap(schedule.next(after:)) ?? schedule.next(after: now)
        return nominal.map(schedule.dueTime(of:))
    }
}
