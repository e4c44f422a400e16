import ArgumentParser
import Catalog
import Fetcher
import Sync

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a commented garner.yaml to start from.",
        discussion: """
            With the URL of a collection, one page of it is fetched to find out where
            the records are, what identifies them and how the pages follow each other.
            The file is valid as written. An existing file is never overwritten.

              garner init
              garner init https://api.example.org/v1/items
              garner init https://api.example.org/v1/items --offline --config zoo.yaml
            """)

    @Argument(help: "The URL of a collection of your API.")
    var url: String?

    @Flag(help: "Ask nothing of the API: every run finds out what the file does not say.")
    var offline = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let setup = Setup(shared)
        let path = setup.namedConfiguration ?? "garner.yaml"
        if access(path, F_OK) == 0 {
            throw Failure(
                code: ExitCode.cannotCreate, kind: "exists", message: "\(path) exists already", place: path,
                hint: "edit it, or name another file with --config")
        }
        let starter = try await starter(setup, path)
        try AtomicFile.write(to: path, replaces: false) { file in
            var text = starter.text
            try text.withUTF8 { try file(UnsafeRawBufferPointer($0)) }
        }
        if !setup.isQuiet { StandardError.write(starter.summary(path, option: shared.config)) }
    }

    private func starter(_ setup: Setup, _ path: String) async throws -> Starter {
        guard let url else { return Starter(text: StarterFile().text) }
        guard let address = StarterAddress(url) else {
            throw Self.wrong("this is not an absolute URL of http or https without user and password")
        }
        let unknown = try Starter(address, nil, path: path)
        guard !offline, let stream = unknown.configuration?.streams.first else { return unknown }
        let probe = try await probe(address, stream, setup)
        return try Starter(probe.address, probe, path: path)
    }

    private func probe(
        _ address: StarterAddress, _ stream: Catalog.Stream, _ setup: Setup
    ) async throws -> EndpointProbe {
        do {
            return try await setup.withTransports(of: nil) { transports in
                try await EndpointProbe(
                    of: address, as: stream, transport: transports.transport(for: stream), timing: setup.timing)
            }
        } catch {
            var failure = Failure(error)
            let without = "add --offline to write the file without asking the API"
            failure.hint = failure.hint.map { "\($0); or \(without)" } ?? without
            throw failure
        }
    }

    /// The URL is not repeated, as it may hold a password.
    fileprivate static func wrong(_ message: String, hint: String? = nil) -> Failure {
        Failure(
            code: ExitCode.usage, kind: "usage", message: message,
            hint: hint ?? "write a URL such as https://api.example.org/v1/items")
    }
}

/// The text of a file that is known to be right, and what is to be said of it.
private struct Starter {
    let text: String
    var configuration: Configuration?
    var doubts: [String] = []
    var exports: [String] = []

    init(text: String) { self.text = text }

    /// Throws where the URL cannot be one of an API; all else in the file is known to be right.
    init(_ address: StarterAddress, _ probe: EndpointProbe?, path: String) throws {
        text = StarterFile(of: address, findings: probe?.findings).text
        do {
            configuration = try Configuration(
                parsing: text, file: path, environment: address.environment, selectorProblem: Setup.selectorProblem)
        } catch {
            let failure = Failure(error)
            throw InitCommand.wrong(failure.message, hint: failure.hint)
        }
        doubts = address.query.remarks + (probe?.doubts ?? [])
        exports = address.query.secrets.map {
            "export \($0.variable)=…   # the '\($0.name)' of the URL, which is not written down"
        }
    }

    func summary(_ path: String, option: String?) -> ShownText {
        let option = option.map { " --config \($0)" } ?? ""
        let unsure: [ShownText] = doubts.isEmpty ? [] : ["Look at these:\n"] + doubts.map { "  - \($0)\n" }
        let steps: [ShownText] = (exports + ["check", "sync", "tables"].map { "garner \($0)\(option)" }).map {
            "  \($0)\n"
        }
        return "Wrote \(path). \(unsure.joined())Edit it, then:\n\(steps.joined())"
    }
}
