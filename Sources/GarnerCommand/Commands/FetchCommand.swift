import ArgumentParser
import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import GarnerMaintenance
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerRuntime
import GarnerSync
import GarnerTasks

struct FetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Fetch one document of any type, checked as a page is.",
        discussion: """
            This command checks the status, the media type and the length. It follows
            redirects and tries again as a sync does. It writes a document only when the
            whole of it has arrived, and needs no configuration unless you use --auth.

              garner fetch https://example.org/ --accept text/html
              garner fetch https://example.org/report.pdf -o report.pdf
              garner fetch https://api.example.org/items --head
              garner fetch /animals/7 --auth animals    # as the stream's requests
            """)

    @Argument(help: "The URL. With --auth, it may be a path that follows the stream's base_url.")
    var url: String

    @Option(
        help: ArgumentHelp(
            "Accept only this media type, such as text/html or 'image/*'. Repeat it for more. The default is any.",
            valueName: "type"))
    var accept: [String] = []

    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp("Send this header, such as 'API-Version: 2'.", valueName: "name: value"))
    var headers: [String] = []

    @Option(
        name: .customLong("auth"),
        help: ArgumentHelp(
            "Send the credentials and headers of this stream, and use its limits. The URL must be of its origin.",
            valueName: "stream"), completion: .streams)
    var stream: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write to this file, of any size and for any time. The default is standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Show the status and the headers instead of the document.")
    var head = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if head, output != nil { throw ValidationError("--head and -o exclude each other") }
    }

    func run() async throws {
        let setup = Setup(shared)
        let configuration = stream == nil ? nil : try setup.configuration()
        let request = try request(
            configuration, beside: (try? setup.configuration(needsSecrets: false))?.streams ?? [])
        let file = output == "-" ? nil : output
        if let file { try Self.refuseOwnFiles(file, setup) }
        let (interruption, interrupt) = AsyncStream.makeStream(of: Void.self)
        let signals = Signals { _ in interrupt.finish() }
        defer { signals.stop() }
        do {
            // A program that cron starts would try a wrong password each time.
            let answer = try await setup.context.withTransports(of: configuration, heedsRefusedLogins: true) {
                transports in
                let fetcher = try DocumentFetcher(request, over: transports, timing: setup.timing)
                return try await race({ try await Self.fetch(fetcher, head: head, file: file) }) {
                    for await _ in interruption {}
                    throw CancellationError()
                }
            }
            try show(answer, setup)
        } catch let error as FetchError where stream == nil {
            // There is no stream whose keys could be set.
            var failure = CommandError(error)
            failure.hint = error.documentHint
            failure.stream = nil
            throw failure
        } catch is CancellationError {
            if let signal = signals.first { throw ExitError(code: 128 + signal) }
            throw CancellationError()
        }
    }

    /// Throws if the file is the configuration or a part of the database.
    private static func refuseOwnFiles(_ file: String, _ setup: Setup) throws {
        guard let database = try? setup.databasePath() else { return }
        try OwnFiles(of: database, configuration: setup.knownConfiguration).refuse(file, for: "the document")
    }

    private enum Answer: Sendable {
        case document(FetchedDocument)
        case file(DownloadedDocument, String)
        case head(FetchedHead?, (any Error)?)
    }

    private static func fetch(_ fetcher: DocumentFetcher, head: Bool, file: String?) async throws -> Answer {
        if head {
            let (head, error) = await fetcher.head()
            return .head(head, error)
        }
        guard let file else { return .document(try await fetcher.document()) }
        return .file(try await fetcher.download(to: file), file)
    }

    private func show(_ answer: Answer, _ setup: Setup) throws {
        switch answer {
        case .document(let document): try document.bytes.withUnsafeBytes(StandardOutput.write)
        case .file(let document, let file):
            guard !setup.isQuiet else { return }
            StandardError.write("\(document.bytes.counted("byte")) in \(file)\n")
        case .head(let head, let error):
            if let head { try show(head, setup) }
            if let error { throw error }
        }
    }

    private func show(_ head: FetchedHead, _ setup: Setup) throws {
        guard !setup.format.isJSON else {
            let fields = head.fields.map { field in
                JSONText.object([("name", .string(field.name)), ("value", .string(field.value))])
            }
            return try StandardOutput.write(
                .object([
                    ("url", .string(head.url)), ("status", .integer(Int64(head.status))), ("headers", .array(fields)),
                ]))
        }
        let fields: [DisplayText] = head.fields.map { "\($0.name): \($0.value)\n" }
        try StandardOutput.write("HTTP \(head.status)\n\(fields.joined())")
    }
}

