import ArgumentParser
import GarnerCatalog
import Logging
import GarnerModel
import GarnerPresentation

/// One log event as one line, whatever it contains.
struct LogLine {
    private static let reserved: Set<String> = ["time", "level", "message"]

    let time: Timestamp
    let level: Logger.Level
    let message: String
    /// The metadata sorted by key, so that equal events give equal lines.
    private let metadata: [(key: String, value: Logger.MetadataValue)]

    init(time: Timestamp, level: Logger.Level, message: String, metadata: Logger.Metadata = [:]) {
        self.time = time
        self.level = level
        self.message = message
        self.metadata = metadata.sorted { $0.key < $1.key }.map { key, value in
            (Self.reserved.contains(key) ? "\(key)_" : key, value)
        }
    }

    /// Returns the line, with its line feed.
    func text(as format: LogFormat) -> String {
        switch format {
        case .text:
            let members = metadata.map { " \(Self.word($0.key))=\(Self.word(Self.plain($0.value)))" }
            return "\(time) \(level.rawValue) \(TerminalEscaping.escaped(message))\(members.joined())\n"
        case .json:
            let members = [("time", "\(time)"), ("level", level.rawValue), ("message", message)].map {
                "\(Self.quoted($0.0)):\(Self.quoted($0.1))"
            }
            let others = metadata.map { "\(Self.quoted($0.key)):\(Self.json($0.value))" }
            return "{" + (members + others).joined(separator: ",") + "}\n"
        }
    }

    private static func plain(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): text
        case .stringConvertible(let value): "\(value)"
        case .array, .dictionary: json(value)
        }
    }

    private static func json(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .stringConvertible(let value): quoted("\(value)")
        case .array(let values): "[" + values.map(json).joined(separator: ",") + "]"
        case .dictionary(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\(json($0.value))" }
                .joined(separator: ",") + "}"
        }
    }

    /// Quotes the text unless it reads as one word.
    private static func word(_ text: String) -> String {
        let isWord =
            !text.isEmpty && !text.unicodeScalars.contains { $0 == " " || $0 == "=" || $0 == "\"" || $0 == "\\" }
            && TerminalEscaping.isShown(text)
        return isWord ? text : quoted(text)
    }

    private static func quoted(_ text: String) -> String { "\"\(TerminalEscaping.escaped(text, inQuotes: true))\"" }
}

/// A log handler that writes each event as one line, through a writer that never blocks the caller.
struct LineLogHandler: LogHandler {
    let format: LogFormat
    let writer: LogWriter
    let now: @Sendable () -> Timestamp
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

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

enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// For people: time, level, message, and metadata as `key=value`.
    case text
    /// For programs: an object with `time`, `level`, `message`, and metadata as further members.
    case json
}

struct LogOptions: ParsableArguments {
    @Option(name: .customLong("log-format"), help: "The log format.")
    var format: LogFormat?
}
