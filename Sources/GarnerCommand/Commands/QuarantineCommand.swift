import ArgumentParser
import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerSync

struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine", abstract: "Show, retry or drop records that could not be stored.",
        discussion: """
              garner quarantine list animals
              garner quarantine show 12
              garner quarantine retry --all
              garner quarantine drop 12 13
            """,
        subcommands: [List.self, Show.self, Retry.self, Drop.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List quarantined records, latest first.")

        @Argument(help: "The stream; all streams by default.", completion: .streams)
        var stream: String?

        @Option(help: ArgumentHelp("Show at most this many records.", valueName: "n"))
        var limit = 100

        @OptionGroup var shared: SharedOptions

        func validate() throws {
            if limit < 1 { throw ValidationError("--limit must be at least 1") }
        }

        func run() throws {
            let setup = Setup(shared)
            let reader = try setup.reader()
            let name = try stream.map(reader.streamName(matching:))
            try Report(
                records: try reader.quarantine(of: name, limit: limit).map(\.fields),
                shown: ["id", "stream", "run_id", "times", "last_seen_at", "reason"],
                emptyHint: "Nothing is in quarantine."
            ).write(to: setup)
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a quarantined record as received, and why it was not stored.")

        @Argument(help: "The record's number in the list.")
        var id: Int64

        @OptionGroup var shared: SharedOptions

        func run() throws {
            let setup = Setup(shared)
            let (entry, record, added) = try setup.reader().quarantined(id)
            let fields =
                entry.fields + [
                    .init("parent_fields", json: added.map { .verbatim($0.onOneLine) } ?? .null, text: added),
                    .init("record", json: .verbatim(record.onOneLine), text: record),
                ]
            guard !setup.format.isJSON else { return try StandardOutput.write(fields.json) }
            try Report(fieldsOf: fields).write(to: setup)
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Retry quarantined records in a run that fetches nothing.",
            discussion: """
                Garner stores records that now fit and takes them out of the quarantine. The
                others stay, each with its current reason.

                  garner quarantine retry --stream animals
                """)

        @OptionGroup var choice: QuarantineChoice
        @OptionGroup var shared: SharedOptions

        func run() async throws {
            let setup = Setup(shared)
            let configuration = try setup.configurationForHashing()
            setup.showWarnings(of: configuration)
            let reader = try ReadOnlyDatabase(path: configuration.database)
            var names = try choice.streams(of: reader)
            if choice.all { names = configured(names, by: configuration, setup) }
            let streams = names.isEmpty ? [] : try configuration.streams(matching: names)
            try await RetrySession(setup: setup, configuration: configuration).run(streams, choice.chosen)
        }

        /// Returns the names of configured streams. Names of removed streams are left out with a warning.
        private func configured(_ names: [String], by configuration: Configuration, _ setup: Setup) -> [String] {
            let known = Set(configuration.streams.map(\.name.description))
            for name in names where !known.contains(name) && !setup.isQuiet {
                StandardError.write("The records of \(name) stay: it is no stream of \(configuration.file).\n")
            }
            return names.filter(known.contains)
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "drop", abstract: "Delete quarantined records.")

        @OptionGroup var choice: QuarantineChoice
        @OptionGroup var shared: SharedOptions

        func run() async throws {
            let setup = Setup(shared)
            let path = try setup.databasePath()
            let reader = try ReadOnlyDatabase(path: path)
            _ = try choice.streams(of: reader)
            let stream = try choice.stream.map(reader.streamName(matching:))
            let count = try await setup.withWriters(of: path) {
                try await $0.dropQuarantined(choice.chosen, of: stream)
            }.reduce(0, +)
            if setup.format.isJSON {
                try StandardOutput.write(.object([("dropped", .integer(Int64(count)))]))
            } else if !setup.isQuiet {
                StandardError.write("\(count) dropped\n")
            }
        }
    }
}

struct QuarantineChoice: ParsableArguments {
    @Argument(help: "The records' numbers in the list.")
    var ids: [Int64] = []

    @Flag(help: "All records of all streams.")
    var all = false

    @Option(help: "All records of this stream.")
    var stream: String?

    func validate() throws {
        let count = (ids.isEmpty ? 0 : 1) + (all || stream != nil ? 1 : 0)
        if count != 1 { throw ValidationError("name records by their numbers, or all with --all or --stream") }
    }

    /// The ids of the records; nil for all.
    var chosen: [Int64]? { ids.isEmpty ? nil : ids }

    /// Returns the full names of the records' streams. Throws if one of the records does not exist.
    func streams(of reader: ReadOnlyDatabase) throws -> [String] {
        let counts = try reader.quarantineCounts(among: ids)
        guard let stream else { return counts.keys.sorted() }
        let name = try reader.streamName(matching: stream)
        return counts[name] == nil ? [] : [name]
    }
}

extension String {
    /// The same JSON on one line. Its line breaks stand between values only.
    fileprivate var onOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : $0 }))
    }
}