// The request that the options describe.
extension FetchCommand {
    /// - Parameter streams: Those of the file, if there is one.
    private func request(
        _ configuration: Configuration?, beside streams: @autoclosure () -> [StreamConfiguration]
    ) throws -> DocumentRequest {
        var request: DocumentRequest
        if let stream, let configuration {
            request = try Self.request(url, as: stream, configuration)
        } else {
            guard WebAddress(url) != nil else {
                throw CommandError.usage(
                    "'\(url)' is no http or https URL without user and password",
                    hint: Self.line(url, streams()) ?? OtherWords.advice(onAddress: url, for: "fetch")
                        ?? "write garner fetch https://example.org/, and credentials with -H or --auth")
            }
            request = DocumentRequest(url: url)
        }
        for header in headers {
            guard let (name, value) = Self.header(header) else {
                // The message does not repeat the value, since it may hold a secret.
                throw CommandError.usage(
                    "-H takes a name and a value", hint: "write -H 'Name: value', with a colon between them")
            }
            request.setHeader(name, value, isSecret: SensitiveName.isHeader(name))
        }
        request.acceptedMediaTypes = accept.isEmpty ? ["*/*"] : accept
        request.hideParameters()
        if output != nil, output != "-" { request.liftLimits() }
        return request
    }

    private static func request(
        _ url: String, as name: String, _ configuration: Configuration
    ) throws -> DocumentRequest {
        let streams = try configuration.streams(matching: [name])
        guard streams.count == 1, let stream = streams.first else {
            throw CommandError.usage("--auth takes one stream", hint: "write the name of one of them")
        }
        guard let base = WebAddress(stream.request.baseURL),
            let address = WebAddress(url) ?? (url.contains("//") ? nil : base.appending(url))
        else {
            throw CommandError.usage(
                "'\(url)' is no URL", hint: "write an absolute URL, or a path that follows base_url")
        }
        guard address.hasOrigin(of: base) else {
            throw CommandError.usage(
                "\(address.origin) is not the origin of \(stream.name), and its credentials go nowhere else",
                hint: "leave --auth out, or name a stream of that origin")
        }
        return DocumentRequest(url: "\(address)", as: stream)
    }

    /// Returns the line that asks the server of a stream for a path, or for what the stream itself asks for; nil for other texts.
    private static func line(_ text: String, _ streams: [StreamConfiguration]) -> String? {
        let named = streams.first { [$0.name.description, $0.name.stream].contains(text) }
        let path = named?.request.path ?? text
        // A host without its scheme, and a file, are no paths.
        let isPath = path.contains("/") && !path.contains("//") && !FileCreation.exists(path)
        guard named != nil || isPath && NearURL.meant(by: path) == nil, ShellText.isPlain(path) else { return nil }
        func shared(_ stream: StreamConfiguration) -> Int {
            zip(stream.request.path.drop { $0 == "/" }, path.drop { $0 == "/" }).prefix { $0 == $1 }.count
        }
        let stream = named ?? streams.max { shared($0) < shared($1) }
        return stream.map { "write garner fetch \(path) --auth \($0.name)" }
    }

    private static func header(_ text: String) -> (name: String, value: String)? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let name = text[..<colon]
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else { return nil }
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        return (String(name), String(value))
    }
}
