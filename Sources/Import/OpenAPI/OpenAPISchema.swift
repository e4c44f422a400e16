/// A schema, with the parts of `allOf` put together.
struct OpenAPISchema {
    private(set) var types: Set<String> = []
    private(set) var properties = OrderedMembers()
    private(set) var required: Set<String> = []
    private(set) var items: ManifestNode?
    /// The schemas of `oneOf` and `anyOf`.
    private(set) var alternatives: [ManifestNode] = []
    private(set) var format: String?
    /// The first of `default`, `example`, `examples` and `enum`.
    private(set) var value: ManifestNode?
    private(set) var choices: [ManifestNode] = []

    private static let maximumDepth = 20
    private static let maximumParts = 200

    init(_ node: ManifestNode?, in document: OpenAPIDocument) throws(ManifestError) {
        var parts = Self.maximumParts
        try add(node, document, depth: 0, &parts)
    }

    var isList: Bool { types.contains("array") || types.isEmpty && items != nil }

    /// True if it may be an object. What has no type at all is none.
    var isObject: Bool { types.contains("object") || types.isEmpty && !properties.members.isEmpty }

    private mutating func add(
        _ node: ManifestNode?, _ document: OpenAPIDocument, depth: Int, _ parts: inout Int
    ) throws(ManifestError) {
        parts -= 1
        guard parts >= 0, depth <= Self.maximumDepth, let node = try document.resolved(node) else { return }
        // OpenAPI 3.1 has lists of types.
        for type in (node["type"].map { $0.isList ? $0.list : [$0] } ?? []).compactMap(\.text) where type != "null" {
            types.insert(type)
        }
        try document.step(node, node["properties"]?.members.count ?? 0)
        for property in node["properties"]?.members ?? [] where !properties.contains(property.name) {
            properties.set(property.value, for: property.name)
        }
        required.formUnion(node["required"]?.list.compactMap(\.text) ?? [])
        items = items ?? node["items"]
        format = format ?? node["format"]?.text
        choices += (node["enum"]?.list ?? node["const"].map { [$0] } ?? []).prefix(100)
        value = value ?? node["default"] ?? node["example"] ?? node["examples"]?.list.first
        if node["additionalProperties"]?.isMapping ?? false { types.insert("object") }
        alternatives += (node["oneOf"]?.list ?? []) + (node["anyOf"]?.list ?? [])
        for part in node["allOf"]?.list ?? [] { try add(part, document, depth: depth + 1, &parts) }
    }
}

/// The place of the records in an answer.
struct OpenAPIRecords {
    /// The names of the members that lead to each list of objects, the likeliest first. None for a body that is the list.
    private(set) var places: [[String]] = []
    /// The records of the first place.
    private(set) var record: OpenAPISchema?
    /// The members of the records that are required scalars, and those that are times.
    private var keys: Set<String> = []
    private var times: Set<String> = []
    /// The scalars beside the list by their places. They may tell of the end.
    private(set) var scalars: [(path: [String], schema: OpenAPISchema)] = []

    private static let maximumDepth = 5
    private static let maximumNodes = 3_000
    /// Lists that an answer has beside its records.
    private static let beside: Set = [
        "error", "errors", "included", "includes", "_links", "links", "messages", "notices", "warnings",
    ]
    /// Members that an object has because it is a record itself, so that its lists are parts of it.
    private static let identities: Set = ["_id", "guid", "id", "uuid"]

    /// - Parameters:
    ///   - name: the last fixed segment of the path.
    ///   - parameter: the parameter at the end of the path, where one record is asked for; nil for none.
    init(
        _ schema: ManifestNode, named name: String, record parameter: String?, in document: OpenAPIDocument
    ) throws(ManifestError) {
        var nodes = Self.maximumNodes
        var identities = Self.identities
        if let parameter { identities.formUnion(["key", "name", "slug", parameter]) }
        let found = try lists(in: schema, at: [], identities, document, &nodes)
        let (aside, main) = (
            found.filter { Self.isBeside($0.path, name) }, found.filter { !Self.isBeside($0.path, name) }
        )
        let least = main.map(\.path.count).min()
        var likely = main.filter { $0.path.count == least }
        // Of several lists, the one that is called like the path is meant.
        let same = likely.filter { $0.path.last == name }
        if same.count == 1 { likely = same }
        if likely.isEmpty { likely = aside }
        places = likely.map(\.path)
        record = likely.first?.record
        for member in record?.properties.members ?? [] {
            let schema = try OpenAPISchema(member.value, in: document)
            if schema.format == "date-time" { times.insert(member.name) }
            if !schema.isObject, !schema.isList, record?.required.contains(member.name) ?? false {
                keys.insert(member.name)
            }
        }
    }

    /// True if every record has the member, and it is a scalar.
    func isKey(_ name: String) -> Bool { keys.contains(name) }

    func isTime(_ name: String) -> Bool { times.contains(name) }

    private static func isBeside(_ path: [String], _ name: String) -> Bool {
        path.last.map { $0 != name && beside.contains($0.lowercased()) } ?? false
    }

    private mutating func lists(
        in start: ManifestNode, at place: [String], _ identities: Set<String>, _ document: OpenAPIDocument,
        depth startDepth: Int = 0, _ nodes: inout Int
    ) throws(ManifestError) -> [(path: [String], record: OpenAPISchema)] {
        var found: [(path: [String], record: OpenAPISchema)] = []
        var level: [(path: [String], node: ManifestNode)] = [(place, start)]
        var (depth, last) = (startDepth, Self.maximumDepth)
        // Level by level, since a list at the top is likelier than one far below.
        while !level.isEmpty, depth <= last {
            var next: [(path: [String], node: ManifestNode)] = []
            for (path, node) in level {
                nodes -= 1
                guard nodes >= 0 else { return found }
                let schema = try OpenAPISchema(node, in: document)
                if schema.isList {
                    if let record = try Self.record(of: schema, document) { found.append((path, record)) }
                    continue
                }
                if depth < Self.maximumDepth {
                    for alternative in schema.alternatives.prefix(20) {
                        let lists = try lists(
                            in: alternative, at: path, identities, document, depth: depth + 1, &nodes)
                        guard !lists.isEmpty else { continue }
                        found += lists
                        break
                    }
                }
                let names = schema.properties.members.map(\.name)
                try document.step(node, names.count)
                if schema.isObject, !names.contains(where: identities.contains) {
                    next += schema.properties.members.map { (path + [$0.name], $0.value) }
                } else if !path.isEmpty, !schema.isObject, scalars.count < 200 {
                    scalars.append((path, schema))
                }
            }
            // A sign of the end stands beside the list, or in an object beside it.
            if last == Self.maximumDepth, found.contains(where: { !Self.isBeside($0.path, "") }) {
                last = min(last, depth + 1)
            }
            level = next
            depth += 1
        }
        return found
    }

    /// Returns the elements of a list if they are objects.
    private static func record(
        of list: OpenAPISchema, _ document: OpenAPIDocument
    ) throws(ManifestError) -> OpenAPISchema? {
        let items = try OpenAPISchema(list.items, in: document)
        if items.isObject { return items }
        for alternative in items.alternatives.prefix(20) {
            let schema = try OpenAPISchema(alternative, in: document)
            if schema.isObject { return schema }
        }
        return nil
    }
}
