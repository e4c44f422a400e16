import ArgumentParser

/// The options that every command understands, before or after its name.
struct SharedOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config: String?

    @Option(name: .shortAndLong, help: ArgumentHelp("The database, instead of the configured one.", valueName: "file"))
    var database: String?

    @Option(name: .shortAndLong, help: "How the result is written.")
    var format: OutputFormat?

    @Flag(help: "The same as --format json.")
    var json = false

    @Flag(name: .shortAndLong, help: "Say nothing but errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Say more about what is done.")
    var verbose = false

    @Option(help: "Whether to colour what people read.")
    var color: ColorChoice = .auto

    @Flag(help: "Show no progress line.")
    var noProgress = false
}

enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case table, json, ndjson, csv, tsv, markdown
}

enum ColorChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case auto, always, never
}
