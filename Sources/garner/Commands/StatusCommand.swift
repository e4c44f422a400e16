import ArgumentParser
import Catalog
import Model
import Persistence
import Presentation
import Reports
import Sync

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show each stream's last result and next due time.",
        discussion: """
              garner status
              garner status zoo.animals
              garner status --wide      # all that is known of each
              garner status --prometheus > garner.prom
              garner status --check || echo 'a stream is overdue or failing'
            """)

    @Argument(
        help: "Streams, as source.stream, the stream name alone, or a pattern such as 'crm.*'; all by default.",
        completion: .streams)
    var streams: [String] = []

    @Flag(help: "Exit with 3 if a stream is overdue, failing or incomplete.")
    var check = false

    @Flag(help: "Print metrics in Prometheus' text format, for node_exporter's textfile collector.")
    var prometheus = false

    @OptionGroup var times: UTCOption
    @OptionGroup var shared: SharedOptions

    func run() throws {
        let setup = Setup(shared)
        let configuration = try setup.configuration(needsSecrets: false)
        let reader = try ReadOnlyDatabase(path: configuration.database)
        let isWritten = WriterLock.state(of: configuration.database) != .free
        let statuses = try StreamStatus.all(
            of: configuration.streams(matching: streams), in: reader, isWritten: isWritten, now: setup.now())
        let left = isWritten ? [] : statuses.filter { $0.waitsForService(at: setup.now()) }
        if prometheus {
            var text = MetricsText()
            text.add(
                statuses, quarantined: try reader.quarantineCounts(),
                sizes: DatabaseSizes(path: configuration.database),
                version: Version.current, now: setup.now())
            try StandardOutput.write(exactly: text.text)
        } else {
            try Report(
                records: statuses.map { times.shown(setup.showsSelection ? $0.summary : $0.fields, setup) },
                emptyHint: "There is no stream yet; add one under 'sources:' in \(configuration.file)."
            ).write(to: setup)
            if streams.isEmpty { setup.warnOfOtherStreams(than: configuration) }
            if !left.isEmpty {
                StandardError.write(
                    "Warning: no service is running, and \(left.count.counted("stream")) \(left.count == 1 ? "is" : "are") due\nTry: garner serve\n"
                )
            }
        }
        if check, !left.isEmpty || statuses.contains(where: { $0.isOverdue || $0.isFailing || $0.isIncomplete }) {
            throw ExitError(code: ExitCode.overdue)
        }
    }
}
