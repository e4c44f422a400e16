import ArgumentParser
import Persistence
import Sync

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a table as CSV, TSV, JSON or NDJSON.",
        discussion: """
            CSV follows RFC 4180 with LF: NULL is nothing, the empty text is "".
            A file appears whole or not at all.

              garner export animals > animals.csv
              garner export animals -f ndjson -o animals.ndjson
              garner export animals --attachments pictures
            """)

    @Argument(help: "The table.")
    var table: String

    @Option(name: .shortAndLong, help: ArgumentHelp("A file, instead of standard output.", valueName: "file"))
    var output: String?

    @Option(
        help: ArgumentHelp("Write the files that the records point to there, instead of the rows.", valueName: "folder")
    )
    var attachments: String?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if attachments != nil, output != nil { throw ValidationError("--attachments and -o exclude each other") }
    }

    func run() throws {
        let setup = Setup(shared)
        if let attachments { return try write(filesTo: attachments, setup) }
        let format = try rowFormat(setup)
        let archive = try setup.archive()
        let statement = try archive.statement(for: RowRequest(table: table))
        guard let output, output != "-" else {
            try archive.write(statement, as: format, to: StandardOutput.write)
            return
        }
        let signals = Signals { _ in }
        defer { signals.stop() }
        try AtomicFile.write(to: output) { file in
            try archive.write(statement, as: format) { bytes in
                if let signal = signals.first { throw Ending(code: 128 + signal) }
                try file(bytes)
            }
        }
    }

    private func write(filesTo folder: String, _ setup: Setup) throws {
        let signals = Signals { _ in }
        defer { signals.stop() }
        let count = try AttachmentFolder(path: folder).write(filesOf: table, from: setup.archive()) {
            if let signal = signals.first { throw Ending(code: 128 + signal) }
        }
        guard !shared.quiet else { return }
        StandardError.write("\(count) \(count == 1 ? "file" : "files") in \(folder)\n")
    }

    private func rowFormat(_ setup: Setup) throws -> RowFormat {
        guard let chosen = setup.chosenFormat else { return .csv }
        guard let format = RowFormat(rawValue: chosen.rawValue) else {
            // What the environment says is meant for other commands too.
            guard shared.format != nil else { return .csv }
            throw Failure(
                code: ExitCode.usage, kind: "usage", message: "a table cannot be exported as \(chosen.rawValue)",
                hint: "choose one of: \(RowFormat.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return format
    }
}
