import Catalog
import Fetcher
import Foundation
import Sync

/// Looks again at the streams of a configuration, and writes down what it does not say yet.
struct StarterUpdate {
    let setup: Setup
    let path: String

    func run() async throws {
        let configuration = try setup.configuration()
        let old = try Starter.text(of: path)
        var text = ConfigurationText(old)
        var failures: [Int32?] = []
        for stream in configuration.streams {
            do {
                let lines = try await lines(for: stream, configuration)
                let isWritten = lines.isEmpty || text.extend(stream.name, with: lines)
                say(lines, of: stream.name, isWritten: isWritten)
                failures.append(nil)
            } catch {
                let failure = Failure(error, of: stream)
                StandardError.write(failure.text(setup.decoration(on: 2)))
                failures.append(failure.code)
            }
        }
        if text.text != old {
            _ = try Starter.configuration(parsing: text.text, path: path, setup.environment)
            try AtomicFile.write(to: path) { file in
                var text = text.text
                try text.withUTF8 { try file(UnsafeRawBufferPointer($0)) }
            }
        }
        if let code = SyncSession.code(forFailures: failures) { throw Ending(code: code) }
    }

    private func lines(for stream: Catalog.Stream, _ configuration: Configuration) async throws -> [String] {
        // The request depends on other records.
        guard stream.request.placeholders.isEmpty else { return [] }
        let findings = try await setup.withTransports(of: configuration) { transports in
            try await EndpointProbe.findings(
                of: stream, transport: transports.transport(for: stream), timing: setup.timing)
        }
        return StarterFile.lines(missingIn: stream, of: findings)
    }

    private func say(_ lines: [String], of stream: StreamName, isWritten: Bool) {
        guard !setup.isQuiet else { return }
        guard !lines.isEmpty else { return StandardError.write("\(stream): there is nothing to add.\n") }
        let list: [ShownText] = lines.map { "  \($0)\n" }
        let done: ShownText =
            isWritten ? "added to \(path):" : "add these lines by hand, since it is not written line by line:"
        StandardError.write("\(stream): \(done)\n\(list.joined())")
    }
}
