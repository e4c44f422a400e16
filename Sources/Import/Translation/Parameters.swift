import GarnerCatalog

/// Parameters, headers and the places of options.
extension StreamTranslation {
    /// Writes `params` or `headers`, which are a mapping, a list of mappings, or a text that becomes one.
    func translateParameters(_ node: ManifestNode?, as key: String, of requester: ManifestNode) {
        guard let node else { return }
        let written = attempt(at: node) { try members(of: node, requester) } ?? []
        guard written.count <= Self.mostParameters else { return lose(.requestOption, "too many \(key)", at: node) }
        let authenticator = requester["authenticator"]
        let isAlone = authenticator?.isMapping != true || authenticator?.type == "NoAuth"
        for member in written {
            attempt(at: member.node ?? node) { try translateParameter(member, as: key, isAlone: isAlone) }
        }
    }

    static let mostParameters = 1000

    /// A parameter before it is written.
    private struct Parameter {
        let name: String
        let value: JinjaValue
        var node: ManifestNode?
    }

    private func members(of node: ManifestNode, _ requester: ManifestNode) throws -> [Parameter] {
        switch node.content {
        case .mapping(let members): return try members.compactMap { try parameter($0, requester) }
        case .list(let nodes): return try nodes.flatMap { try self.members(of: $0, requester) }
        case .text:
            let value = assuming(try value(node, of: requester), token: nil)
            switch value {
            case .mapping(let members): return members.map { Parameter(name: $0.name, value: $0.value) }
            case .missing, .null, .text(""): return []
            case .text(let text) where text.contains("="):
                return text.split(separator: "&").map { pair in
                    let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    return Parameter(name: String(parts[0]), value: .text(parts.dropFirst().joined(separator: "=")))
                }
            default: throw LossError(.requestOption, "parameters that a template makes")
            }
        default: return []
        }
    }

    private func parameter(_ member: ManifestNode.Member, _ requester: ManifestNode) throws -> Parameter? {
        guard !["type", "$parameters"].contains(member.name) else { return nil }
        let value: JinjaValue? =
            if member.value.type == "QueryProperties" {
                attempt(at: member.value) { .text(try propertyList(member.value)) }
            } else {
                attempt(at: member.value) { try self.value(member.value, of: requester) }
            }
        guard let value else { return nil }
        guard member.name.contains("{{") else { return Parameter(name: member.name, value: value, node: member.value) }
        let name = try knownText(ManifestNode(.text(member.name), line: member.value.line), of: requester)
        return name.map { Parameter(name: $0, value: value, node: member.value) }
    }

    /// - Parameter isAlone: True if no authenticator proves who asks.
    private func translateParameter(_ parameter: Parameter, as key: String, isAlone: Bool) throws {
        if case .mapping = parameter.value { throw LossError(.requestOption, "an object in '\(parameter.name)'") }
        let isHeader = key == "headers"
        if isHeader, isAlone, parameter.name.lowercased() == "authorization", let keys = try basic(parameter.value) {
            stream["auth"] = .mapping(keys)
            return
        }
        let place = isHeader ? RequestPlace.header(parameter.name) : .param(parameter.name)
        guard let value = try requestValue(parameter.value, at: place)?.asParameter else { return }
        if isHeader, case .text(let text) = value, !HeaderSyntax.isValue(text) {
            throw LossError(.requestOption, "a line break in the header '\(parameter.name)'")
        }
        if isHeader, case .list = value { throw LossError(.requestOption, "a list in the header '\(parameter.name)'") }
        try set(value, at: place)
    }

    /// The names of the properties that a request asks for.
    func propertyList(_ node: ManifestNode) throws -> String {
        guard let list = node["property_list"], list.isList else {
            throw LossError(.propertiesFromAPI, at: node["property_list"] ?? node)
        }
        let names = try list.list.compactMap { try knownText($0, of: node) }
        if let chunks = node["property_chunking"] {
            let isCount = chunks["property_limit_type"]?.text != "characters"
            let length = isCount ? names.count : names.joined(separator: ",").count
            guard let limit = chunks["property_limit"]?.integer, length <= limit else {
                throw LossError(.propertyChunks, at: chunks)
            }
        }
        return names.joined(separator: ",")
    }
}

