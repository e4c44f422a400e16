import GarnerCatalog
import GarnerModel

/// The values of components.
extension StreamTranslation {
    /// Returns a value with its texts evaluated. What is known later stays a tree.
    func value(_ node: ManifestNode, of component: ManifestNode) throws -> JinjaValue {
        switch node.content {
        case .null: return .null
        case .bool(let bool): return .bool(bool)
        case .integer(let integer): return .integer(integer)
        case .number(let text): return Double(text).map { .number($0) } ?? .text(text)
        case .text(let text): return try value(of: text, in: component)
        case .list(let nodes): return .list(try nodes.map { try value($0, of: component) })
        case .mapping(let members):
            return .mapping(
                try members.filter { $0.name != "$parameters" }.map { member in
                    guard member.name.contains("{{") else {
                        return JinjaValue.Member(member.name, try value(member.value, of: component))
                    }
                    let name = try value(of: member.name, in: component)
                    guard let name = name.printed else { throw LossError(.computedRequest, at: member.value) }
                    return JinjaValue.Member(name, try value(member.value, of: component))
                })
        }
    }

    func value(of text: String, in component: ManifestNode, keepsDefaults: Bool = false) throws -> JinjaValue {
        let (microseconds, overflows) = Int(now.millisecondsSince1970).multipliedReportingOverflow(by: 1000)
        var evaluator = JinjaEvaluator(
            config: settings, parameters: Self.plain(component.parameters),
            now: microseconds == 0 || overflows ? nil : microseconds)
        evaluator.keepsDefaults = keepsDefaults
        let value = try evaluator.value(of: text)
        guard !value.isDeeper(than: 60) else { throw JinjaError.limit }
        return value
    }

    /// Returns a node's value with its texts as they are.
    static func plain(_ node: ManifestNode) -> JinjaValue {
        switch node.content {
        case .null: .null
        case .bool(let bool): .bool(bool)
        case .integer(let integer): .integer(integer)
        case .number(let text): Double(text).map { .number($0) } ?? .text(text)
        case .text(let text): .text(text)
        case .list(let nodes): .list(nodes.map(plain))
        case .mapping(let members): .mapping(members.map { .init($0.name, plain($0.value)) })
        }
    }

    /// Returns a value that has to be known now.
    func known(_ node: ManifestNode?, of component: ManifestNode) throws -> JinjaValue {
        guard let node else { return .missing }
        let value = try value(node, of: component)
        guard value.isKnown else { throw LossError(.computedRequest, RecordCondition.shown(value), at: node) }
        return value
    }

    /// Returns a text that has to be known now; nil if it is empty or not there.
    func knownText(_ node: ManifestNode?, of component: ManifestNode) throws -> String? {
        let value = try known(node, of: component)
        return value.isNothing ? nil : value.printed
    }
}

/// Values that are known later.
extension StreamTranslation {
    /// Returns the placeholder of a value that is known later.
    func placeholder(_ value: JinjaValue) throws -> String {
        let value = assuming(value, token: nil).bare
        if let bound = bound(value) { return try bound.placeholder() }
        switch value {
        case .now(let now): return try placeholder(of: now)
        case .later(let later):
            switch later.root {
            case .slice: return try slicePlaceholder(later.steps)
            case .nextPageToken: throw LossError(.pageToken, RecordCondition.shown(value))
            default: break
            }
        // A value of a partition or a parent is there, so that what stands for an empty one is not needed.
        case .operation("or", let values), .operation("default", let values):
            if let first = values.first, first.bare.later?.root == .slice { return try placeholder(first) }
        case .operation(let name, let values) where ["|urlencode", "urlencode", "sanitize_url"].contains(name):
            // Garner encodes values itself.
            guard let first = values.first else { break }
            let text = try placeholder(first)
            if name == "sanitize_url" { encoded.insert(text) }
            return text
        default: break
        }
        throw LossError(.computedRequest, RecordCondition.shown(value))
    }

    private func placeholder(of now: JinjaValue.Now) throws -> String {
        // Durations end at 292 years.
        let seconds = now.distance.longest
        guard seconds.magnitude < 9_000_000_000 else { throw LossError(.computedRequest, "a time far from now") }
        let distance = DurationText.format(.seconds(seconds.magnitude))
        let offset = seconds == 0 ? "" : " \(seconds < 0 ? "-" : "+") \(distance)"
        let format = now.format ?? (now.isDay ? "%Y-%m-%d" : Self.pythonFormat)
        return "{now\(offset), \(try Self.sentFormat(format))}"
    }

    /// How Python writes a time that has no format.
    private static let pythonFormat = "%Y-%m-%d %H:%M:%S.%f+00:00"

    /// Returns the bound of the window that a value is, in whatever format; nil for another value.
    func bound(_ value: JinjaValue) -> WindowBound? {
        switch value.bare {
        case .later(let later): bound(at: later)
        case .operation(let name, let values):
            values.first.flatMap { bound(name.drop { "|.".contains($0) }, of: $0, values.dropFirst().map(\.bare)) }
        default: nil
        }
    }

    /// The component that moves the window; nil for a stream that is always read in full.
    var incrementalNode: ManifestNode? {
        let node = node["incremental_sync"]
        return (node?.isList == true ? node?.list.first : node).flatMap { $0.isMapping ? $0 : nil }
    }

