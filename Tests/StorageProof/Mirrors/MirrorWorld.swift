import GarnerCatalog
import GarnerDatabase
import GarnerJSON
import GarnerModel

/// The configuration of a stream that mirrors its source in parts, and of its parent.
struct MirrorWorld: Hashable, Codable, Sendable {
    enum Paging: String, Codable, CaseIterable, Sendable { case single, auto, jsonLink, headerLink, cursor }

    /// The treatment of fields. Every record has texts in `secret`, `home.phone` and `mail` that can be found as bytes.
    enum Fields: String, Codable, CaseIterable, Sendable { case plain, drop, keep, rename, hash, dropAndHash }

    /// The values of the partition `gate`, in the order of the configuration; none: there is no partition.
    var gates: [String] = []
    /// True if the values come from the rows of another stream instead.
    var queriesGates = false
    var isGateInKey = false
    var hasParent = false
    /// True if the key of a record names its parent, too.
    var isZooInKey = false
    /// True if the children have the name of their parent.
    var includesName = false
    var followsChanges = false
    /// True if only open parents are asked for their children.
    var choosesOpen = false
    /// The number of steps after which all parents are due again; 0: never.
    var parentPeriod = 0
    var parentMissing = World.Missing.hard
    /// True if a refused child request counts as an empty list.
    var ignoresGone = false
    var isIncremental = false
    /// The number of steps after which an incremental read covers everything; 0: never.
    var period = 0
    /// True if lists begin with their newest record, and a read ends at the first known ones.
    var stopsAtKnown = false
    var missing = World.Missing.ignore
    var maxDeleteRatio = 1.0
    var filters = false
    var hasTombstones = false
    var fields = Fields.plain
    /// The texts of columns that are not in the records.
    var added: [String: String] = [:]
    var keepsHistory = false
    var isSearched = false
    var hasFiles = false
    var sendsETags = false
    var paging = Paging.single
    var pageSize = 2
    var attempts = 1

    /// The texts that a column of `fields.add` may have.
    static let additions = [
        "fetched_at": ["{now}"], "fetched_ms": ["{now, epoch_ms}"], "keeper": ["Ada", "Ben"],
    ]
    static let table = "animals"
    static let parentTable = "zoos"
    static let gatesTable = "gates"
    static let gate = "_gate"
    static let zoo = "_zoos_id"
    static let zooName = "_zoos_name"
    static let hashKey = "a key that nobody knows"
    /// The time that a step of a history takes, in seconds.
    static let beat = 10

    var keyColumns: [String] { (isGateInKey ? [Self.gate] : []) + (isZooInKey ? [Self.zoo] : []) + ["id"] }

    var name: String { fields == .rename || fields == .dropAndHash ? "title" : "name" }
    var hidesSecrets: Bool { [.drop, .keep, .dropAndHash].contains(fields) }
    var hidesMail: Bool { [.hash, .keep, .dropAndHash].contains(fields) }

    /// True if the configuration is one that `garner check` accepts.
    var isValid: Bool {
        (gates.isEmpty ? !isGateInKey && !queriesGates : true) && !(queriesGates && followsChanges)
            && (hasParent ? parentPeriod == 0 || followsChanges : !isZooInKey && !followsChanges && !choosesOpen)
            && (isIncremental || !stopsAtKnown)
            && (!isIncremental || missing == .ignore || period > 0 || hasTombstones)
            && (parentMissing != .ignore || ignoresGone)
    }
}

