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
            return "\(time) \(level.rawValue) \(Self.escaped(message))\(members.joined())\n"
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
            !text.isEmpty
            && text.unicodeScalars.allSatisfy { $0 != " " && $0 != "=" && $0 != "\"" && $0 != "\\" && $0.isShown }
        return isWord ? text : quoted(text)
    }

    private static func quoted(_ text: String) -> String { "\"\(escaped(text, inQuotes: true))\"" }

    /// As JSON escapes: what moves the cursor, hides text or turns its direction is not for a terminal.
    private static func escaped(_ text: String, inQuotes: Bool = false) -> String {
        let isSpecial = { (scalar: Unicode.Scalar) in inQuotes && (scalar == "\"" || scalar == "\\") }
        guard !text.unicodeScalars.allSatisfy({ $0.isShown && !isSpecial($0) }) else { return text }
        return text.unicodeScalars.map { scalar in
            switch scalar {
            case _ where isSpecial(scalar): "\\\(scalar)"
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            case _ where scalar.isShown: String(scalar)
            default:
                String(scalar).utf16.map { unit in
                    let digits = String(unit, radix: 16)
                    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }.joined()
            }
        }.joined()
    }
}

extension Unicode.Scalar {
    fileprivate var isShown: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
