package import GarnerJSON
package import GarnerModel

/// A collection of records of one API, with the settings for its requests, storage and schedule.
package struct StreamConfiguration: Sendable {
    package var name: StreamName
    package var table: String
    package var tableNaming = TableNaming.written
    package var place: ConfigurationPlace
    package var request: RequestTemplate
    package var paginator: Paginator
    /// The JSONPath of the records. With nil they are the body if it is an array, else the only array of objects in it,
    /// else the object itself.
    package var recordSelector: String?
    /// The fields that identify a record; nil if they are inferred from the first page.
    package var primaryKey: [String]?
    /// The write disposition; nil means merge with a key, and append without one.
    package var writeDisposition: WriteDisposition?
    package var deleteMissing: DeleteMissing
    /// The largest part of a table, 0...1, that one run may delete. With nil, a run may delete fewer than half of the
    /// rows, and at most one row of a table with fewer than ten. A stream that replaces its table has no limit then.
    package var maxDeleteRatio: Double?
    /// The number of levels of nested objects that become `a__b` columns. Deeper objects are JSON text.
    package var flattenDepth: Int
    /// True if arrays of objects become tables of their own.
    package var childTables = false
    package var schedule: Schedule?
    package var retry: RetryPolicy
    package var limits: Limits
    /// True if loopback and private addresses may be reached; nil allows them if the base URL names one.
    package var allowsPrivateNetwork: Bool?
    /// The rate limit, which all streams of the source that inherit it share.
    package var rateLimit: RateLimit?
    /// The number of requests of a source at the same time, 1...256.
    package var maxConcurrency = 4
    package var proxy = ProxySetting.environment
    /// The path of a PEM file with the trusted certificates, resolved against the file's folder; nil for those of the
    /// system.
    package var certificateAuthority: String?
    /// The actions for certain responses. The first one that matches counts.
    package var responseActions: [ResponseAction] = []
    package var response = ResponseFormat()
    package var recordShape = RecordShape.objects
    /// The condition that records must meet to be stored; nil for all.
    package var recordFilter: FilterExpression?
    /// The condition for a record to say that its row is to be deleted; nil if none does.
    package var deletedWhen: FilterExpression?
    package var fields = FieldRules()
    /// The fields that are named although few records, or none yet, have them.
    package var optionalFields: [FieldPath] = []
    package var incremental: Incremental?
    package var parent: Parent?
    /// The partitions. A run makes one pass for each combination of their values.
    package var partitions: [Partition]
    package var attachments: [Attachment] = []
    /// The time for which a run waits for an unreachable host.
    package var waitForConnectivity = Duration.zero
    /// True if `Cache-Control: max-age` of a response may postpone the next run.
    package var usesCacheLifetime = false
    /// The treatment of records that do not fit the table.
    package var schemaContract = SchemaContract()
    package var mergeStrategy = MergeStrategy.upsert
    /// True if two records are the same only if their whole content is the same.
    package var dedupes = false
    /// True if old versions of the rows are kept.
    package var history = false
    package var search: [String] = []
    /// The number of the latest runs that are kept; 0 for all.
    package var keepRuns = 1000
    /// The time for which a version is kept after it was replaced; nil for ever.
    package var keepHistory: Duration?
    /// The certificate that servers which ask for one are shown.
    package var clientCertificate: ClientCertificate?
    package var hooks = Hooks()
    /// The streams whose rows it seems to need and that are in another shard, with the command that brings both together.
    package internal(set) var elsewhere: [StreamName: String] = [:]
    /// The variables and files that the stream needs and that are missing. No request can be sent then, and what these texts would be
    /// is unknown.
    package var missing: [ConfigurationIssue] = []
    /// Those of them that `fields` needs, whose hashes have a key.
    package var missingOfFields: [ConfigurationIssue] = []

    package init(
        name: StreamName, table: String, place: ConfigurationPlace, request: RequestTemplate,
        paginator: Paginator = Paginator(), recordSelector: String? = nil, primaryKey: [String]? = nil,
        writeDisposition: WriteDisposition? = nil, deleteMissing: DeleteMissing = .ignore,
        maxDeleteRatio: Double? = nil, flattenDepth: Int = 1, retry: RetryPolicy = RetryPolicy(),
        limits: Limits = Limits(), allowsPrivateNetwork: Bool? = nil, parent: Parent? = nil,
        partitions: [Partition] = []
    ) {
        self.name = name
        self.table = table
        self.place = place
        self.request = request
        self.paginator = paginator
        self.recordSelector = recordSelector
        self.primaryKey = primaryKey
        self.writeDisposition = writeDisposition
        self.deleteMissing = deleteMissing
        self.maxDeleteRatio = maxDeleteRatio
        self.flattenDepth = flattenDepth
        self.retry = retry
        self.limits = limits
        self.allowsPrivateNetwork = allowsPrivateNetwork
        self.parent = parent
        self.partitions = partitions
    }
}

