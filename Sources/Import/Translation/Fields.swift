import GarnerCatalog

/// Fields that are added, removed and renamed.
extension StreamTranslation {
    func translateFields(_ transformations: [ManifestNode]) {
        for part in transformations {
            attempt(at: part) {
                switch part.type {
                case "AddFields": try addFields(part)
                case "RemoveFields": try removeFields(part)
                case "KeysToLower": renames(.lower, "all names in lower case", at: part)
                case "KeysToSnakeCase": renames(.snake, "all names in snake case", at: part)
                case "KeysReplace": renames(.replaced, "characters of names are replaced", at: part)
                case "FlattenFields": renames(.dotted, "names of inner fields have a dot", at: part)
                case "DpathFlattenFields": try liftFields(part)
                default:
                    if !loseCode(part, "a transformation", effect: .differs) {
                        lose(.transformation, part.type, at: part)
                    }
                }
            }
        }
    }

    /// A way in which a transformation names fields.
    enum Renaming: Hashable {
        case lower, snake, replaced, dotted
        /// The members of an object become those of the record, beside its own or instead of them.
        case lifted([String], isAlone: Bool)
    }

    private func renames(_ renaming: Renaming, _ words: String, at node: ManifestNode) {
        renamings.append(renaming)
        lose(.fieldNames, words, at: node)
    }

    private func liftFields(_ part: ManifestNode) throws {
        let path = try (part["field_path"]?.list ?? []).compactMap { try known($0, of: part).printed }
        guard !path.isEmpty, !path.contains(where: { $0.contains("*") }) else {
            throw LossError(.transformation, part.type, at: part)
        }
        let name = path.joined(separator: ".")
        renames(
            .lifted(path, isAlone: part["replace_record"]?.bool == true),
            "the fields of \(name) have its name before theirs",
            at: part)
    }

    /// True for a field whose name in the answer nobody knows.
    ///
    /// - Parameter isKey: True for a field without which the first read fails, so that a name that may be right is taken.
    func isRenamed(_ name: String, isKey: Bool = false) -> Bool {
        renamings.contains { renaming in
            switch renaming {
            case .lower: !isKey || name != name.lowercased()
            case .snake: name.contains("_")
            case .replaced: name.contains { !$0.isLetter && !$0.isNumber }
            case .dotted, .lifted: false
            }
        }
    }

    /// Where a field stands in the answer that a transformation moves: its places, of which the first that is there counts.
    func places(ofField name: String) -> [String] {
        fieldPaths(name).map { $0.count == 1 ? $0[0] : Self.jsonPath($0) }
    }

    /// The names that lead to each of the places.
    func fieldPaths(_ name: String) -> [[String]] {
        for case .lifted(let path, let isAlone) in renamings {
            return (isAlone ? [] : [[name]]) + [path + [name]]
        }
        guard renamings.contains(.dotted), name.contains(".") else { return [[name]] }
        return [name.split(separator: ".").map(String.init)]
    }

    private func addFields(_ part: ManifestNode) throws {
        if let condition = part["condition"], !condition.isNull, condition.text != "" {
            let value = try value(condition, of: part)
            guard value.isKnown else { throw LossError(.fieldAdded, "under a condition", at: condition) }
            if value.isFalsy { return }
        }
        for field in part["fields"]?.list ?? [] {
            attempt(at: field) { try addField(field) }
        }
    }

    private func addField(_ field: ManifestNode) throws {
        let path = try field["path"].map {
            try ($0.isList ? $0.list : [$0]).map { try known($0, of: field).printed ?? "" }
        }
        guard let path, !path.isEmpty, let written = field["value"] else { return }
        try add(resolved(try value(written, of: field).alone), at: path, field)
    }

    /// - Parameter found: Its value, in which fields that were added before have theirs already: one may stand in its own.
    private func add(_ found: JinjaValue, at path: [String], _ field: ManifestNode) throws {
        // A member of an object is a column of its own.
        let name = path.joined(separator: "__")
        guard !path.contains(where: { $0.isEmpty || $0.contains("*") || Int($0) != nil }) else {
            throw LossError(.fieldAdded, path.joined(separator: "."), at: field)
        }
        var value = assuming(found, token: nil)
        if [found, value].contains(where: { $0.bare.later.map(isUnset) == true }) {
            value = .missing
            drop(path)
        }
        value = Self.unconditional(value)
        // A field that is its own value stays what it is.
        if case .later(let later) = value.bare, later.root == .record, later.names == path {
            if value.operationName == "|int" {
                throw LossError(.fieldAdded, "\(name) as a number", at: field, effect: .renamed)
            }
            return
        }
        if case .mapping(let members) = value, !members.isEmpty, members.count <= Self.mostParameters {
            addedFields[name] = value
            for member in members {
                attempt(at: field) { try add(member.value.alone, at: path + [member.name], field) }
            }
            return
        }
        if let problem = AddedColumn.problem(ofName: name) {
            throw LossError(.fieldAdded, "\(name): it \(problem)", at: field)
        }
        let added = stream[mapping: "fields"][mapping: "add"].entries
        if added.contains(where: { $0.key != name && $0.key.lowercased() == name.lowercased() }) {
            throw LossError(.fieldAdded, "\(name): SQL ignores case, and such a column is there", at: field)
        }
        addedFields[name] = value
        if value.isNothing { return }
        guard let text = try addedValue(value, name, field) else { return }
        let hasParts = ["{parent.", "{partition."].contains(where: text.mentions)
        guard !hasParts || !["{record.", "{incremental."].contains(where: text.mentions) else {
            throw LossError(.fieldAdded, "\(name): a value of the parent or partition beside others", at: field)
        }
        stream[mapping: "fields"][mapping: "add"][name] = text
        // It takes the place of a field that records may have.
        drop(path)
        flattens(path.count - 1)
    }

