import GarnerCatalog

/// A parameter of a request, as the document declares it.
struct OpenAPIParameter {
    enum Place: String { case query, header, cookie, path }

    let name: String
    let place: Place
    let isRequired: Bool
    let schema: OpenAPISchema
    /// The value that the document gives; nil for none.
    let value: ManifestNode?

    /// - Parameter node: the parameter with its reference followed.
    init?(_ node: ManifestNode, in document: OpenAPIDocument) throws(ManifestError) {
        guard let name = node["name"]?.text, !name.isEmpty, name.utf8.count <= 200,
            let place = node["in"]?.text.flatMap(Place.init)
        else { return nil }
        (self.name, self.place) = (name, place)
        isRequired = node["required"]?.bool ?? (place == .path)
        // Swagger 2.0 writes the schema's words beside those of the parameter.
        var content = node["content"]?.members.first?.value["schema"]
        if document.isSwagger { content = node }
        schema = try OpenAPISchema(node["schema"] ?? content, in: document)
        var examples = node["examples"]?.list.first
        if let first = node["examples"]?.members.first {
            examples = try document.member("value", of: first.value)
        }
        let beside = node["example"] ?? examples ?? (document.isSwagger ? node["x-example"] : nil)
        let isDefault = try document.resolved(node["schema"])?["default"] ?? node["default"]
        let items = try schema.isList ? OpenAPISchema(schema.items, in: document) : nil
        value =
            isDefault ?? beside ?? schema.value ?? schema.choices.first ?? items?.value ?? items?.choices.first
    }
}

/// A request whose answer has a list of objects, so that it could be a stream.
struct OpenAPIList {
    /// A part of a path: letters as they stand, or a parameter.
    enum Piece: Hashable {
        case text(String)
        case parameter(String)
    }

    /// The path as it is written.
    let path: String
    let operation: ManifestNode
    /// The path's own node, with what all its requests have.
    let pathItem: ManifestNode
    let pieces: [Piece]
    let parameters: [OpenAPIParameter]
    let records: OpenAPIRecords
    /// The name in the table of lists. Each has another one.
    var name = ""
    /// The list whose records the path names, and the place of that parameter among those of the path.
    var parent: (index: Int, parameter: Int, field: String)?

    /// The parameters of the path in their order.
    var pathParameters: [String] {
        pieces.compactMap { piece in if case .parameter(let name) = piece { name } else { nil } }
    }

    /// The parameters without which the API does not answer, other than those of the path.
    var needed: [OpenAPIParameter] { parameters.filter { $0.isRequired && $0.place != .path } }

    /// - Returns: nil if the answer is no list of objects.
    init?(
        path: String, _ pathItem: ManifestNode, in document: OpenAPIDocument
    ) throws(ManifestError) {
        guard let operation = try document.resolved(pathItem["get"]), operation.isMapping,
            let pieces = Self.pieces(of: path),
            let answer = try Self.answer(of: operation, document)
        else { return nil }
        (self.path, self.operation, self.pathItem, self.pieces) = (path, operation, pathItem, pieces)
        var last: String?
        if case .parameter(let name)? = pieces.last { last = name }
        records = try OpenAPIRecords(
            answer, named: Self.fixedSegments(of: path).last ?? "", record: last, in: document)
        guard !records.places.isEmpty else { return nil }
        // Those of the request itself win.
        var parameters: [OpenAPIParameter] = []
        for node in (operation["parameters"]?.list ?? []) + (pathItem["parameters"]?.list ?? []) {
            guard let node = try document.resolved(node), parameters.count < 200,
                let parameter = try OpenAPIParameter(node, in: document),
                !parameters.contains(where: { $0.name == parameter.name && $0.place == parameter.place })
            else { continue }
            parameters.append(parameter)
        }
        self.parameters = parameters
    }

    /// Returns the schema of the records' answer.
    private static func answer(
        of operation: ManifestNode, _ document: OpenAPIDocument
    ) throws(ManifestError) -> ManifestNode? {
        guard let responses = operation["responses"] else { return nil }
        for status in ["200", "2XX", "2xx", "default"] {
            guard let response = try document.resolved(responses[status]) else { continue }
            if document.isSwagger { return response["schema"] }
            let contents = response["content"]?.members ?? []
            let isJSON = { (type: String) in
                type.lowercased().contains("json") && !type.lowercased().contains("seq")
            }
            let content =
                contents.first { $0.name.lowercased().hasPrefix("application/json") }
                ?? contents.first { isJSON($0.name) } ?? contents.first { $0.name == "*/*" }
            return try document.resolved(content?.value)?["schema"]
        }
        return nil
    }

    /// Returns the pieces of a path such as `/orders/{orderId}/lines`; nil if a brace is not closed.
    static func pieces(of path: String) -> [Piece]? {
        var pieces: [Piece] = []
        var rest = path.prefix { $0 != "#" }
        guard rest.utf8.count <= 2_000 else { return nil }
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else { return nil }
            // A dollar before a brace would begin a variable of ours.
            guard !rest[..<open].hasSuffix("$") else { return nil }
            if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
            let name = String(rest[rest.index(after: open)..<close])
            // `{?page}` are parameters of the query, which stand among the others.
            if !name.hasPrefix("?"), !name.hasPrefix("&") { pieces.append(.parameter(name)) }
            rest = rest[close...].dropFirst()
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        return pieces.contains { if case .text(let text) = $0 { text.contains("}") } else { false } } ? nil : pieces
    }

