import ArgumentParser
import Persistence
import Presentation
import Reports

struct TablesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tables", abstract: "List the stored tables, with row counts.",
        discussion: """
              garner tables
              garner tables --json
            """)

    @OptionGroup var shared: SharedOptions

    func run() throws {
        let setup = Setup(shared)
        try Report(
            records: try setup.reader().tables().map(\.fields), emptyHint: "Nothing is stored yet; run 'garner sync'."
        ).write(to: setup)
    }
}
