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