    /// Returns a place without a condition that holds wherever the place has a value; another value as it is.
    private static func unconditional(_ value: JinjaValue) -> JinjaValue {
        guard let parts = value.bare.arguments(of: "if"), parts.count > 1, parts.dropFirst(2).allSatisfy(\.isNothing),
            let place = parts[1].bare.later, holds(parts[0], where: place)
        else { return value }
        return parts[1]
    }

    /// True for a condition that holds wherever a place has a value.
    private static func holds(_ condition: JinjaValue, where place: JinjaValue.Later) -> Bool {
        func leads(_ value: JinjaValue, beyond: Int = 0) -> Bool {
            guard let way = value.bare.later, way.root == place.root else { return false }
            return place.steps.count >= way.steps.count + beyond && place.steps.starts(with: way.steps)
        }
        guard case .operation(let name, let parts) = condition, let first = parts.first else {
            return leads(condition, beyond: 1)
        }
        let second = parts.count > 1 ? parts[1] : .missing
        switch name {
        case "and": return parts.allSatisfy { holds($0, where: place) }
        case "not": return first.arguments(of: "none")?.first.map { leads($0) } ?? false
        case "ne": return second == .null && leads(first)
        case "defined": return leads(first)
        case "|length", "|count": return holds(first, where: place)
        case "gt": return second == .integer(0) && holds(first, where: place)
        case "in":
            guard let member = first.printed, case .later(var way) = second.bare else { return false }
            way.steps.append(.member(member))
            return leads(.later(way))
        default: return false
        }
    }

    /// True for a value of a slice whose every value is known, and this is none of them.
    func isUnset(_ later: JinjaValue.Later) -> Bool {
        guard later.root == .slice || later.root == .interval, let names = later.names, names.count == 1,
            incrementalNode == nil
        else {
            return false
        }
        let isKnown = losses.allSatisfy { ![.customCode, .partitions, .groupedParents].contains($0.code) }
        return isKnown && !["parent_slice", "extra_fields"].contains(names[0]) && slice[names[0]] == nil
    }

    /// Puts the values of fields that were added before into a value.
    func resolved(_ value: JinjaValue) -> JinjaValue {
        switch value {
        case .later(let later) where later.root == .record:
            guard let names = later.names, let added = addedFields[names.joined(separator: "__")] else { return value }
            return added
        case .operation(let name, let arguments): return .operation(name, arguments.map(resolved))
        case .joined(let pieces): return .joined(pieces.map(resolved))
        case .mapping(let members): return .mapping(members.map { .init($0.name, resolved($0.value)) })
        default: return value
        }
    }

    /// The value of `fields.add`; nil where nothing is added.
    private func addedValue(_ value: JinjaValue, _ name: String, _ field: ManifestNode) throws -> FileValue? {
        func lost(_ words: String, _ effect: Loss.Effect? = nil) -> LossError {
            LossError(.fieldAdded, "\(name): \(words)", at: field, effect: effect)
        }
        switch value {
        case .bool(let bool): return .bool(bool)
        case .integer(let integer): return .int(integer)
        case .number(let number) where number.isFinite: return .plain(String(number))
        case .text:
            do { return try written(value) } catch let error as LossError { throw lost(error.loss.detail ?? "a text") }
        case .list, .mapping: throw lost("an array or object")
        case .secret: throw lost("a secret")
        case .now: return .text(try placeholder(value))
        case .joined(let pieces):
            var text = ""
            for piece in pieces {
                switch piece {
                case .secret: throw lost("a secret")
                case _ where piece.isNothing: break
                case _ where piece.isKnown: text += try written(piece)?.text ?? piece.printed ?? ""
                default:
                    guard let place = try addedPlace(piece, lost) else { throw lost("fields put together") }
                    text += place
                }
            }
            return .text(text)
        case .operation("or", _), .operation("default", _), .operation("|default", _):
            let parts = value.parts(of: "or").flatMap { $0.parts(of: value.operationName ?? "") }
                .filter { !$0.bare.isFalsy }
            let places = try parts.map { try addedPlace($0, lost) }.compactMap(\.self)
            guard places.count == parts.count, !places.isEmpty else { throw lost("computed") }
            return places.count == 1 ? .text(places[0]) : .texts(places)
        default:
            if value.operationName == "|int" {
                lose(.fieldAdded, "\(name): as a number", at: field, effect: .renamed)
            }
            guard let place = try addedPlace(value, lost) else { throw lost("computed") }
            return .text(place)
        }
    }

