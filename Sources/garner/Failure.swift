import ArgumentParser
import Catalog
import Control
import Fetcher
import Model
import Persistence
import Presentation
import Sync

/// What the program says when it cannot do what was asked: what failed, where, and what to do.
struct Failure: Error {
    var code: Int32
    var kind: String
    var message: String
    /// The further failures, each with its place.
    var others: [String] = []
    /// A place in a file.
    var place: String?
    var hint: String?
    var stream: String?
    var url: String?

    init(code: Int32, kind: String, message: String, place: String? = nil, hint: String? = nil) {
        self.code = code
        self.kind = kind
        self.message = message
        self.place = place
        self.hint = hint
    }

    init(_ failure: RunFailure, of stream: String? = nil, place: String? = nil) {
        self.init(code: failure.code, kind: failure.kind, message: failure.message, place: place, hint: failure.hint)
        self.stream = stream
        url = failure.url
    }

    /// What the argument parser does not understand.
    init(usage error: any Error) {
        // Its full text ends with the way to the help of the command that was meant.
        let help = Garner.fullMessage(for: error).split(separator: "'").first { $0.hasSuffix(" --help") }
        self.init(
            code: ExitCode.usage, kind: "usage", message: Garner.message(for: error),
            hint: help.map(String.init) ?? "garner --help")
    }

    init(_ error: any Error) {
        switch error {
        case let error as Failure: self = error
        case let error as ConfigurationError: self.init(error)
        case let error as StreamSelectionError:
            self.init(code: ExitCode.usage, kind: "unknown_stream", message: error.description, hint: error.hint)
        case let error as UnknownTable: self.init(error)
        case let error as UnknownSubcommand:
            self.init(
                code: ExitCode.usage, kind: "usage", message: "there is no command '\(error.name)'",
                hint: error.suggestion.map { "did you mean 'garner \($0)'?" } ?? "garner --help")
        case let error as OutputError:
            self.init(code: error.code, kind: "output", message: error.message, hint: error.hint)
        case let error as ControlError:
            self.init(code: error.code, kind: error.kind, message: error.message, hint: error.hint)
        case let error as HookProblem:
            self.init(code: ExitCode.failed, kind: "hook", message: error.message, hint: error.hint)
        case is CancellationError:
            self.init(code: ExitCode.interrupted, kind: "cancelled", message: "cancelled")
        default: self.init(RunFailure(error))
        }
    }

    private init(_ error: UnknownTable) {
        let closest = Suggestion.closest(to: error.name, among: error.known)
        let hint =
            closest.map { "did you mean '\($0)'?" }
            ?? (error.known.isEmpty
                ? "run 'garner sync' first" : "the tables are: \(error.known.joined(separator: ", "))")
        self.init(code: ExitCode.usage, kind: "unknown_table", message: "there is no table '\(error.name)'", hint: hint)
    }

    private init(_ error: ConfigurationError) {
        switch error {
        case .notFound(let searched):
            let only = searched.count == 1 ? searched.first : nil
            self.init(
                code: ExitCode.inputMissing, kind: "no_configuration",
                message: only.map { "there is no configuration \($0)" } ?? "no configuration was found",
                place: only == nil ? searched.joined(separator: ", ") : nil,
                hint: "write one with 'garner init', or name it with --config")
        case .unreadable(let path, let reason):
            self.init(
                code: ExitCode.inputMissing, kind: "unreadable_configuration",
                message: "cannot read \(path): \(reason)",
                place: path, hint: "check the file's permissions")
        case .invalid(let issues):
            self.init(
                code: ExitCode.configuration, kind: "configuration",
                message: (issues.first?.message ?? "the configuration is not valid"),
                place: issues.first?.place.description,
                hint: issues.first?.hint)
            others = issues.dropFirst().map { "\($0.place): \($0.message)\($0.hint.map { " (\($0))" } ?? "")" }
        }
    }

    /// The three parts.
    func text(_ decoration: ANSIStyle) -> DisplayText {
        let more: [DisplayText] = others.isEmpty ? [] : ["; and more:"] + others.map { "\n       \($0)" }
        let subject = stream.map { "\($0): " } ?? ""
        var text: DisplayText = "\(decoration.red("Error:")) \(subject)\(message)\(more.joined())\n"
        if let place { text = "\(text)  at: \(place)\n" }
        if let hint { text = "\(text)\(decoration.bold("Try:")) \(hint)\n" }
        return text
    }

    /// With what failed besides, for programs.
    var wholeMessage: String {
        others.isEmpty ? message : "\(message); and more:" + others.map { "\n       \($0)" }.joined()
    }

    var json: JSONText { .object([("error", detail)]) }

    var detail: JSONText {
        .object([
            ("code", .integer(Int64(code))), ("kind", .string(kind)), ("message", .string(wholeMessage)),
            ("stream", JSONText(stream)), ("url", JSONText(url)), ("hint", JSONText(hint)),
            ("place", JSONText(place)),
        ])
    }
}
