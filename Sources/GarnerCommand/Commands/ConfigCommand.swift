import ArgumentParser
import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPresentation
import GarnerReports

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show the configuration in use.",
        discussion: """
              garner config path
              garner config show
              garner config schema > garner.schema.json
            """,
        subcommands: [Show.self, Path.self, Schema.self])

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show every value in use and its origin; secrets appear as ***.")

        @OptionGroup var shared: SharedOptions

        func run() throws {
            let setup = Setup(shared)
            let effective = try setup.configuration().effective
            let general = effective.general.map { $0.fields(of: nil, in: nil) }
            let streams = effective.streams.flatMap { stream in
                stream.entries.map { $0.fields(of: stream.name, in: stream.file) }
            }
            try Report(records: general + streams).write(to: setup)
        }
    }

    struct Schema: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema",
            abstract: "Print a JSON Schema that lets editors complete and check garner.yaml.")

        func run() throws { try StandardOutput.write(exactly: ConfigurationSchema.json()) }
    }

    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "path", abstract: "Show which configuration file garner uses.")

        @OptionGroup var shared: SharedOptions

        func run() throws {
            let setup = Setup(shared)
            let path = try setup.configurationPath()
            try StandardOutput.write(exactly: (setup.format.isJSON ? JSONText.string(path).text : path) + "\n")
        }
    }
}
