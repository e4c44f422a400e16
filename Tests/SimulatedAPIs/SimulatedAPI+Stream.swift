package import GarnerCatalog
package import GarnerFetcher
import GarnerSync

extension SimulatedAPI {
    private struct NotTold: Error {}

    /// Returns a stream of the API that is tried once, with these lines of the configuration.
    package func stream(_ lines: [String]) throws -> StreamConfiguration {
        try Self.parse("items", ["path: '\(path)'"] + (body.map { ["json: \($0)"] } ?? []) + lines)
    }

    /// Returns the stream that `garner init` writes for the API's URL.
    package func initialized(through transport: any Transport, timing: Timing) async throws -> StreamConfiguration {
        guard let address = StarterAddress("https://api.example.test/v1/\(path)") else { throw NotTold() }
        var request = StarterRequest(source: address.source)
        if let body {
            request.method = .post
            let json = try Self.parse("api", ["path: x", "json: \(body)"]).request.body.map { "\($0)" } ?? ""
            _ = request.setBody(json)
        }
        let first = try Self.stream(in: StarterFile(of: address, request: request).text)
        let probe = try await EndpointProbe(
            of: address, as: first, over: SourceAccess(transport: transport, timing: timing))
        return try Self.stream(in: StarterFile(of: probe.address, request: request, findings: probe.findings).text)
    }

    private static func parse(_ name: String, _ lines: [String]) throws -> StreamConfiguration {
        try stream(
            in: """
                version: 1
                sources:
                  api:
                    base_url: https://api.example.test/v1/
                    retry: { max_attempts: 1 }
                    streams:
                      \(name):

                """ + lines.map { "        \($0)\n" }.joined())
    }

    private static func stream(in text: String) throws -> StreamConfiguration {
        let configuration = try Configuration(parsing: text, file: "garner.yaml", environment: [:])
        guard var stream = configuration.streams.first else { throw NotTold() }
        stream.retry.maxAttempts = 1
        return stream
    }
}
