import Catalog
import Logging

/// One event of the log as one line, whatever stands in it.
struct LogLine {
    private static let reserved: Set<String> = ["time", "level", "message"]

    let time: Timestamp
    let level: Logger.Level
    let message: String
    /// In the order of their keys, so that the same event is the same line.
    private let metadata: [(key: String, value: Logger.MetadataValue)]

    init(time: Timestamp, level: Logger.Level, message: String, metadata: Logger.Metadata = [:]) {
        self.time = time
        self.level = level
        self.message = message
        self.metadata = metadata.sorted { $0.key < $1.key }.map { key, value in
            (Self.reserved.contains(key) ? "\(key)_" : key, value)
        }
    }

    /// With its line feed.
    func text(as format: LogFormat) -> String {
        switch format {
        case .text:
            let members = metadata.map { " \(Self.word($0.key))=\(Self.word(Self.plain($0.value)))" }
            return "\(time) \(level.rawValue) \(ForeignText.escaped(message))\(members.joined())\n"
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

    /// In quotes where it would not be read as one word.
    private static func word(_ text: String) -> String {
        let isWord =
            !text.isEmpty && !text.unicodeScalars.contains { $0 == " " || $0 == "=" || $0 == "\"" || $0 == "\\" }
            && ForeignText.isShown(text)
        return isWord ? text : quoted(text)
    }

    private static func quoted(_ text: String) -> String { "\"\(ForeignText.escaped(text, inQuotes: true))\"" }
}
