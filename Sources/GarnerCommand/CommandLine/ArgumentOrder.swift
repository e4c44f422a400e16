import ArgumentParser
import GarnerCatalog
import GarnerModel
import GarnerPresentation

/// Moves the shared options after the command, where the parser expects them.
enum ArgumentOrder {
    private static let withValue = ["-c", "--config", "-d", "--database", "-f", "--format", "--color"]
    private static let flags =
        ["--json", "-q", "--quiet", "-v", "--verbose", "--no-progress", "--no-pager"] + tableFlags
    /// The flags that choose a table, even if the environment names another format.
    private static let tableFlags = ["--wide", "--vertical"]

    /// Moves shared options that stand before the command or its subcommand to a place after them.
    ///
    /// There they come before all other options, since of two contradictory options the last one counts.
    static func sharedOptionsLast(_ arguments: [String]) -> [String] {
        var rest = arguments[...]
        var moved = takeSharedOptions(from: &rest)
        // The program without a command prints a short help.
        guard let command = rest.popFirst() else { return [] }
        moved += takeSharedOptions(from: &rest, of: command)
        let words = rest.prefix { !$0.hasPrefix("-") || $0 == "-" }
        return [command] + words + moved + rest[words.endIndex...]
    }

    /// The commands for which `--json` is the body of the request.
    private static let posting = ["init", "add"]

    private static func takeSharedOptions(from rest: inout ArraySlice<String>, of command: String = "") -> [String] {
        var moved: [String] = []
        while let first = rest.first {
            if first == "--json", posting.contains(command) { break }
            if flags.contains(first) || withValue.contains(where: { $0.hasPrefix("--") && first.hasPrefix($0 + "=") }) {
                moved.append(first)
                rest.removeFirst()
            } else if withValue.contains(first), rest.count > 1 {
                moved += rest.prefix(2)
                rest.removeFirst(2)
            } else {
                break
            }
        }
        return moved
    }

    /// Returns true if errors are written as JSON. It works even for arguments that cannot be parsed.
    static func wantsJSON(_ arguments: [String], _ environment: [String: String]) -> Bool {
        let options = arguments.prefix { $0 != "--" }
        if options.contains("--json-errors") { return true }
        if options.contains("--json"), !options.contains(where: posting.contains) { return true }
        let usual = options.contains(where: tableFlags.contains) ? nil : environment["GARNER_FORMAT"]
        let format = lastValue(of: ["-f", "--format"], in: arguments) ?? usual
        return format.flatMap(RowFormat.init)?.isJSON ?? false
    }

    /// Returns the value of an option. It works even for arguments that cannot be parsed.
    static func lastValue(of names: [String], in arguments: [String]) -> String? {
        let options = Array(arguments.prefix { $0 != "--" })
        return options.indices.lazy.compactMap { index in
            if names.contains(options[index]) { return options.dropFirst(index + 1).first }
            return names.lazy.filter { $0.hasPrefix("--") && options[index].hasPrefix("\($0)=") }.first
                .map { String(options[index].dropFirst($0.count + 1)) }
        }.last
    }
}

extension Garner {
    static var commandNames: [String] {
        (configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands))
            .compactMap { $0.configuration.commandName }
    }
}

/// A first word that is no command, or a word after `help` that is neither a command nor a topic.
struct UnknownSubcommandError: Error {
    let name: String
    let hint: String

    /// Returns nil if the arguments begin with a command or with an option.
    init?(_ arguments: [String]) {
        let names = Garner.commandNames
        let isHelp = arguments.first == "help"
        let known = isHelp ? names + HelpTopic.allCases.map(\.rawValue) : names + ["help"]
        guard let word = isHelp ? arguments.dropFirst().first : arguments.first, !word.hasPrefix("-"),
            !known.contains(word)
        else { return nil }
        name = word
        let closest = Suggestion.closest(to: word, among: known).map {
            "did you mean 'garner \(isHelp ? "help " : "")\($0)'?"
        }
        let meant =
            isHelp
            ? OtherWords.helpTopic(for: word).map { "did you mean 'garner help \($0)'?" }
            : OtherWords.advice(onCommand: arguments, names: names)
        let swapped =
            !isHelp && arguments.count > 1 && names.contains(arguments[1])
            ? "did you mean 'garner \(arguments[1]) \(word)'?" : nil
        hint = meant ?? closest ?? swapped ?? "garner --help"
    }
}
