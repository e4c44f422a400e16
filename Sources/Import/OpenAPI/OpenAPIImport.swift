import GarnerCatalog
package import GarnerJSON

/// Makes a configuration of an OpenAPI document, or lists what could be its streams.
package struct OpenAPIImport: ConnectorImport {
    /// A list of objects that the document describes.
    package struct Row: Sendable {
        package let name: String
        package let path: String
        /// The places of lists in the answer, of which the first is taken.
        package let places: [String]
        /// The names of parameters that only the user knows.
        package let parameters: [String]
        /// The parameters of the path whose values are listed under `partitions`.
        package let partitions: [String]
        package let parent: String?
        /// `source.stream`; nil if it is not written.
        package var written: String?
    }

    package let file: String
    /// The lists of the document, or those that are written.
    package private(set) var rows: [Row]
    package private(set) var secrets: [ConnectorSettings.SecretSetting] = []
    /// References to other files, which are not read.
    private let foreignReferences: Int
    private let streams: FileDocument
    /// Lines before `auth`, by its value.
    private let authComments: [FileMapping: [String]]

    /// - Throws: if a stream is not known, or something is missing that only the user knows.
    package init(_ root: ManifestNode, _ options: ManifestImport.Options) throws(ManifestError) {
        let document = try OpenAPIDocument(root)
        let lists = try OpenAPIList.all(in: document)
        guard !lists.isEmpty else {
            if let broken = document.brokenReference {
                throw ManifestError(
                    "the reference \(ImportReport.shown(broken.pointer)) leads nowhere, and no other GET answers with a list of objects",
                    line: broken.line, advice: "write what it refers to into the document")
            }
            let others = document.foreignReferences.isEmpty ? "" : "; it refers to other files, which are not read"
            throw ManifestError(
                "no GET of the document answers with a list of objects\(others)", line: root["paths"]?.line,
                advice: document.foreignReferences.isEmpty
                    ? "write the URL of a list: garner init https://api.example.org/v1/items"
                    : "make one file of them, as 'redocly bundle' and 'swagger-cli bundle' do")
        }
        file = options.file
        let names = options.streams ?? []
        let connector = FileNames.connector(of: options.file)
        var translation = OpenAPITranslation(document, lists, options, connector: connector)
        for name in names { try translation.add(name) }
        if let error = translation.error { throw error }
        var streams = FileDocument(translation.streams, name: connector, taken: options.takenSources)
        streams.origin = "The document"
        self.streams = streams
        authComments = translation.authComments
        secrets = translation.values.secrets
        foreignReferences = document.foreignReferences.count
        var rows: [Row] = []
        let written = streams.names
        for index in names.isEmpty ? Array(lists.indices) : translation.order {
            var row = translation.row(index)
            row.written = translation.stream(of: index).flatMap { written[ObjectIdentifier($0)] }
            rows.append(row)
        }
        self.rows = rows
    }

    /// Returns what is missing for the streams that are wanted.
    package static func missing(
        in root: ManifestNode, _ options: ManifestImport.Options
    ) throws(ManifestError) -> [ConnectorSettings.Missing] {
        let document = try OpenAPIDocument(root)
        var translation = OpenAPITranslation(
            document, try OpenAPIList.all(in: document), options,
            connector: FileNames.connector(of: options.file))
        for name in options.streams ?? [] { try translation.add(name) }
        return translation.values.missing
    }

    // MARK: - Text

    /// The sources with their lines, as they stand under `sources:`.
    package var sources: [(name: String, text: String)] {
        streams.sources.map { ($0.name, FileText.source($0.name, withAuth(streams.mapping(of: $0)))) }
    }

    /// Returns a source with the `auth` that most of its streams share, and with comments on each.
    private func withAuth(_ source: FileMapping) -> FileMapping {
        var source = source
        var named = source[mapping: "streams"]
        var counts: [FileMapping: Int] = [:]
        for entry in named.entries {
            if let auth = entry.value.mapping?["auth"]?.mapping { counts[auth, default: 0] += 1 }
        }
        // The first of those that most have.
        let most = counts.values.max() ?? 0
        let usual = named.entries.lazy.compactMap { $0.value.mapping?["auth"]?.mapping }.first { counts[$0] == most }
        let isShared = source["auth"] == nil && most > 1
        if isShared, let usual { source.insert("auth", .mapping(usual), before: "streams") }
        comment(&source)
        for index in named.entries.indices {
            guard var stream = named.entries[index].value.mapping else { continue }
            if isShared {
                if stream["auth"] == nil {
                    stream["auth"] = .mapping(FileMapping(["type": .text("none")]))
                } else if stream["auth"]?.mapping == usual {
                    stream["auth"] = nil
                }
            }
            comment(&stream)
            named.entries[index].value = .mapping(stream)
        }
        source[mapping: "streams"] = named
        return source
    }

    private func comment(_ mapping: inout FileMapping) {
        guard let auth = mapping["auth"]?.mapping else { return }
        for comment in authComments[auth] ?? [] { mapping.comment(comment, on: "auth") }
    }

    /// The text of a new file.
    package func text(database: String) -> String {
        FileText.configuration(
            database: database, header: ["Made of \(FileNames.shown(file)), an OpenAPI document."],
            sources: sources.map(\.text))
    }

    // MARK: - Report

    package var hasStreams: Bool { rows.contains { $0.written != nil } }

    package var isList: Bool { !hasStreams }

    /// A document says too little to know.
    package var isWhole: Bool { false }

    package var lostCount: Int { rows.count }

    package var shownSecrets: [String] { [] }

    /// The report in lines, each of which is safe for one line.
    package var lines: [String] {
        let cells = [["name", "path", "records at", "needs"]] + rows.map(\.cells)
        let widths = (0..<3).map { column in cells.map { $0[column].count }.max() ?? 0 }
        let table = cells.map { row in
            let padded = zip(row, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }
            let line = (padded + row.suffix(1)).joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        let count = "\(rows.count) list\(rows.count == 1 ? "" : "s")"
        let shown = ImportReport.shown(file)
        var lines = ["\(shown): \(count) of records\(hasStreams ? " written" : "")", ""] + table + [""]
        if foreignReferences > 0 {
            lines.append("What references to other files lead to is not read: make one file of them.")
        }
        if hasStreams {
            lines.append("Pages, keys and types are found in the answers: garner check --connect says what it finds.")
        } else {
            let names = rows.prefix(2).map(\.name).joined(separator: ",")
            lines.append("Add --streams \(names) to write these, for example.")
        }
        return lines
    }

    /// The report for programs.
    package var json: JSONText {
        .object([
            ("file", .string(file)), ("streams", .array(rows.map(\.json))),
            ("variables", .array(secrets.map(\.json))),
        ])
    }
}

extension OpenAPIImport.Row {
    fileprivate var json: JSONText {
        .object([
            ("name", .string(name)), ("path", .string(path)), ("record_selectors", JSONText(places)),
            ("parameters", JSONText(parameters)), ("partitions", JSONText(partitions)), ("parent", JSONText(parent)),
            ("stream", JSONText(written)),
        ])
    }

    /// The cells of the table.
    fileprivate var cells: [String] {
        let place = places.first.map { $0 == "$[*]" ? "the body" : $0 } ?? ""
        let more = places.count > 1 ? " or \(places.count - 1) other\(places.count > 2 ? "s" : "")" : ""
        let needs =
            (parent.map { ["parent \($0) (a guess)"] } ?? []) + partitions.map { "values of \($0)" }
            + parameters.map { ConnectorSettings.option($0, "…") }
        return [written ?? name, path, place + more, needs.joined(separator: ", ")].map(ImportReport.shown)
    }
}

extension FileMapping {
    /// Adds a key before another one.
    fileprivate mutating func insert(_ key: String, _ value: FileValue, before other: String) {
        let index = entries.firstIndex { $0.key == other } ?? entries.endIndex
        entries.insert(Entry(key: key, value: value), at: index)
    }
}
