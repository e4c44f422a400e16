@testable import GarnerCatalog

/// Parses texts with the whole vocabulary as the file `folder/garner.yaml`.
enum Fixture {
    static func parse(
        _ text: String, environment: [String: String] = [:], file: String = "folder/garner.yaml"
    ) throws(ConfigurationError) -> Configuration {
        try Configuration(parsing: text, file: file, environment: environment)
    }

    /// What is wrong, and what is missing.
    static func issues(_ text: String, environment: [String: String] = [:]) -> [ConfigurationIssue] {
        do {
            return try parse(text, environment: environment).missing
        } catch {
            guard case .invalid(let issues) = error else { return [] }
            return issues
        }
    }

    /// One stream `zoo.animals` with these lines; the first of them is line 7, and column 9.
    static func streamText(_ lines: String) -> String {
        """
        version: 1
        sources:
          zoo:
            base_url: https://api.example.com/
            streams:
              animals:

        """ + indented(lines, by: 8)
    }

    /// One source `zoo` with these lines below `streams:`; the first of them is line 6.
    static func source(_ streams: String) -> String {
        "version: 1\nsources:\n  zoo:\n    base_url: https://api.example.com/\n    streams:\n\(streams)\n"
    }

    /// One source `zoo` with these lines; the first of them is line 5, and column 5.
    static func sourceText(_ lines: String, baseURL: String = "https://api.example.com/") -> String {
        """
        version: 1
        sources:
          zoo:
            base_url: \(baseURL)

        """ + indented(lines, by: 4) + "\n    streams: { animals: { path: /animals } }\n"
    }

    static func stream(_ lines: String, environment: [String: String] = [:]) throws -> StreamConfiguration {
        try first(of: parse(streamText(lines), environment: environment))
    }

    static func streamOfSource(
        _ lines: String, baseURL: String = "https://api.example.com/", environment: [String: String] = [:]
    ) throws -> StreamConfiguration {
        try first(of: parse(sourceText(lines, baseURL: baseURL), environment: environment))
    }

    struct NoStream: Error {}

    private static func first(of configuration: Configuration) throws -> StreamConfiguration {
        guard let stream = configuration.streams.first else { throw NoStream() }
        return stream
    }

    private static func indented(_ lines: String, by count: Int) -> String {
        lines.split(separator: "\n").map { String(repeating: " ", count: count) + $0 }.joined(separator: "\n")
    }
}

extension ConfigurationIssue {
    /// `7:9 message`
    var summary: String {
        "\(place.line ?? 0):\(place.column ?? 0) \(message)"
    }
}
