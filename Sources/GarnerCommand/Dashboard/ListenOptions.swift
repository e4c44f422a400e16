import ArgumentParser
import GarnerCatalog
import Dashboard
import GarnerLibC
import Logging
import GarnerModel
import GarnerPresentation
import GarnerReports

/// The options that say where a dashboard listens, and who may see it.
struct ListenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Show a dashboard to browsers at this address, such as 127.0.0.1:8787.", valueName: "host:port"),
        transform: { text in
            guard let address = ListenAddress(text) else {
                throw ValidationError("'\(text)' is no address; write --listen 127.0.0.1:8787")
            }
            return address
        })
    var listen: ListenAddress?

    @Option(
        help: ArgumentHelp("Ask for the token in this file before anything is shown.", valueName: "file"),
        completion: .file())
    var authTokenFile: String?

    @Flag(help: "Show the dashboard to everybody who reaches the address.")
    var insecure = false

    func validate() throws {
        if insecure, authTokenFile != nil {
            throw ValidationError("--insecure and --auth-token-file exclude each other")
        }
        if let listen, isOpen(listen) { throw ValidationError(Self.reachable(listen)) }
    }

    /// The address and the rules; nil without an address.
    ///
    /// - Parameter standard: The address if no option names one.
    func listening(otherwise standard: ListenAddress? = nil) throws -> DashboardListening? {
        guard let address = listen ?? standard else { return nil }
        guard !isOpen(address) else {
            throw CommandError(
                .misconfigured, kind: "open_address", message: "\(address) can be reached from other machines",
                hint: Self.keeping)
        }
        return DashboardListening(
            address: address, access: Access(token: try authTokenFile.map(Self.token), host: address.host))
    }

    /// Returns true for an address that others reach, although nobody has said how to keep them out or that they may look.
    private func isOpen(_ address: ListenAddress) -> Bool {
        !address.isLoopback && authTokenFile == nil && !insecure
    }

    private static func reachable(_ address: ListenAddress) -> String {
        "\(address) can be reached from other machines; \(keeping)"
    }

    private static let keeping = "add --auth-token-file FILE, or --insecure to show everything to everybody"

    /// Warns of an address in the file that 'serve' refuses without an option.
    static func warnOfOpenAddress(in configuration: Configuration) {
        guard let address = configuration.listen, !address.isLoopback else { return }
        let entry = configuration.effective.general.first { $0.path == ["listen"] }
        var place = ConfigurationPlace(file: configuration.file)
        if case .file(let line)? = entry?.origin { place.line = line }
        StandardError.warn(
            "\(place): \(address) can be reached from other machines, so that 'garner serve' asks for an option",
            try: keeping)
    }

    private static let minimumTokenLength = 16

    private static func token(in path: String) throws -> Secret {
        guard let file = try? TextFile(path: path, maximumBytes: 64 << 10) else {
            throw CommandError(
                .missing, kind: "no_token", message: "the token cannot be read from \(path)",
                hint: remedy(writing: path))
        }
        let text = String(file.text.trimming(while: \.isWhitespace))
        warnIfOthersMayRead(path)
        guard text.utf8.count >= minimumTokenLength else {
            throw CommandError(
                .misconfigured, kind: "short_token",
                message: "the token in \(path) has fewer than \(minimumTokenLength) characters",
                hint: remedy(writing: path))
        }
        return Secret(text)
    }

    private static func remedy(writing path: String) -> String {
        "write one with: (umask 077; head -c 24 /dev/urandom | base64 > \(ShellText.quoted(path)))"
    }

    /// Warns if other users of this machine may read the token, as ssh does of a key.
    private static func warnIfOthersMayRead(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
        StandardError.warn("other users of this machine may read the token in \(path)", try: "chmod 600 \(path)")
    }
}

/// The address of a dashboard, and the rules for who may see it.
struct DashboardListening: Sendable {
    let address: ListenAddress
    let access: Access
    /// The stream whose only record the page `/demo` shows; nil for no such page.
    var demo: StreamName?
    /// Called with the URL once the dashboard answers.
    var onReady: (@Sendable (String) -> Void)?

    /// Tells where the dashboard is, once it answers.
    func announce(port: Int, _ logger: Logger) {
        onReady?(address.url(port: port))
        logger.info(
            "Dashboard ready",
            metadata: [
                "url": "\(address.url(port: port))", "maximum_connections": "\(DescriptorLimit.current.browsers)",
            ])
    }
}
