/// The commented file that `garner init` writes.
package struct StarterFile {
    private let address: StarterAddress
    private let request: StarterRequest
    private let findings: StarterFindings?
    private let database: String

    /// - Parameters:
    ///   - address: the address; nil for that of the built-in demo.
    ///   - findings: the findings on the first page; nil if nothing was requested, so that each run detects the layout.
    ///   - request: the parts of the request besides the URL.
    ///   - database: the path of the database, relative to the file; nil for the usual one.
    package init(
        of address: StarterAddress? = nil, request: StarterRequest? = nil, findings: StarterFindings? = nil,
        database: String? = nil
    ) {
        self.database = database ?? "garner.db"
        self.address = address ?? .demo
        self.request = request ?? StarterRequest(source: self.address.source)
        self.findings = findings
    }

    /// The text of a valid configuration for any URL. It is read with the address's `environment`.
    package var text: String {
        Self.head(database: StarterRequest.escaped(database)) + source
    }

    /// Returns what stands above the sources.
    ///
    /// - Parameters:
    ///   - database: the path of the database, as the file has it.
    ///   - origin: what the file is made of, as lines without `#`.
    package static func head(database: String, origin: [String] = []) -> String {
        """
        # What garner keeps in step, and how. Check it with 'garner check', then run 'garner sync'.
        \(origin.map { YAMLText.comment($0) + "\n" }.joined())version: 1

        # The SQLite database, relative to this file.
        database: \(YAMLText.scalar(database))

        # What every stream inherits; a source or a stream may say otherwise.
        defaults:
          schedule: { every: 15m, jitter: 30s }   # how often 'garner serve' fetches

        sources:

        """
    }

    /// The lines of the source, as they stand under `sources:`.
    package var source: String {
        let note = address == .demo ? " 'garner demo --serve' answers here." : ""
        let isProved = request.sharedLines.contains { $0.hasPrefix("auth:") }
        let lines =
            request.sourceLines + (isProved ? [] : ["# auth: { type: bearer, token: \"${API_TOKEN}\" }"])
            + request.sharedLines
        return """
              \(address.source):
                # Every path below is added to this.\(note)
                base_url: \(YAMLText.quoted(address.baseURL))
                # Secrets come from the environment (or from a file: { file: path }).
            \(lines.map { "    \($0)\n" }.joined())    streams:

            """ + stream(request.lines)
    }

    /// Returns the lines of the stream, as they stand under the `streams:` of a source that has some lines already.
    package func stream(within source: Set<String>) -> String { stream(request.lines(within: source)) }

    private func stream(_ requestLines: [String]) -> String {
        let lines =
            pathLines + requestLines + params
            + (findings.map(self.lines) ?? Self.suggestions)
        return "      \(address.stream):   # becomes the table '\(address.stream)'\n"
            + lines.map { "        \($0)\n" }.joined()
    }

    private var pathLines: [String] {
        let path = "path: \(YAMLText.quoted(address.path))"
        guard let parent = address.parent else { return [path] }
        let lines = ["parent: \(parent.stream)", "path: \(YAMLText.quoted(parent.path))"]
        return parent.isCertain
            ? [
                YAMLText.comment(
                    "The URL names the record \(parent.record) of '\(parent.stream)'; all of them are read.")
            ] + lines
            : [path, YAMLText.comment("For all records of '\(parent.stream)', if \(parent.record) is one:")]
                + lines.map { "# \($0)" }
    }

    private static let suggestions = [
        "# params: { per_page: 100 }    # added to the URL as ?per_page=100",
        "# How to reach the next page; without this line garner finds out.",
        "# paginator: { type: json_link, next_url_path: $.next }",
        "# record_selector: $.data[*]   # where the records are; found by itself in most answers",
        "# primary_key: id              # what identifies a record; found by itself in most answers",
        deletion,
    ]

    private static let deletion = "# delete_missing: soft         # mark rows that the API no longer returns"

    private var params: [String] {
        let query = address.query
        let method = findings?.paginator.value.kind.method
        let first = (method as? Paginator.PageNumber)?.pageParam ?? (method as? Paginator.Offset)?.offsetParam
        // The paginator sends its own.
        let others = query.params.filter { ![first, method?.sizeParameter].contains(.query($0.name)) }
        var members = others.map { parameter in
            (name: parameter.name, value: YAMLText.quoted(parameter.value.doublingDollars))
        }
        members += query.positions.filter { $0.isStart && first != .query($0.name) }.map {
            (name: $0.name, value: YAMLText.quoted($0.value))
        }
        if let size = query.size, method?.sizeParameter != .query(size.name) {
            members.append((name: size.name, value: String(size.value)))
        }
        members += query.secrets.map { (name: $0.name, value: "\"${\($0.variable)}\"") }
        members += StarterRequest.members(request.params)
        let notes =
            query.secrets.map { "The value of '\($0.name)' is not written here; set the variable \($0.variable)." }
            + query.remarks
        return notes.map(YAMLText.comment) + (members.isEmpty ? [] : ["params: \(YAMLText.mapping(members))"])
    }

    private func lines(_ findings: StarterFindings) -> [String] {
        Self.response(findings.mediaTypes) + Self.selector(findings) + Self.key(findings.primaryKey)
            + Self.replacing(findings)
            + Self.comment("How the next page is reached", findings.paginator)
            + ["paginator: \(findings.paginator.value.line)"]
            + (findings.replacesTable ? [] : incremental(findings.cursorFields) + [Self.deletion])
    }

    /// Returns the lines of the findings that a stream does not have, each after a comment with the reason.
    package static func lines(missingIn stream: StreamConfiguration, of findings: StarterFindings) -> [String] {
        var lines: [String] = []
        if stream.response.mediaTypes.isEmpty { lines += response(findings.mediaTypes) }
        if stream.recordSelector == nil, findings.recordSelector.value != nil {
            lines += selector(findings)
        }
        if stream.primaryKey == nil, findings.primaryKey.value != nil { lines += key(findings.primaryKey) }
        if stream.primaryKey == nil, stream.writeDisposition == nil, !stream.deletesRows {
            lines += replacing(findings)
        }
        if stream.paginator == Paginator(), findings.paginator.value != Paginator() {
            lines += comment("How the next page is reached", findings.paginator)
            lines.append("paginator: \(findings.paginator.value.line)")
        }
        return lines
    }

    private static func response(_ mediaTypes: [String]) -> [String] {
        guard !mediaTypes.isEmpty else { return [] }
        let list = mediaTypes.map { YAMLText.quoted($0) }.joined(separator: ", ")
        return [
            YAMLText.comment("What to accept as JSON, since the API does not declare it as such."),
            "response: { media_types: [\(list)] }",
        ]
    }

    private static func selector(_ findings: StarterFindings) -> [String] {
        let finding = findings.recordSelector
        return comment("Where the records are", finding)
            + [finding.value.map { "record_selector: \(YAMLText.scalar($0))" } ?? "# record_selector: $.data[*]"]
            + (findings.recordShape == .columns ? ["record_shape: { type: columns }"] : [])
    }

    private static func key(_ finding: StarterFindings.Finding<[String]?>) -> [String] {
        let names = (finding.value ?? []).map(YAMLText.scalar)
        let line =
            names.count > 1
            ? "primary_key: [\(names.joined(separator: ", "))]" : names.first.map { "primary_key: \($0)" }
        return comment("What identifies a record", finding) + [line ?? "# primary_key: id"]
    }

    private static func replacing(_ findings: StarterFindings) -> [String] {
        findings.replacesTable
            ? [
                YAMLText.comment("What becomes of the rows: \(StarterFindings.replacing)."),
                "write_disposition: replace",
            ] : []
    }

    private static func comment(_ title: String, _ finding: StarterFindings.Finding<some Sendable>) -> [String] {
        let stop = finding.remark.last.map { ".?".contains($0) } == true ? "" : "."
        return [YAMLText.comment("\(title)\(finding.isDoubtful ? ", unsure" : ""): \(finding.remark)\(stop)")]
    }

    /// Returns the lines that are to be uncommented to read only what changed.
    private func incremental(_ fields: [StarterFindings.CursorField]) -> [String] {
        let since = address.query.since
        let known = fields.filter { $0.format != nil }
        let fitting = since.flatMap { since in known.first { $0.format == since.format } ?? known.first }
        guard let field = fitting ?? fields.first else { return [] }
        let others = fields.map(\.name).filter { $0 != field.name }
        let names = "'\(field.name)'\(others.isEmpty ? "" : " (or \(others.joined(separator: ", ")))")"
        var members = [(name: "cursor_field", value: YAMLText.scalar(field.name))]
        // Nothing is sent in the notation of Microsoft.
        let sent = since?.format ?? (field.format == .microsoftJSON ? .rfc3339 : field.format)
        if let format = field.format, format != .rfc3339 || sent != format {
            members.append((name: "cursor_datetime_format", value: "\(format)"))
        }
        if let sent, sent != field.format { members.append((name: "datetime_format", value: "\(sent)")) }
        guard let since else {
            return [
                YAMLText.comment(
                    "To read only what changed since the last run by \(names): if the API has a parameter for that,"),
                "# here called since, add it to params as since: \"{incremental.start_value}\".",
                "# incremental: \(YAMLText.mapping(members))",
            ]
        }
        members.append((name: "initial_value", value: YAMLText.quoted(since.parameter.value)))
        return [
            YAMLText.comment(
                "To read only what changed since the last run by \(names): take the line below, and in params"),
            YAMLText.comment(
                "\(YAMLText.scalar(since.parameter.name)): \"{incremental.start_value}\" in the place of the time."),
            "# incremental: \(YAMLText.mapping(members))",
        ]
    }
}

extension StarterQuery {
    /// The sentences that explain to the user which parameters of the URL are left out.
    package var remarks: [String] {
        let left = positions.filter { !$0.isStart }.map {
            "'\($0.name)' of the URL is left out, since a read begins with the first page."
        }
        return left + omitted.map { "'\($0)' of the URL is left out, since its value cannot be meant." }
    }
}

extension YAMLText {
    fileprivate static func value(_ value: EffectiveConfiguration.Value) -> String {
        switch value {
        case .text(let text): scalar(text)
        case .list(let texts): "[\(texts.map(scalar).joined(separator: ", "))]"
        case .integer, .number, .flag, .automatic: "\(value)"
        }
    }
}

extension Paginator {
    /// The value of `paginator` as a configuration has it: `{ type: page_number, page_param: page }`. Limits that are not
    /// set are left out.
    package var line: String {
        let unset = PageLimits.keys.show(PageLimits()).map { "\($0)" }
        let limits = PageLimits.keys.show(limits).filter { !unset.contains("\($0)") }
        return YAMLText.mapping(
            (kind.configured.effectiveValues + limits).map { (name: $0, value: YAMLText.value($1)) })
    }
}
