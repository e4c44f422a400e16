package import GarnerModel

/// Makes a configuration of a manifest, with a report on each of its streams.
package struct ManifestImport {
    package struct Options: Sendable {
        /// The path of the manifest, for the report and the header.
        package var file: String
        package var given = ConnectorSettings.Given()
        /// The streams that are wanted; nil for all. Their parents come along.
        package var streams: [String]?
        /// Names of sources that the configuration has already.
        package var takenSources: Set<String> = []
        /// Names of streams that the configuration has already.
        package var takenStreams: Set<String> = []
        /// The streams that the configuration has already.
        package var present: [PresentStream] = []
        /// The time of the import, at which a start that is relative to the read is frozen.
        package var now = Timestamp(millisecondsSince1970: 0)

        package init(file: String) { self.file = file }
    }

    /// A stream of the configuration.
    package struct PresentStream: Sendable {
        let source: String
        let name: String
        private let base: String
        private let path: String

        package init(source: String, name: String, base: String, path: String) {
            (self.source, self.name) = (source, name)
            (self.base, self.path) = (Self.trimmed(base), Self.trimmed(path))
        }

        private static func trimmed(_ path: String) -> String {
            path.split(separator: "/", omittingEmptySubsequences: true).joined(separator: "/")
        }

        /// True for a stream that asks the same API and has the same name, or asks for the same and had to have a number behind it.
        func isSame(_ stream: StreamTranslation) -> Bool {
            guard stream.base.map(Self.trimmed) == base else { return false }
            let asksForSame = stream.stream["path"]?.text.map(Self.trimmed) == path
            return name == stream.streamName
                || asksForSame && Self.unnumbered(name) == Self.unnumbered(stream.streamName)
        }

        private static func unnumbered(_ name: String) -> Substring {
            guard let end = name.lastIndex(of: "_"), name[end...].dropFirst().allSatisfy(\.isNumber) else {
                return name[...]
            }
            return name[..<end]
        }
    }

    package private(set) var report: ImportReport
    package let settings: ConnectorSettings
    private let options: Options
    private let version: String?
    private let document: FileDocument

    /// - Throws: if the settings are wrong or something is missing that only the user knows.
    package init(_ manifest: Manifest, _ options: Options) throws(ManifestError) {
        let connector = FileNames.connector(of: options.file)
        settings = try Self.settings(of: manifest, options)
        if let error = settings.error { throw error }
        (self.options, version) = (options, manifest.version)
        let rules = SettingRules(manifest.rules, settings.config)
        var list = StreamList(rules.config)
        try list.add(manifest)
        let wanted = try Self.wanted(options.streams, of: list.streams, connector: options.file)
        let streams = StreamsByName(
            settings: rules.config, streams: list.streams, taken: options.takenStreams, now: options.now)
        var found: [StreamTranslation] = []
        for node in wanted {
            let stream = streams.translated(node)
            if node[StreamList.fullRead] != nil { stream.lose(.firstReadDiffers, at: node) }
            rules.losses.forEach(stream.note)
            found.append(stream)
        }
        Self.settleParents(of: found)
        try Self.requireNew(found, options)
        let limits = StreamTranslation(ManifestNode(.null), name: "", settings: rules.config)
        let common = limits.translateLimits(budget: manifest.budget, concurrency: manifest.concurrency)
        let ordered: [StreamTranslation]
        (ordered, document) = Self.accepted(found, name: connector, common: common, options)
        var known = Set(found.map { ObjectIdentifier($0) })
        for stream in ordered where known.insert(ObjectIdentifier(stream)).inserted { found.append(stream) }
        let written = document.names
        report = ImportReport(
            file: options.file,
            streams: found.map { stream in
                ImportReport.Stream(
                    name: stream.name, written: written[ObjectIdentifier(stream)], effect: stream.effect,
                    losses: stream.losses)
            }
                + list.impossible.map { name, loss in
                    ImportReport.Stream(name: name, written: nil, effect: .notWritten, losses: [loss])
                })
        report.notes = list.notes + limits.losses.map { "the limits of requests: \($0.sentence)" }
        if manifest.spec == nil, settings.config != .mapping([]) {
            report.notes.append("the file says nothing of its settings: those are taken that its texts use")
        }
        if manifest.spec == nil {
            let open = SettingsInUse(manifest).optional.filter { name in !settings.isTold(name) }
            if !open.isEmpty { report.notes.append("optional settings: \(open.joined(separator: ", "))") }
        }
        report.choices = settings.choices
        let text = document.sources.map { FileText(document.mapping(of: $0)).text }.joined()
        report.secrets = settings.secrets.filter { text.contains("${\($0.variable)}") }
    }

    /// Lets the parents be read in full of which a child asks for all records.
    private static func settleParents(of wanted: [StreamTranslation]) {
        let own = Set(wanted.map { ObjectIdentifier($0) })
        var open = wanted
        var seen = own
        while let stream = open.popLast() {
            for parent in stream.parentsInFull { parent.readsAll(isWanted: own.contains(ObjectIdentifier(parent))) }
            for parent in stream.parents where seen.insert(ObjectIdentifier(parent)).inserted { open.append(parent) }
        }
    }

    /// The most times that the file is made again without the streams that Garner refuses.
    private static let mostRounds = 10

    /// Returns the streams in the order in which they are written, and the file, without the streams that Garner refuses.
    private static func accepted(
        _ streams: [StreamTranslation], name: String?, common: FileMapping, _ options: Options, rounds: Int = mostRounds
    ) -> ([StreamTranslation], FileDocument) {
        var order = StreamOrder()
        for stream in streams { order.add(stream) }
        var document = FileDocument(order.streams, name: name, taken: options.takenSources)
        document.common = common
        guard rounds > 0, document.loseWhatIsRefused() else { return (order.streams, document) }
        return accepted(streams, name: name, common: common, options, rounds: rounds - 1)
    }

    /// Returns the settings that only the user knows.
    package static func missing(
        in manifest: Manifest, _ options: Options
    ) throws(ManifestError) -> [ConnectorSettings.Missing] {
        try settings(of: manifest, options).missing
    }

    private static func settings(
        of manifest: Manifest, _ options: Options
    ) throws(ManifestError) -> ConnectorSettings {
        let used = SettingsInUse(manifest)
        return try ConnectorSettings(
            manifest.spec ?? used.specification, given: options.given, tokens: used.tokens, codes: used.codes,
            prefix: FileNames.connector(of: options.file) ?? "")
    }

    /// Throws if the configuration has some of the streams already.
    private static func requireNew(_ streams: [StreamTranslation], _ options: Options) throws(ManifestError) {
        var there: [(String, String)] = []
        var new: [String] = []
        for stream in streams {
            if let present = options.present.first(where: { $0.isSame(stream) }) {
                there.append((present.name, present.source))
            } else if stream.effect < .notWritten {
                new.append(stream.streamName)
            }
        }
        guard let source = there.first?.1 else { return }
        let names = there.prefix(20).map(\.0).joined(separator: ", ") + (there.count > 20 ? ", …" : "")
        throw ManifestError(
            "\(names) \(there.count > 1 ? "are" : "is") in \(source) already",
            advice: new.isEmpty || new.count > 20
                ? "choose others with --streams" : "choose others with --streams \(new.joined(separator: ","))")
    }

    private static func wanted(
        _ names: [String]?, of streams: [ManifestNode], connector: String
    ) throws(ManifestError) -> [ManifestNode] {
        guard let names else { return streams }
        // A stream is known by its name in the manifest, and by the one that it has in the configuration.
        let known = streams.compactMap { $0["name"]?.text }
        func matches(_ name: String, _ wanted: String) -> Bool { name == wanted || FileNames.name(of: name) == wanted }
        for wanted in names where !known.contains(where: { matches($0, wanted) }) {
            let shown = known.prefix(40).map { ImportReport.shown($0) }.joined(separator: ", ")
            throw ManifestError(
                "there is no stream '\(ImportReport.shown(wanted))' in \(ImportReport.shown(connector))",
                advice: "its streams are: \(shown)\(known.count > 40 ? ", …" : "")")
        }
        return streams.filter { stream in
            names.contains { matches(stream["name"]?.text ?? "", $0) }
        }
    }

    // MARK: - Text

    /// The text of a new file.
    ///
    /// - Parameter database: the path of the database, relative to the file.
    package func text(database: String) -> String {
        FileText.configuration(database: database, header: header, sources: sources.map(\.text))
    }

    private var header: [String] {
        let version = version.map { ", version \($0)" } ?? ""
        return ["Made of \(FileNames.shown(options.file))\(version), a manifest of Airbyte."]
    }

    /// The sources with their lines, as they stand under `sources:`.
    package var sources: [(name: String, text: String)] {
        let lost = report.streams.filter { $0.written == nil }
        return document.sources.enumerated().map { index, source in
            let text = FileText.source(source.name, document.mapping(of: source))
            guard index == document.sources.count - 1 else { return (source.name, text) }
            let comments = lost.map { stream in
                let reasons = stream.losses.filter { $0.effect == .notWritten }.map(\.sentence)
                return "not written: '\(ImportReport.shown(stream.name))': \(reasons.joined(separator: "; "))"
            }
            return (source.name, text + FileText.comments(comments, indent: 6))
        }
    }
}

