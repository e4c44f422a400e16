import ArgumentParser
import Catalog
import Dashboard
import Foundation
import Logging
import Model
import Presentation

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
        guard let listen else { return }
        if !listen.isLoopback, authTokenFile == nil, !insecure {
            throw ValidationError(
                "\(listen) can be reached from other machines; add --auth-token-file FILE, or --insecure to show "
                    + "everything to everybody")
        }
    }

    /// The address and the rules; nil without an address.
    func listening(otherwise standard: ListenAddress? = nil) throws -> DashboardListening? {
        guard let address = listen ?? standard else { return nil }
        return DashboardListening(
            address: address, access: Access(token: try authTokenFile.map(Self.token), host: address.host))
    }

    private static let minimumTokenLength = 16

    private static func token(in path: String) throws -> Secret {
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        } catch {
            throw CommandError(
                .missing, kind: "no_token", message: "the token cannot be read from \(path)",
                hint: "write one with: head -c 24 /dev/urandom | base64 > \(path)")
        }
        guard text.utf8.count >= minimumTokenLength else {
            throw CommandError(
                .misconfigured, kind: "short_token",
                message: "the token in \(path) has fewer than \(minimumTokenLength) characters",
                hint: "write one with: head -c 24 /dev/urandom | base64 > \(path)")
        }
        return Secret(text)
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
        logger.info("Dashboard ready", metadata: ["url": "\(address.url(port: port))"])
    }
}
