package import Logging

/// Keeps what is logged, of every level, as lines that a test reads or awaits.
package struct Notebook: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel = Logger.Level.trace
    private let lines: Watched<[String]>
    private let line: @Sendable (LogEvent) -> String

    /// - Parameter line: what is kept of an event.
    package init(
        _ lines: Watched<[String]>, line: @escaping @Sendable (LogEvent) -> String = { "\($0.message)" }
    ) {
        self.lines = lines
        self.line = line
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) { lines.change { $0.append(line(event)) } }
}
