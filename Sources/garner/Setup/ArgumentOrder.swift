/// The shared options may stand before the command as well; the parser knows them after it only.
enum ArgumentOrder {
    private static let withValue: Set<String> = ["-c", "--config", "-d", "--database", "-f", "--format", "--color"]
    private static let flags: Set<String> = ["--json", "-q", "--quiet", "-v", "--verbose", "--no-progress"]

    /// Moves shared options in front of the command, or between it and its subcommand, behind both.
    ///
    /// They come before all other options there: the last of two that say different things counts.
    static func sharedOptionsLast(_ arguments: [String]) -> [String] {
        var rest = arguments[...]
        var moved = takeSharedOptions(from: &rest)
        guard let command = rest.popFirst() else { return arguments }
        moved += takeSharedOptions(from: &rest)
        let words = rest.prefix { !$0.hasPrefix("-") || $0 == "-" }
        return [command] + words + moved + rest[words.endIndex...]
    }

    private static func takeSharedOptions(from rest: inout ArraySlice<String>) -> [String] {
        var moved: [String] = []
        while let first = rest.first {
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

    /// Whether errors are to be JSON, even where the arguments could not be parsed.
    static func wantsJSON(_ arguments: [String], _ environment: [String: String]) -> Bool {
        let options = arguments.prefix { $0 != "--" }
        if options.contains("--json") { return true }
        let joined = options.filter { $0.hasPrefix("--format=") }.map { String($0.dropFirst("--format=".count)) }
        let separate = zip(options, options.dropFirst()).filter { $0.0 == "-f" || $0.0 == "--format" }.map(\.1)
        let format = (joined + separate).last ?? environment["GARNER_FORMAT"]
        return format.flatMap(OutputFormat.init)?.isJSON ?? false
    }
}
