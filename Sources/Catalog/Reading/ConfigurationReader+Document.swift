internal import Yams

extension ConfigurationReader {
    /// Reads as much as is right; the result counts only when `issues` has no error.
    func configuration(from root: YAMLValue) -> Configuration? {
        guard let top = root.mapping(hint: "begin with 'version: 1'") else { return nil }
        top.expect(
            ["version", "database", "defaults", "sources"], notYet: Self.notYetSupportedKeys,
            elsewhere: Self.misplacedAtTop)
        version(in: top)
        let database = top["database"].flatMap(database) ?? "garner.db"
        let defaults = top["defaults"].map(unnamed)?.mapping(isOptional: true).map { mapping in
            mapping.expect(
                Self.inheritedKeys, notYet: Self.notYetSupportedKeys,
                elsewhere: Self.misplaced(["base_url", "streams", "path", "table", "auth"]))
            return settings(from: mapping, .defaults)
        }
        let sources = top["sources"]?.mapping(isOptional: true)?.entries ?? []
        var streams = sources.flatMap { self.streams(of: $0, defaults: defaults ?? StreamSettings()) }
        assignTables(&streams)
        let resolved = resolve(database)
        var effective = EffectiveConfiguration()
        effective.general = [
            .init(
                path: ["database"], value: .text(resolved),
                origin: top["database"].map { .file(line: $0.place.line) } ?? .standard)
        ]
        effective.streams = streams.map { .init(name: $0.stream.name, entries: $0.effectiveEntries) }
        return Configuration(
            file: file, database: resolved, streams: streams.map(\.stream), warnings: issues.sortedWarnings,
            effective: effective)
    }

    private func version(in top: YAMLMapping) {
        guard let value = top.required("version", hint: "begin the file with 'version: 1'") else { return }
        guard value.plainText != "1" else { return }
        value.fail("'version' must be 1", hint: "write 'version: 1', the only version there is")
    }

    private func database(_ value: YAMLValue) -> String? {
        guard let path = name(value) else { return nil }
        // SQLite would keep these in memory, or take them for a URI.
        if path.hasPrefix(":") || path.hasPrefix("file:") || path.unicodeScalars.contains("\0") || path.hasPrefix("~") {
            value.fail("'database' must be the path of a file", hint: "write a path such as garner.db")
            return nil
        }
        return path
    }

    private func streams(of entry: YAMLMapping.Entry, defaults: StreamSettings) -> [StreamDraft] {
        isName(entry, of: "source")
        guard let mapping = unnamed(entry.value).mapping(hint: "write 'base_url:' and 'streams:' below it") else {
            return []
        }
        mapping.expect(
            ["base_url", "auth", "streams"] + Self.inheritedKeys, notYet: Self.notYetSupportedKeys,
            elsewhere: Self.misplaced(["path", "table"]))
        let base = mapping.required("base_url", hint: "add 'base_url: https://…'").flatMap { value in
            read(value, .source, baseURL)
        }
        let settings = settings(from: mapping, .source)
        let entries = mapping["streams"]?.mapping(isOptional: true)?.entries ?? []
        return entries.compactMap { stream in
            isName(stream, of: "stream")
            return self.stream(
                stream, name: StreamName(source: entry.key, stream: stream.key), base: base,
                inherited: [settings, defaults])
        }
    }

    private func stream(
        _ entry: YAMLMapping.Entry, name: StreamName, base: Setting<BaseURL>?, inherited: [StreamSettings]
    ) -> StreamDraft? {
        guard let mapping = unnamed(entry.value).mapping(isOptional: true) else { return nil }
        mapping.expect(
            ["path", "table", "auth"] + Self.inheritedKeys, notYet: Self.notYetSupportedKeys,
            elsewhere: Self.misplaced(["base_url", "streams"]))
        let path = read(mapping["path"], .stream, self.path)
        let table = read(mapping["table"], .stream, self.name)
        let layers = [settings(from: mapping, .stream)] + inherited
        guard let base else { return nil }
        return StreamDraft(
            name: name, place: entry.keyPlace, base: base, path: path, explicitTable: table, layers: layers)
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
