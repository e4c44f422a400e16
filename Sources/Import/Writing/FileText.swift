import GarnerCatalog

/// The text of a configuration: a key on each line, and what is short in one line.
package struct FileText {
    /// The longest line of a mapping or a list in brackets.
    static let width = 100

    package private(set) var lines: [String] = []

    /// - Parameters:
    ///   - indent: the number of spaces before each line.
    ///   - blocks: for each level, the keys whose mappings are never written in brackets; none for all keys of it.
    package init(_ mapping: FileMapping, indent: Int = 0, blocks: [Set<String>] = []) {
        write(mapping, indent: indent, blocks: blocks[...])
    }

    package var text: String { lines.map { "\($0)\n" }.joined() }

    /// Returns a whole file.
    ///
    /// - Parameters:
    ///   - database: the path of the database, relative to the file.
    ///   - header: lines at the beginning, without `#`.
    ///   - sources: the lines of each source.
    static func configuration(database: String, header: [String], sources: [String]) -> String {
        StarterFile.head(database: database.doublingDollars, origin: header) + sources.joined()
    }

    /// Returns the lines of a source, as they stand under `sources:`.
    static func source(_ name: String, _ mapping: FileMapping) -> String {
        var named = FileMapping()
        named.entries = [FileMapping.Entry(key: name, value: .mapping(mapping))]
        return FileText(named, indent: 2, blocks: [[], ["streams"], []]).text
    }

    /// Returns lines of comments.
    static func comments(_ comments: [String], indent: Int) -> String {
        comments.map { "\(spaces(indent))\(YAMLText.comment($0))\n" }.joined()
    }

    private mutating func write(_ mapping: FileMapping, indent: Int, blocks: ArraySlice<Set<String>>) {
        for entry in mapping.entries {
            write(comments: entry.comments, indent: indent)
            let isBlock = blocks.first.map { $0.isEmpty || $0.contains(entry.key) } ?? false
            write(
                entry.value, after: Self.spaces(indent) + Self.key(entry.key) + ":", indent: indent,
                isBlock: isBlock, blocks: blocks.dropFirst())
        }
    }

    private mutating func write(comments: [String], indent: Int) {
        for comment in comments {
            lines.append(comment.isEmpty ? "" : Self.spaces(indent) + YAMLText.comment(comment))
        }
    }

    /// - Parameter start: the key with its colon, or the dash of an element.
    private mutating func write(
        _ value: FileValue, after start: String, indent: Int, isBlock: Bool = false,
        blocks: ArraySlice<Set<String>> = []
    ) {
        if !isBlock, let line = Self.line(value), "\(start) \(line)".unicodeScalars.count <= Self.width {
            lines.append("\(start) \(line)")
            return
        }
        switch value {
        case .mapping(let mapping) where !mapping.isEmpty:
            guard start.hasSuffix("-") else {
                lines.append(start)
                write(mapping, indent: indent + 2, blocks: blocks)
                return
            }
            // The first key stands beside the dash.
            write(comments: mapping.entries.first?.comments ?? [], indent: indent)
            var rest = mapping
            if !rest.entries.isEmpty { rest.entries[0].comments = [] }
            let first = lines.count
            write(rest, indent: indent + 2, blocks: blocks)
            if lines.indices.contains(first) { lines[first] = start + " " + lines[first].dropFirst(indent + 2) }
        case .list(let values) where !values.isEmpty:
            lines.append(start)
            let inner = indent + 2
            for element in values { write(element, after: Self.spaces(inner) + "-", indent: inner) }
        default: lines.append("\(start) \(Self.scalar(value))")
        }
    }

    /// Returns a value in one line; nil if there is a comment in it.
    static func line(_ value: FileValue) -> String? {
        switch value {
        case .mapping(let mapping):
            guard !mapping.isEmpty else { return "{}" }
            var members: [String] = []
            for entry in mapping.entries {
                guard entry.comments.isEmpty, let line = line(entry.value) else { return nil }
                members.append("\(key(entry.key)): \(line)")
            }
            return "{ " + members.joined(separator: ", ") + " }"
        case .list(let values):
            var elements: [String] = []
            for value in values {
                guard let line = line(value) else { return nil }
                elements.append(line)
            }
            return "[" + elements.joined(separator: ", ") + "]"
        default: return scalar(value)
        }
    }

    private static func scalar(_ value: FileValue) -> String {
        switch value {
        case .text(let text): YAMLText.scalar(text)
        case .plain(let text): text
        case .null: "null"
        case .list: "[]"
        case .mapping: "{}"
        }
    }

    static func key(_ name: String) -> String {
        let isPlain = StreamTranslation.isWord(name, withHyphens: true)
        return isPlain && !YAMLText.words.contains(name.lowercased()) ? name : YAMLText.quoted(name)
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
