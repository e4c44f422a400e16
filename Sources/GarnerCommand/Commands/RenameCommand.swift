import ArgumentParser
import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerMaintenance
import GarnerPersistence
import GarnerPresentation
import GarnerReports

struct RenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give a stream or a source another name.",
        discussion: """
            If you rename a stream in the file, Garner takes it for another stream. This
            command tells the database that it is the same one: rows, history, runs,
            schedule and progress stay. Rename it in the file first. With the names of two
            sources, garner renames all streams of the source. The table gets the name
            that the file has for it.

              garner rename shop.items crm.items --dry-run
              garner rename shop.items crm.items
              garner rename shop crm    # all streams of the source
            """)

    @Argument(help: "The name that the database has: source.stream, or a source.", completion: .streams)
    var old: String

    @Argument(help: "The name that the file has now.")
    var new: String

    @Flag(help: "Show what garner would rename, but rename nothing.")
    var dryRun = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard old.contains(".") == new.contains(".") else {
            let (source, stream) = old.contains(".") ? (new, old) : (old, new)
            throw ValidationError(
                "'\(source)' names a source, and '\(stream)' a stream; write two streams, as in 'garner rename shop.items crm.items', or two sources, as in "
                    + "'garner rename shop crm'")
        }
        guard new.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).allSatisfy(StreamName.isPart)
        else {
            throw ValidationError("'\(new)' can be no name; use letters, digits, '_' and '-', as in crm.items")
        }
        if old == new { throw ValidationError("both names are the same") }
    }

    func run() async throws {
        let setup = Setup(shared)
        let path = try setup.databasePath()
        if let line = try swapped(ReadOnlyDatabase(path: path), setup) {
            throw CommandError(
                .usage, kind: "usage", message: "the database has the name '\(new)', and not '\(old)'",
                hint: "write the old name first: \(line)")
        }
        let names = try names(in: ReadOnlyDatabase(path: path))
        try refuseConfigured(names, setup)
        if dryRun { return try report(StreamRenaming.preview(of: names, in: ReadOnlyDatabase(path: path)), setup) }
        try await setup.place(names[0].new.source, beside: names[0].old.source, of: path)
        let outcomes = try await setup.withWriters(of: path, for: names[0].old.source, publishes: true) {
            try await StreamRenaming.rename(names, among: configuredStreams(setup), with: $0)
        }[0]
        try report(outcomes, setup)
    }

    /// Returns the line with both names in the place of each other, if the database has the second one, and the file or nothing has the first.
    private func swapped(_ reader: ReadOnlyDatabase, _ setup: Setup) throws -> String? {
        func has(_ streams: [StreamName], _ name: String) -> Bool {
            streams.contains { $0.description == name || $0.source == name }
        }
        let (known, configured) = (try reader.knownStreams().map(\.name), configuredStreams(setup).map(\.name))
        if has(known, new), has(configured, old), !has(configured, new) { return "garner rename \(new) \(old)" }
        // A name that is nearly one of the database is meant for that.
        guard !has(known, old), !known.contains(where: { $0.stream == old }),
            Suggestion.misspelt(old, among: known.map(\.description) + known.map(\.source) + known.map(\.stream)) == nil
        else { return nil }
        if has(known, new) {
            return new.contains(".") || !has(configured, new) ? "garner rename \(new) \(old)" : nil
        }
        return known.first { $0.stream == new }.map { "garner rename \($0) \($0.source).\(old)" }
    }

    /// Returns each stream that gets another name.
    private func names(in reader: ReadOnlyDatabase) throws -> [(old: StreamName, new: StreamName)] {
        guard !old.contains(".") else { return [(StreamName(full: old), StreamName(full: new))] }
        let streams = try reader.knownStreams().map(\.name).filter { $0.source == old }
        guard !streams.isEmpty else {
            throw CommandError(
                .usage, kind: "unknown_stream", message: "the database knows no stream of a source '\(old)'",
                hint: try reader.knownStreams().first { $0.name.stream == old }.map {
                    "write both names with their source: garner rename \($0.name) \($0.name.source).\(new)"
                } ?? "compare the name with those of: garner tables")
        }
        return streams.map { ($0, StreamName(source: new, stream: $0.stream)) }
    }

    /// Throws if the file still has one of the streams: the next sync would read it into a new table.
    private func refuseConfigured(_ names: [(old: StreamName, new: StreamName)], _ setup: Setup) throws {
        let streams = configuredStreams(setup)
        guard let stream = streams.first(where: { stream in names.contains { $0.old == stream.name } }) else { return }
        let new = names.first { $0.old == stream.name }?.new
        let other = streams.first { $0.name == new }?.name
        throw CommandError(
            .usage, kind: "usage", message: "\(stream.name) is still in the file", place: stream.place.description,
            hint: other.map {
                "\($0) is a stream of its own there; give \(stream.name) a name that is free in the file, and write that; "
                    + "or, if the rows of \($0) may go, take it out of the file and run 'garner drop \($0)' first"
            } ?? "rename it there first")
    }

    /// Returns the streams of the file; none if it cannot be read.
    private func configuredStreams(_ setup: Setup) -> [StreamConfiguration] {
        (try? setup.configuration(needsSecrets: false))?.streams ?? []
    }

    private func report(_ outcomes: [RenameOutcome], _ setup: Setup) throws {
        let records: [[Report.Field]] = outcomes.map { outcome in
            [
                .init("stream", outcome.new.description), .init("former", outcome.old.description),
                .init("dry_run", dryRun), .init("tables", outcome.tables), .init("rows", outcome.rows),
                .init("runs", outcome.runs),
            ]
        }
        guard try setup.tellsPeople(insteadOf: records) else { return }
        for outcome in outcomes {
            let tables = outcome.tables.isEmpty ? "" : " of \(outcome.tables.joined(separator: ", "))"
            StandardError.write(
                "\(outcome.old): \(dryRun ? "would be" : "is") \(outcome.new) now, with \(outcome.rows.counted("row"))\(tables) and \(outcome.runs.counted("run"))\n"
            )
            if let words = outcome.renamedTable { StandardError.write("\(outcome.new): \(words)\n") }
        }
    }
}
