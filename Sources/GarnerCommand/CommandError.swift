import ArgumentParser
import GarnerCatalog
import GarnerControl
import GarnerFetcher
import GarnerJSON
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerSync

/// An error message: the failure, its place and the advice for the user.
struct CommandError: Error {
    var category: ErrorCategory
    var kind: String
    var message: String
    /// The further failures, each with its place.
    var others: [String] = []
    /// A place in a file.
    var place: String?
    var advice: Hint?
    var stream: String?
    var url: String?

    init(_ category: ErrorCategory, kind: String, message: String, place: String? = nil, hint: String? = nil) {
        self.category = category
        self.kind = kind
        self.message = message
        self.place = place
        advice = hint.map { .text($0) }
    }

    /// The advice in the words of the command line.
    var hint: String? {
        get { advice?.words }
        set { advice = newValue.map { .text($0) } }
    }

    init(_ failure: RunFailure, of stream: String? = nil, place: String? = nil) {
        self.init(failure.category, kind: failure.kind, message: failure.message, place: place)
        advice = failure.hint
        self.stream = stream
        url = failure.url
    }

    /// Returns the failure of a wrong use of the command line.
    static func usage(_ message: String, hint: String) -> CommandError {
        CommandError(.usage, kind: "usage", message: message, hint: hint)
    }

    /// Returns the failure of what a running service prevents.
    static func locked(_ message: String, hint: String) -> CommandError {
        CommandError(.busy, kind: "locked", message: message, hint: hint)
    }

