import ArgumentParser
import Catalog

/// A first word that is no command, or a word after `help` that is neither a command nor a topic.
struct UnknownSubcommand: Error {
    let name: String
    let suggestion: String?

    /// nil where the arguments begin with a command or with an option.
    init?(_ arguments: [String]) {
        let names =
            Garner.configuration.subcommands.compactMap { $0.configuration.commandName }
            + Garner.configuration.groupedSubcommands.flatMap(\.subcommands).compactMap { $0.configuration.commandName }
        let isHelp = arguments.first == "help"
        let known = isHelp ? names + HelpTopic.allCases.map(\.rawValue) : names + ["help"]
        guard let word = isHelp ? arguments.dropFirst().first : arguments.first, !word.hasPrefix("-"),
            !known.contains(word)
        else { return nil }
        name = word
        suggestion = Suggestion.closest(to: word, among: known).map { isHelp ? "help \($0)" : $0 }
    }
}
