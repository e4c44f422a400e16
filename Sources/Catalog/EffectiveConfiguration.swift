package import GarnerModel

/// Every value in force, with the level of the file that it comes from. Secrets show as `***`.
package struct EffectiveConfiguration: Sendable, Equatable {
    /// The values that apply to all streams, in order.
    package var general: [Entry] = []
    /// The values of each stream, in the order of the file.
    package var streams: [StreamEntries] = []

    package struct StreamEntries: Sendable, Equatable {
        package var name: StreamName
        /// The included file that has the stream and its source; nil for the file that garner was started with.
        package var file: String?
        package var entries: [Entry]
    }

    package struct Entry: Sendable, Equatable {
        /// The keys that lead to the value: `["retry", "max_attempts"]`.
        package var path: [String]
        package var value: Value
        package var origin: Origin
    }

    package enum Value: Sendable, Equatable, CustomStringConvertible {
        case text(String)
        case list([String])
        case integer(Int)
        case number(Double)
        case flag(Bool)
        /// A value that is decided at run time, such as a key that is inferred from the first page.
        case automatic

        package var description: String {
            switch self {
            case .text(let text): text
            case .list(let texts): "[" + texts.joined(separator: ", ") + "]"
            case .integer(let number): String(number)
            case .number(let number): String(number)
            case .flag(let flag): String(flag)
            case .automatic: "auto"
            }
        }
    }

    package enum Origin: Sendable, Equatable, CustomStringConvertible {
        /// A built-in default.
        case standard
        case file(line: Int?)
        case defaults(line: Int?)
        case source(line: Int?)
        case stream(line: Int?)

        /// The level: `default`, `defaults`, `source`, `stream`, or `file` for a value outside of these.
        package var level: String {
            switch self {
            case .standard: "default"
            case .file: "file"
            case .defaults: "defaults"
            case .source: "source"
            case .stream: "stream"
            }
        }

        /// True if the value is written in the source or the stream.
        package var isOfSource: Bool {
            switch self {
            case .source, .stream: true
            case .standard, .file, .defaults: false
            }
        }

        package var line: Int? {
            switch self {
            case .standard: nil
            case .file(let line), .defaults(let line), .source(let line), .stream(let line): line
            }
        }

        /// `source, line 7`
        package var description: String { line.map { "\(level), line \($0)" } ?? level }
    }
}

extension EffectiveConfiguration.Value {
    static func duration(_ duration: Duration) -> Self { .text(DurationText.format(duration)) }
    static func size(_ bytes: Int) -> Self { .text(ByteSize.format(bytes)) }
}

// Keys and values as a file has them. A value that is not set is left out.

extension Schedule {
    var effectiveValues: [(String, EffectiveConfiguration.Value)] {
        let own: [(String, EffectiveConfiguration.Value)] =
            switch rhythm {
            case .every(let interval): [("every", .duration(interval)), ("anchor", .text("epoch"))]
            case .afterFinish(let pause): [("every", .duration(pause)), ("anchor", .text("finish"))]
            case .cron(let expression, let zone):
                [("cron", .text(expression.description)), ("timezone", .text(zone.description))]
            }
        return own + [
            ("jitter", .duration(jitter)), ("overlap", .text(overlap.rawValue)),
            ("misfire_grace", .duration(misfireGrace)), ("catch_up", .text(catchUp.rawValue)),
        ]
    }
}
