import ArgumentParser

/// A long option that is written with one hyphen, as in `-where`, or with a dash, which a page has made of two hyphens.
///
/// The parser reads it as a group of short options. With an `h` in it, it would print the help and do nothing.
struct LoneHyphen {
    /// The word as it is typed, without a value.
    let typed: String

    var option: String { Self.option(typed) }

    /// True if it begins with a dash, so that the parser takes it for a word.
    var isDashed: Bool { !typed.hasPrefix("-") }

    private static func option(_ typed: String) -> String { "--\(typed.drop { "-–—−".contains($0) })" }

    /// Returns nil if no word before `--` is a long option of the command but for a hyphen.
    init?(_ arguments: [String]) {
        let words = arguments.prefix { $0 != "--" }.compactMap { word -> String? in
            guard word.first.map({ "-–—−".contains($0) }) == true, !word.hasPrefix("--"), word.count > 2 else {
                return nil
            }
            return String(word.prefix { $0 != "=" })
        }
        guard !words.isEmpty else { return nil }
        let known = Self.options(of: arguments)
        guard let word = words.first(where: { $0 != "-help" && known.contains(Self.option($0)) }) else { return nil }
        typed = word
    }

    /// Returns the only long option of the command that begins with a word such as `--js`, as some programs take it.
    static func option(cutTo word: String, in arguments: [String]) -> String? {
        let found = options(of: arguments).filter { $0.hasPrefix(word) }
        return word.hasPrefix("--") && word.count > 3 && found.count == 1 ? found.first : nil
    }

    /// Returns the long options of a command, or of its subcommand.
    private static func options(of arguments: [String]) -> Set<String> {
        let root = Garner.configuration
        var commands = root.subcommands + root.groupedSubcommands.flatMap(\.subcommands)
        var found: (any ParsableCommand.Type)?
        for word in arguments {
            guard let next = commands.first(where: { $0.configuration.commandName == word }) else { break }
            found = next
            commands = next.configuration.subcommands
        }
        guard let found else { return [] }
        return Set(Garner.helpMessage(for: found).matches(of: /--[a-z][a-z-]+/).map { String($0.0) })
    }
}
