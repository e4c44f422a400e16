import ArgumentParser
import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerScheduler
import GarnerSync

struct ScheduleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule", abstract: "Show the next due times of streams, and what holds them back.",
        discussion: """
              garner schedule --next 3
              garner schedule --every 90s --from 2026-01-31T08:00:00Z
              garner schedule --cron '30 2 * * *' --timezone Europe/Berlin
            """)

    @Argument(help: "The stream; all scheduled streams by default.", completion: .streams)
    var stream: String?

    @Option(help: ArgumentHelp("Show this many due times.", valueName: "n"))
    var next = 5

    @Option(help: ArgumentHelp("Start at this instant, such as today; now by default.", valueName: "instant"))
    var from: String?

    @Option(help: ArgumentHelp("Use an interval such as 15m instead of a stream's schedule.", valueName: "duration"))
    var every: String?

    @Option(help: ArgumentHelp("Use five cron fields instead of a stream's schedule.", valueName: "expression"))
    var cron: String?

    @Option(
        help: ArgumentHelp(
            "The time zone of --cron and of local times. The default is the schedule's zone, or UTC.",
            valueName: "zone"))
    var timezone: String?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if next < 1 { throw ValidationError("--next must be at least 1") }
        if [stream, every, cron].count(where: { $0 != nil }) > 1 {
            throw ValidationError("name a stream, an interval or an expression of cron, one of them")
        }
    }

    func run() async throws {
        let setup = Setup(shared)
        let zone = try timezone.map(zone)
        let start = try from.map(setup.instant) ?? setup.now()
        let configuration = every == nil && cron == nil ? try setup.configuration(needsSecrets: false) : nil
        let schedules = try schedules(in: configuration, zone)
        if let configuration {
            await setup.warnOfOtherFile(
                than: configuration, in: RunningService(of: configuration, setup))
        }
        let zones = Dictionary(schedules.map { ($0, zone ?? $1.zone) }) { first, _ in first }
        let standstills = try configuration.map { try self.standstills(in: $0, setup) } ?? [:]
        let runs = UpcomingRuns(of: schedules, from: start).prefix(next)
        try Report(
            records: runs.map { run in
                [
                    .init("stream", run.stream.stream.isEmpty ? "-" : "\(run.stream)"),
                    .init("due_at", run.dueAt), .init("nominal_at", run.nominal),
                    .init("local", run.dueAt.text(in: zones[run.stream] ?? .utc)),
                    .init(
                        "reason", standstills[run.stream].flatMap { $0.holds(back: run.dueAt) ? $0.text : nil }),
                ]
            },
            shown: ["stream", "due_at"] + (zones.values.allSatisfy { $0 == .utc } ? [] : ["local"])
                + (standstills.isEmpty ? [] : ["reason"]),
            emptyHint: schedules.isEmpty
                ? "\(stream ?? "No stream") has \(stream == nil ? "a" : "no") schedule; give it one with 'schedule: { every: 15m }'."
                : "The schedule names no time after \(start)."
        ).write(to: setup)
    }

    private func schedules(in configuration: Configuration?, _ zone: ZoneName?) throws -> [(StreamName, Schedule)] {
        let nameless = StreamName(source: "", stream: "")
        if let every { return [(nameless, Schedule(every: try interval(every)))] }
        if let cron { return [(nameless, Schedule(.cron(try CronExpression(cron), zone: zone ?? .utc)))] }
        let streams = try configuration?.streams(matching: stream.map { [$0] } ?? []) ?? []
        return streams.compactMap { stream in stream.schedule.map { (stream.name, $0) } }
    }

    /// Returns why streams do not run by themselves. Without a database, nothing has held one back.
    private func standstills(
        in configuration: Configuration, _ setup: Setup
    ) throws -> [StreamName: StreamStatus.Standstill] {
        guard let reader = try? ReadOnlyDatabase(path: configuration.database) else { return [:] }
        let streams = try configuration.streams(matching: stream.map { [$0] } ?? []).filter { $0.schedule != nil }
        let statuses = try StreamStatus.all(
            of: streams, in: reader, isWritten: WriterLock.state(of: configuration.database) != .free,
            now: setup.now())
        return Dictionary(
            statuses.compactMap { status in status.standstill.map { (status.stream.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    private func interval(_ text: String) throws -> Duration {
        if let interval = try? DurationText.parse(text), interval >= .seconds(1) { return interval }
        throw CommandError.usage(
            "'\(text)' is not an interval of at least 1s", hint: "write a number with a unit, such as 90s, 15m or 1h30m"
        )
    }

    private func zone(_ text: String) throws -> ZoneName {
        if let zone = ZoneName(text) { return zone }
        let refusal = ZoneName.refusal(of: text)
        throw CommandError.usage(refusal.problem ?? "'\(text)' is no time zone", hint: refusal.hint)
    }
}

extension Schedule {
    fileprivate var zone: ZoneName {
        if case .cron(_, let zone) = rhythm { zone } else { .utc }
    }
}
