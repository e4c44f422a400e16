import GarnerCatalog
import GarnerFetcher
import GarnerModel
import GarnerPresentation
import GarnerRuntime
import GarnerSync

/// The files and messages of `garner init` and `garner add`.
struct Starter {
    let address: StarterAddress
    let request: StarterRequest
    /// The answers of the API; nil if it was not requested.
    let probe: EndpointProbe?
    /// The database that the file names; nil for the usual one.
    var database: String?

    /// Detects the layout of a collection from its URL and first page.
    ///
    /// - Parameters:
    ///   - text: The text of the file, from which the stream is read.
    ///   - configuration: The configuration with the other settings for requests.
    static func probing(
        _ address: StarterAddress, _ request: StarterRequest, as stream: StreamConfiguration,
        _ configuration: Configuration, with setup: Setup
    ) async throws -> Starter {
        do {
            let probe = try await setup.context.withTransports(of: configuration) { transports in
                try await EndpointProbe(
                    of: address, as: stream, over: transports.access(to: stream, timing: setup.timing))
            }
            return Starter(address: probe.address, request: request, probe: probe)
        } catch {
            var failure = CommandError(error)
            let without = "add --offline to write the file without asking the API"
            let advice =
                (error as? FetchError).flatMap { Self.advice(on: $0, to: request) }
                ?? failure.hint?.replacing(
                    "headers: { Accept: application/json }", with: "-H 'Accept: application/json'"
                )
                .replacing("params: { format: json }", with: "--param format=json")
            failure.hint = advice.map { "\($0); or \(without)" } ?? without
            throw failure
        }
    }

    private static func advice(on error: FetchError, to request: StarterRequest) -> String? {
        if error.wantsCredentials {
            return advice(for: request) + (error.request?.schemes.first.map { "; the server asks for \($0)" } ?? "")
        }
        if let method = error.otherMethod { return "add -X \(method), which the server takes here" }
        guard case .status(404, _) = error.kind, let name = error.url?.firstMatch(of: /(?:%7B|\/:)(\w+)/)?.1 else {
            return nil
        }
        return "write a value in the place of '\(name)', which stands for one in the documentation"
    }

    private static func advice(for request: StarterRequest) -> String {
        if request.authentication == .session {
            return "write the login in the file: its path, its fields and the place of the token are guesses"
        }
        return request.authentication == nil && request.headers.isEmpty
            ? "add what proves who asks: --auth bearer, --auth basic, -H 'X-API-Key: ${API_KEY}' or --param key='${API_KEY}'"
            : "check \(request.variableNames.isEmpty ? "what is sent" : "the value of \(request.variableNames.joined(separator: ", "))")"
                + " and that the account may read this"
    }

    var file: StarterFile { StarterFile(of: address, request: request, findings: probe?.findings, database: database) }

    var doubts: [String] {
        let parent = address.parent.map { parent in
            "parent: \(parent.record) \(parent.isCertain ? "is" : "may be") a record of '\(parent.stream)'"
                + (parent.isCertain
                    ? ", so that these of all its records are read" : "; uncomment the lines that read all of them")
        }
        return request.remarks + address.query.remarks + [parent].compactMap(\.self) + (probe?.doubts ?? [])
    }

    /// Returns the commands that set the missing variables of the file.
    ///
    /// - Parameter environment: The variables that are set.
    func exports(besides environment: [String: String]) -> [String] {
        let isMissing = { (name: String) in environment[name, default: ""].isEmpty }
        return address.query.secrets.filter { isMissing($0.variable) }.map {
            "export \($0.variable)=…   # the '\($0.name)' of the URL, which is not written down"
        }
            + request.variables.filter { isMissing($0.name) }.map {
                let scheme = $0.name.hasSuffix("_AUTHORIZATION") ? ", without the word before it, such as Bearer" : ""
                return "export \($0.name)=…   # "
                    + ($0.value == nil ? "it is not known here" : "it is not written down\(scheme)")
            }
    }

    /// Returns the environment for the requests, with the values of secrets.
    static func environment(
        _ address: StarterAddress, _ request: StarterRequest, _ setup: Setup
    ) -> [String: String] {
        let known = request.variables.compactMap { variable in variable.value.map { (variable.name, $0) } }
        return setup.environment.merging(known) { $1 }.merging(address.environment) { $1 }
    }

    /// Parses a new file. Throws if the URL cannot be one of an API; the rest of the file is known to be valid.
    static func configuration(
        parsing text: String, path: String, _ environment: [String: String]
    ) throws -> Configuration {
        do {
            return try Configuration(
                parsing: text, file: path, environment: environment)
        } catch {
            let failure = CommandError(error)
            throw Self.wrong(failure.message, hint: failure.hint)
        }
    }

    static func text(of path: String) throws -> String {
        do {
            return try TextFile(path: path, maximumBytes: Configuration.maximumBytes).text
        } catch {
            throw CommandError(
                .missing, kind: "missing", message: "cannot read \(path)", place: path,
                hint: "check its permissions")
        }
    }

