internal import GarnerLibC
import GarnerYAML

struct SourceEntry {
    let reader: ConfigurationReader
    let entry: YAMLMapping.Entry
}

final class IncludedFiles {
    fileprivate var paths: Set<String> = []
    /// The texts of the files in their order.
    fileprivate(set) var texts: [String] = []
    /// Their paths in the same order.
    fileprivate(set) var files: [String] = []
}

extension ConfigurationReader {
    static let includeField = Field(
        "include", .texts, "Files with more sources, relative to this file. A * stands for any part of a name.")

    private static let includedFields = [
        Field("version", .integer(1...1), "The version of this vocabulary: 1."), includeField, sourcesField,
    ]

    /// Returns the sources of this file and of the files that it includes, each name once.
    ///
    /// - Parameter path: The files that include each other down to this one, as the system knows them.
    func sourceEntries(in top: YAMLMapping, along path: [String] = []) -> [SourceEntry] {
        let own = top["sources"]?.mapping(isOptional: true)?.entries ?? []
        var entries = own.map { SourceEntry(reader: self, entry: $0) }
        if let value = top["include"] {
            let path = path.isEmpty ? [Self.canonical(file)] : path
            for (pattern, files) in includedFiles(value) {
                for file in files { entries += sources(of: file, namedBy: pattern, along: path) }
            }
        }
        guard path.isEmpty else { return entries }
        return unique(entries)
    }

    /// Returns the files that match each pattern, in the order of their names.
    private func includedFiles(_ value: YAMLValue) -> [(pattern: YAMLValue, files: [String])] {
        let hint = "write include: [sources/*.yaml]"
        func files(_ element: YAMLValue) -> (pattern: YAMLValue, files: [String])? {
            guard let pattern = element.text(hint: hint) else { return nil }
            guard !pattern.isEmpty, !pattern.hasPrefix("~"), !pattern.utf8.contains(0) else {
                return element.failed(
                    "'\(element.name)' must be the path of a file, or a pattern",
                    hint: pattern.hasPrefix("~") ? Self.homeFolder : hint)
            }
            let files = self.files(matching: pattern)
            if files.isEmpty, Self.isFolder(resolve(pattern)) == true {
                return element.failed(
                    "'\(pattern)' is a folder",
                    hint: "write include: [\"\(pattern.hasSuffix("/") ? pattern : "\(pattern)/")*.yaml\"]")
            }
            if files.isEmpty {
                let isPattern = pattern.contains { "*?[".contains($0) }
                if pattern.contains("://") {
                    return element.failed(
                        "'\(pattern.prefix(100))' is no file of this machine",
                        hint: "copy it here, and write include: with the name of the copy")
                }
                element.fail(
                    isPattern ? "no file matches '\(pattern)'" : "the file '\(pattern)' does not exist",
                    hint: present(like: pattern).map { "did you mean '\($0)'?" }
                        ?? "paths are relative to the folder of \(file)")
            }
            return (element, files)
        }
        guard value.node.sequence != nil else { return files(value).map { [$0] } ?? [] }
        return value.elements(hint: hint, read: files) ?? []
    }

    /// Returns the pattern with another ending, or the path of a file with nearly that name; nil if there is none.
    private func present(like pattern: String) -> String? {
        let start = pattern.lastIndex(of: "/").map { pattern.index(after: $0) } ?? pattern.startIndex
        let (folder, name) = (pattern[..<start], pattern[start...])
        let stem = folder + (name.lastIndex(of: ".").map { name[..<$0] } ?? name)
        let renamed = ["yaml", "yml"].map { "\(stem).\($0)" }.first { !files(matching: $0).isEmpty }
        guard renamed == nil, !name.contains(where: { "*?[".contains($0) }) else { return renamed }
        let names = files(matching: "\(folder)*.y*ml").map { path in
            String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
        }
        return Suggestion.closest(to: String(name), among: names).map { "\(folder)\($0)" }
    }

    private func files(matching pattern: String) -> [String] {
        // The folder of this file is no pattern, whatever its name is.
        let path = resolve(pattern)
        let folder = path.dropLast(pattern.count).map { "*?[\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(folder + pattern, 0, nil, &found) == 0 else { return [] }
        let paths = (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
        return paths.filter { Self.isFolder($0) == false }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Nil if there is nothing at the path.
    private static func isFolder(_ path: String) -> Bool? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT == S_IFDIR : nil
    }

    /// Returns the path without links, by which the same file is known.
    static func canonical(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private func sources(of file: String, namedBy pattern: YAMLValue, along path: [String]) -> [SourceEntry] {
        let known = Self.canonical(file)
        guard !path.contains(known) else {
            pattern.fail(
                "'\(pattern.name)' includes \(file), which includes this file",
                hint: "remove it, or write a pattern that does not match it")
            return []
        }
        guard included.paths.insert(known).inserted else {
            pattern.fail("'\(pattern.name)' includes \(file) a second time", hint: "include each file once")
            return []
        }
        let text: String
        do {
            text = try TextFile(path: file, maximumBytes: Configuration.maximumBytes, isOnDisk: true).text
        } catch {
            let reason = if case .unreadable(let reason) = error { reason } else { "it does not exist" }
            pattern.fail("\(file) cannot be read: \(reason)", hint: "include a text file in UTF-8 that you may read")
            return []
        }
        included.texts.append(text)
        included.files.append(file)
        let reader = reader(of: file)
        guard let root = YAMLDocument.root(of: text, issues: reader.issues),
            let top = root.mapping(hint: "begin with 'sources:'")
        else { return [] }
        let elsewhere = Self.documentFields.map { ($0.name, "it belongs into the file that garner is started with") }
        top.expect(
            Self.includedFields, elsewhere: Dictionary(elsewhere) { first, _ in first })
        if top["version"] != nil { reader.version(in: top) }
        return reader.sourceEntries(in: top, along: path + [known])
    }

    private func unique(_ entries: [SourceEntry]) -> [SourceEntry] {
        var places: [String: ConfigurationPlace] = [:]
        return entries.filter { source in
            let place = source.entry.keyPlace
            if let first = places[source.entry.key] {
                issues.fail(
                    at: place, "the source '\(source.entry.key.prefix(60))' is also in \(first)",
                    hint: "give one of them another name")
                return false
            }
            places[source.entry.key] = place
            return true
        }
    }
}
