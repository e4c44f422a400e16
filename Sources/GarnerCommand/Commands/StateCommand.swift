import ArgumentParser
import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation

struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Show or reset the sync state of streams.",
        discussion: """
              garner state show
              garner state show zoo.animals --json
              garner state reset zoo.animals
            """,
        subcommands: [Show.self, Reset.self])

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show unfinished reads, cursors and cached pages.")

        @Argument(
            help: "The stream, as source.stream or just the stream name; all by default.", completion: .streams)
        var stream: String?

        @Option(help: ArgumentHelp("Show at most this many slices and cursors of a stream; 0 for all.", valueName: "n"))
        var limit = 100

        @OptionGroup var shared: SharedOptions

        func validate() throws {
            if limit < 0 { throw ValidationError("--limit must not be negative") }
        }

        func run() throws {
            let setup = Setup(shared)
            let reader = try setup.reader()
            let names = try stream.map { [try StoredStream.named($0, in: reader)] } ?? reader.streamNames()
            let states = try names.compactMap { try reader.state(of: $0, limit: limit == 0 ? .max : limit) }
            if setup.format == .json, stream != nil, let state = states.first {
                return try StandardOutput.write(state.fields.json)
            }
            try Report(records: states.map(\.fields), emptyHint: "Nothing is stored yet; run 'garner sync'.")
                .write(to: setup)
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset", abstract: "Reset the sync state of a stream; its rows stay.",
            discussion: """
                The next run starts at the first page and does not resume an unfinished read.
                Without an option, garner forgets all cursors and cached pages. The next
                run then starts without a cursor and requests every page in full.

                  garner state reset zoo.animals
                  garner state reset zoo.animals --pages
                """)

        @Argument(help: "The stream, as source.stream or just the stream name.", completion: .streams)
        var stream: String

        @Flag(help: "Forget the cursors. The next run reads from the beginning.")
        var cursors = false

        @Flag(help: "Forget the cached pages. The next run requests each page in full.")
        var pages = false

        @Flag(help: "Forget both; this is the default.")
        var all = false

        @OptionGroup var shared: SharedOptions

        func run() async throws {
            let setup = Setup(shared)
            let path = try setup.databasePath()
            let name = try StoredStream.named(stream, in: ReadOnlyDatabase(path: path))
            let outcomes = try await setup.withWriters(of: path, for: name.source) {
                try await $0.reset(parts, of: name)
            }
            if let outcome = outcomes[0] { try report(outcome, of: name, setup) }
        }

        private var parts: ResetParts {
            if all || cursors == pages { return [.cursors, .pages] }
            return cursors ? .cursors : .pages
        }

        private func report(_ outcome: ResetOutcome, of name: StreamName, _ setup: Setup) throws {
            let fields: [Report.Field] = [
                .init("stream", name.description), .init("unfinished_read", outcome.hadUnfinishedRead),
                .init("cursors", outcome.cursors), .init("pages", outcome.pages),
            ]
            guard try setup.tellsPeople(insteadOf: [fields]) else { return }
            var forgotten = outcome.hadUnfinishedRead ? ["an unfinished read"] : []
            if outcome.cursors > 0 {
                forgotten.append(outcome.cursors == 1 ? "a cursor" : "\(outcome.cursors) cursors")
            }
            if outcome.pages > 0 { forgotten.append(outcome.pages == 1 ? "a page" : "\(outcome.pages) pages") }
            let what = forgotten.isEmpty ? "there was nothing to forget" : "forgot \(forgotten.joined(separator: ", "))"
            StandardError.write("\(name): \(what)\n")
        }
    }
}

extension StreamState {
    fileprivate var fields: [Report.Field] {
        [
            .init("stream", stream), .init("table", table),
            .init("unfinished_read", json: read?.json ?? .null, text: read.map { "since run \($0.run)" }),
            .init("slices_left", read?.sliceCount ?? 0),
            .init(
                "cursors", json: .array(cursors.map(\.json)),
                text: cursorCount == 1 ? cursors.first?.value : "\(cursorCount)"),
            .init("cursor_count", cursorCount), .init("pages", pages),
            .init("pages_with_validator", pagesWithValidator), .init("baseline_run", baselineRun),
            .init("last_run", lastRun?.id), .init("last_status", lastRun?.status.rawValue),
        ]
    }
}

extension StreamState.Read {
    fileprivate var json: JSONText {
        let slices = self.slices.map { slice in
            JSONText.object([
                ("bindings", .verbatim(slice.bindings)), ("goes_on_at", JSONText(slice.goesOnAt)),
                ("watermark", JSONText(slice.watermark)),
            ])
        }
        return .object([
            ("run_id", JSONText(run)), ("began_at", JSONText(beganAt)), ("saved_at", JSONText(savedAt)),
            ("completeness", .string(verdict.completeness.rawValue)),
            ("completeness_reason", JSONText(verdict.reason)), ("slices", .array(slices)),
        ])
    }
}

extension StreamState.Cursor {
    fileprivate var json: JSONText {
        .object([("bindings", .verbatim(bindings)), ("value", .string(value)), ("moved_at", JSONText(movedAt))])
    }
}
