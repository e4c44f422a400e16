extension StreamKey {
    static let request: [StreamKey] = [
        StreamKey(
            "base_url", .text { $0.baseURL($1) }, on: [.source], to: \.stream.request.hiddenBaseURL,
            required: "add 'base_url: https://…'", "The base of all stream paths; an http or https URL."),
        StreamKey(
            "path", .text { $0.path($1) }, on: [.stream], to: \.stream.request.hiddenPath,
            "The path below 'base_url'. It may contain a query and placeholders."),
        StreamKey(
            "method", .optional(.choice), on: [.stream], to: \.method,
            "GET, which may have a body, POST (the default with a body) or PUT."),
        StreamKey(
            "json", .optional(ValueFormat(schema: .anything, read: { $0.body($1) }, show: { .text($0) })),
            on: [.stream], to: \.json,
            "The body of every request, sent as JSON; texts may hold placeholders."),
        StreamKey(
            "form",
            .optional(
                ValueFormat(
                    schema: .named(.anyOf([.secret, .list(.secret)])), read: { $0.form($1) }, show: { .text($0) })),
            on: [.stream], to: \.form,
            "The fields of every request's body, sent as a form; texts may hold placeholders."),
        StreamKey(
            "body", .optional(ValueFormat(schema: .secret, read: { $0.rawBody($1) }, show: { .text($0) })),
            on: [.stream], to: \.rawBody,
            "The body of every request as text; it may hold placeholders."),
        .parameters(
            Field(
                "headers", .named(.secret),
                "Headers of every request; merged by name with inherited ones; may hold placeholders."),
            to: \.stream.request.headers, folding: { $0.lowercased() },
            read: { reader, mapping in reader.headers(mapping).map { ($0, [$1]) } }),
        .parameters(
            Field(
                "params", .named(.anyOf([.secret, .list(.secret)])),
                "Query parameters of every request; merged by name with inherited ones; may hold placeholders."),
            to: \.stream.request.params, folding: { $0 }, read: { $0.params($1) }),
        StreamKey(
            "auth", .later(Authentication.format), on: [.source, .stream], to: \.stream.request.authentication,
            "The authentication of requests."),
        StreamKey("paginator", .later(Paginator.format), to: \.stream.paginator, "The pagination of the API."),
    ]
}

extension StreamKey {
    static let network: [StreamKey] = [
        StreamKey(
            "rate_limit", .optional(.later(RateLimit.format)), on: [.defaults, .source], to: \.stream.rateLimit,
            "The rate limit for all streams of the source together."),
        StreamKey(
            "max_concurrency", .integer(1...256), on: [.defaults, .source], to: \.stream.maxConcurrency,
            "The maximum number of concurrent requests to the source."),
        StreamKey(
            "proxy", .later(ProxySetting.format), on: [.defaults, .source], to: \.stream.proxy,
            "environment, none, or the URL of an HTTP proxy."),
        StreamKey(
            "ca", .optional(.text { $0.certificateAuthority($1) }), on: [.defaults, .source],
            to: \.stream.certificateAuthority,
            "A PEM file with the certificates to trust instead of the system's, relative to this file."),
        StreamKey(
            "client_certificate", .optional(.later(ClientCertificate.format)), on: [.defaults, .source],
            to: \.stream.clientCertificate, "The certificate that proves the client to servers that ask for one."),
        StreamKey(
            "allow_private_network", .optional(.flag, unset: .automatic), to: \.stream.allowsPrivateNetwork,
            "Allow requests to loopback and private addresses."),
        StreamKey(
            "wait_for_connectivity", .duration(atLeast: .zero), to: \.stream.waitForConnectivity,
            "The time to wait for an unreachable host before the run fails."),
        StreamKey(
            "respect_cache_control", .flag, to: \.stream.usesCacheLifetime,
            "Let Cache-Control: max-age of a response postpone the next run."),
    ]
}

extension StreamKey {
    /// The keys that decide which records a run reads.
    static let reading: [StreamKey] = [
        StreamKey(
            "parent", .optional(.later(WrittenParent.format)), on: [.stream], to: \.parent,
            "The stream whose records fill {parent.…}, as stream or source.stream, or a mapping."),
        StreamKey(
            "include_from_parent", .fieldNames, on: [.stream], to: \.includedFromParent,
            "Fields of the parent's record that are stored with its children."),
        StreamKey(
            "partitions", .later(Partition.listFormat), on: [.stream], to: \.stream.partitions,
            "Names with the values that fill in {partition.…}, one after another."),
        StreamKey(
            "sync_mode", .optional(.choice), to: \.syncMode,
            "full_refresh or incremental; default: incremental if 'incremental' is set."),
        StreamKey(
            "incremental", .optional(.later(Incremental.format)), on: [.stream], to: \.stream.incremental,
            "Settings for reading only records changed since the last run."),
        StreamKey(
            "response_actions", .later(ResponseAction.listFormat), to: \.stream.responseActions,
            "Actions for certain responses; the first match applies."),
        .response,
        StreamKey(
            "attachments", .later(Attachment.listFormat), on: [.stream], to: \.stream.attachments,
            "Fields with URLs of files to download and store."),
    ]
}

