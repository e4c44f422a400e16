import Catalog
import Logging

/// Writes each event as one line, by way of a writer that never keeps anyone waiting.
struct LineLogHandler: LogHandler {
    let format: LogFormat
    let writer: LogWriter
    let now: @Sendable () -> Timestamp
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(format: LogFormat, writer: LogWriter, now: @escaping @Sendable () -> Timestamp) {
        self.format = format
        self.writer = writer
        self.now = now
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }.merging(event.metadata ?? [:]) { $1 }
        if let error = event.error { all["error"] = all["error"] ?? "\(error)" }
        let line = LogLine(time: now(), level: event.level, message: "\(event.message)", metadata: all)
        writer.add(line.text(as: format)) { [format, now] count in
            LogLine(
                time: now(), level: .warning, message: "Log lines lost, as nobody took them",
                metadata: ["count": "\(count)"]
            ).text(as: format)
        }
    }
}