extension StreamTranslation {
    /// Returns where a component puts a value.
    func requestPlace(of option: ManifestNode) throws -> RequestPlace {
        guard option.type != "RequestPath" else {
            throw LossError(.requestOption, "a value as the whole path", at: option)
        }
        let name = try knownText(option["field_name"], of: option)
        let path = try (option["field_path"]?.list ?? []).compactMap { try knownText($0, of: option) }
        guard let last = name ?? path.last else {
            throw LossError(.requestOption, "a place without a name", at: option)
        }
        switch option["inject_into"]?.text {
        case "request_parameter": return .param(last)
        case "header": return .header(last)
        case "body_json": return .json(path.isEmpty ? [last] : path)
        case "body_data": return .form(last)
        case let place: throw LossError(.requestOption, place.map { String($0.prefix(40)) }, at: option)
        }
    }

    /// True for a place without a name. Some manifests name a place that they do not use, since it is required.
    func isNowhere(_ option: ManifestNode) throws -> Bool {
        guard let name = option["field_name"], !name.isNull, option["field_path"] == nil else { return false }
        return try knownText(name, of: option) == nil
    }

    /// Puts a value where a component says.
    func place(_ text: FileValue, by option: ManifestNode) throws {
        if try isNowhere(option) { return }
        try set(text, at: try requestPlace(of: option))
    }

    /// Puts a value into the request. What stands there already is replaced.
    func set(_ value: FileValue, at place: RequestPlace) throws {
        if let name = place.names.first(where: { $0.isEmpty || $0.contains("${") }) {
            throw LossError(.requestOption, "the name '\(name.prefix(40))'")
        }
        if case .json = place {
        } else if case .list(let values) = value, !values.allSatisfy(\.isScalar) {
            throw LossError(.requestOption, "a list of lists or objects in '\(place.names.first?.prefix(40) ?? "")'")
        }
        switch place {
        case .param(let name): stream[mapping: "params"][name] = value.asParameter
        case .header(let name):
            guard HeaderSyntax.isName(name) else { throw LossError(.requestOption, "the header '\(name.prefix(40))'") }
            let present = stream[mapping: "headers"].entries.first { $0.key.lowercased() == name.lowercased() }
            stream[mapping: "headers"][present?.key ?? name] = value.asParameter
        case .form(let name):
            guard stream["json"] == nil, stream["body"] == nil else { throw LossError(.requestOption, "two bodies") }
            stream[mapping: "form"][name] = value.asParameter
        case .json(let path):
            guard stream["form"] == nil, stream["body"] == nil else { throw LossError(.requestOption, "two bodies") }
            let body = stream["json"] ?? .mapping(FileMapping())
            guard let changed = body.setting(path[...], to: value) else {
                throw LossError(.requestOption, "'\(path.joined(separator: "."))' is in no object")
            }
            stream["json"] = changed
        }
    }
}

extension StreamTranslation.RequestPlace {
    fileprivate var names: [String] {
        switch self {
        case .param(let name), .header(let name), .form(let name): [name]
        case .json(let names): names
        }
    }
}

extension FileValue {
    fileprivate var isScalar: Bool {
        switch self {
        case .list, .mapping: false
        case .text, .plain, .null: true
        }
    }

    /// The value without quotes, which make no difference outside of JSON.
    var asParameter: FileValue {
        switch self {
        case .list(let values): return .list(values.map(\.asParameter))
        case .text(let text):
            guard let number = Int(text), String(number) == text, text.utf8.count < 16 else { return self }
            return .plain(text)
        default: return self
        }
    }

    /// Returns this value with another one at a place; nil if something else than an object is on the way.
    fileprivate func setting(_ path: ArraySlice<String>, to value: FileValue) -> FileValue? {
        guard let name = path.first else { return value }
        guard case .mapping(var members) = self else { return nil }
        let present = members[name] ?? .mapping(FileMapping())
        guard let changed = present.setting(path.dropFirst(), to: value) else { return nil }
        members[name] = changed
        return .mapping(members)
    }
}
