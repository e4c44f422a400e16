import ArgumentParser
import GarnerCatalog
import GarnerFetcher
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerRuntime
import GarnerSync

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Validate the configuration.",
        discussion: """
            This command stores nothing. It fetches nothing either, unless you pass
            --connect, which tries the connection and the rights of 'publish', too. If
            a page does not say whether there is a next one, --connect asks once for it.
            If the database still holds values of fields that 'fields' leaves out or
            hashes, it says so. It names columns with values of two kinds, and streams
            that the database has and the file has not. If there is a database, it tries
            the queries of 'partitions', and says which logins were refused and are not
            repeated yet.

              garner check
              garner check --connect zoo.animals
              garner check --no-secrets    # in CI, where no variable is set
              garner check --json
            """)

    @Argument(
        help: "Streams, as source.stream, the stream name alone, or a pattern such as 'crm.*'.", completion: .streams)
    var streams: [String] = []

    @Flag(help: "Also fetch the first page of each stream.")
    var connect = false

    @Flag(help: "Accept variables and files of secrets that are missing, as in CI.")
    var noSecrets = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if noSecrets, connect { throw ValidationError("--connect needs the secrets that --no-secrets leaves out") }
    }

    func run() async throws {
        let setup = Setup(shared)
        let configuration = try setup.configuration(needsSecrets: !noSecrets)
        setup.showWarnings(of: configuration)
        await setup.warnOfOtherFile(
            than: configuration, in: RunningService(of: configuration, setup))
        try setup.requireUsableDatabase(at: configuration.database)
        // Each connection reads the whole schema, so one answers all questions. There may be no database yet.
        let reader = try? ReadOnlyDatabase(path: configuration.database)
        try setup.refuseSwappedNames(in: configuration, reader)
        try setup.refuseSharedTables(in: configuration, reader)
        let streams = setup.withStoredTables(try configuration.streams(matching: streams), in: reader)
        setup.warnOfVariables(of: streams, in: configuration)
        if !setup.isQuiet { ListenOptions.warnOfOpenAddress(in: configuration) }
        HeldValues.warn(of: streams, in: configuration, setup)
        setup.warnOfRowsNeverDeleted(of: streams, in: reader)
        setup.warnOfUnsettledFields(of: streams, in: reader)
        setup.warnOfOtherStreams(than: configuration, in: reader)
        await setup.warnOfSeparateSources(in: configuration)
        setup.warnOfFormerReads(of: streams, in: configuration, reader)
        let refusals = setup.refusals(of: streams, in: configuration, reader)
        // Tasks share no connection, and one for each stream would read the schema as often.
        let histories = connect ? setup.histories(of: streams, in: reader) : [:]
        let withCursor = connect ? setup.streamsWithCursor(among: streams, in: reader) : []
        let checks = try await setup.context.withTransports(of: configuration) { transports in
            await StreamCheck.all(streams) { stream in
                let fetchers = setup.context.pageFetchers(over: transports)
                if let refusal = refusals[stream.name] { throw refusal }
                guard connect else {
                    // Nothing can be said of a URL that is not known.
                    if stream.missing.isEmpty { _ = try fetchers(stream) }
                    setup.warnOfRestingLogin(of: stream, try transports.restOfLogin(of: stream, timing: setup.timing))
                    try stream.checkPartitionFiles()
                    try setup.checkPartitionQueries(of: stream, in: configuration.database)
                    return nil
                }
                let first = try await FirstPage.fetch(
                    of: stream, parents: configuration.streams, database: configuration.database, now: setup.now(),
                    clock: setup.clock, with: fetchers)
                var sample = StreamCheck.Sample(first.page)
                let advice = try await setup.advice(on: stream, behind: first.page, over: transports)
                if let advice, sample.advice?.contains(advice) != true { sample.add(advice) }
                sample.note(placesOf: stream, on: first.page)
                let history = histories[stream.name]
                try sample.note(namesOf: stream, on: first.page, history)
                let isNew = history?.hasKey == nil
                // The key of a table is settled.
                if isNew {
                    try sample.requireFields(of: stream, on: first)
                    sample.note(missingKeyOf: stream, on: first)
                }
                if !withCursor.contains(stream.name) {
                    try first.requireCursor(of: stream, now: setup.now())
                    if let doubt = try first.doubtOnCursor(of: stream, now: setup.now()) { sample.add(doubt) }
                }
                try sample.note(keysOf: stream, on: first, isNew: isNew, now: setup.now())
                return sample
            }
        }
        try CheckReport(
            checks: checks, connects: connect,
            emptyHint: "\(configuration.file) is valid; there is no stream in it yet; 'garner add URL' adds one."
        ).write(to: setup)
        let publication = connect ? await setup.checkPublication(of: configuration) : []
        try ExitError.requireSuccess(checks.map { $0.failure?.category } + publication)
    }
}

extension Setup {
    /// Warns of variables that Garner does not read, with the one that is meant.
    fileprivate func warnOfVariables(of streams: [StreamConfiguration], in configuration: Configuration) {
        guard !isQuiet else { return }
        var slips = [
            ("GARNER_DB", "GARNER_DATABASE"), ("GARNER_CONF", "GARNER_CONFIG"), ("GARNER_FILE", "GARNER_CONFIG"),
        ]
        let needsProxy = streams.contains { stream in
            guard case .environment = stream.proxy else { return false }
            return stream.request.baseURL.hasPrefix("https:")
        }
        if needsProxy { slips.append(("HTTPS_PROXY", "https_proxy")) }
        for (name, meant) in slips {
            // The file may use the variable itself.
            guard let value = environment[name], !value.isEmpty, environment[meant] == nil,
                !configuration.database.hasSuffix(value)
            else { continue }
            StandardError.warn(
                "the variable \(name) is set, but Garner reads \(meant)", try: "export \(meant)=\"$\(name)\"")
        }
    }
}