extension MirrorWorld: ModelWorld {
    func stream(at url: String) throws -> StreamConfiguration {
        var stream = StreamConfiguration(
            name: StreamName(source: "zoo", stream: Self.table), table: Self.table,
            place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(baseURL: url, path: hasParent ? "zoos/{parent.id}/animals" : "animals"),
            paginator: Paginator(kind), recordSelector: isWrapped && paging != .auto ? "$.data[*]" : nil,
            primaryKey: keyColumns, maxDeleteRatio: maxDeleteRatio,
            retry: RetryPolicy(maxAttempts: attempts, baseDelay: .zero), allowsPrivateNetwork: true)
        stream.deleteMissing = missing.mode
        stream.history = keepsHistory
        stream.search = isSearched ? [name] : []
        var params: [RequestTemplate.Parameter] = []
        if !gates.isEmpty {
            let query = "SELECT name FROM \(Self.gatesTable) WHERE is_open ORDER BY id"
            stream.partitions = [
                queriesGates ? Partition(name: "gate", from: .query(query)) : Partition(name: "gate", values: gates)
            ]
            params.append(.init(name: "gate", value: .literal("{partition.gate}")))
        }
        if isIncremental {
            stream.incremental = Incremental(
                cursorField: "changed_at", fullRefreshEvery: period > 0 ? .seconds(period * Self.beat) : nil,
                stopsAtKnown: stopsAtKnown)
            if !stopsAtKnown {
                params.append(.init(name: "since", value: .literal("{incremental.start_value}")))
            }
        }
        stream.request.params = params
        if hasParent {
            stream.parent = Parent(
                stream: StreamName(source: "zoo", stream: Self.parentTable),
                include: ["id"] + (includesName ? ["name"] : []),
                only: followsChanges ? .changed : .all, condition: choosesOpen ? "state <> 'closed'" : nil,
                fullRefreshEvery: parentPeriod > 0 ? .seconds(parentPeriod * Self.beat) : nil)
        }
        if ignoresGone { stream.responseActions = [ResponseAction(status: 404, action: .ignore)] }
        if filters { stream.recordFilter = try FilterExpression(parsing: "@.state != 'hidden'") }
        if hasTombstones { stream.deletedWhen = try FilterExpression(parsing: "@.gone == true") }
        stream.fields = fields.rules
        stream.fields.additions = added.sorted { $0.key < $1.key }.map {
            AddedColumn(name: $0.key, content: .text($0.value))
        }
        if hasFiles { stream.attachments = [Attachment(field: "photo")] }
        return stream
    }

    func streamsBefore(at url: String) -> [StreamConfiguration] {
        (hasParent ? [list(Self.parentTable, at: url, parentMissing)] : [])
            + (queriesGates ? [list(Self.gatesTable, at: url, .hard)] : [])
    }

    private func list(_ table: String, at url: String, _ missing: World.Missing) -> StreamConfiguration {
        StreamConfiguration(
            name: StreamName(source: "zoo", stream: table), table: table,
            place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(baseURL: url, path: table), paginator: Paginator(.singlePage),
            primaryKey: ["id"], deleteMissing: missing.mode, maxDeleteRatio: 1,
            retry: RetryPolicy(maxAttempts: attempts, baseDelay: .zero), allowsPrivateNetwork: true)
    }

    /// True if the records of a page are inside an object.
    var isWrapped: Bool { paging == .auto || paging == .jsonLink || paging == .cursor }

    private var kind: Paginator.Kind {
        switch paging {
        case .single: .singlePage
        case .auto: .auto
        case .jsonLink: .jsonLink(.init(nextURLPath: "$.next"))
        case .headerLink: .headerLink(.init())
        case .cursor: .cursor(.init(cursorPath: "$.after", cursorParam: "after"))
        }
    }
}

extension MirrorWorld {
    /// Returns what the columns of `fields.add` get in a read that began at an instant.
    func addedValues(ofReadBegunAt instant: Timestamp) -> Row {
        added.mapValues { text in
            switch text {
            case "{now}": .text(instant.description.replacing(".000Z", with: "Z"))
            case "{now, epoch_ms}": .integer(instant.millisecondsSince1970)
            default: .text(text)
            }
        }
    }
}

extension Row {
    /// The row without the columns of `fields.add`, which are never compared.
    var compared: Row { filter { MirrorWorld.additions[$0.key] == nil } }

    /// The columns of `fields.add`.
    var added: Row { filter { MirrorWorld.additions[$0.key] != nil } }
}

extension World.Missing {
    var mode: DeleteMissing {
        switch self {
        case .ignore: .ignore
        case .soft: .soft
        case .hard: .hard
        }
    }
}

extension MirrorWorld.Fields {
    fileprivate var rules: FieldRules {
        var rules = FieldRules()
        func paths(_ texts: [String]) -> [FieldPath] { texts.compactMap { FieldPath($0) } }
        switch self {
        case .plain: break
        case .drop: rules.drop = paths(["secret", "$.home.phone"])
        case .keep: rules.keep = paths(["id", "name", "state", "$.home.city", "gone", "changed_at", "photo"])
        case .rename: rules.renames = paths(["name"]).map { .init(field: $0, name: "title") }
        case .hash: rules.hash = .init(fields: paths(["mail"]), key: Secret(MirrorWorld.hashKey))
        case .dropAndHash:
            rules.drop = paths(["secret", "$.home.phone"])
            rules.renames = paths(["name"]).map { .init(field: $0, name: "title") }
            rules.hash = .init(fields: paths(["mail"]), key: Secret(MirrorWorld.hashKey))
        }
        return rules
    }
}
