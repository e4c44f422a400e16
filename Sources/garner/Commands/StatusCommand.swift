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
        let timeline = stream.schedule.map { Timeline($0, for: stream.name) }
        isFailing = (history?.consecutiveFailures ?? 0) > 0
        let jitter = stream.schedule?.jitter ?? .zero
        let isOverdue = timeline.map { Self.isOverdue($0, jitter, history?.lastSuccessAt, now) } ?? false
        self.isOverdue = isOverdue
        let state =
            history?.lastRun.map { isOverdue && $0.status == .succeeded ? "overdue" : $0.status.rawValue } ?? "never"
        fields = [
            .init("stream", stream.name.description), .init("state", state),
            .init("last_run", history?.lastRun.map { Int($0.id) }), .init("last_success_at", history?.lastSuccessAt),
            .init("rows", history?.rows ?? 0), .init("next_due_at", Self.nextDue(timeline, lastNominal, now)),
            .init("consecutive_failures", history?.consecutiveFailures ?? 0),
            .init("error", history?.lastRun?.failure?.message),
        ]
    }

    /// Whether two instants have passed without a success, each by as much as the last success came after its own.
    private static func isOverdue(
        _ timeline: Timeline, _ jitter: Duration, _ lastSuccess: Timestamp?, _ now: Timestamp
    ) -> Bool {
        guard let lastSuccess else { return true }
        guard let first = timeline.next(after: lastSuccess), let second = timeline.next(after: first) else {
            return false
        }
        let delay = timeline.latest(atOrBefore: lastSuccess)?.duration(to: lastSuccess) ?? .zero
        return second.advanced(by: delay).advanced(by: jitter) < now
    }

    /// The instant that was missed, where a service ran before; else the next one.
    private static func nextDue(_ timeline: Timeline?, _ lastNominal: Timestamp?, _ now: Timestamp) -> Timestamp? {
        guard let timeline else { return nil }
        let nominal = lastNominal.flatMap(timeline.next(after:)) ?? timeline.next(after: now)
        return nominal.map(timeline.dueTime(of:))
    }
}