extension StreamKey {
    static let storing: [StreamKey] = [
        StreamKey(
            "table", .text { $0.tableName($1) }, on: [.stream], to: \.stream.table,
            "The table that the records are stored in; by default the stream's name."),
        StreamKey(
            "record_selector", .optional(.jsonPath, unset: .automatic), to: \.stream.recordSelector,
            "The JSONPath of the records in a response; detected by default."),
        StreamKey(
            "primary_key", .optional(.fieldNames, unset: .automatic), to: \.stream.primaryKey,
            "The fields that identify a record; detected by default."),
        StreamKey(
            "write_disposition", .optional(.choice, unset: .automatic), to: \.stream.writeDisposition,
            "merge (default with a key), append, or replace the whole table."),
        StreamKey(
            "merge_strategy", .choice, to: \.stream.mergeStrategy,
            "Update an existing row with the same key, or keep it."),
        StreamKey(
            "delete_missing", .choice, to: \.stream.deleteMissing,
            "The treatment of rows that a complete read did not return."),
        StreamKey(
            "dedupe", .flag, to: \.stream.dedupes,
            "Use the content of a record as its key, for streams without a key."),
        StreamKey(
            "max_delete_ratio", .optional(.number(0...1), unset: .automatic), to: \.stream.maxDeleteRatio,
            "The largest share of a table that one run may delete."),
        StreamKey(
            "flatten_depth", .integer(0...16), to: \.stream.flattenDepth,
            "The number of levels of nested objects that become columns."),
        StreamKey(
            "child_tables", .flag, to: \.stream.childTables, "Store arrays of objects in tables of their own."),
        .schemaContract,
        StreamKey(
            "history", .flag, to: \.stream.history,
            "Keep every version of each row, for --as-of and 'garner changes'."),
        StreamKey(
            "search", .fieldNames, on: [.stream], to: \.stream.search, "The fields whose texts 'garner search' finds."),
        StreamKey(
            "keep_runs", .integer(0...Int.max), to: \.stream.keepRuns,
            "The number of latest runs to keep; 0 keeps all."),
        StreamKey(
            "keep_history", .optional(.duration(atLeast: .seconds(1))), to: \.stream.keepHistory,
            "The age up to which replaced versions of rows are kept; default: all are."),
    ]
}

extension StreamKey {
    /// The keys of the schedule, of retries and of limits.
    static let timing: [StreamKey] = [
        StreamKey(
            "schedule",
            ValueFormat(
                schema: .anyOf([.choice(["none"]), .mapping(ConfigurationReader.scheduleFields)]),
                read: { reader, value in
                    value.plainOrQuotedText == "none" ? .some(nil) : reader.schedule(value).map { .some($0) }
                }, show: { $0.map { .members($0.effectiveValues) } ?? .nothing }), to: \.stream.schedule,
            "The schedule for 'garner serve'; none where one would be inherited."),
        StreamKey(
            "hooks", .later(Hooks.format), to: \.stream.hooks,
            "Programs and URLs to call after runs; the nearest level applies."),
        .group(
            "retry", "The retries of failed requests.", hint: "write retry: { max_attempts: «5» }",
            elsewhere: ForeignWords.hints([
                (
                    "codes retry_on status status_codes status_forcelist statuses",
                    "write response_actions: [ { status: 500, action: retry } ] in the stream"
                )
            ]),
            [
                Key(
                    "max_attempts", .integer(1...1000), to: \.stream.retry.maxAttempts,
                    "The maximum number of attempts, including the first."),
                Key(
                    "base_delay", .duration(atLeast: .zero), to: \.stream.retry.baseDelay,
                    "The delay that doubles from attempt to attempt."),
                Key("max_delay", .duration(atLeast: .zero), to: \.stream.retry.maxDelay, "The longest delay."),
                Key(
                    "respect_retry_after", .flag, to: \.stream.retry.respectsRetryAfter,
                    "Respect the Retry-After header of responses."),
            ]),
        .group(
            "limits", "The limits of one response.", hint: "write limits: { total: «5m» }",
            elsewhere: foreignLimits.merging(
                ["rate_limit", "max_concurrency"].map { ($0, "move it into the source") }, uniquingKeysWith: { $1 }),
            [
                Key("body", .size, to: \.stream.limits.body, "The largest body, decompressed."),
                Key("head", .size, to: \.stream.limits.head, "The largest head."),
                Key("connect", .duration(), to: \.stream.limits.connect, "The longest wait for a connection."),
                Key(
                    "first_byte", .duration(), to: \.stream.limits.firstByte,
                    "The longest wait for a response to begin."),
                Key("idle", .duration(), to: \.stream.limits.idle, "The longest pause within a response."),
                Key("total", .duration(), to: \.stream.limits.total, "The longest time for one attempt."),
                Key(
                    "ratio", .optional(.integer(1...Int.max)), to: \.stream.limits.ratio,
                    "The maximum ratio of decompressed to compressed bytes."),
            ]),
    ]
}

