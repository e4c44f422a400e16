package import Model

/// One collection of records of one API, and how it is fetched, stored and scheduled.
package struct Stream: Sendable {
    package var name: StreamName
    /// The table that its records are stored in.
    package var table: String
    /// Where the stream stands in the file.
    package var place: ConfigurationPlace
    package var request: RequestTemplate
    package var paginator: Paginator
    /// A JSONPath; nil: the body if it is an array, else the only array of objects in it, else the object itself.
    package var recordSelector: String?
    /// The fields that identify a record; nil: inferred from the first page.
    package var primaryKey: [String]?
    /// nil: merge with a key, append without.
    package var writeDisposition: WriteDisposition?
    package var deleteMissing: DeleteMissing
    /// The largest part of a table, 0...1, that one run may delete; nil: fewer than half of its rows, and of fewer than ten
    /// at most one. A stream that replaces its table has no limit then.
    package var maxDeleteRatio: Double?
    /// How many levels of nested objects become `a__b` columns; deeper ones are JSON text.
    package var flattenDepth: Int
    /// Whether arrays of objects become tables of their own.
    package var childTables = false
    package var schedule: Schedule?
    package var retry: RetryPolicy
    package var limits: Limits
    /// Whether loopback and private addresses may be reached; nil: where the base URL itself names one.
    package var allowsPrivateNetwork: Bool?
    /// Shared by all streams of the source that inherit it.
    package var rateLimit: RateLimit?
    /// How many requests of a source are under way at once, 1...256.
    package var maxConcurrency: Int
    package var proxy: ProxySetting
    /// The path of a PEM file with the certificates that are trusted, resolved against the file's folder; nil: the
    /// system's.
    package var certificateAuthority: String?
    /// The first that matches counts.
    package var responseActions: [ResponseAction]
    package var incremental: Incremental?
    package var parent: Parent?
    /// One pass for each combination of their values.
    package var partitions: [Partition]
    package var attachments: [Attachment]
    /// How long an unreachable host is waited for.
    package var waitForConnectivity: Duration
    /// Whether `Cache-Control: max-age` of a response may postpone the next run.
    package var usesCacheLifetime: Bool
    /// What becomes of records that do not fit the table.
    package var schemaContract = SchemaContract()
    package var mergeStrategy = MergeStrategy.upsert
    /// Whether records are told apart by their whole content.
    package var dedupes = false
    /// Whether versions of the rows are kept.
    package var history = false
    /// The fields whose texts can be searched.
    package var search: [String] = []
    /// How many of its latest runs are kept; 0: all.
    package var keepRuns = 1000
    package var hooks = Hooks()

    package init(
        name: StreamName, table: String, place: ConfigurationPlace, request: RequestTemplate,
        paginator: Paginator = Paginator(), recordSelector: String? = nil, primaryKey: [String]? = nil,
        writeDisposition: WriteDisposition? = nil, deleteMissing: DeleteMissing = .ignore,
        maxDeleteRatio: Double? = nil,
        flattenDepth: Int = 1, schedule: Schedule? = nil, retry: RetryPolicy = RetryPolicy(), limits: Limits = Limits(),
        allowsPrivateNetwork: Bool? = nil, rateLimit: RateLimit? = nil, maxConcurrency: Int = 4,
        proxy: ProxySetting = .environment, certificateAuthority: String? = nil, responseActions: [ResponseAction] = [],
        incremental: Incremental? = nil, parent: Parent? = nil, partitions: [Partition] = [],
        attachments: [Attachment] = [], waitForConnectivity: Duration = .zero, usesCacheLifetime: Bool = false
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
        self.schedule = schedule
        self.retry = retry
        self.limits = limits
        self.allowsPrivateNetwork = allowsPrivateNetwork
        self.rateLimit = rateLimit
        self.maxConcurrency = maxConcurrency
        self.proxy = proxy
        self.certificateAuthority = certificateAuthority
        self.responseActions = responseActions
        self.incremental = incremental
        self.parent = parent
        self.partitions = partitions
        self.attachments = attachments
        self.waitForConnectivity = waitForConnectivity
        self.usesCacheLifetime = usesCacheLifetime
    }
}

/// How fetched records join the stored ones.
package enum WriteDisposition: String, Sendable, CaseIterable {
    /// Insert new keys, update changed records.
    case merge
    /// Insert every record.
    case append
    /// Make the table what a complete read returned, when its last page is in.
    case replace
}

/// What happens to stored records that a complete read did not return.
package enum DeleteMissing: String, Sendable, CaseIterable {
    case ignore
    /// Marked with the time in `_garner_deleted_at`.
    case soft
    case hard
}