/// The origin of the name of a stream's table.
package enum TableNaming: Sendable, Equatable {
    /// The file names it.
    case written
    /// It is made from the stream's name; `sharing` are the other streams that would have the same.
    case derived(sharing: [StreamName])
}

extension StreamConfiguration {
    /// The name that a table has if nobody names it and another stream has the stream's own name.
    package static func longTable(of name: StreamName) -> String { "\(name.source)_\(name.stream)" }

    /// Returns true if a table that is there keeps its name: it was made from the stream's name, whatever streams there are beside it.
    package func keepsTable(_ table: String) -> Bool {
        tableNaming != .written
            && [name.stream, Self.longTable(of: name)].contains { $0.utf8.elementsEqual(table.utf8) }
    }
}

/// The way in which fetched records join the stored ones.
package enum WriteDisposition: String, Sendable, CaseIterable {
    /// Insert new keys, update changed records.
    case merge
    /// Insert every record.
    case append
    /// Replace the whole table at the end of a complete read.
    case replace
}

/// The treatment of stored records that a complete read did not return.
package enum DeleteMissing: String, Sendable, CaseIterable {
    case ignore
    /// Mark the row with the time in `_garner_deleted_at`.
    case soft
    case hard
}

extension StreamConfiguration {
    /// A text of the settings that decide which pages a read has. A read may go on where another one stopped if the
    /// texts are the same. Secrets are left out, since they change while the records stay.
    package var readIdentity: String {
        var lines: [(String, String)] = [
            ("url", request.baseURL + " " + request.path), ("method", request.method.rawValue),
        ]
        lines += request.params.map { ("param", "\($0.name)=\($0.value)") }
        lines += request.headers.map { ("header", "\($0.name.lowercased())=\($0.value)") }
        if let body = request.body {
            lines.append(("body", "\(body)"))
            if request.bodyFormat != .json { lines.append(("body_format", request.bodyFormat.rawValue)) }
        }
        lines += paginator.effectiveValues.map { ("paginator.\($0)", "\($1)") }
        lines.append(("record_selector", recordSelector ?? "auto"))
        lines.append(("primary_key", primaryKey?.joined(separator: ",") ?? "auto"))
        lines.append(("flatten_depth", "\(flattenDepth)"))
        if childTables { lines.append(("child_tables", "true")) }
        if replacesTable { lines.append(("write_disposition", WriteDisposition.replace.rawValue)) }
        // Later settings have a line only if they are set, so that a read that began before them can go on.
        if !schemaContract.takesAll { lines.append(("schema_contract", schemaContract.text)) }
        if mergeStrategy != .upsert { lines.append(("merge_strategy", mergeStrategy.rawValue)) }
        if dedupes { lines.append(("dedupe", "true")) }
        if let parent { lines.append(("parent", "\(parent.stream) \(parent.include.joined(separator: ","))")) }
        if let condition = parent?.condition { lines.append(("parent.where", condition)) }
        lines += partitions.map(\.identity)
        if let incremental {
            lines.append(("incremental", incremental.cursorFields.joined(separator: ",")))
            if !incremental.cursorFormats.isEmpty {
                let formats = incremental.cursorFormats.map(\.description).joined(separator: ",")
                lines.append(("cursor_datetime_format", formats))
            }
            if let format = incremental.requestFormat { lines.append(("datetime_format", "\(format)")) }
            if incremental.timezone != .utc { lines.append(("timezone", "\(incremental.timezone)")) }
            if incremental.stopsAtKnown { lines.append(("stop_at_known", "true")) }
        }
        if response != ResponseFormat() { lines.append(("response", response.text)) }
        if recordShape != .objects { lines.append(("record_shape", recordShape.identity)) }
        if let recordFilter { lines.append(("record_filter", "\(recordFilter)")) }
        if let deletedWhen { lines.append(("deleted_when", "\(deletedWhen)")) }
        if fields.changeRecords { lines.append(("fields", fields.identity)) }
        lines += responseActions.filter { [.ignore, .accept, .end].contains($0.action) }.map {
            ("response_action", $0.effectiveText)
        }
        return lines.map { "\($0)=\($1)\n" }.joined()
    }
}

