import TestSupport

/// One value of a key, in a stream `animals` of `https://zoo.example/`, and what it must do.
struct VocabularyExample: Sendable, CustomStringConvertible {
    /// The keys of the stream; its path is `animals` unless they hold another.
    let settings: String
    /// The keys of its source.
    let source: String
    let example: Example

    init(_ settings: String, inSource source: String = "", _ example: Example) {
        self.settings = settings
        self.source = source
        self.example = example
    }

    /// One run with these requests, which stores these rows of `animals`.
    init(_ settings: String, inSource source: String = "", _ exchanges: [RequestAttempt], stores rows: [String]) {
        self.init(settings, inSource: source, Example(.init(exchanges, stored: ["animals": rows])))
    }

    var description: String { source.isEmpty ? settings : "\(source) \(settings)" }

    var text: String {
        let base = source.contains("base_url:") ? "" : "base_url: https://zoo.example/\n"
        let path = settings.contains(/(?m)^path:/) ? "" : "path: animals\n"
        return """
            version: 1
            sources:
              zoo:
            \(Self.indented(base + source, by: 4))
                streams:
                  animals:
            \(Self.indented(path + settings, by: 8))

            """
    }

    private static func indented(_ text: String, by spaces: Int) -> String {
        text.split(separator: "\n").map { String(repeating: " ", count: spaces) + $0 }.joined(separator: "\n")
    }
}
