import ArgumentParser
import Foundation
import Sync

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The command line.
@main
struct Garner: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "garner",
        abstract: "Keeps a SQLite database in step with JSON APIs.",
        discussion: """
            Try it offline:        garner demo
            Your own API:          garner init https://api.example.org/ && garner sync
            Look at the data:      garner tables; garner rows TABLE; garner query SQL
            Keep it in step:       garner serve
            """,
        version: Version.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Start here",
                subcommands: [DemoCommand.self, InitCommand.self, SyncCommand.self, CheckCommand.self]),
            CommandGroup(
                name: "Look at the data",
                subcommands: [
                    TablesCommand.self, SchemaCommand.self, RowsCommand.self, QueryCommand.self, ExportCommand.self,
                ]),
            CommandGroup(
                name: "Operate",
                subcommands: [
                    ServeCommand.self, ScheduleCommand.self, StatusCommand.self, RunsCommand.self, ConfigCommand.self,
                    CompletionsCommand.self,
                ]),
        ])

    static func main() async {
        // A reader that goes away ends a command silently: by an error from write(2), not by a signal.
        signal(SIGPIPE, SIG_IGN)
        let arguments = ArgumentOrder.sharedOptionsLast(Array(CommandLine.arguments.dropFirst()))
        do {
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error, arguments)
        }
    }

    private static func end(with error: any Error, _ arguments: [String]) -> Never {
        if error is BrokenPipe { Program.end(0) }
        if let ending = error as? Ending { Program.end(ending.code) }
        let failure: Failure
        switch exitCode(for: error) {
        case .success: exit(withError: error)  // ArgumentParser's own: help and version
        case .validationFailure:
            failure = UnknownSubcommand(arguments).map { Failure($0) } ?? Failure(usage: error)
        default: failure = Failure(error)
        }
        failure.report(asJSON: ArgumentOrder.wantsJSON(arguments, ProcessInfo.processInfo.environment))
        Program.end(failure.code)
    }
}

/// The process, outside of any type that has an `exit` of its own.
private enum Program {
    static func end(_ code: Int32) -> Never { exit(code) }
}

/// Ends the program with a code after everything has been said.
struct Ending: Error {
    let code: Int32
}