extension StreamKey {
    /// A mapping whose keys are inherited one by one.
    ///
    /// - Parameters:
    ///   - word: the schema of one word that sets all keys; nil if there is no such word.
    ///   - elsewhere: the hints for keys of other places and programs.
    static func group(
        _ name: String, _ summary: String, word: Schema? = nil, hint: String, elsewhere: [String: String] = [:],
        _ members: [Key<StreamDraft>],
        readWord: @escaping @Sendable (YAMLValue) -> Bool = { _ in true }
    ) -> StreamKey {
        let fields = members.map(\.field)
        return StreamKey(
            Field(name, word.map { .anyOf([$0, .mapping(fields)]) } ?? .mapping(fields), summary),
            levels: Set(Level.allCases),
            read: { reader, value, level in
                var values: [(Key<StreamDraft>, YAMLValue)] = []
                if word != nil, value.plainOrQuotedText != nil {
                    values = readWord(value) ? members.map { ($0, value) } : []
                } else if let mapping = value.mapping(hint: hint) {
                    mapping.expect(fields, elsewhere: elsewhere)
                    values = members.compactMap { member in mapping[member.name].map { (member, $0) } }
                }
                return values.compactMap { $0.assignment(reader, $1, path: [name, $0.name], level) }
            },
            show: { draft, path in members.flatMap { $0.entries(of: draft, path + [$0.name]) } })
    }

    /// One word for tables, columns and types, or a mapping whose keys are inherited one by one.
    static let schemaContract: StreamKey = {
        let words = SchemaContract.Mode.allCases.filter { $0 != .setAside }
        let ofTables = words.filter { $0 != .discardValue }
        let tables = ValueFormat(
            schema: .choice(ofTables.map(\.rawValue)), read: { $1.contractOfTables() }, show: { .text($0.rawValue) })
        let columns = ValueFormat(
            schema: .choice(words.map(\.rawValue)), read: { $1.contract() }, show: { .text($0.rawValue) })
        return group(
            "schema_contract", "The treatment of records that do not fit their table; default: change the table.",
            word: tables.schema, hint: "write schema_contract: { columns: freeze }, or one word for all: freeze",
            [
                Key(
                    "tables", tables, to: \.stream.schemaContract.tables,
                    "The treatment of records whose table does not exist."),
                Key(
                    "columns", columns, to: \.stream.schemaContract.columns,
                    "The treatment of members that have no column."),
                Key(
                    "data_types", .choice, to: \.stream.schemaContract.dataTypes,
                    "The treatment of values that do not fit their column's type; default: set_aside."),
            ], readWord: { $0.contract() != nil })
    }()

    /// A mapping of names and texts, or lists of them. They replace inherited ones with the same name; the others are
    /// added.
    ///
    /// - Parameter folding: returns a text that is equal for equal names.
    static func parameters(
        _ field: Field, to target: Target<[RequestTemplate.Parameter]>,
        folding: @escaping @Sendable (String) -> String,
        read: @escaping @Sendable (ConfigurationReader, YAMLMapping) -> [(YAMLMapping.Entry, [ConfiguredText])]
    ) -> StreamKey {
        StreamKey(
            field, levels: Set(Level.allCases),
            read: { reader, value, level in
                guard let mapping = value.mapping(isOptional: true) else { return [] }
                return read(reader, mapping).map { entry, texts in
                    let name = folding(entry.key)
                    let parameters = texts.map { RequestTemplate.Parameter(name: entry.key, value: $0) }
                    return Assignment(path: [field.name, name], place: entry.keyPlace, level: level) { draft in
                        let index = draft[keyPath: target].firstIndex { folding($0.name) == name }
                        draft[keyPath: target].removeAll { folding($0.name) == name }
                        let place = index ?? draft[keyPath: target].endIndex
                        draft[keyPath: target].insert(contentsOf: parameters, at: place)
                    }
                }
            },
            show: { draft, path in
                let parameters = draft[keyPath: target]
                return parameters.indices.compactMap { index in
                    let name = parameters[index].name
                    guard index == parameters.firstIndex(where: { $0.name == name }) else { return nil }
                    let texts = parameters.filter { $0.name == name }.map(\.value.description)
                    return EffectiveConfiguration.Entry(
                        path: path + [name], value: texts.count == 1 ? .text(texts[0]) : .list(texts),
                        origin: draft.origin(of: path + [folding(name)]))
                }
            })
    }
}

extension YAMLValue {
    /// Returns a word for tables, columns and types.
    fileprivate func contract() -> SchemaContract.Mode? {
        guard plainOrQuotedText == SchemaContract.Mode.setAside.rawValue else {
            return choice(SchemaContract.Mode.allCases.filter { $0 != .setAside })
        }
        return failed(
            "'\(name)' can be 'set_aside' for data_types only", hint: "write schema_contract: { data_types: set_aside }"
        )
    }

    fileprivate func contractOfTables() -> SchemaContract.Mode? {
        guard let mode = contract() else { return nil }
        guard mode == .discardValue else { return mode }
        return failed(
            "'\(name)' cannot be 'discard_value' for tables",
            hint: "write discard_row for tables, and { columns: discard_value, data_types: discard_value } for values")
    }
}
