/// Sets the types that a manifest leaves out, and gives the parameters of components to their parts.
struct ComponentParameters {
    private var count = 0
    /// The parameters that were copied.
    private var copied = 0

    /// The type that is meant where none is written, by the type of the holder and the name of its member.
    private static let defaults: [String: [String: String]] = [
        "DeclarativeStream": [
            "retriever": "SimpleRetriever", "incremental_sync": "DatetimeBasedCursor",
            "schema_loader": "JsonFileSchemaLoader",
        ],
        "DynamicDeclarativeStream": ["stream_template": "DeclarativeStream"],
        "StateDelegatingStream": [
            "full_refresh_stream": "DeclarativeStream", "incremental_stream": "DeclarativeStream",
        ],
        "SimpleRetriever": [
            "requester": "HttpRequester", "record_selector": "RecordSelector", "paginator": "DefaultPaginator",
            "partition_router": "SubstreamPartitionRouter",
        ],
        "AsyncRetriever": [
            "record_selector": "RecordSelector", "creation_requester": "HttpRequester",
            "polling_requester": "HttpRequester", "download_requester": "HttpRequester",
        ],
        "CustomRetriever": [
            "requester": "HttpRequester", "record_selector": "RecordSelector", "paginator": "DefaultPaginator",
        ],
        "HttpRequester": ["error_handler": "DefaultErrorHandler"],
        "CustomRequester": ["error_handler": "DefaultErrorHandler"],
        "RecordSelector": ["extractor": "DpathExtractor", "record_filter": "RecordFilter"],
        "DefaultPaginator": ["page_size_option": "RequestOption", "page_token_option": "RequestOption"],
        "DatetimeBasedCursor": [
            "start_datetime": "MinMaxDatetime", "end_datetime": "MinMaxDatetime",
            "start_time_option": "RequestOption", "end_time_option": "RequestOption",
        ],
        "ListPartitionRouter": ["request_option": "RequestOption"],
        "ParentStreamConfig": ["request_option": "RequestOption", "stream": "DeclarativeStream"],
        "SubstreamPartitionRouter": ["parent_stream_configs": "ParentStreamConfig"],
        "CompositeErrorHandler": ["error_handlers": "DefaultErrorHandler"],
        "DefaultErrorHandler": ["response_filters": "HttpResponseFilter"],
        "AddFields": ["fields": "AddedFieldDefinition"],
        "SessionTokenAuthenticator": ["login_requester": "HttpRequester"],
    ]

    /// Parts that the translation ignores. They are left out, so their size does not matter.
    private static let left: Set = ["schema_loader", "schema", "connection_specification"]

    /// Returns a stream whose components all have their type and, as `$parameters`, what the components around them give.
    mutating func spread(_ stream: ManifestNode) throws(ManifestError) -> ManifestNode {
        try spread(stream, inherited: OrderedMembers(), holder: "", key: "", depth: 0)
    }

    private mutating func spread(
        _ node: ManifestNode, inherited: OrderedMembers, holder: String, key: String, depth: Int
    ) throws(ManifestError) -> ManifestNode {
        count += 1
        // A component that is a parameter can hold itself only once, but its contents may repeat.
        guard count <= ManifestLimit.expandedNodes, depth <= 2 * ManifestLimit.depth else { throw .tooLarge(node.line) }
        guard node.isMapping else {
            guard node.isList else { return node }
            var list: [ManifestNode] = []
            for element in node.list {
                list.append(
                    try spread(element, inherited: inherited, holder: holder, key: key, depth: depth + 1))
            }
            return ManifestNode(.list(list), line: node.line)
        }
        var members = OrderedMembers(node.members)
        if let type = Self.type(of: members, holder: holder, key: key) {
            members.set(ManifestNode(.text(type), line: members["type"]?.line), for: "type")
        }
        let isComponent = members["type"]?.text != nil && key != "properties"
        var parameters = inherited
        if isComponent {
            try copy(inherited.members.count + (members["$parameters"]?.members.count ?? 0), node.line)
            for parameter in members["$parameters"]?.members ?? [] {
                parameters.set(parameter.value, for: parameter.name)
            }
            for parameter in parameters.members where parameter.name != "type" {
                // An empty field is one that is not there.
                if members[parameter.name].map(\.isEmpty) ?? true {
                    members.set(parameter.value, for: parameter.name)
                }
            }
        }
        let type = isComponent ? members["type"]?.text ?? "" : holder
        var parts = OrderedMembers()
        for member in members.members where !Self.left.contains(member.name) {
            if member.name == "$parameters" {
                if !isComponent { parts.set(member.value, for: member.name) }
                continue
            }
            // A part does not get its holder's parameter of the part's own name, in which it would stand again.
            var down = parameters
            if isComponent, member.value.isList || member.value.isMapping, parameters.contains(member.name) {
                try copy(parameters.members.count, node.line)
                down = parameters.without(member.name)
            }
            parts.set(
                try spread(member.value, inherited: down, holder: type, key: member.name, depth: depth + 1),
                for: member.name)
        }
        if isComponent { parts.set(ManifestNode(.mapping(parameters.members), line: node.line), for: "$parameters") }
        if type == "StateDelegatingStream", let full = parts["full_refresh_stream"], full.isMapping {
            // The first read is the one that reads all.
            var members = OrderedMembers(full.members)
            if let name = parts["name"] { members.set(name, for: "name") }
            members.set(ManifestNode(.bool(true), line: node.line), for: StreamList.fullRead)
            return ManifestNode(.mapping(members.members), line: node.line)
        }
        return ManifestNode(.mapping(parts.members), line: node.line)
    }

    /// Counts parameters before they are copied.
    private mutating func copy(_ parameters: Int, _ line: Int?) throws(ManifestError) {
        copied += parameters
        guard copied <= ManifestLimit.copiedMembers else { throw .tooLarge(line) }
    }

    /// Returns the type of a mapping where it is not the written one: `CustomRetriever` for a class that is a `retriever`.
    private static func type(of members: OrderedMembers, holder: String, key: String) -> String? {
        let written = members["type"]?.text
        guard members["class_name"] == nil else {
            if let written, written.hasPrefix("Custom") { return nil }
            return "Custom" + key.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        }
        return written == nil && members["type"] == nil ? defaults[holder]?[key] : nil
    }
}

extension OrderedMembers {
    fileprivate func without(_ name: String) -> OrderedMembers {
        OrderedMembers(members.filter { $0.name != name })
    }
}

extension ManifestNode {
    /// True for what Python takes for false.
    package var isEmpty: Bool {
        switch content {
        case .null: true
        case .bool(let bool): !bool
        case .integer(let integer): integer == 0
        case .number(let number): Double(number) == 0
        case .text(let text): text.isEmpty
        case .list(let list): list.isEmpty
        case .mapping(let members): members.isEmpty
        }
    }
}
