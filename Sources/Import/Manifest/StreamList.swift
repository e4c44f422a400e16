/// The streams of a manifest with these settings: conditions are decided, and templates are filled in.
struct StreamList {
    /// The member that marks the stream of full reads, where later reads are of another one.
    static let fullRead = "$full_read"

    private(set) var streams: [ManifestNode] = []
    /// Streams that nobody can write down, with the reason.
    private(set) var impossible: [(name: String, loss: Loss)] = []
    private(set) var notes: [String] = []
    private let config: JinjaValue

    init(_ config: JinjaValue) { self.config = config }

    mutating func add(_ manifest: Manifest) throws(ManifestError) {
        for stream in manifest.streams { add(stream) }
        for stream in manifest.dynamicStreams { try add(template: stream) }
    }

    private mutating func add(_ stream: ManifestNode) {
        guard stream.type == "ConditionalStreams" else {
            streams.append(stream)
            return
        }
        let names = stream["streams"]?.list.compactMap { $0["name"]?.text } ?? []
        var evaluator = JinjaEvaluator(config: config, parameters: JinjaValue(known: stream.parameters))
        let condition = stream["condition"]?.text ?? ""
        do {
            let value = try evaluator.value(of: condition)
            if case .operation = value, value.holdsSecret {
                for name in names { impossible.append((name, Loss(.secretInText, "a condition", line: stream.line))) }
                return
            }
            if value.isKnown, !value.isTrue {
                notes.append("left out, as the settings do not ask for them: \(names.joined(separator: ", "))")
                return
            }
        } catch {
            for name in names { impossible.append((name, Loss(.jinja, error.words, line: stream.line))) }
            return
        }
        streams += stream["streams"]?.list ?? []
    }

    // MARK: - Templates

    private mutating func add(template dynamic: ManifestNode) throws(ManifestError) {
        let resolver = dynamic["components_resolver"] ?? ManifestNode(.null)
        let name = dynamic["name"]?.text ?? dynamic["stream_template"]?["name"]?.text ?? "dynamic streams"
        guard let template = dynamic["stream_template"], template.isMapping else { return }
        let listed: [JinjaValue]
        switch resolver.type {
        case "ConfigComponentsResolver": listed = values(of: resolver)
        case "ParametrizedComponentsResolver":
            let values = resolver["stream_parameters"]?["list_of_parameters_for_stream"]?.list ?? []
            listed = values.map { JinjaValue(known: $0) }
        default:
            impossible.append(
                (
                    name,
                    resolver.isCustom
                        ? Loss(.customCode, resolver["class_name"]?.text ?? "a resolver", line: resolver.line)
                        : Loss(.streamsFromAPI, line: resolver.line)
                ))
            return
        }
        if listed.isEmpty { notes.append("the settings list no stream for '\(name)'") }
        var names: Set<String> = []
        for value in listed.prefix(ManifestLimit.streams) {
            do throws(JinjaError) {
                let filled = try filled(template, with: value, by: resolver)
                var stream = try spread(filled)
                let wanted = stream["name"]?.text ?? name
                let free = FileNames.free(wanted, among: &names)
                if free != wanted { stream = stream.setting(ManifestNode(.text(free)), at: ["name"], creates: true) }
                streams.append(stream)
            } catch {
                impossible.append((name, Loss(.jinja, error.words, line: resolver.line)))
            }
        }
    }

    private func spread(_ stream: ManifestNode) throws(JinjaError) -> ManifestNode {
        do throws(ManifestError) {
            return try Manifest.spread(stream)
        } catch {
            throw .limit
        }
    }

    /// Returns the values that the settings list, one for each stream.
    private func values(of resolver: ManifestNode) -> [JinjaValue] {
        let places = resolver["stream_config"].map { $0.isList ? $0.list : [$0] } ?? []
        let parameters = JinjaValue(known: resolver.parameters)
        return places.flatMap { place in
            let value = (place["configs_pointer"]?.list ?? []).reduce(config) { member($1, of: $0, parameters) }
            let defaults = (place["default_values"]?.list ?? []).map { JinjaValue(known: $0) }
            switch value {
            case .list(let values): return values + defaults
            case .missing, .null: return defaults
            default: return [value] + defaults
            }
        }
    }

    /// Returns the member or element that a step of a pointer names; the value itself for a step that is known later.
    private func member(_ step: ManifestNode, of value: JinjaValue, _ parameters: JinjaValue) -> JinjaValue {
        let text =
            switch step.content {
            case .text(let text): text
            case .integer(let integer): String(integer)
            default: ""
            }
        var evaluator = JinjaEvaluator(config: config, parameters: parameters)
        guard case .text(let name)? = try? evaluator.value(of: text, reading: .none) else { return value }
        if case .list(let values) = value, let index = Int(name), values.indices.contains(index) {
            return values[index]
        }
        return value[name]
    }

