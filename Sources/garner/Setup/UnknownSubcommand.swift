import ArgumentParser
import Catalog

/// A first word that is no command.
struct UnknownSubcommand: Error {
    let name: String
    let suggestion: String?

    /// nil where the arguments begin with a command or with an option.
    init?(_ arguments: [String]) {
        let names =
            Garner.configuration.subcommands.compactMap { $0.configuration.commandName }
            + Garner.configuration.groupedSubcommands.flatMap(\.subcommands).compactMap { $0.configuration.commandName }
        guard let first = arguments.first, !first.hasPrefix("-"), first != "help", !names.contains(first) else {
            return nil
        }
        name = first
        suggestion = Suggestion.closest(to: first, among: names)
    }
}
