import GarnerCatalog
import GarnerJSON
import GarnerModel

// The configuration of a world, as the program has it.
extension World {
    /// The stream, at a server.
    func stream(at url: String) throws -> StreamConfiguration {
        var stream = StreamConfiguration(
            name: StreamName(source: "zoo", stream: Self.table), table: Self.table,
            place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(baseURL: url, path: hasParent ? "zoos/{parent.id}/\(Self.table)" : Self.table),
            paginator: Paginator(kind), recordSelector: paging == .auto || !isWrapped ? nil : "$.data[*]",
            primaryKey: isKeyed && !isKeyInferred ? keyColumns : nil, maxDeleteRatio: maxDeleteRatio,
            flattenDepth: flattenDepth, retry: RetryPolicy(maxAttempts: attempts, baseDelay: .zero),
            allowsPrivateNetwork: true)
        switch writing {
        case .merge: break
        case .insertOnly: stream.mergeStrategy = .insertOnly
        case .append: stream.writeDisposition = .append
        case .replace: stream.writeDisposition = .replace
        case .dedupe: stream.dedupes = true
        }
        stream.deleteMissing = missing.mode
        stream.history = keepsHistory
        stream.search = isSearched ? searched : []
        stream.childTables = childTables
        stream.schemaContract = SchemaContract(columns: columns.mode, dataTypes: types.mode)
        if hasParent {
            stream.parent = Parent(
                stream: Self.name(of: .zoos), include: ["id"] + (includesName ? ["name"] : []),
                only: followsChanges ? .changed : .all, condition: choosesOpen ? "state <> 'closed'" : nil,
                fullRefreshEvery: Self.time(parentPeriod))
        }
        if !gates.isEmpty {
            let query = "SELECT name FROM gates WHERE is_open ORDER BY id"
            stream.partitions = [
                queriesGates ? Partition(name: "gate", from: .query(query)) : Partition(name: "gate", values: gates)
            ]
            stream.request.params.append(.init(name: "gate", value: .literal("{partition.gate}")))
        }
        if isIncremental {
            stream.incremental = Incremental(
                cursorField: "changed_at", fullRefreshEvery: Self.time(period), stopsAtKnown: stopsAtKnown)
            if !stopsAtKnown {
                stream.request.params.append(.init(name: "since", value: .literal("{incremental.start_value}")))
            }
        }
        if ignoresGone { stream.responseActions = [ResponseAction(status: 404, action: .ignore)] }
        if filters { stream.recordFilter = try FilterExpression(parsing: "@.state != 'hidden'") }
        if hasTombstones { stream.deletedWhen = try FilterExpression(parsing: "@.gone == true") }
        stream.fields = rules
        if hasFiles { stream.attachments = [Attachment(field: "photo")] }
        return stream
    }

    private static func name(of list: SourceList) -> StreamName {
        StreamName(source: "zoo", stream: list.rawValue)
    }

    private static func time(_ steps: Int) -> Duration? { steps > 0 ? .seconds(steps * beat) : nil }

    /// The streams that are read before it, since it takes something of their rows.
    func streamsBefore(at url: String) -> [StreamConfiguration] {
        (hasParent ? [list(.zoos, at: url, parentMissing)] : []) + (queriesGates ? [list(.gates, at: url, .hard)] : [])
    }

    private func list(_ list: SourceList, at url: String, _ missing: Missing) -> StreamConfiguration {
        StreamConfiguration(
            name: Self.name(of: list), table: list.rawValue, place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(baseURL: url, path: list.rawValue), paginator: Paginator(.singlePage),
            primaryKey: ["id"], deleteMissing: missing.mode, maxDeleteRatio: 1,
            retry: RetryPolicy(maxAttempts: attempts, baseDelay: .zero), allowsPrivateNetwork: true)
    }

    private var rules: FieldRules {
        var rules = FieldRules()
        func paths(_ texts: [String]) -> [FieldPath] { texts.compactMap { FieldPath($0) } }
        if treatment == .keep {
            rules.keep = paths(["id", "name", "state", "$.home.city", "gone", "changed_at", "photo"])
        } else {
            if hidesSecrets { rules.drop = paths(["secret", "$.home.phone"]) }
            if hidesMail { rules.hash = .init(fields: paths(["mail"]), key: Secret(Self.hashKey)) }
            if columnOfName == "title" { rules.renames = paths(["name"]).map { .init(field: $0, name: "title") } }
        }
        rules.types = declared.sorted { $0.key < $1.key }.flatMap { name, type in
            paths([name]).map { FieldRules.TypedField(field: $0, type: type.declaration) }
        }
        rules.additions = added.sorted { $0.key < $1.key }.map { AddedColumn(name: $0.key, content: .text($0.value)) }
        return rules
    }

    private var kind: Paginator.Kind {
        switch paging {
        case .single: .singlePage
        case .auto: .auto
        case .jsonLink: .jsonLink(.init(nextURLPath: "$.next"))
        case .headerLink: .headerLink(.init())
        case .headerCursor: .headerCursor(.init(cursorHeader: "X-Next", cursorParam: "after"))
        case .cursor: .cursor(.init(cursorPath: "$.after", cursorParam: "after"))
        case .cursorHasMore: .cursor(.init(cursorPath: "$.after", cursorParam: "after", hasMorePath: "$.more"))
        case .offset: .offset(.init(limit: pageSize))
        case .offsetTotal: .offset(.init(limit: pageSize, totalPath: "$.total"))
        case .pageNumber: .pageNumber(.init(pageSizeParam: "limit", pageSize: pageSize))
        case .pageNumberTotal: .pageNumber(.init(totalPath: "$.total"))
        case .pageNumberTotalPages: .pageNumber(.init(totalPagesPath: "$.pages"))
        case .pageNumberHasMore: .pageNumber(.init(hasMorePath: "$.more"))
        }
    }
}

extension World.Missing {
    fileprivate var mode: DeleteMissing { DeleteMissing(rawValue: rawValue) ?? .ignore }
}

extension ModelType {
    fileprivate var declaration: FieldType { FieldType(rawValue: rawValue.lowercased()) ?? .text }
}

extension World.Contract {
    fileprivate var mode: SchemaContract.Mode { SchemaContract.Mode(rawValue: rawValue) ?? .evolve }
}
