import ArgumentParser
import GarnerCatalog
import GarnerImport
import GarnerJSON
import GarnerLibC
import GarnerModel
import GarnerPresentation

/// The options of `init` and `add` for the file of a connector.
struct ImportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take the streams of a connector: an Airbyte manifest. - is standard input.", valueName: "file"),
        completion: .file())
    var from: String?

    @Option(
        name: .customLong("from-format"),
        help: ArgumentHelp("With --from: airbyte or openapi, where the file does not tell.", valueName: "format"))
    var format: ForeignFormat?

    @Option(
        help: ArgumentHelp(
            "With --from: the connector's settings, JSON or YAML. Secrets of it are not written.", valueName: "file"),
        completion: .file())
    var values: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("With --from: one setting, such as subdomain=acme.", valueName: "name=value"))
    var settings: [String] = []

    @Option(help: ArgumentHelp("With --from: the streams to take, with their parents.", valueName: "a,b"))
    var streams: String?

    @Flag(help: "With --from: only report what the streams would be.")
    var dryRun = false

    @Flag(help: "With --from: write nothing, and exit with 65, unless each stream is whole or renamed.")
    var strict = false

    /// Throws if an option stands without --from, or beside what it excludes.
    ///
    /// - Parameter other: what else names the streams; nil for nothing.
    func validate(beside other: String?) throws {
        if from != nil, let other { throw ValidationError("--from does not go with \(other)") }
        guard from == nil else { return }
        let used: [(String, Bool)] = [
            ("--from-format", format != nil), ("--values", values != nil), ("--set", !settings.isEmpty),
            ("--streams", streams != nil), ("--dry-run", dryRun), ("--strict", strict),
        ]
        if let name = used.first(where: \.1)?.0 { throw ValidationError("\(name) needs --from FILE") }
    }
}

extension ForeignFormat: ExpressibleByArgument {}

/// Makes a configuration, or sources of one, of a connector's file.
struct Importing {
    let setup: Setup
    let options: ImportOptions
    /// The path of the connector's file.
    let file: String
    /// The option with the path of the configuration, for advice.
    let option: String?

    /// Writes a new configuration.
    ///
    /// - Parameter database: the database that the file names; nil for the usual one.
    func initialize(_ path: String, database: String?) throws {
        let made = try made(taken: [], besides: [])
        let text = made.text(database: database ?? "garner.db")
        guard try report(made) else { return }
        try requireValid(text, path)
        try AtomicFile.write(text, to: path, replaces: false)
        conclude(made, "Wrote \(path).")
    }

    /// Adds sources to a configuration that is there.
    func add(to path: String, _ configuration: Configuration) throws {
        let made = try made(
            taken: Set(configuration.streams.map(\.name.source)), besides: Set(configuration.streams.map(\.table)))
        var text = ConfigurationText(try Starter.text(of: path))
        for source in made.sources where !text.add(source: source.text) {
            throw CommandError(
                .misconfigured, kind: "configuration",
                message: "the sources of \(path) are not in block style (one key per line), so no source can be added",
                place: path, hint: "write 'sources:' and each source on lines of their own")
        }
        guard try report(made) else { return }
        try requireValid(text.text, path)
        try AtomicFile.write(text.text, to: path)
        conclude(made, "Added \(made.sources.map(\.name).joined(separator: ", ")) to \(path).")
    }

    // MARK: - Reading

    private func made(taken sources: Set<String>, besides streams: Set<String>) throws -> ManifestImport {
        do {
            let document = try ManifestReader.node(of: try text(of: file))
            guard let format = options.format ?? ForeignFormat(of: document) else { throw ForeignFormat.unknown }
            guard format == .airbyte else {
                throw CommandError.usage(
                    "\(file) is an OpenAPI document, which is not read yet",
                    hint: "write the URL of a list: garner init https://api.example.org/v1/items")
            }
            let manifest = try Manifest(document, spec: try specification(beside: document))
            var made = ManifestImport.Options(file: file)
            made.takenSources = sources
            made.takenStreams = streams
            made.streams = options.streams.map {
                $0.split(separator: ",").map { $0.trimmingPrefix { $0 == " " } }.map(String.init)
            }
            made.given = try given()
            try ask(manifest, &made)
            return try ManifestImport(manifest, made)
        } catch let error as ManifestError {
            throw failure(error)
        }
    }

