import ArgumentParser
import Catalog
import Scheduler
import Sync

struct ScheduleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule", abstract: "Show when streams are due next.",
        discussion: """
              garner schedule --next 3
              garner schedule --every 90s --from 2026-01-31T08:00:00Z
            """)

    @Argument(help: "A stream; all that have a schedule where none is named.")
    var stream: String?

    @Option(help: ArgumentHelp("How many firings.", valueName: "n"))
    var next = 5

    @Option(help: ArgumentHelp("The instant to begin after, in RFC 3339; now by default.", valueName: "instant"))
    var from: String?

    @Option(help: ArgumentHelp("An interval instead of a stream's, such as 15m.", valueName: "duration"))
    var every: String?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if next < 1 { throw ValidationError("--next must be at least 1") }
        if stream != nil, every != nil { throw ValidationError("name a stream or an interval, not both") }
    }

    func run() throws {
        let setup = Setup(shared)
        let start = try from.map { try Instant.parse($0, now: setup.now()) } ?? setup.now()
        let firings = Firings(of: try schedules(setup), from: start).prefix(next)
        try Report(
            records: firings.map {
                [.init("stream", $0.stream.stream.isEmpty ? "-" : "\($0.stream)"), .init("due_at", $0.dueAt)]
            },
            emptyHint: "No stream has a schedule; give it one with 'schedule: { every: 15m }'."
        ).write(to: setup)
    }

    private func schedules(_ setup: Setup) throws -> [(StreamName, Schedule)] {
        if let every {
            guard let interval = try? DurationText.parse(every), interval >= .seconds(1) else {
                throw Failure(
                    code: ExitCode.usage, kind: "usage", message: "'\(every)' is not an interval of at least 1s",
                    hint: "write a number with a unit, such as 90s, 15m or 1h30m")
            }
            return [(StreamName(source: "", stream: ""), Schedule(every: interval))]
        }
        return try setup.configuration().streams(matching: stream.map { [$0] } ?? [])
            .compactMap { stream in stream.schedule.map { (stream.name, $0) } }
    }
}
