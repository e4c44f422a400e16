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
        help: ArgumentHelp(
            "List what could be streams of an OpenAPI document; with --streams, take them. - is standard input.",
            valueName: "file"),
        completion: .file())
    var openapi: String?

    @Option(
        name: .customLong("from-format"),
        help: ArgumentHelp("With --from: airbyte or openapi, where the file does not tell.", valueName: "format"))
    var format: ForeignFormat?

    @Option(
        help: ArgumentHelp(
            "With a file: the connector's settings, JSON or YAML. Secrets of it are not written.", valueName: "file"),
        completion: .file())
    var values: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("With a file: one setting, such as subdomain=acme.", valueName: "name=value"))
    var settings: [String] = []

    @Option(help: ArgumentHelp("With a file: the streams to take, with their parents.", valueName: "a,b"))
    var streams: String?

    @Flag(help: "With a file: only report what the streams would be.")
    var dryRun = false

    @Flag(help: "With --from: write nothing, and exit with 65, unless each stream is whole or renamed.")
    var strict = false

    /// The path of the connector's file; nil for none.
    var file: String? { from ?? openapi }

    /// True if nothing is written, whatever the file holds.
    var onlyReports: Bool { dryRun || from == nil && openapi != nil && streams == nil }

    /// The option that names the file, for advice.
    var option: String { from == nil ? "--openapi" : "--from" }

    /// Throws if an option stands without a file, or beside what it excludes.
    ///
    /// - Parameter other: what else names the streams; nil for nothing.
    func validate(beside other: String?) throws {
        if file != nil, let other { throw ValidationError("\(option) does not go with \(other)") }
        if openapi != nil {
            if from != nil { throw ValidationError("--openapi does not go with --from") }
            if format != nil { throw ValidationError("--openapi does not go with --from-format") }
        }
        guard file == nil else { return }
        let used: [(String, Bool)] = [
            ("--from-format", format != nil), ("--values", values != nil), ("--set", !settings.isEmpty),
            ("--streams", streams != nil), ("--dry-run", dryRun), ("--strict", strict),
        ]
        if let name = used.first(where: \.1)?.0 { throw ValidationError("\(name) needs --from FILE or --openapi FILE") }
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
    /// - Parameters:
    ///   - database: the database that the file names; nil for the usual one.
    ///   - replaces: true if there is a file that may be replaced.
    func initialize(_ path: String, database: String?, replaces: Bool) throws {
        let made = try made(beside: nil)
        let text = made.text(database: database ?? "garner.db")
        guard try report(made) else { return }
        try requireValid(text, path)
        try AtomicFile.write(text, to: path, replaces: replaces)
        conclude(made, "Wrote \(path).")
    }

    func add(to path: String, _ configuration: Configuration) throws {
        let made = try made(beside: configuration)
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
        let names = made.sources.map(\.name)
        let kind = names.count == 1 ? "a source of its own" : "sources of their own"
        conclude(made, "Added \(names.joined(separator: ", ")) to \(path), as \(kind).")
    }

    // MARK: - Reading

    /// - Parameter configuration: the one to which sources are added; nil for a new one.
    private func made(beside configuration: Configuration?) throws -> any ConnectorImport {
        do {
            let document = try ManifestReader.node(of: try text(of: file))
            let named = options.openapi == nil ? options.format : .openapi
            guard let format = named ?? ForeignFormat(of: document) else {
                let records = ForeignFormat.other(document) == nil ? OtherWords.advice(onRecordsIn: file) : nil
                throw failure(ForeignFormat.unknown(document), hint: records)
            }
            var made = ManifestImport.Options(file: file)
            made.now = setup.now()
            let streams = configuration?.streams ?? []
            made.takenSources = Set(streams.map(\.name.source))
            made.takenStreams = Set(streams.map(\.table))
            made.present = streams.map {
                ManifestImport.PresentStream(
                    source: $0.name.source, name: $0.name.stream, base: $0.request.baseURL,
                    path: $0.request.path)
            }
            made.streams = options.streams.map {
                $0.split(separator: ",").map { $0.trimmingPrefix { $0 == " " } }.map(String.init)
            }
            made.given = try given()
            switch format {
            case .airbyte:
                let manifest = try Manifest(document, spec: try specification(beside: document))
                try ask(&made) { try ManifestImport.missing(in: manifest, $0) }
                return try ManifestImport(manifest, made)
            case .openapi:
                if options.strict {
                    throw CommandError.usage(
                        "--strict is for manifests: no OpenAPI document says whether a stream is whole",
                        hint: "leave it out, and run garner check --connect on the file that is written")
                }
                try ask(&made) { try OpenAPIImport.missing(in: document, $0) }
                return try OpenAPIImport(document, made)
            }
        } catch let error as ManifestError {
            throw failure(error)
        }
    }

    private func failure(_ error: ManifestError, hint: String? = nil) -> CommandError {
        CommandError(
            .badContent, kind: "import", message: error.problem,
            place: ([file] + (error.line.map { ["\($0)"] } ?? [])).joined(separator: ":"), hint: hint ?? error.advice)
    }

    private func text(of path: String) throws -> String {
        guard !path.hasPrefix("http://"), !path.hasPrefix("https://") else {
            let name = options.openapi == nil ? "manifest.yaml" : "openapi.yaml"
            // Git hosts show a page of HTML at the one address, and have the file at the other.
            let url = path.replacing("/blob/", with: "/raw/", maxReplacements: 1)
            throw CommandError.usage(
                "\(options.option) takes a file, and downloads nothing",
                hint: "curl -L -o \(name) '\(url)', then name \(name)")
        }
        guard path == "-" else { return try fileText(path) }
        let bytes: [UInt8]
        do {
            bytes = try readBytes(of: STDIN_FILENO, upTo: Configuration.maximumBytes + 1)
        } catch {
            throw CommandError(
                .missing, kind: "missing", message: "cannot read standard input",
                hint: "name a file with \(options.option)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text of a file that an option names, which is no pipe or device: such a one may never end.
    private func fileText(_ path: String) throws -> String {
        var status = stat()
        let message: String
        let hint: String
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            (message, hint) = ("\(path) is a folder", "name the file in it, such as manifest.yaml")
        } else {
            do throws(TextFile.ReadError) {
                return try TextFile(path: path, maximumBytes: Configuration.maximumBytes, isOnDisk: true).text
            } catch {
                switch error {
                case .missing:
                    message = "there is no file \(path)"
                    hint = "look at the path, which begins in the current folder"
                case .unreadable(let reason):
                    message = "cannot read \(path): \(reason)"
                    hint = path == file ? "name a file, or '\(options.option) -' for standard input" : "name a file"
                }
            }
        }
        throw CommandError(.missing, kind: "missing", message: message, place: path, hint: hint)
    }

    /// Returns the document with the settings that older connectors have beside their manifest; nil if it is not needed or not there.
    private func specification(beside document: ManifestNode) throws -> ManifestNode? {
        guard file != "-", document["spec"] == nil else { return nil }
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        for name in ["spec.yaml", "spec.yml", "spec.json"] where access(folder + name, F_OK) == 0 {
            return try ManifestReader.node(of: try fileText(folder + name))
        }
        return nil
    }

    private func given() throws -> ConnectorSettings.Given {
        var given = ConnectorSettings.Given()
        if let values = options.values {
            let text = try fileText(values)
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
    private func ask(
        _ made: inout ManifestImport.Options,
        missing: (ManifestImport.Options) throws -> [ConnectorSettings.Missing]
    ) throws {
        guard file != "-", !setup.isQuiet, isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return }
        for missing in try missing(made) {
            let example: DisplayText = missing.example == "…" ? "" : " (such as \(missing.example))"
            StandardError.write("\(missing.title)\(example): ")
            guard let answer = readLine(), !answer.isEmpty else { return }
            made.given.single.append((missing.name, answer))
        }
    }

    // MARK: - Telling

    /// Tells what became of the streams. Returns false if nothing is to be written.
    private func report(_ made: any ConnectorImport) throws -> Bool {
        for name in made.shownSecrets {
            StandardError.warn(
                "\(name) is a secret of the connector and is written as it is, since --set gave it",
                try: "give it with --values, which keeps it out of the file")
        }
        if setup.chosenFormat == .json {
            try StandardOutput.write(made.json)
        } else if !setup.isQuiet {
            let lines: [DisplayText] = made.lines.map { "\($0)\n" }
            try StandardOutput.write(lines.joined())
        }
        if options.strict, !made.isWhole {
            let lost: DisplayText = made.lostCount == 1 ? "1 stream is" : "\(made.lostCount) streams are"
            StandardError.write("Error: nothing was written, since \(lost) neither whole nor renamed (--strict)\n")
            throw ExitError(code: ErrorCategory.badContent.exitCode)
        }
        if options.dryRun || made.isList { return false }
        guard made.hasStreams else {
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

    /// Warns of variables that are set already: the connector's file decides to whom they go.
    private func warn(of made: any ConnectorImport) {
        for secret in made.secrets where !setup.environment[secret.variable, default: ""].isEmpty {
            var hosts: [String] = []
            for source in made.sources where source.text.contains("${\(secret.variable)}") {
                for line in source.text.split(separator: "\n")
                where !line.trimmingPrefix(while: { $0 == " " }).hasPrefix("#") {
                    for match in line.matches(of: /https?:\/\/([^\/"'\s{}]+)/) where !hosts.contains(String(match.1)) {
                        hosts.append(String(match.1))
                    }
                }
            }
            let names = hosts.isEmpty ? "the API" : hosts.joined(separator: ", ")
            StandardError.warn(
                "\(secret.variable) is set already, and will be sent to \(names): see that it is meant")
        }
    }

    private func conclude(_ made: any ConnectorImport, _ done: String) {
        warn(of: made)
        guard !setup.isQuiet else { return }
        let option = option.map { " --config \($0)" } ?? ""
        let exports = made.secrets.filter { setup.environment[$0.variable, default: ""].isEmpty }
        let lines: [DisplayText] =
            exports.map { "  export \($0.variable)=…   # \($0.title)\n" }
            + ["  garner check --connect\(option)\n", "  garner sync\(option)\n"]
        StandardError.write("\(done) Look at the report and the comments, then:\n\(lines.joined())")
    }
}