    /// The placeholder of a value that a record, its parent or its window has; nil for a computed one.
    private func addedPlace(_ value: JinjaValue, _ lost: (String, Loss.Effect?) -> LossError) throws -> String? {
        switch value.bare {
        case .later(let later) where later.root == .record:
            guard !later.steps.isEmpty else { throw lost("the record itself", nil) }
            // A number is a place in a list.
            let names = later.steps.map { step in
                switch step {
                case .member(let name): name
                case .index(let index): "\(index)"
                }
            }
            guard case .member = later.steps[0], !later.steps.contains(where: \.isFromEnd) else {
                throw lost("an element of an array", nil)
            }
            guard names.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0.isNumber || "_-".contains($0) } })
            else {
                throw lost("a name that no placeholder takes", nil)
            }
            return "{record.\(names.joined(separator: "."))}"
        case .later(let later) where later.root == .slice || later.root == .interval:
            do {
                return try placeholder(value.bare)
            } catch let error as LossError {
                throw lost(error.loss.detail ?? error.loss.code.words, nil)
            }
        case .now: return try placeholder(value.bare)
        default: return nil
        }
    }

    private func removeFields(_ part: ManifestNode) throws {
        if let condition = part["condition"], !condition.isNull, condition.text != "" {
            throw LossError(.fieldRemoved, "under a condition", at: condition)
        }
        for pointer in part["field_pointers"]?.list ?? [] {
            let steps = try (pointer.isList ? pointer.list : [pointer]).map { try known($0, of: part).printed ?? "" }
            if steps.contains(where: { $0.contains("**") }) {
                lose(.fieldRemoved, "\(steps.joined(separator: ".")) at any depth", at: pointer)
                continue
            }
            // The path of a dropped field leads through lists, and not through all members of an object.
            if steps.contains("*") {
                lose(.fieldRemoved, "\(steps.joined(separator: ".")) in objects", at: pointer)
                if steps.last == "*" { continue }
            }
            let names = steps.filter { $0 != "*" }
            guard let name = names.first, !name.isEmpty else {
                lose(.fieldRemoved, "every field", at: pointer)
                continue
            }
            guard !names.contains(where: { $0.contains { "*?[".contains($0) } }) else {
                lose(.fieldRemoved, steps.joined(separator: "."), at: pointer)
                continue
            }
            let column = names.joined(separator: "__")
            if stream[mapping: "fields"][mapping: "add"][column] == nil { drop(names) }
            for entry in stream[mapping: "fields"][mapping: "add"].entries
            where entry.key == column || entry.key.hasPrefix("\(column)__") {
                stream[mapping: "fields"][mapping: "add"][entry.key] = nil
                addedFields[entry.key] = nil
            }
        }
    }

    private var dropped: [FileValue] {
        if case .list(let list) = stream[mapping: "fields"]["drop"] { list } else { [] }
    }

    private static func dropped(_ names: [String]) -> FileValue {
        .text(names.count == 1 && isWord(names[0]) ? names[0] : jsonPath(names))
    }

    private func drop(_ names: [String]) {
        let text = Self.dropped(names)
        if !dropped.contains(text) { stream[mapping: "fields"]["drop"] = .list(dropped + [text]) }
    }

    private func undrop(_ name: String) {
        let rest = dropped.filter { $0 != Self.dropped([name]) }
        stream[mapping: "fields"]["drop"] = rest.isEmpty ? nil : .list(rest)
    }

    /// Takes columns back whose values no read can keep apart: the bounds of a window that overlaps the one before.
    func settleWindowColumns() {
        let added = stream[mapping: "fields"][mapping: "add"]
        let incremental = stream["incremental"]?.mapping
        let key: [FileValue] =
            switch stream["primary_key"] {
            case .list(let list): list
            case let key?: [key]
            case nil: []
            }
        for entry in added.entries where entry.value.mentions("{incremental.") {
            let overlaps = incremental?["lookback_window"] != nil && !key.contains(.text(entry.key))
            guard incremental == nil || overlaps else { continue }
            stream[mapping: "fields"][mapping: "add"][entry.key] = nil
            undrop(entry.key)
            if stream[mapping: "incremental"]["cursor_field"] == .text(entry.key) { forgetCursor() }
            lose(.fieldAdded, "\(entry.key): a bound of the window", at: node["transformations"])
        }
    }
}

extension JinjaValue.Later.Step {
    /// True for an element that is counted from the end of its list.
    fileprivate var isFromEnd: Bool { if case .index(..<0) = self { true } else { false } }
}
