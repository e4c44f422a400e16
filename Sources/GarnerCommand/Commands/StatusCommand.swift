import ArgumentParser
import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerShards
import GarnerSync

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show each stream's last result and next due time.",
        discussion: """
              garner status
              garner status zoo.animals
              garner status --all       # with those that are not in the file any more
              garner status --wide      # all that is known of each
              garner status --prometheus > garner.prom
              garner status --check || echo 'a stream is overdue or failing'
            """)

    @Argument(
        help: "Streams, as source.stream, the stream name alone, or a pattern such as 'crm.*'; all by default.",
        completion: .streams)
    var streams: [String] = []

    @Flag(help: "Exit with 3 if a stream is overdue, failing or incomplete, or the service needs attention.")
    var check = false

    @Flag(help: "Print metrics in Prometheus' text format, for node_exporter's textfile collector.")
    var prometheus = false

    @Flag(help: "Show the streams, too, that are not in the configuration any more.")
    var all = false

    @OptionGroup var times: UTCOption
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if all, !streams.isEmpty { throw ValidationError("--all shows all streams; leave out their names") }
    }

    func run() async throws {
        let setup = Setup(shared)
        let configuration: Configuration
        do {
            configuration = try setup.configuration(needsSecrets: false)
        } catch {
            await setup.warnOfServiceWithoutFile()
            throw error
        }
        let reader = try ReadOnlyDatabase(path: configuration.database)
        let isWritten = WriterLock.state(of: configuration.database) != .free
        let statuses = try StreamStatus.all(
            of: configuration.streams(matching: streams), in: reader, isWritten: isWritten, now: setup.now())
        let gone = all ? try StreamDifference(of: configuration, in: reader).statuses(in: reader, now: setup.now()) : []
        let publication = try PublicationStanding(of: configuration, in: reader)
        let notices =
            await setup.serviceNotices(of: configuration, try reader.scheduleStates())
            + [publication?.notice(at: setup.now())].compactMap(\.self)
        if prometheus {
            var text = MetricsText()
            text.add(
                statuses, quarantined: try reader.quarantineCounts(),
                sizes: DatabaseSizes(path: configuration.database),
                version: Version.current, now: setup.now())
            text.add(publication, now: setup.now())
            try StandardOutput.write(exactly: text.text)
        } else {
            try Report(
                records: (statuses + gone).map { status in
                    let more = publication?.fields(of: status.stream.name) ?? []
                    return times.shown(setup.showsSelection ? status.summary : status.fields + more, setup)
                },
                emptyHint: "There is no stream in \(configuration.file) yet; 'garner add URL' adds one."
            ).write(to: setup)
            if streams.isEmpty, !all { setup.warnOfOtherStreams(than: configuration, in: reader) }
            if let publication, setup.showsSelection, !setup.isQuiet {
                for line in [publication.line] + publication.troubles { StandardError.write("\(line)\n") }
            }
            if !setup.isQuiet, setup.showsSelection { try await setup.tellHolders(of: configuration) }
            setup.show(notices)
        }
        if check, !notices.isEmpty || statuses.contains(where: { $0.isOverdue || $0.isFailing || $0.isIncomplete }) {
            throw ExitError(code: ExitCode.overdue)
        }
    }
}
