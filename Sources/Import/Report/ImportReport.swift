package import GarnerJSON

/// The report on each stream of a connector's file.
package struct ImportReport: Sendable {
    package struct Stream: Sendable {
        /// The name in the connector's file.
        package let name: String
        /// The name in the configuration; nil if it is not written.
        package var written: String?
        package let effect: Loss.Effect
        package let losses: [Loss]
    }

    package let file: String
    package var streams: [Stream]
    package var secrets: [ConnectorSettings.SecretSetting] = []
    package var choices: [ConnectorSettings.Choice] = []
    /// Further sentences, such as that of streams which the settings leave out.
    package var notes: [String] = []

    package init(file: String, streams: [Stream]) { (self.file, self.streams) = (file, streams) }

    package func count(_ effect: Loss.Effect) -> Int { streams.count { $0.effect == effect } }

    /// True if no stream differs or is missing.
    package var isWhole: Bool { streams.allSatisfy { $0.effect <= .renamed } }

    /// True if a stream is written.
    package var hasStreams: Bool { streams.contains { $0.written != nil } }

    /// The report in lines. They hold foreign text, of which each is made safe for one line.
    package var lines: [String] {
        var lines = ["\(Self.shown(file)): \(streams.count) stream\(streams.count == 1 ? "" : "s")"]
        let width = String(streams.count).count
        for effect in Loss.Effect.allCases {
            let found = streams.filter { $0.effect == effect }
            guard !found.isEmpty else { continue }
            let number = String(found.count)
            let start = "  " + String(repeating: " ", count: width - number.count) + number + " "
            guard effect > .none else {
                lines.append(start + effect.words)
                continue
            }
            let label = effect.words + String(repeating: " ", count: max(1, 13 - effect.words.count))
            let indent = String(repeating: " ", count: start.count + label.count)
            var isFirst = true
            for stream in found {
                lines.append(
                    (isFirst ? start + label : indent) + "\(Self.shown(stream.name)): \(Self.words(of: stream))")
                isFirst = false
            }
        }
        for choice in choices {
            let others = choice.others.map { "'\(Self.shown($0))'" }.joined(separator: ", ")
            let setting = choice.setting.map { "; --set \(Self.shown($0)) takes another" } ?? ""
            lines.append(
                "\(Self.shown(choice.name)) is '\(Self.shown(choice.chosen))'; there is \(others), too\(setting)")
        }
        return lines + notes.map(Self.shown)
    }

    private static func words(of stream: Stream) -> String {
        var words: [String] = []
        for loss in stream.losses where loss.effect > .none { words.append("\(loss.sentence) [\(loss.code.rawValue)]") }
        let rest = words.count - 4
        return words.prefix(4).joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
    }

    /// The report for programs.
    package var json: JSONText {
        .object([
            ("file", .string(file)),
            ("counts", .object(Loss.Effect.allCases.map { ($0.code, JSONText(count($0))) })),
            ("streams", .array(streams.map(\.json))),
            ("variables", .array(secrets.map(\.json))),
            ("choices", .array(choices.map(\.json))),
            ("notes", JSONText(notes)),
        ])
    }

    /// Foreign text in one line, without what moves a cursor, and no longer than it helps.
    static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(200).map { scalar in
            [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
                ? " " : String(scalar)
        }
        return scalars.joined() + (text.unicodeScalars.count > 200 ? "…" : "")
    }
}

extension ImportReport.Stream {
    fileprivate var json: JSONText {
        .object([
            ("name", .string(name)), ("result", .string(effect.code)), ("stream", JSONText(written)),
            ("losses", .array(losses.map(\.json))),
        ])
    }
}

extension ConnectorSettings.Choice {
    fileprivate var json: JSONText {
        .object([("setting", .string(name)), ("chosen", .string(chosen)), ("others", JSONText(others))])
    }
}

extension ConnectorSettings.SecretSetting {
    var json: JSONText {
        .object([("name", .string(variable)), ("setting", .string(name)), ("title", .string(title))])
    }
}

extension Loss.Effect: CaseIterable {
    package static let allCases: [Loss.Effect] = [.none, .renamed, .differs, .notWritten]

    /// The words for people.
    package var words: String {
        switch self {
        case .none: "whole"
        case .renamed: "renamed"
        case .differs: "differs"
        case .notWritten: "not written"
        }
    }

    /// The word in `--format json`.
    package var code: String { words.replacing(" ", with: "_") }
}

extension Loss {
    /// The loss in words, with the line: `custom code, acme.Unzip (line 60)`.
    package var sentence: String {
        let shown = detail.map(ImportReport.shown) ?? ""
        let detail = shown.allSatisfy(\.isWhitespace) ? "" : ", \(shown)"
        return code.words + detail + (line.map { " (line \($0))" } ?? "")
    }

    var json: JSONText {
        .object([
            ("code", .string(code.rawValue)), ("effect", .string(effect.code)), ("message", .string(code.words)),
            ("detail", JSONText(detail)), ("line", JSONText(line)),
        ])
    }
}