    /// - Parameter streams: Those of the file, whose server a path may be meant for.
    static func address(_ url: String, beside streams: [StreamConfiguration] = []) throws -> StarterAddress {
        guard let address = StarterAddress(url) else {
            let own = streams.first { $0.request.urlSecrets.isEmpty }.flatMap { WebAddress($0.request.baseURL) }
            let whole = url.wholeMatch(of: /\/[\w.\/-]{0,200}/).flatMap { own?.appending(String($0.output)) }
            let isHost = url.wholeMatch(of: /(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::[0-9]+)?(?:\/.*)?/) != nil
            throw wrong(
                "this is not an absolute URL of http or https",
                hint: OtherWords.advice(onAddress: url) ?? whole.map { "write the whole URL: \($0)" }
                    ?? (isHost ? "write https:// before it, or http:// for a server of this machine" : nil))
        }
        return address
    }

    /// Returns the failure for a wrong URL. It does not repeat the URL, which may hold a password.
    static func wrong(_ message: String, hint: String? = nil) -> CommandError {
        CommandError.usage(message, hint: hint ?? "write a URL such as https://api.example.org/v1/items")
    }

    /// Returns the summary for a file that was written from a URL.
    ///
    /// - Parameter environment: The variables that are set.
    func summary(_ done: String, option: String?, _ environment: [String: String]) -> DisplayText {
        Self.summary(done, option: option, doubts: doubts, exports: exports(besides: environment))
    }

    static func summary(_ done: String, option: String?, doubts: [String] = [], exports: [String] = []) -> DisplayText {
        let option = option.map { " --config \($0)" } ?? ""
        let unsure: [DisplayText] = doubts.isEmpty ? [] : ["Look at these:\n"] + doubts.map { "  - \($0)\n" }
        let commands = ["check", "sync", "tables"].map { "garner \($0)\(option)" }
        let steps: [DisplayText] = (exports + commands).map { "  \($0)\n" }
        return "\(done) \(unsure.joined())Edit it, then:\n\(steps.joined())"
    }
}

extension FetchError {
    fileprivate var wantsCredentials: Bool {
        switch kind {
        case .unauthorized: !isRateLimited
        // The text of a refusal, such as `not_authed` with status 200.
        case .refusal(let words): ["auth", "token"].contains { words.lowercased().contains($0) }
        default: false
        }
    }
}

/// Requests the streams of a configuration again, and adds what is missing in it.
struct StarterUpdate {
    let setup: Setup
    let path: String

    func run() async throws {
        let configuration = try setup.configuration()
        let old = try Starter.text(of: path)
        var text = ConfigurationText(old)
        var failures: [ErrorCategory?] = []
        var said: [DisplayText] = []
        for stream in configuration.streams {
            do {
                let found = try await found(for: stream, configuration)
                let isWritten = found.lines.isEmpty || text.extend(stream.name, with: found.lines)
                said.append(words(found.lines, of: stream.name, isWritten: isWritten, doubt: found.doubt))
                failures.append(nil)
            } catch {
                let failure = CommandError(error, of: stream)
                StandardError.write(failure.text(setup.decoration(on: 2)))
                failures.append(failure.category)
            }
        }
        if text.text != old {
            _ = try Starter.configuration(parsing: text.text, path: path, setup.environment)
            try AtomicFile.write(text.text, to: path)
        }
        if !setup.isQuiet { for words in said { StandardError.write(words) } }
        try ExitError.requireSuccess(failures)
    }

    /// Returns what is missing in a stream, and why it is not clear how its next page is reached.
    private func found(
        for stream: StreamConfiguration, _ configuration: Configuration
    ) async throws -> (lines: [String], doubt: String?) {
        // The request depends on other records.
        guard stream.request.placeholders.isEmpty, [.objects, .columns].contains(stream.recordShape)
        else { return ([], nil) }
        let findings = try await setup.context.withTransports(of: configuration) { transports in
            try await EndpointProbe.findings(
                of: stream, over: transports.access(to: stream, timing: setup.timing))
        }
        let pages = findings.paginator
        let isOpen = stream.paginator == Paginator() && pages.value == Paginator() && pages.isDoubtful
        return (StarterFile.lines(missingIn: stream, of: findings), isOpen ? pages.remark : nil)
    }

    private func words(_ lines: [String], of stream: StreamName, isWritten: Bool, doubt: String?) -> DisplayText {
        let open: DisplayText = doubt.map { "\(stream): \($0)\n" } ?? ""
        guard !lines.isEmpty else { return doubt == nil ? "\(stream): there is nothing to add.\n" : open }
        let list: [DisplayText] = lines.map { "  \($0)\n" }
        let done: DisplayText =
            isWritten ? "added to \(path):" : "add these lines by hand, since it is not written line by line:"
        return "\(stream): \(done)\n\(list.joined())\(open)"
    }
}
