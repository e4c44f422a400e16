package import GarnerModel
import GarnerYAML

/// The PostgreSQL database that the streams' tables are published to, as `publish:` names it.
package struct PublicationTarget: Sendable {
    /// A URL that begins with `postgresql://` or `postgres://`. Its shape is checked by those who connect to it.
    package var url: Secret
    /// The schema of the tables.
    package var schema = "public"
    /// The streams that are published; nil for all of them.
    package var streams: [StreamPattern]?
    /// The places of these names in the file.
    var streamPlaces: [ConfigurationPlace] = []
    /// The fields that `fields.types` makes `numeric`, by the full names of their streams.
    package var numericFields: [String: [[ExactText]]] = [:]
    /// The place of the key in the file.
    package var place = ConfigurationPlace(file: "garner.yaml")
    /// The variables and files that the URL needs and that are missing. Nothing is published then, and all else goes on.
    package var missing: [ConfigurationIssue] = []

    /// Returns true for the full name of a stream whose tables are published.
    package func publishes(_ stream: String) -> Bool { streams?.contains { $0.matches(stream) } ?? true }

    /// Returns true for the path of a field whose numbers have all of their digits.
    package func isNumeric(_ path: [String], of stream: String) -> Bool {
        numericFields[stream]?.contains(path.map { ExactText($0) }) ?? false
    }

    /// The URL without its password, and of its options only those that are no secrets; `***` if it is not one whose parts are known.
    package var shownURL: String { ServerURL.parts(of: url.reveal())?.shown ?? url.description }

    /// The same; nil if a part of it is not known, such as a variable that was not read.
    package var knownURL: String? {
        guard let shown = ServerURL.parts(of: url.reveal())?.shown else { return nil }
        let isRead = !url.revealVariables().contains(ConfigurationReader.unknownSecret)
        return isRead || !shown.contains(ConfigurationReader.unknownSecret) ? shown : nil
    }
}

extension PublicationTarget: Equatable {
    /// Targets are equal wherever they stand in the file.
    package static func == (left: Self, right: Self) -> Bool {
        (left.url, left.schema) == (right.url, right.schema) && left.streams == right.streams
            && left.numericFields == right.numericFields
    }
}

/// The full name of a stream, or a pattern in which `*` stands for any text: `crm.*`.
package struct StreamPattern: Sendable, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ text: String) { description = text }

    package func matches(_ name: String) -> Bool { StreamSelection.matches(name, description) }
}

extension PublicationTarget {
    static let format = ValueFormat<PublicationTarget>(
        schema: .anyOf([.text, mapping.schema]), read: { $0.publication($1) },
        show: { .members(keys.show($0)) })

    fileprivate static let mapping = keys.format(
        elsewhere: Dictionary(
            uniqueKeysWithValues: ["dbname", "database", "file", "host", "password", "port", "user", "username"].map {
                ($0, $0 == "file" ? "write url: { file: path }" : "write url: postgresql://USER@HOST/DATABASE")
            }))

    private static let keys = Keys(
        PublicationTarget(url: Secret("")),
        Key(
            "url",
            ValueFormat<Secret>(
                schema: .secret, read: { $0.publicationURL($1) },
                show: { .text(ServerURL.parts(of: $0.reveal())?.shown ?? $0.description) }),
            to: \.url, required: "add 'url: postgresql://USER@HOST/DATABASE'",
            "The URL of the PostgreSQL database. It may hold ${NAME}."),
        Key("schema", .text { $0.publicationSchema($1) }, to: \.schema, "The schema of the tables; by default public."),
        Key(
            "streams",
            .optional(
                ValueFormat<[StreamPattern]>(
                    schema: .texts, read: { $0.streamPatterns($1) }, show: { .value(.list($0.map(\.description))) })),
            to: \.streams, "The streams that are published, such as shop.*; by default all."))
}

extension ConfigurationReader {
    /// Reads the URL alone, or a mapping. What is missing is noted in the target.
    fileprivate func publication(_ value: YAMLValue) -> PublicationTarget? {
        let (target, missing) = missing.collecting {
            value.node.mapping == nil
                ? publicationURL(value).map { PublicationTarget(url: $0) }
                : PublicationTarget.mapping.read(self, value)
        }
        guard var target = target ?? (missing.isEmpty ? nil : PublicationTarget(url: Secret(""))) else { return nil }
        (target.place, target.missing) = (value.place, missing)
        target.streamPlaces = value.elementPlaces(below: "streams")
        return target
    }

    fileprivate func publicationURL(_ value: YAMLValue) -> Secret? {
        guard let text = configuredText(value, isSecret: false) else { return nil }
        let url = text.asSecret
        if Self.isUnknown(text) { return url }
        guard ServerURL.isURL(url.reveal()) else {
            return value.failed(
                "'\(value.name)' must be the URL of a PostgreSQL database",
                hint: "write \(value.name.split(separator: ".").last ?? "url"): postgresql://USER@HOST/DATABASE")
        }
        if case .literal(let written) = text { warnOfPassword(in: written, of: value) }
        return url
    }

    fileprivate func publicationSchema(_ value: YAMLValue) -> String? {
        guard let name = openText(value) else { return nil }
        let longest = 63
        if name.isEmpty || name.utf8.contains(0) || name.utf8.count > longest {
            return value.failed(
                "'\(value.name)' must be the name of a schema, of at most \(longest) bytes",
                hint: "write schema: public")
        }
        guard !name.hasPrefix("pg_"), !["information_schema", "_garner"].contains(name) else {
            return value.failed(
                "'\(value.name)' cannot be \(name), which belongs to "
                    + (name == "_garner" ? "Garner itself" : "PostgreSQL itself"), hint: "write schema: public")
        }
        return name
    }

    fileprivate func streamPatterns(_ value: YAMLValue) -> [StreamPattern]? {
        guard let texts = value.texts() else { return nil }
        guard !texts.isEmpty, !texts.contains("") else {
            return value.failed(
                "'\(value.name)' names no stream", hint: "write streams: [shop.*], or remove the line to publish all")
        }
        return texts.map(StreamPattern.init)
    }

    /// Returns the target with the full names of streams that it names, and with their fields. Notes an issue for a name or pattern of none.
    func resolved(_ target: PublicationTarget?, in configuration: Configuration) -> PublicationTarget? {
        guard var target else { return nil }
        for stream in configuration.streams {
            let fields = stream.fields.types.filter { stream.fields.type(at: $0.field.names) == .numeric }
            if !fields.isEmpty { target.numericFields[stream.name.description] = fields.map(\.field.names) }
        }
        guard let patterns = target.streams, issues.errorCount == 0 else { return target }
        let places = target.streamPlaces
        target.streams = patterns.enumerated().map { index, pattern -> StreamPattern in
            do throws(StreamSelectionError) {
                let found = try configuration.streams(matching: [pattern.description])
                guard !pattern.description.contains("*"), let stream = found.first else { return pattern }
                return StreamPattern(stream.name.description)
            } catch {
                issues.fail(
                    at: places.indices.contains(index) ? places[index] : target.place,
                    "'publish.streams': \(error.description)", hint: error.hint)
                return pattern
            }
        }
        return target
    }
}