    /// Creates the failure for arguments that the parser does not understand.
    init(usage error: any Error, _ arguments: [String]) {
        // Its full text ends with the way to the help of the right command.
        let help = Garner.fullMessage(for: error).split(separator: "'").first { $0.hasSuffix(" --help") }
        self.init(
            .usage, kind: "usage", message: Self.inOneLine(Garner.message(for: error)),
            hint: help.map(String.init) ?? "garner --help")
        // The parser also guesses words that have nothing in common.
        if let guess = message.firstMatch(of: /^Unknown option '(-*[^']+)'\. Did you mean '(-*[^']+)'\?$/),
            Suggestion.closest(to: String(guess.1), among: [String(guess.2)]) == nil
        {
            message = "Unknown option '\(guess.1)'"
        }
        let option = message.firstMatch(of: /^Unknown option '(-*[^']+)'/).map { String($0.1) }
        if let advice = OtherWords.advice(onCurlIn: arguments) {
            hint = advice
        } else if let slip = LoneHyphen(arguments) {
            (message, hint) = ("Unknown option '\(slip.typed)'", "did you mean '\(slip.option)'?")
        } else if let option, let advice = OtherWords.advice(onOption: option, in: arguments) {
            (message, hint) = ("Unknown option '\(option)'", advice)
        } else if let option, let whole = LoneHyphen.option(cutTo: option, in: arguments) {
            (message, hint) = ("Unknown option '\(option)'", "did you mean '\(whole)'?")
        } else if let line = OtherWords.line(quotingCronIn: arguments) {
            (message, hint) = ("the expression of cron is not in quotes", line)
        } else if message.contains("nexpected argument"), let line = OtherWords.line(withoutSecretIn: arguments) {
            message = "a word stands behind the way of --auth, and a secret has no place in a command"
            hint = "leave it out: \(line); the file names the variable that is to hold it"
        } else if message.contains("nexpected argument"), let advice = OtherWords.advice(onWordsOf: arguments) {
            hint = advice
        } else if message == "Give either a table or --sql", let line = OtherWords.line(withoutTableIn: arguments) {
            hint = line
        } else if let flag = message.firstMatch(of: /^The option '(-+[\w-]+)' does not take any value/)?.1 {
            hint = "write \(flag) alone, or leave it out"
        } else if message.hasPrefix("--from and --to need") {
            hint = OtherWords.line(namingStreamIn: arguments)
        } else if message.hasPrefix("Missing expected argument"),
            let advice = OtherWords.advice(onMissingWordsOf: arguments)
        {
            hint = advice
        } else if let wrong = message.firstMatch(of: /^The value '(.+)' is invalid for '(-+[\w-]+)/),
            let advice = OtherWords.advice(onValue: String(wrong.1), of: String(wrong.2), in: arguments)
        {
            hint = advice
        } else if let word = message.firstMatch(of: /^The value '(.+)' is invalid for '<\w+>'/)?.1,
            let advice = OtherWords.advice(onWord: String(word), in: arguments)
        {
            hint = advice
        } else if message.hasPrefix("Missing value for '-f"), arguments.first == "sync" {
            hint = "-f is --format here; for all records once more: garner sync --full-refresh"
        } else if message.hasPrefix("Missing value for '-d"), arguments.first == "serve" {
            hint = "-d is --database here; 'garner serve &' runs it in the background"
        } else if let option = message.firstMatch(of: /^Missing value for '(--order|--limit)/)?.1,
            let value = arguments.drop(while: { $0 != option }).dropFirst().first, value.hasPrefix("-"), value.count > 1
        {
            message = "the value '\(value)' of \(option) begins with '-', as an option does"
            hint = option == "--limit" ? "--limit 0 gives all rows" : "--order '\(value.dropFirst()) DESC'"
        } else if let url = ArgumentOrder.lastValue(of: ["-d", "--database"], in: arguments).flatMap(DatabaseURL.init),
            message == "--database \(url.problem)"
        {
            hint = url.advice(forFlag: "--database ")
        }
    }

    /// Returns a message of the parser with its list of values, one a line, as words in a sentence.
    private static func inOneLine(_ message: String) -> String {
        let lines = message.split(separator: "\n").map { line in
            line.drop { $0 == " " }.trimmingPrefix("- ")
        }
        return ([lines.first ?? ""] + (lines.count > 1 ? [lines.dropFirst().joined(separator: ", ")[...]] : []))
            .joined(separator: " ")
    }

    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as ConfigurationError: self.init(error)
        case let error as StreamSelectionError:
            let words = CommandLine.arguments.dropFirst(2)
            let isStar = words.count > 1 && ExpandedStar.restored(in: Array(words)).contains("*")
            self.init(
                .usage, kind: "unknown_stream", message: error.description,
                hint: isStar
                    ? "a shell puts the names of files into the place of *; write '*' in quotes, or leave it out for all streams"
                    : error.hint)
        case let error as CurlError: self = .usage(error.message, hint: error.hint)
        case let error as CronExpression.ParseError: self = .usage(error.message, hint: error.hint)
        case let error as UnknownSubcommandError:
            self = .usage("there is no command '\(error.name)'", hint: error.hint)
        default: self.init(RunFailure(error))
        }
    }

    /// Returns the configuration in the folder of a file that is not there, if its name is nearly that.
    private static func configuration(near path: String) -> String? {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let folder = String(path[..<start])
        let names = ExpandedStar.folderNames(of: folder.isEmpty ? "." : folder)
        let files = names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.sorted()
        return Suggestion.closest(to: String(path[start...]), among: files).map { folder + $0 }
    }

    private static func advice(onReading path: String, _ reason: String) -> String {
        let file = ShellText.quoted(path)
        func converting(from encoding: String) -> String {
            "iconv -f \(encoding) -t UTF-8 \(file) > \(file).utf8 && mv \(file).utf8 \(file)"
        }
        return switch reason {
        case "it is UTF-16 text", "it is UTF-16LE text", "it is UTF-16BE text":
            "save it as UTF-8, as with: \(converting(from: "\(reason.split(separator: " ")[2])"))"
        case _ where reason.hasPrefix("it is not UTF-8 text"):
            "save it as UTF-8; if it is Latin-1: \(converting(from: "ISO-8859-1"))"
        case "it is a database of SQLite": "name a database with -d: -d \(file)"
        case "Is a directory": "name the file in it, such as \(file)/garner.yaml"
        case "Permission denied": "if the file is yours: chmod u+r \(file); else name one that you may read"
        default: "name a text file in UTF-8 that you may read"
        }
    }

    private static let making =
        "write one with 'garner init URL', where URL is that of a list in your API, or name it with --config"

    private static func advice(onMissing file: String) -> String {
        let own = "write it with 'garner init URL --config \(ShellText.quoted(file))'"
        return FileCreation.exists("garner.yaml") ? "leave --config out for garner.yaml, which is here; or \(own)" : own
    }

    private init(_ error: ConfigurationError) {
        switch error {
        case .notFound(let searched):
            let only = searched.count == 1 ? searched.first : nil
            let isOfVariable = only != nil && only == CurrentProcess.environment["GARNER_CONFIG"]
            self.init(
                .missing, kind: "no_configuration",
                message: only.map {
                    "there is no configuration \($0)\(isOfVariable ? ", which GARNER_CONFIG names" : "")"
                }
                    ?? "no configuration was found",
                place: only == nil ? searched.joined(separator: ", ") : nil,
                hint: (ConfigurationDiscovery.near(searched) ?? only.flatMap(Self.configuration(near:))).map {
                    "is it \($0)? Name it with --config \($0)"
                }
                    ?? (isOfVariable
                        ? "set the variable to the place where the file is now, or leave it out with: unset GARNER_CONFIG"
                        : only.map(Self.advice(onMissing:)) ?? Self.making)
            )
        case .unreadable(let path, let reason):
            self.init(
                .missing, kind: "unreadable_configuration", message: "cannot read \(path): \(reason)",
                place: path, hint: Self.advice(onReading: path, reason))
        case .invalid(let issues):
            self.init(
                .misconfigured, kind: "configuration",
                message: (issues.first?.message ?? "the configuration is not valid"),
                place: issues.first?.place.description, hint: issues.hint)
            others = issues.dropFirst().map { "\($0.place): \($0.message)\($0.hint.map { " (\($0))" } ?? "")" }
        }
    }
}

