import ArgumentParser
import CProcess
import Dashboard
import GarnerJSON
import GarnerLibC
import GarnerModel
import GarnerPresentation
import GarnerSync

/// The command line.
@main
struct Garner: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "garner",
        abstract: "Keep a SQLite database in sync with JSON APIs.",
        discussion: """
            Try it offline:        garner demo
            Your own API:          garner init https://api.example.org/items && garner sync
            Look at the data:      garner tables; garner rows TABLE; garner query SQL
            Keep it in sync:       garner serve
            More:                  garner help environment | exit-codes | formats
            What it was built of:  garner --version --json
            """,
        version: Version.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Start here",
                subcommands: [
                    DemoCommand.self, InitCommand.self, AddCommand.self, PreviewCommand.self, PlanCommand.self,
                    SyncCommand.self,
                    CheckCommand.self, FetchCommand.self,
                ]),
            CommandGroup(
                name: "Look at the data",
                subcommands: [
                    TablesCommand.self, SchemaCommand.self, RowsCommand.self, GetCommand.self, SearchCommand.self,
                    ChangesCommand.self, QueryCommand.self,
                    BrowseCommand.self,
                    ExportCommand.self,
                ]),
            CommandGroup(
                name: "Operate",
                subcommands: [
                    ServeCommand.self, TriggerCommand.self, PauseCommand.self, ResumeCommand.self, ScheduleCommand.self,
                    StatusCommand.self, RunsCommand.self, WorkersCommand.self,
                    QuarantineCommand.self, PublishCommand.self, ConfigCommand.self, BackupCommand.self,
                    DoctorCommand.self,
                    PruneCommand.self, RenameCommand.self, DropCommand.self, MigrateCommand.self, StateCommand.self,
                    CompletionsCommand.self,
                ]),
        ])

    static func main() async {
        // A reader that goes away ends a command silently: by an error from write(2), not by a signal.
        signal(SIGPIPE, SIG_IGN)
        // "The M_MMAP_THRESHOLD … is dynamic by default" (mallopt(3)): after the first page, glibc would keep a buffer of that
        // size in the arena of each thread.
        garner_return_buffers_beyond(256 << 10)
        // The memory holds secrets. Programs that hooks start inherit the limit, and may raise it.
        garner_forbid_dumps()
        let arguments = ArgumentOrder.sharedOptionsLast(Array(CommandLine.arguments.dropFirst()))
        // It asks a service to read its file, which one that is starting has yet to do.
        if arguments.first == ServeCommand.configuration.commandName { HangupSignal.ignore() }
        let environment = CurrentProcess.environment
        do {
            if arguments.first == "--version", ArgumentOrder.wantsJSON(arguments, [:]) {
                return try StandardOutput.write(Version.record)
            }
            if let topic = HelpTopic(arguments) { return try StandardOutput.write(exactly: topic.text) }
            if let unknown = UnknownSubcommandError(arguments) { throw unknown }
            if let slip = LoneHyphen(arguments), slip.isDashed {
                throw CommandError.usage("Unknown option '\(slip.typed)'", hint: "did you mean '\(slip.option)'?")
            }
            try SharedOptions.validate(environment)
            var command = try parseAsRoot(arguments)
            try AddressSpaceLimit.check()
            try DescriptorLimit.provide(for: command is ServeCommand ? .service : .command)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            LogWriter.standardError.flush()
        } catch {
            end(with: error, arguments, environment)
        }
    }

    private static func end(with error: any Error, _ arguments: [String], _ environment: [String: String]) -> Never {
        LogWriter.standardError.flush()
        if error is BrokenPipeError { Program.end(0) }
        if let ending = error as? ExitError { Program.end(ending.code) }
        switch exitCode(for: error) {
        case .success where LoneHyphen(arguments) == nil:
            exit(withError: error)  // ArgumentParser's own: help and version
        case .validationFailure, .success:
            Program.end(report(CommandError(usage: error, arguments), arguments, environment))
        default:
            let failure = CommandError(error).advisingSync(arguments, environment).advisingInit(arguments)
                .advisingDatabase(arguments, environment)
            Program.end(report(failure, arguments, environment))
        }
    }

    /// Writes a failure to standard error. Returns the exit code.
    private static func report(_ failure: CommandError, _ arguments: [String], _ environment: [String: String]) -> Int32
    {
        if ArgumentOrder.wantsJSON(arguments, environment) {
            var failure = failure
            // A `QueryProcess` asks so for a page.
            if arguments.contains("--json-errors") { failure.hint = failure.advice?.pageWords }
            StandardError.write(exactly: failure.json.text + "\n")
        } else {
            let choice = ArgumentOrder.lastValue(of: ["--color"], in: arguments).flatMap(ColorChoice.init)
            StandardError.write(failure.text(ANSIStyle(choice ?? .auto, environment, on: STDERR_FILENO)))
        }
        return failure.category.exitCode
    }

    /// Ends the program from another thread while the main one cannot end.
    static func endAtOnce(with error: any Error) -> Never {
        AtomicFile.discardUnfinished()
        Pager.active?.abandon()
        LogWriter.standardError.flush()
        if let ending = error as? ExitError { _exit(ending.code) }
        let arguments = ArgumentOrder.sharedOptionsLast(Array(CommandLine.arguments.dropFirst()))
        _exit(report(CommandError(error), arguments, CurrentProcess.environment))
    }
}

/// The exit of the process, outside of any type that has an `exit` of its own.
private enum Program {
    static func end(_ code: Int32) -> Never { exit(code) }
}

/// Ends the program with a code after all messages have been written.
struct ExitError: Error {
    let code: Int32

    /// Throws the code for the results of several streams, unless all succeeded.
    static func requireSuccess(_ failures: [ErrorCategory?]) throws {
        if let code = SyncSession.code(forFailures: failures) { throw ExitError(code: code) }
    }
}