    private func failure(_ error: ManifestError) -> CommandError {
        CommandError(
            .badContent, kind: "import", message: error.problem,
            place: ([file] + (error.line.map { ["\($0)"] } ?? [])).joined(separator: ":"), hint: error.advice)
    }

    private func text(of path: String) throws -> String {
        guard !path.hasPrefix("http://"), !path.hasPrefix("https://") else {
            throw CommandError.usage(
                "--from takes a file, and downloads nothing",
                hint: "curl -L -o manifest.yaml '\(path)', then name manifest.yaml")
        }
        guard path == "-" else { return try Starter.text(of: path) }
        let bytes: [UInt8]
        do {
            bytes = try readBytes(of: STDIN_FILENO, upTo: Configuration.maximumBytes + 1)
        } catch {
            throw CommandError(
                .missing, kind: "missing", message: "cannot read standard input", hint: "name a file with --from")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the document with the settings that older connectors have beside their manifest; nil if it is not needed or not there.
    private func specification(beside document: ManifestNode) throws -> ManifestNode? {
        guard file != "-", document["spec"] == nil else { return nil }
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        for name in ["spec.yaml", "spec.yml", "spec.json"] where access(folder + name, F_OK) == 0 {
            return try ManifestReader.node(of: try Starter.text(of: folder + name))
        }
        return nil
    }

    private func given() throws -> ConnectorSettings.Given {
        var given = ConnectorSettings.Given()
        if let values = options.values {
            let text = try Starter.text(of: values)
            do throws(ManifestError) {
                given.values = try ManifestReader.node(of: text)
            } catch {
                throw CommandError(
                    .badContent, kind: "import", message: error.problem, place: values, hint: error.advice)
            }
        }
        for setting in options.settings {
            guard let equals = setting.firstIndex(of: "="), equals > setting.startIndex else {
                throw CommandError.usage("--set takes a name and a value", hint: "write --set subdomain=acme")
            }
            given.single.append((String(setting[..<equals]), String(setting[equals...].dropFirst())))
        }
        return given
    }

    /// Asks for the settings that are missing, where somebody can answer. No secret is asked for.
    private func ask(_ manifest: Manifest, _ made: inout ManifestImport.Options) throws {
        guard file != "-", !setup.isQuiet, isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return }
        for missing in try ManifestImport.missing(in: manifest, made) {
            let example: DisplayText = missing.example == "…" ? "" : " (such as \(missing.example))"
            StandardError.write("\(missing.title)\(example): ")
            guard let answer = readLine(), !answer.isEmpty else { return }
            made.given.single.append((missing.name, answer))
        }
    }

    // MARK: - Telling

    /// Tells what became of the streams. Returns false if nothing is to be written.
    private func report(_ made: ManifestImport) throws -> Bool {
        if setup.chosenFormat == .json {
            try StandardOutput.write(made.report.json)
        } else if !setup.isQuiet {
            let lines: [DisplayText] = made.report.lines.map { "\($0)\n" }
            try StandardOutput.write(lines.joined())
        }
        if options.strict, !made.report.isWhole { throw ExitError(code: ErrorCategory.badContent.exitCode) }
        if options.dryRun { return false }
        guard made.report.hasStreams else {
            throw CommandError(
                .badContent, kind: "import", message: "no stream of \(file) can be written, so nothing was",
                place: file,
                hint: "see the reasons above, and docs/connectors.md for what to write by hand")
        }
        return true
    }

    /// Checks the text as `garner check` does. One that is refused is a defect of the import.
    private func requireValid(_ text: String, _ path: String) throws {
        do {
            _ = try Configuration(parsing: text, file: path, environment: setup.environment, needsSecrets: false)
        } catch {
            let failure = CommandError(error)
            throw CommandError(
                .bug, kind: "import",
                message:
                    "the configuration that garner made would be refused, so it was not written: \(failure.message)",
                place: failure.place, hint: "this is a bug in Garner; please report it with the connector's file")
        }
    }

    private func conclude(_ made: ManifestImport, _ done: String) {
        guard !setup.isQuiet else { return }
        let option = option.map { " --config \($0)" } ?? ""
        let exports = made.report.secrets.filter { setup.environment[$0.variable, default: ""].isEmpty }
        let lines: [DisplayText] =
            exports.map { "  export \($0.variable)=…   # \($0.title)\n" }
            + ["  garner check --connect\(option)\n", "  garner sync\(option)\n"]
        StandardError.write("\(done) Look at the report and the comments, then:\n\(lines.joined())")
    }
}