    private func filled(
        _ template: ManifestNode, with value: JinjaValue, by resolver: ManifestNode
    ) throws(JinjaError) -> ManifestNode {
        // The value is put where the evaluator finds it, since it knows settings and parameters only.
        let own = "components_values"
        let parameters = JinjaValue.mapping([JinjaValue.Member(own, value)])
        func evaluated(_ text: String) throws(JinjaError) -> JinjaValue {
            var evaluator = JinjaEvaluator(config: config, parameters: parameters)
            return try evaluator.value(of: text.replacing(/\bcomponents_values\b/, with: "parameters['\(own)']"))
        }
        var stream = template
        for mapping in resolver["components_mapping"]?.list ?? [] {
            if let condition = mapping["condition"]?.text {
                let value = try evaluated(condition)
                if case .operation = value { throw .value("a condition of the template is not decided") }
                guard value.isTrue else { continue }
            }
            var path: [String] = []
            for step in mapping["field_path"]?.list ?? [] {
                if let index = step.integer {
                    path.append(String(index))
                } else if case .text(let name) = try evaluated(step.text ?? "") {
                    path.append(name)
                }
            }
            let written = mapping["value"] ?? ManifestNode(.null)
            let value = try written.text.map { text throws(JinjaError) in try evaluated(text) }
            let node = try value.map { value throws(JinjaError) in try Self.node(value, line: written.line) } ?? written
            stream = stream.setting(node, at: path[...], creates: mapping["create_or_update"]?.bool ?? false)
        }
        return stream
    }

    /// Returns a known value as a node of the manifest.
    private static func node(_ value: JinjaValue, line: Int?) throws(JinjaError) -> ManifestNode {
        switch value {
        case .missing, .null: return ManifestNode(.null, line: line)
        case .bool(let bool): return ManifestNode(.bool(bool), line: line)
        case .integer(let integer): return ManifestNode(.integer(integer), line: line)
        case .number(let number): return ManifestNode(.number(String(number)), line: line)
        case .text(let text): return ManifestNode(.text(text), line: line)
        case .list(let values):
            var nodes: [ManifestNode] = []
            for value in values { nodes.append(try node(value, line: line)) }
            return ManifestNode(.list(nodes), line: line)
        case .mapping(let members):
            var nodes: [ManifestNode.Member] = []
            for member in members {
                nodes.append(ManifestNode.Member(name: member.name, value: try node(member.value, line: line)))
            }
            return ManifestNode(.mapping(nodes), line: line)
        default: throw .value("a value of the template is known only while the stream is read")
        }
    }
}

extension JinjaValue {
    /// What Python takes a known value for. A text is read as Airbyte reads a condition.
    var isTrue: Bool {
        switch self {
        case .missing, .null: false
        case .bool(let bool): bool
        case .integer(let integer): integer != 0
        case .number(let number): number != 0
        case .text(let text): !["", "False", "false", "None", "0", "[]", "{}"].contains(text)
        case .list(let list): !list.isEmpty
        case .mapping(let members): !members.isEmpty
        default: true
        }
    }
}

extension ManifestNode {
    /// Returns the node with a value at a path, which is not followed where nothing is, unless it is created.
    func setting(_ value: ManifestNode, at path: ArraySlice<String>, creates: Bool) -> ManifestNode {
        guard let first = path.first else { return value }
        var node = self
        switch content {
        case .list(var list):
            if first == "*" {
                list = list.map { $0.setting(value, at: path.dropFirst(), creates: creates) }
            } else if let index = Int(first), list.indices.contains(index) {
                list[index] = list[index].setting(value, at: path.dropFirst(), creates: creates)
            }
            node.content = .list(list)
        case .mapping(let members):
            var members = OrderedMembers(members)
            guard members.contains(first) || creates else { return self }
            let inner = members[first] ?? ManifestNode(.mapping([]), line: line)
            members.set(inner.setting(value, at: path.dropFirst(), creates: creates), for: first)
            node.content = .mapping(members.members)
        default:
            if creates { return ManifestNode(.mapping([]), line: line).setting(value, at: path, creates: true) }
        }
        return node
    }

    func setting(_ value: ManifestNode, at path: [String], creates: Bool) -> ManifestNode {
        setting(value, at: path[...], creates: creates)
    }
}