    private func bound(at later: JinjaValue.Later) -> WindowBound? {
        guard let incremental = incrementalNode, later.steps.count == 1, case .member(let name)? = later.steps.first
        else { return nil }
        let isInterval = later.root == .interval
        let format = incremental["datetime_format"]?.text ?? "%Y-%m-%dT%H:%M:%S.%f%z"
        if later.root == .state {
            // The state is the last cursor. A first read has none, and begins at the start in any case.
            let field = try? knownText(incremental["cursor_field"], of: incremental)
            return field == name ? WindowBound(name: "incremental.start_value", format: format) : nil
        }
        guard isInterval || later.root == .slice else { return nil }
        if name == windowFields.start || name == "start_time" || isInterval && name == "start_date" {
            return WindowBound(name: "incremental.start_value", format: format)
        }
        if name == windowFields.end || name == "end_time" || isInterval && name == "end_date" {
            return WindowBound(name: "incremental.end_value", format: format)
        }
        return nil
    }

    private func bound(_ operation: Substring, of value: JinjaValue, _ rest: [JinjaValue]) -> WindowBound? {
        // `value.split('T')[0]`
        if operation == "item" || operation == "first", case .operation(let name, let values) = value.bare,
            name.hasSuffix("split"), let first = values.first
        {
            guard let index = operation == "first" ? 0 : rest.first?.integerValue else { return nil }
            return bound(first)?.part(index, between: values.dropFirst().first?.printed ?? " ")
        }
        guard let bound = bound(value) else { return nil }
        switch operation {
        case "format_datetime", "strftime": return rest.first?.printed.map(bound.written)
        case "time", "str_to_datetime", "trim": return bound
        case "date": return bound.written(as: "%Y-%m-%d")
        case "isoformat": return bound.written(as: "%Y-%m-%dT%H:%M:%S+00:00")
        case "timestamp": return bound.written(as: "%s")
        case "mul" where rest.first?.integerValue == 1000 && bound.format == "%s": return bound.written(as: "%ms")
        case "div" where rest.first?.integerValue == 1000 && bound.format == "%ms": return bound.written(as: "%s")
        case "slice":
            guard case .list(let places)? = rest.first, places.count > 1, places.dropFirst(2).allSatisfy(\.isNothing)
            else { return nil }
            let (start, end) = (places[0].integerValue ?? 0, places[1].integerValue)
            if start == 0, let end, end >= 0 { return bound.prefix(end) }
            return bound.slice(from: start, to: end)
        case "replace":
            guard rest.count > 1, let old = rest[0].printed, let new = rest[1].printed else { return nil }
            return bound.replacing(old, with: new)
        // Such a window always has both bounds.
        case "or", "default", "d": return bound
        default: return nil
        }
    }
}

/// Values of the slice.
extension StreamTranslation {
    private func slicePlaceholder(_ steps: [JinjaValue.Later.Step]) throws -> String {
        let shown = RecordCondition.shown(.later(.init(.slice, steps)))
        guard let names = JinjaValue.Later(.slice, steps).names, let first = names.first else {
            throw LossError(.sliceValue, shown)
        }
        switch first {
        case "parent_slice": return try parentPlaceholder(names, shown)
        case "extra_fields" where names.count > 1 && !parents.isEmpty:
            return try memberPlaceholder(names[1].split(separator: ".").map(String.init) + names.dropFirst(2))
        default: break
        }
        switch slice[first] {
        case .partition(let name)? where names.count == 1: return "{partition.\(name)}"
        case .parent(let column)?:
            let path = [column] + names.dropFirst()
            // An object has no column of its own, and its member tells the parent's record as well.
            if path.count > 1 { include(path.joined(separator: "__"), insteadOf: column) }
            return try memberPlaceholder(path)
        default: throw LossError(.sliceValue, shown)
        }
    }

    /// Returns the placeholder of a member of the parent's record, at any depth.
    private func memberPlaceholder(_ path: [String]) throws -> String {
        let column = path.joined(separator: "__")
        parents.first?.flattens(column.split(separator: "__").count - 1)
        return try columnPlaceholder(column)
    }

    private func columnPlaceholder(_ column: String) throws -> String {
        let placeholder = "{parent.\(column)}"
        guard Template(placeholder).placeholders.count == 1 else { throw LossError(.sliceValue, column) }
        return placeholder
    }

    /// Returns the placeholder of a value in a slice of the parent, or of the parent's parents.
    ///
    /// The parent stores what its own parent gives it in a column, and so on up to the stream whose slice has the value.
    private func parentPlaceholder(_ names: [String], _ shown: String) throws -> String {
        let depth = names.prefix { $0 == "parent_slice" }.count
        var lineage: [StreamTranslation] = []
        var stream = self
        for _ in 0..<depth {
            guard let parent = stream.parents.first, lineage.count < 20 else { throw LossError(.sliceValue, shown) }
            lineage.append(parent)
            stream = parent
        }
        guard names.count == depth + 1, let owner = lineage.last, let place = owner.slice[names[depth]] else {
            throw LossError(.sliceValue, shown)
        }
        var column: String
        switch place {
        case .partition(let name): column = "_\(name)"
        case .parent(let key):
            guard let above = owner.parents.first else { throw LossError(.sliceValue, shown) }
            owner.include(key)
            column = "_\(above.streamName)_\(key)"
        }
        for (child, above) in zip(lineage.dropLast().reversed(), lineage.reversed()) {
            child.include(column)
            column = "_\(above.streamName)_\(column)"
        }
        return try columnPlaceholder(column)
    }
}

extension JinjaValue {
    /// True if it nests beyond a depth.
    func isDeeper(than depth: Int) -> Bool {
        let parts: [JinjaValue] =
            switch self {
            case .operation(_, let values), .list(let values), .joined(let values): values
            case .mapping(let members): members.map(\.value)
            default: []
            }
        return !parts.isEmpty && (depth <= 0 || parts.contains { $0.isDeeper(than: depth - 1) })
    }
}