/// The order in which streams are written: parents before those that follow them.
private struct StreamOrder {
    private(set) var streams: [StreamTranslation] = []
    private var seen: Set<ObjectIdentifier> = []
    private var written: Set<ObjectIdentifier> = []

    /// Adds a stream after its parents, unless one of them or itself cannot be written. Returns true if it is there.
    @discardableResult
    mutating func add(_ stream: StreamTranslation, depth: Int = 0) -> Bool {
        let id = ObjectIdentifier(stream)
        guard seen.insert(id).inserted else { return written.contains(id) }
        guard depth < ManifestLimit.depth else { return false }
        for parent in stream.parents where !add(parent, depth: depth + 1) && stream.effect < .notWritten {
            stream.lose(.partitions, "its parent '\(parent.name)' is not written", effect: .notWritten)
        }
        if stream.base == nil, stream.effect < .notWritten { stream.lose(.host, "no server is named", at: stream.node) }
        guard stream.effect < .notWritten else { return false }
        streams.append(stream)
        written.insert(id)
        return true
    }
}

extension FileDocument {
    /// `source.stream` of each stream that is written.
    var names: [ObjectIdentifier: String] {
        var names: [ObjectIdentifier: String] = [:]
        for source in sources {
            for stream in source.streams { names[ObjectIdentifier(stream)] = "\(source.name).\(stream.streamName)" }
        }
        return names
    }
}