extension StreamConfiguration {
    /// True if a complete read replaces the table.
    package var replacesTable: Bool { writeDisposition == .replace }

    /// True if a complete read may delete rows. The records of each page must be known then.
    package var deletesRows: Bool { deleteMissing != .ignore || replacesTable }

    /// Returns true if a read with this judgement keeps missing rows although the stream is to delete them, and each read
    /// of the same configuration does: a part is left out by choice. An incremental stream has other reads that cover
    /// everything.
    package func keepsMissingRows(after verdict: Verdict?) -> Bool {
        verdict?.kind == .chosen && deletesRows && incremental == nil
    }

    /// Returns true if a read with this judgement lacks records, or if that is unknown although missing rows are to be
    /// deleted. With `stop_at_known`, records between the new and the known ones may be missing.
    package func isIncomplete(after kind: Verdict.Kind) -> Bool {
        switch kind {
        case .missed: true
        case .contradicted: deleteMissing != .ignore || incremental?.stopsAtKnown == true
        case .silent: deleteMissing != .ignore
        case .complete, .document, .chosen: false
        }
    }
}

/// A field with the URL of a file that is downloaded and kept.
package struct Attachment: Sendable, Equatable {
    package var field: String
    /// The media types, such as `image/png`, or `image/*` for all images.
    package var mediaTypes: [String]

    package init(field: String, mediaTypes: [String] = ["image/*"]) {
        self.field = field
        self.mediaTypes = mediaTypes
    }
}

extension Attachment {
    static let listFormat = {
        let folder = "remove it: files are kept in the database; 'garner export TABLE --attachments FOLDER' writes them"
        let elsewhere = ["dest", "destination", "dir", "directory", "folder", "output", "path", "target"]
        let list = keys.format(
            hint: "write { field: «photo_url» }",
            elsewhere: Dictionary(uniqueKeysWithValues: elsewhere.map { ($0, folder) })
        ).list(
            hint: "write attachments: [ { field: «photo_url» } ]"
        ) { .members($0.map { ($0.field, .list($0.mediaTypes)) }) }
        return ValueFormat(
            schema: list.schema,
            read: { reader, value in
                guard let attachments = list.read(reader, value) else { return nil }
                guard attachments.map(\.field).firstRepeated == nil else {
                    return value.failed("'\(value.name)' names a field twice", hint: "keep one of them")
                }
                return attachments
            }, show: list.show)
    }()

    private static let keys = Keys(
        Attachment(field: ""),
        Key("field", .name, to: \.field, required: "add 'field: photo_url'", "The field that holds the URL."),
        Key(
            "media_types", .texts { mediaTypes($1) }, to: \.mediaTypes,
            "What may be kept, such as image/png or image/*, which is the default."))

    @Sendable fileprivate static func mediaTypes(_ value: YAMLValue) -> [String]? {
        guard let types = value.texts() else { return nil }
        let areTypes = types.allSatisfy { type in
            let parts = type.split(separator: "/", omittingEmptySubsequences: false)
            return parts.count == 2 && parts.allSatisfy { HeaderSyntax.isName(String($0)) }
                && (parts[0] != "*" || parts[1] == "*")
        }
        if areTypes, !types.isEmpty { return types.map { $0.lowercased() } }
        return value.failed("'\(value.name)' names no media type", hint: "write image/png, image/* or */*")
    }
}

