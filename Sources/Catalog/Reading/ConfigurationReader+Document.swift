internal import Yams

extension ConfigurationReader {
    static let documentFields = [
        Field("version", .integer(1...1), "The version of this vocabulary: 1.", isRequired: true),
        Field(
            "database", .text, "The SQLite database, relative to this file; by default garner.db. It may hold ${NAME}."),
        Field("defaults", .optional(.mapping(StreamKey.fields(on: .defaults))), "What all streams inherit."),
        Field("sources", .named(.mapping(sourceFields)), "APIs by name, each with its streams."),
    ]

    private static let sourceFields =
        StreamKey.fields(on: .source) + [
            Field(
                "streams", .named(.optional(.mapping(StreamKey.fields(on: .stream)))), "Collections of records by name."
            )
        ]

    /// Reads as much as is right; the result counts only when `issues` has no error.
    func configuration(from root: YAMLValue) -> Configuration? {
        guard let top = root.mapping(hint: "begin with 'version: 1'") else { return nil }
        top.expect(
            Self.documentFields, notYet: StreamKey.notYetSupported, elsewhere: StreamKey.misplaced(on: nil))
        version(in: top)
        let database = top["database"].flatMap(database) ?? "garner.db"
        let defaults = top["defaults"].map(unnamed)?.mapping(isOptional: true).map { mapping in
            mapping.expect(
                StreamKey.fields(on: .defaults), notYet: StreamKey.notYetSupported,
                elsewhere: StreamKey.misplaced(on: .defaults))
            return assignments(from: mapping, .defaults)
        }
        let sources = top["sources"]?.mapping(isOptional: true)?.entries ?? []
        var drafts = sources.flatMap { streams(of: $0, defaults: defaults ?? []) }
        assignTables(&drafts)
        resolveParents(&drafts)
        for index in drafts.indices {
            drafts[index].settle()
            check(drafts[index])
        }
        return configuration(of: drafts, database: resolve(database), at: top["database"]?.place)
    }

    private func configuration(
        of drafts: [StreamDraft], database: String, at place: ConfigurationPlace?
    ) -> Configuration {
        var effective = EffectiveConfiguration()
        effective.general = [
            .init(
                path: ["database"], value: .text(database),
                origin: place.map { .file(line: $0.line) } ?? .standard)
        ]
        effective.streams = drafts.map { .init(name: $0.name, entries: $0.effectiveEntries) }
        return Configuration(
            file: file, database: database, streams: drafts.map(\.stream), warnings: issues.sortedWarnings,
            effective: effective)
    }

    private func version(in top: YAMLMapping) {
        guard let value = top.required("version", hint: "begin the file with 'version: 1'") else { return }
        guard value.plainText != "1" else { return }
        value.fail("'version' must be 1", hint: "write 'version: 1', the only version there is")
    }

    private func database(_ value: YAMLValue) -> String? {
        guard let written = value.scalarText(), let path = expand(written, of: value, isNeeded: true)?.text else {
            return nil
        }
        // SQLite would keep these in memory, or take them for a URI.
        if path.isEmpty || path.hasPrefix(":") || path.hasPrefix("file:") || path.unicodeScalars.contains("\0")
            || path.hasPrefix("~")
        {
            value.fail("'database' must be the path of a file", hint: "write a path such as garner.db")
            return nil
        }
        return path
    }

    private func streams(of entry: YAMLMapping.Entry, defaults: [Assignment]) -> [StreamDraft] {
        isName(entry, of: "source")
        guard let mapping = unnamed(entry.value).mapping(hint: "write 'base_url:' and 'streams:' below it") else {
            return []
        }
        mapping.expect(
            Self.sourceFields, notYet: StreamKey.notYetSupported, elsewhere: StreamKey.misplaced(on: .source))
        _ = mapping.required("base_url", hint: "add 'base_url: https://…'")
        let inherited = defaults + assignments(from: mapping, .source)
        let entries = mapping["streams"]?.mapping(isOptional: true)?.entries ?? []
        return entries.compactMap { stream in
            isName(stream, of: "stream")
            return draft(stream, name: StreamName(source: entry.key, stream: stream.key), inherited: inherited)
        }
    }

    private func draft(_ entry: YAMLMapping.Entry, name: StreamName, inherited: [Assignment]) -> StreamDraft? {
        let errorCount = issues.errorCount
        guard let mapping = unnamed(entry.value).mapping(isOptional: true) else { return nil }
        mapping.expect(
            StreamKey.fields(on: .stream), notYet: StreamKey.notYetSupported,
            elsewhere: StreamKey.misplaced(on: .stream))
        var draft = StreamDraft(name: name, place: entry.keyPlace, ownKeys: Set(mapping.entries.map(\.key)))
        draft.apply(inherited)
        draft.apply(assignments(from: mapping, .stream))
        draft.isSound = issues.errorCount == errorCount
        return draft
    }

    /// Names are part of `source.stream`, of tables and of command lines.
    private func isName(_ entry: YAMLMapping.Entry, of what: String) {
        let isAllowed = entry.key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
        guard entry.key.isEmpty || !isAllowed else { return }
        issues.fail(
            at: entry.keyPlace, "this name of a \(what) cannot be used", hint: "use letters, digits, '_' and '-' only")
    }

    /// Messages name the keys below the defaults, a source or a stream only: the place says which one it is.
    private func unnamed(_ value: YAMLValue) -> YAMLValue {
        value.node.mapping == nil ? value : YAMLValue(value.node, name: "", issues: issues)
    }
}