extension CommandError {
    /// Returns the error on a missing file with the command that makes it of what was to be added; another error as it is.
    func advisingInit(_ arguments: [String]) -> CommandError {
        guard hint == Self.making, arguments.first == AddCommand.configuration.commandName else { return self }
        var error = self
        let words = arguments.dropFirst()
        // Others may hold a secret.
        let url = words.first { words.count == 1 && $0.contains("://") && !$0.contains { "@?".contains($0) } }
        let name = words.contains { $0 == "--name" || $0.hasPrefix("--name=") } ? ", without --name" : ""
        error.hint =
            url.map { "write one with it: garner init \(ShellText.quoted($0))" }
            ?? "write one with it: put 'garner init' in place of 'garner add'\(name)"
        return error
    }

    /// Returns the error on a table that a stream of the file has not made yet with the advice to sync that; another error as it is.
    func advisingSync(_ arguments: [String], _ environment: [String: String]) -> CommandError {
        guard let match = message.firstMatch(of: /(?:there is no table '|no such table: )([\w.-]+)/),
            let hint, hint.hasPrefix("the tables are: ") || hint.hasPrefix("did you mean '"),
            let file = OtherWords.configuration(arguments, environment),
            let stream = file.streams.first(where: { stream in
                [stream.name.description, stream.name.stream, stream.table].contains { $0 == match.1 }
            }), hint != "did you mean '\(stream.table)'?"
        else { return self }
        var error = self
        let tables = hint.trimmingPrefix("the tables are: ").replacing(" ", with: "").split(separator: ",")
        // The table of another name is not known to be there if one near to the stream's name is offered; its own error tells.
        let isOther = hint.hasPrefix("did you mean '") || tables.contains(stream.table[...])
        if stream.table != match.1, isOther {
            error.hint = "did you mean '\(stream.table)'?"
            return error
        }
        error.hint = "run 'garner sync \(stream.name)' first"
        return error
    }
}

extension CommandError {
    /// The commands that read a database, and whose questions a query can ask of any.
    private static let reading = ["rows", "get", "tables", "schema", "search", "changes", "export", "status", "runs"]

    /// Returns the error on a database that is another one than was meant with what names it, and with what reads it; another error as
    /// it is.
    func advisingDatabase(_ arguments: [String], _ environment: [String: String]) -> CommandError {
        var error = self
        let flag = ArgumentOrder.lastValue(of: ["-d", "--database"], in: arguments)
        switch advice {
        case .syncOrNameAnotherDatabase where flag == nil && environment["GARNER_DATABASE", default: ""] != "":
            error.message += "; GARNER_DATABASE names it"
            error.hint = "read that of the file with: unset GARNER_DATABASE; or run 'garner sync' to make this one"
        case .nameAnotherDatabase where arguments.first.map(Self.reading.contains) ?? false:
            guard let path = message.firstMatch(of: /^(.+) is a database of another program/)?.1 else { return self }
            error.hint =
                "garner query -d \(ShellText.quoted(String(path))) 'SELECT name FROM sqlite_schema', which reads any database; or "
                + "\(hint ?? "")"
        default: break
        }
        return error
    }
}

extension CommandError: FailureConvertible {
    var failure: RunFailure {
        RunFailure(category, kind: kind, message: wholeMessage, url: url, hint: advice)
    }
}

extension CommandError {
    /// Returns the message with its place and hint, for people.
    func text(_ decoration: ANSIStyle) -> DisplayText {
        let more: [DisplayText] = others.isEmpty ? [] : ["; and more:"] + others.map { "\n       \($0)" }
        let subject = stream.map { "\($0): " } ?? ""
        var text: DisplayText = "\(decoration.red("Error:")) \(subject)\(message)\(more.joined())\n"
        if let place { text = "\(text)  at: \(place)\n" }
        if let hint { text = "\(text)\(decoration.bold("Try:")) \(hint)\n" }
        return text
    }

    /// The message with the further failures, for programs.
    var wholeMessage: String {
        others.isEmpty ? message : "\(message); and more:" + others.map { "\n       \($0)" }.joined()
    }

    var json: JSONText { .object([("error", detail)]) }

    var detail: JSONText {
        .object([
            ("code", .integer(Int64(category.exitCode))), ("kind", .string(kind)), ("message", .string(wholeMessage)),
            ("stream", JSONText(stream)), ("url", JSONText(url)), ("hint", JSONText(hint)),
            ("place", JSONText(place)),
        ])
    }
}
