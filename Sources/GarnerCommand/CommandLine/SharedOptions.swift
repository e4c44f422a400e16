import ArgumentParser
import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerRuntime
import GarnerShards
import GarnerSync

/// The options that every command understands, before or after its name.
struct SharedOptions: ParsableArguments {
    @OptionGroup var common: CommonOptions

    @Flag(help: "Same as --format json.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print only errors, and warnings that are new.")
    var quiet = false

    @OptionGroup var telling: TellingOptions

    @Flag(help: "In a table, show all columns and truncate nothing.")
    var wide = false

    @Flag(help: "Show a table with one field per line.")
    var vertical = false

    @Flag(help: "Do not use a pager for long tables.")
    var noPager = false

    func validate() throws {
        if let url = common.database.flatMap(DatabaseURL.init) { throw ValidationError("--database \(url.problem)") }
        if json, let format = common.format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) exclude each other; leave out one of them")
        }
        if wide, vertical { throw ValidationError("--wide and --vertical exclude each other") }
        if wide || vertical, json || (common.format ?? .table) != .table {
            throw ValidationError("--wide and --vertical are for tables; leave out --json or --format")
        }
    }

    /// Checks the values of the environment variables that correspond to options.
    static func validate(_ environment: [String: String]) throws {
        func check<Choice: RawRepresentable<String> & CaseIterable>(_ name: String, _: Choice.Type) throws {
            guard let choice = environment[name], !choice.isEmpty, Choice(rawValue: choice) == nil else { return }
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandError.usage("\(name) is '\(choice)'", hint: "set it to one of: \(known)")
        }
        if let url = environment["GARNER_DATABASE"].flatMap(DatabaseURL.init) {
            throw CommandError.usage("GARNER_DATABASE \(url.problem)", hint: url.advice(forFlag: "GARNER_DATABASE="))
        }
        if let text = environment["GARNER_LEASE"], !text.isEmpty,
            (try? DurationText.parse(text)).map(ShardPlace.leases.contains) != true
        {
            throw CommandError.usage("GARNER_LEASE is '\(text)'", hint: "set it to a time from 3s to 5m, such as 30s")
        }
        try check("GARNER_SYNCHRONOUS", Synchronous.self)
        try check("GARNER_LOG_FORMAT", LogFormat.self)
        guard let format = environment["GARNER_FORMAT"], !format.isEmpty, RowFormat(rawValue: format) == nil else {
            return
        }
        let known = RowFormat.allCases.map(\.rawValue)
        throw CommandError.usage(
            "GARNER_FORMAT is '\(format)', which is no format",
            hint: Suggestion.closest(to: format, among: known).map { "did you mean '\($0)'?" }
                ?? "set it to one of: \(known.joined(separator: ", "))")
    }
}

/// The options that have the same words in commands whose `--json` is the body of a request.
struct CommonOptions: ParsableArguments {
    @Option(
        name: .shortAndLong, help: ArgumentHelp("The configuration file.", valueName: "file"),
        completion: .configurationFile)
    var config: String?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Use this database instead of the configured one.", valueName: "file"),
        completion: .file())
    var database: String?

    @Option(name: .shortAndLong, help: "The output format.")
    var format: RowFormat?
}

/// The options of what is told beside a result, which those commands have as well.
struct TellingOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print more detail.")
    var verbose = false

    @Option(help: "When to use colours.")
    var color: ColorChoice = .auto

    @Flag(help: "Do not show a progress line.")
    var noProgress = false
}

extension RowFormat: ExpressibleByArgument {}
extension RunID: ExpressibleByArgument {}

enum ColorChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case auto, always, never
}