extension Stream {
    /// What the pages of a read hold, as far as the configuration decides it: the same text as long as a read may go on
    /// where another one stopped. Values that are secrets are left out, since they change while the records stay.
    package var readIdentity: String {
        var lines: [(String, String)] = [
            ("url", request.baseURL + " " + request.path), ("method", request.method.rawValue),
        ]
        lines += request.params.map { ("param", "\($0.name)=\($0.value)") }
        lines += request.headers.map { ("header", "\($0.name.lowercased())=\($0.value)") }
        if let body = request.body { lines.append(("body", "\(body)")) }
        lines += paginator.effectiveValues.map { ("paginator.\($0)", "\($1)") }
        lines.append(("record_selector", recordSelector ?? "auto"))
        lines.append(("primary_key", primaryKey?.joined(separator: ",") ?? "auto"))
        lines.append(("flatten_depth", "\(flattenDepth)"))
        if childTables { lines.append(("child_tables", "true")) }
        if replacesTable { lines.append(("write_disposition", WriteDisposition.replace.rawValue)) }
        // Named only where they are set, so that a read that was begun before they could be goes on.
        if schemaContract != SchemaContract() { lines.append(("schema_contract", schemaContract.text)) }
        if mergeStrategy != .upsert { lines.append(("merge_strategy", mergeStrategy.rawValue)) }
        if dedupes { lines.append(("dedupe", "true")) }
        if let parent { lines.append(("parent", "\(parent.stream) \(parent.include.joined(separator: ","))")) }
        lines += partitions.map { ("partition.\($0.name)", $0.values.joined(separator: ",")) }
        if let incremental { lines.append(("incremental", incremental.cursorField)) }
        lines += responseActions.filter { $0.action == .ignore }.map { ("response_action", $0.effectiveText) }
        return lines.map { "\($0)=\($1)\n" }.joined()
    }
}

extension Stream {
    /// Whether the table becomes what a complete read returned.
    package var replacesTable: Bool { writeDisposition == .replace }

    /// Whether a complete read may delete rows, so that the records of each page must be known.
    package var deletesRows: Bool { deleteMissing != .ignore || replacesTable }
}

/// A field that holds the URL of a file to be kept.
package struct Attachment: Sendable, Equatable {
    package var field: String
    /// `image/png`, or `image/*` for all of a kind.
    package var mediaTypes: [String]

    package init(field: String, mediaTypes: [String] = ["image/*"]) {
        self.field = field
        self.mediaTypes = mediaTypes
    }
}

extension Attachment {
    static let listFormat = {
        let list = keys.format(hint: "write { field: photo_url }").list(
            hint: "write attachments: [ { field: photo_url } ]"
        ) { .members($0.map { ($0.field, .list($0.mediaTypes)) }) }
        return ValueFormat(
            schema: list.schema,
            read: { reader, value in
                guard let attachments = list.read(reader, value) else { return nil }
                guard Set(attachments.map(\.field)).count == attachments.count else {
                    value.fail("'\(value.name)' names a field twice", hint: "keep one of them")
                    return nil
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

    @Sendable private static func mediaTypes(_ value: YAMLValue) -> [String]? {
        guard let types = value.texts() else { return nil }
        let areTypes = types.allSatisfy { type in
            let parts = type.split(separator: "/", omittingEmptySubsequences: false)
            return parts.count == 2 && parts.allSatisfy { HeaderSyntax.isName(String($0)) }
                && (parts[0] != "*" || parts[1] == "*")
        }
        if areTypes, !types.isEmpty { return types.map { $0.lowercased() } }
        value.fail("'\(value.name)' names no media type", hint: "write image/png, image/* or */*")
        return nil
    }
}

/// What becomes of a record whose key is stored already.
package enum MergeStrategy: String, Sendable, CaseIterable {
    /// Its row is updated where a column differs.
    case upsert
    /// Its row stays as it is.
    case insertOnly = "insert_only"
}

/// The stream whose records say what a stream requests.
package struct Parent: Sendable, Equatable {
    package var stream: StreamName
    /// Fields of the parent's record that are stored with each of its children.
    package var include: [String]

    package init(stream: StreamName, include: [String] = []) {
        self.stream = stream
        self.include = include
    }
}

/// A name with the values that a stream is read for, one after another.
package struct Partition: Sendable, Equatable {
    package var name: String
    /// At least one, each once.
    package var values: [String]

    package init(name: String, values: [String]) {
        self.name = name
        self.values = values
    }
}

/// What becomes of a record that does not fit the table as it is, by what of the table would have to change.
package struct SchemaContract: Sendable, Equatable {
    /// The table does not exist yet.
    package var tables = Mode.evolve
    /// A member has no column.
    package var columns = Mode.evolve
    /// A column's type does not hold a value exactly.
    package var dataTypes = Mode.evolve

    package init(tables: Mode = .evolve, columns: Mode = .evolve, dataTypes: Mode = .evolve) {
        (self.tables, self.columns, self.dataTypes) = (tables, columns, dataTypes)
    }

    package enum Mode: String, Sendable, CaseIterable {
        /// The table changes.
        case evolve
        /// The run fails.
        case freeze
        /// The record is left out.
        case discardRow = "discard_row"
        /// The value is left out.
        case discardValue = "discard_value"
        case quarantine
    }

    /// As it stands in the identity of a read.
    var text: String { "\(tables.rawValue) \(columns.rawValue) \(dataTypes.rawValue)" }
}
