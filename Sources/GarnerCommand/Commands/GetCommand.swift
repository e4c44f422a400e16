import ArgumentParser
import GarnerModel
import GarnerMaintenance
import GarnerPersistence
import GarnerPresentation
import GarnerSync

struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Show one record with all its fields and files.",
        discussion: """
            If the key has several columns, write one value for each, in the key's order.

              garner get animals 7
              garner get animals 7 --json
              garner get animals 7 --attachment image_link -o whale.svg
              garner get animals 7 --history
            """)

    @Argument(help: "The table.", completion: .tables)
    var table: String

    @Argument(help: "The record's key.")
    var key: [String]

    @Option(help: ArgumentHelp("Write the file that this field refers to, instead of the record.", valueName: "field"))
    var attachment: String?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Where to write the file; - for standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Show all versions of the record instead, oldest first.")
    var history = false

    @OptionGroup var time: TimeoutOption
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if output != nil, attachment == nil { throw ValidationError("-o needs --attachment FIELD") }
        if history, attachment != nil { throw ValidationError("--history and --attachment exclude each other") }
        if attachment != nil, output == nil { throw ValidationError("--attachment needs -o FILE, or -o -") }
    }

    func run() throws {
        let setup = Setup(shared)
        let reader = try setup.reader()
        if history {
            return try setup.paging {
                try RowOutput(setup: setup).write(reader.versions(in: table, key: key))
            }
        }
        let place = try reader.place(in: table, key: key)
        let attachments = try reader.attachments(of: place)
        if let attachment, let output {
            let digest = try Self.digest(of: attachment, among: attachments)
            let content = try reader.content(ofFile: digest)
            if output == "-" { return try content.withUnsafeBytes(StandardOutput.write) }
            try OwnFiles(of: reader, configuration: setup.knownConfiguration).refuse(output, for: "the file")
            return try AtomicFile.write(to: output) { write in try content.withUnsafeBytes(write) }
        }
        // A column that the table's owner has added may be computed, which may take long.
        let query = GuardedQuery(setup: setup, timeout: try time.duration(otherwise: .seconds(60)))
        try setup.paging {
            try query.run(on: reader, isOurs: true) { queryGuard in
                try RecordOutput(setup: setup, reader: reader, queryGuard: queryGuard)
                    .write(place, attachments)
            }
        }
        if let deletedAt = try reader.deletionTime(of: place) {
            StandardError.write("This record was deleted at the source; its row is marked since \(deletedAt).\n")
        }
    }

    private static func digest(of field: String, among attachments: [StoredAttachment]) throws -> String {
        let found = attachments.first { $0.field == field }
        if let digest = found?.sha256 { return digest }
        let names = attachments.filter { $0.sha256 != nil }.map(\.field)
        let others =
            names.isEmpty
            ? "this record has none; write attachments: [ { field: photo } ] in the stream, with the field that holds the URL, and "
                + "sync again" : "this record has: \(names.joined(separator: ", "))"
        throw CommandError(
            .usage, kind: "no_attachment", message: "no file of the field '\(field)' is stored",
            hint: found?.error.map { "it could not be fetched: \($0)" } ?? others)
    }
}