    /// Returns the segments that have no parameter and say something: `orders`, `lines`.
    static func fixedSegments(of path: String) -> [String] {
        path.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").map(String.init)
            .filter { !$0.contains("{") }
            .map { $0.replacing(/\.(json|xml)$/, with: "") }
    }
}

extension OpenAPIList {
    /// Returns the lists of a document, each with a name and perhaps a parent.
    static func all(in document: OpenAPIDocument) throws(ManifestError) -> [OpenAPIList] {
        var lists: [OpenAPIList] = []
        for member in document.root["paths"]?.members ?? [] where member.name.hasPrefix("/") {
            guard let item = try document.resolved(member.value), item.isMapping,
                let list = try OpenAPIList(path: member.name, item, in: document)
            else { continue }
            lists.append(list)
            guard lists.count <= ManifestLimit.streams else {
                throw ManifestError(
                    "the document has more than \(ManifestLimit.streams) lists", line: document.root["paths"]?.line,
                    advice: "make a smaller document of the paths that you need")
            }
        }
        name(&lists)
        findParents(&lists)
        return lists
    }

    private static let general: Set = [
        "all", "export", "find", "get", "index", "list", "query", "read", "search", "stream",
    ]

    /// Gives each list a name of its own: its last segment, or with the one before it where that says more.
    private static func name(_ lists: inout [OpenAPIList]) {
        var names = lists.map { list -> (short: String, long: String) in
            let segments = fixedSegments(of: list.path).filter {
                $0.wholeMatch(of: /[vV]\d+(\.\d+)*|api|rest/) == nil
            }
            guard let last = segments.last else {
                let name = FileNames.name(of: list.operation["operationId"]?.text ?? "records")
                return (name, name)
            }
            let long = FileNames.name(of: segments.suffix(2).joined(separator: "_"))
            let isGeneral =
                general.contains(last.lowercased()) || last.prefixMatch(of: /(find|get|list|search)[A-Z_-]/) != nil
            return (isGeneral ? long : FileNames.name(of: last), long)
        }
        // The shortest path keeps a short name that several have.
        var best: [String: (index: Int, count: Int)] = [:]
        for (index, name) in names.enumerated() {
            let count = lists[index].path.split(separator: "/").count
            if best[name.short].map({ count < $0.count }) ?? true { best[name.short] = (index, count) }
        }
        var taken: Set<String> = []
        for (index, name) in names.enumerated() where best[name.short]?.index == index {
            lists[index].name = FileNames.free(name.short, among: &taken)
        }
        for (index, name) in names.enumerated() where best[name.short]?.index != index {
            lists[index].name = FileNames.free(name.long, among: &taken)
        }
        names = []
    }

    /// Finds the list whose records a path names: `/orders` for `/orders/{orderId}/lines`.
    private static func findParents(_ lists: inout [OpenAPIList]) {
        // Names of parameters differ between paths that mean the same.
        func key(_ pieces: some Sequence<Piece>) -> String {
            let key = pieces.map { piece in if case .text(let text) = piece { text } else { "{}" } }.joined()
            return key.hasSuffix("/") ? String(key.dropLast()) : key
        }
        var indices: [String: Int] = [:]
        for (index, list) in lists.enumerated() where indices[key(list.pieces)] == nil {
            indices[key(list.pieces)] = index
        }
        for index in lists.indices {
            let pieces = lists[index].pieces
            var number = lists[index].pathParameters.count
            // The last parameter that can be told is the one of the nearest parent.
            for place in pieces.indices.reversed() {
                guard case .parameter(let name) = pieces[place] else { continue }
                number -= 1
                guard place > 0, case .text(let before) = pieces[place - 1], before.hasSuffix("/"),
                    pieces.dropFirst(place + 1).first.map({
                        if case .text(let text) = $0 { text.hasPrefix("/") } else { false }
                    })
                        ?? true,
                    let parent = indices[key(pieces[..<place])], parent != index,
                    let field = lists[parent].field(for: name)
                else { continue }
                lists[index].parent = (parent, number, field)
                break
            }
        }
    }

    /// Returns the field of the records that a parameter such as `orderId` names; nil if they are known to have none.
    private func field(for parameter: String) -> String? {
        let names = records.record?.properties.members.map(\.name) ?? []
        guard !names.isEmpty else { return "id" }
        let wanted = FileNames.name(of: parameter)
        let last = wanted.split(separator: "_").last.map(String.init) ?? wanted
        for name in [wanted, last == "id" ? "id" : last] {
            if let found = names.first(where: { FileNames.name(of: $0) == name }) { return found }
        }
        return names.contains("id") ? "id" : nil
    }
}
