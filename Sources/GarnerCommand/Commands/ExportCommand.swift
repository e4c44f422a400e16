import ArgumentParser
import GarnerDatabase
import GarnerModel
import GarnerMaintenance
import GarnerPersistence
import GarnerPresentation
import GarnerSync

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a table, a view or a query as \(RowFormat.titlesOfFiles).",
        discussion: """
            CSV follows RFC 4180 with LF line ends. NULL is an empty field; an empty text
            is "". In TSV, NULL and an empty text are both empty fields. All rows come
            from one moment, even while a sync runs. A file appears only when it is
            complete. --excel-safe puts a ' before each text that a spreadsheet would read
            as a formula.

            The name of the file sets the format: \(RowFormat.endingsOfFiles).
            Add .gz to compress it. Garner replaces an earlier export. It replaces any
            other file only with --force.

              garner export animals > animals.csv
              garner export animals -o animals.ndjson
              garner export animals --where 'weight_max > 5' -o heavy.csv.gz
              garner export animals --excel-safe --crlf --bom -o animals.csv
              garner export --sql 'SELECT diet, count(*) FROM animals GROUP BY 1'
              garner export animals --as-of 1 -o before.csv    # after the first run
              garner export animals --attachments pictures
            """)

    enum Compression: String, ExpressibleByArgument, CaseIterable {
        case gzip
    }

    @Argument(help: "The table or view.", completion: .tablesAndViews)
    var table: String?

    @Option(help: ArgumentHelp("One statement that selects the rows, instead of a table or view.", valueName: "sql"))
    var sql: String?

    @OptionGroup var selection: RowOptions

    @Option(help: ArgumentHelp("Write at most this many rows.", valueName: "n"))
    var limit: Int?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Write to this file instead of standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Replace the file even if it is not an earlier export.")
    var force = false

    @Option(help: "Compress the output.")
    var compress: Compression?

    @Flag(help: "CSV and TSV: put a ' before texts that start like a formula and are not numbers.")
    var excelSafe = false

    @Flag(name: .customLong("crlf"), help: "CSV and TSV: end lines with CR LF.")
    var endsLinesWithCRLF = false

    @Flag(name: .customLong("bom"), help: "CSV and TSV: start with a byte order mark.")
    var beginsWithMark = false

    @Option(
        help: ArgumentHelp("Write the records' files into this folder, instead of the rows.", valueName: "folder"))
    var attachments: String?

    @OptionGroup var moment: AsOfOption
    @OptionGroup var time: TimeoutOption
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if (table == nil) == (sql == nil) { throw ValidationError("Give either a table or --sql") }
        if sql != nil, selection.areGiven || limit != nil {
            throw ValidationError(
                "--where, --order, --columns, --deleted and --limit are for tables; write them into --sql")
        }
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative") }
        guard attachments != nil else { return }
        if output != nil { throw ValidationError("--attachments and -o exclude each other") }
        if sql != nil || selection.areGiven || moment.asOf != nil || limit != nil || compress != nil
            || style != DelimitedStyle()
        {
            throw ValidationError("--attachments writes all files of a table, as they are")
        }
    }

    func run() throws {
        let setup = Setup(shared)
        if let attachments, let table { return try write(filesOf: table, to: attachments, setup) }
        let file = output.flatMap { $0 == "-" ? nil : ExportFile(path: $0) }
        let reader = try setup.reader()
        if let text = sql ?? selection.condition {
            RowOptions.warnOfSlips(in: text, on: sql == nil ? table : nil, reader)
        }
        if let file {
            try OwnFiles(of: reader, configuration: setup.knownConfiguration).refuse(file.path, for: "the rows")
        }
        let format = try rowFormat(setup, file)
        try file?.refuseFolder(for: table ?? "rows", as: format)
        let query = GuardedQuery(setup: setup, timeout: try time.duration(otherwise: nil))
        let isOurs = try sql == nil && selection.haveNoSQL && reader.view(table ?? "") == nil
        var deleted = 0
        try moment.viewing(reader, setup) {
            try query.run(on: reader, isOurs: isOurs) { queryGuard in
                if sql == nil { deleted = try reader.rowsLeftOut(by: request) }
                let rows = try rows(of: reader)
                guard let file else {
                    _ = try write(rows, as: format, isCompressed: compress != nil) { bytes in
                        try queryGuard.pausing { try StandardOutput.write(bytes) }
                    }
                    return
                }
                if !force { try file.refuseOther(than: format, with: rows.columns) }
                var count = 0
                try AtomicFile.write(to: file.path) {
                    count = try write(
                        rows, as: format, isCompressed: compress != nil || file.isCompressed, to: $0)
                }
                let other = try? file.format()
                let note =
                    other == nil || other == format
                    ? "" : ", as \(format.rawValue), although its name says another format"
                if !setup.isQuiet { StandardError.write("\(count.counted("row")) in \(file.path)\(note)\n") }
            }
        }
        DeletedOption.tell(leftOut: deleted)
    }

    private func rows(of reader: ReadOnlyDatabase) throws -> RowCursor {
        if let sql { return try reader.rows(sql) }
        return try reader.rows(for: request)
    }

    private var request: RowRequest { selection.request(of: table ?? "", limit: limit) }

    private func write(
        _ rows: RowCursor, as format: RowFormat, isCompressed: Bool,
        to write: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int {
        guard isCompressed else { return try rows.write(as: format, style: style, to: write) }
        let gzip = try GzipWriter(write)
        let count = try rows.write(as: format, style: style) { try gzip.append($0) }
        try gzip.finish()
        return count
    }

    private var style: DelimitedStyle {
        var style = DelimitedStyle()
        style.isExcelSafe = excelSafe
        style.endsLinesWithCRLF = endsLinesWithCRLF
        style.beginsWithMark = beginsWithMark
        return style
    }

    private func write(filesOf table: String, to folder: String, _ setup: Setup) throws {
        let signals = Signals { _ in }
        defer { signals.stop() }
        let count = try AttachmentFolder(path: folder).write(filesOf: table, from: setup.reader()) {
            if let signal = signals.first { throw ExitError(code: 128 + signal) }
        }
        guard !shared.quiet else { return }
        let why =
            count == 0
            ? ": no record of \(table) has a file that was stored; 'attachments' of its stream says which are" : ""
        StandardError.write("\(count.counted("file")) in \(folder)\(why)\n")
    }

    private func rowFormat(_ setup: Setup, _ file: ExportFile?) throws -> RowFormat {
        // The file's name precedes the environment, which applies to all commands.
        let named = shared.common.format == nil && !shared.json ? try file?.format() : nil
        let format = try named ?? chosenFormat(setup)
        guard format.isDelimited || style == DelimitedStyle() else {
            let fitting = RowFormat.allCases.filter(\.isDelimited).map { "-f \($0.rawValue)" }
            throw CommandError.usage(
                "--excel-safe, --crlf and --bom do not fit \(format.rawValue)",
                hint: "leave them out, or choose \(fitting.joined(separator: " or "))")
        }
        return format
    }

    private func chosenFormat(_ setup: Setup) throws -> RowFormat {
        guard let chosen = setup.chosenFormat else { return .csv }
        guard RowFormat.ofFiles.contains(chosen) else {
            // The environment applies to other commands too, so its format is no error here.
            guard shared.common.format != nil else { return .csv }
            throw CommandError.usage(
                "a table cannot be exported as \(chosen.rawValue)",
                hint: "choose one of: \(RowFormat.ofFiles.map(\.rawValue).joined(separator: ", "))")
        }
        return chosen
    }
}