/// The form of responses that an API sends instead of JSON in UTF-8 that is declared as JSON.
package struct ResponseFormat: Sendable, Equatable {
    /// The accepted media types, such as `text/plain` or `text/*`; none for those of JSON and JSON Lines. `*/*` also
    /// accepts a response without a media type.
    package var mediaTypes: [String]
    /// The encoding of the text, whatever the response says; nil for UTF-8.
    package var charset: Charset?
    /// The form of the body, whatever the response says; nil for the one of its media type.
    package var form: Form?

    package init(mediaTypes: [String] = [], charset: Charset? = nil, form: Form? = nil) {
        (self.mediaTypes, self.charset, self.form) = (mediaTypes, charset, form)
    }

    package enum Form: String, Sendable, CaseIterable {
        case json
        /// One JSON value on each line.
        case jsonLines = "json_lines"
    }

    /// An encoding by its name in the registry of IANA.
    package enum Charset: String, Sendable, CaseIterable {
        case utf8 = "utf-8"
        /// UTF-16 with a byte order mark; without one, the more significant byte comes first (RFC 2781, 4.3).
        case utf16 = "utf-16"
        case utf16LittleEndian = "utf-16le"
        case utf16BigEndian = "utf-16be"
        case latin1 = "iso-8859-1"
        case latin9 = "iso-8859-15"
        case windows1252 = "windows-1252"
    }

    /// The format as a part of `readIdentity`.
    fileprivate var text: String {
        "\(mediaTypes.joined(separator: ",")) \(charset?.rawValue ?? "")\(form.map { " \($0.rawValue)" } ?? "")"
    }
}

extension StreamKey {
    static let response = group(
        "response", "The form of responses that are not declared as JSON in UTF-8.",
        hint: "write response: { format: json_lines }, or response: { media_types: [application/json, text/plain] }",
        [
            Key(
                "media_types",
                ValueFormat(
                    schema: .texts, read: { Attachment.mediaTypes($1) },
                    show: { $0.isEmpty ? .nothing : .value(.list($0)) }), to: \.stream.response.mediaTypes,
                "The media types to accept as JSON, such as text/plain; default: those of JSON."),
            Key(
                "charset", .optional(.choice), to: \.stream.response.charset,
                "The encoding of the text, whatever the server says."),
            Key(
                "format", .optional(.choice), to: \.stream.response.form,
                "json, or json_lines for one JSON value on each line, whatever the server says."),
        ])
}

/// The treatment of a record whose key is stored already.
package enum MergeStrategy: String, Sendable, CaseIterable {
    /// Update its row if a column differs.
    case upsert
    /// Keep its row as it is.
    case insertOnly = "insert_only"
}

/// The treatment of a record that does not fit the table, for each kind of change that it would need.
package struct SchemaContract: Sendable, Equatable {
    /// The mode if the table does not exist yet.
    package var tables = Mode.evolve
    /// The mode if a member has no column.
    package var columns = Mode.evolve
    /// The mode if a column's type does not hold a value exactly.
    package var dataTypes = Mode.setAside

    package init(tables: Mode = .evolve, columns: Mode = .evolve, dataTypes: Mode = .setAside) {
        (self.tables, self.columns, self.dataTypes) = (tables, columns, dataTypes)
    }

    package enum Mode: String, Sendable, CaseIterable {
        /// The table changes.
        case evolve
        /// A value that says "no value" or spells a number stays outside its column of numbers or booleans; for others, the table changes.
        case setAside = "set_aside"
        /// The run fails.
        case freeze
        /// The record is left out.
        case discardRow = "discard_row"
        /// The value is left out.
        case discardValue = "discard_value"
        case quarantine
    }

    /// True if every record is stored, whatever its members are.
    package var takesAll: Bool { tables == .evolve && columns == .evolve && [.evolve, .setAside].contains(dataTypes) }

    /// The contract as a part of `readIdentity`, which has not changed since there is `setAside`.
    var text: String {
        "\(tables.rawValue) \(columns.rawValue) \((dataTypes == .setAside ? .evolve : dataTypes).rawValue)"
    }
}
