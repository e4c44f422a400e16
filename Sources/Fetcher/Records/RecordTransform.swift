import Catalog
import Digest
import JSON

/// Turns what a response has into the records that are stored: shape, deletions, filter, fields, in this order.
///
/// Pages are counted after the shape and before the filter. Records are written anew only where the stream asks for that;
/// numbers keep their digits.
struct RecordTransform: Sendable {
    private let shape: RecordShape
    /// True if the configuration does not name the value that holds the records.
    private let isWhole: Bool
    private let filter: FilterExpression?
    private let deletedWhen: FilterExpression?
    /// True if deleted records are left out, since the table is replaced by the others.
    private let leavesOutDeleted: Bool
    private let fields: FieldRules
    /// The largest size of the records that are written anew: that of a body.
    private let limit: Int
    private let rules: FieldTree?
    /// The fields that have a rule, as the configuration names them.
    private let ruledFields: Set<String>

    init(of stream: Stream) {
        shape = stream.recordShape
        isWhole = stream.recordSelector == nil
        filter = stream.recordFilter
        deletedWhen = stream.deletedWhen
        leavesOutDeleted = stream.replacesTable
        fields = stream.fields
        limit = stream.limits.body
        rules = FieldTree(stream.fields)
        ruledFields = Set(rules?.fields ?? [])
    }

    /// True if the records are the values that are selected.
    var takesObjects: Bool { shape == .objects }

    /// Returns the records in the values that `selector` selects.
    func shaped(_ selector: Selector, in document: Document) throws(FetchError.Kind) -> FoundRecords {
        var text = RecordText(limit: limit)
        try document.withRoot { root throws(FetchError.Kind) in
            // Without a path to the records, an error of the server must not be stored as a record.
            if isWhole {
                if let refusal = BodyRefusal(root) ?? BodyRefusal(messageOnly: root) { throw refusal.kind }
                guard root.kind == .object || root.kind == .array else { throw .scalar(found: root.kind.noun) }
            }
            let containers = selector.elements(in: root)
            guard !containers.isEmpty else {
                if let refusal = BodyRefusal(root) { throw refusal.kind }
                throw .missingPath(selector: "\(selector)", found: root.members.prefix(20).map(\.key.text))
            }
            for container in containers where container.kind != .null {
                switch shape {
                case .objects: break
                case .columns: try text.append(columns: container, at: selector)
                case .entries(let key, let value): try text.append(entries: container, key, value, at: selector)
                case .rows(let names): try text.append(rows: container, try Self.names(names, in: root, container))
                }
            }
        }
        let selection = try text.selection()
        return FoundRecords(selection: selection, place: .selector(selector))
    }

    /// Returns the records as they are stored, with the indices of those that say that their rows are to be deleted, and the
    /// fields with a rule that none of them has.
    func stored(
        _ selection: Selection
    ) throws(FetchError.Kind) -> (records: Selection, deletions: Set<Int>, missingFields: Set<String>) {
        let (selection, deletions) = try chosen(selection)
        guard let rules else { return (selection, deletions, []) }
        var text = RecordText(limit: limit)
        let key = Array(fields.hash.key.reveal().utf8)
        try selection.forEach { record throws(FetchError.Kind) in
            guard !rules.keepsOnly || record.isObject else {
                throw .shape(reason: "a record is no object, of which 'fields' could keep a part")
            }
            try text.beginRecord()
            try text.append(record, by: rules, key: key)
        }
        let missing = ruledFields.subtracting(text.seenFields)
        return (try text.selection(), deletions, missing)
    }

    /// Returns the records that meet the filter or are deleted, and the indices of the deleted ones. A deleted record may
    /// have lost what the filter asks for.
    private func chosen(
        _ selection: Selection
    ) throws(FetchError.Kind) -> (records: Selection, deletions: Set<Int>) {
        guard filter != nil || deletedWhen != nil else { return (selection, []) }
        var deletions: Set<Int> = []
        do throws(FilterLimitError) {
            let records = try selection.document.withRoot { root throws(FilterLimitError) in
                var filter = filter.map { FilterEvaluation($0, root: root) }
                var deletion = deletedWhen.map { FilterEvaluation($0, root: root) }
                var records: [Node] = []
                try selection.forEach { record throws(FilterLimitError) in
                    if try deletion?.matches(record) == true {
                        guard !leavesOutDeleted else { return }
                        deletions.insert(records.count)
                        records.append(record)
                    } else if try filter?.matches(record) ?? true {
                        records.append(record)
                    }
                }
                return Selection(records, in: selection.document)
            }
            return (records, deletions)
        } catch {
            throw .filterLimit(steps: error.steps)
        }
    }

    /// Returns the names of a row's values; nil if the first row has them.
    private static func names(
        _ names: RecordShape.RowNames, in root: Node, _ container: Node
    ) throws(FetchError.Kind) -> [String]? {
        switch names {
        case .list(let list): return list
        case .first: return nil
        case .path(let path):
            let found = path.elements(in: root)
            let values = path.isSingular ? found.flatMap { Array($0.elements) } : found
            let texts = values.compactMap(\.string)
            guard !texts.isEmpty, texts.count == values.count else {
                throw .shape(reason: "\(path) does not select the names of the values")
            }
            try RecordText.checkUnique(texts)
            return texts
        }
    }
}

/// The rules for the fields of a record, arranged as the fields are.
private final class FieldTree: Sendable {
    struct Rule: Sendable {
        var isKept = false
        var isDropped = false
        var isHashed = false
        var name: String?
        var below: FieldTree?
        /// The field's path from the record; nil if only fields below it have a rule.
        var field: String?
    }

    let rules: [String: Rule]
    /// The new names of renamed members. No other member may have one of them.
    let newNames: Set<String>
    /// True if members without a rule are left out.
    let keepsOnly: Bool

    /// Returns nil if there are no rules.
    convenience init?(_ rules: FieldRules) {
        guard rules != FieldRules() else { return nil }
        self.init(
            keep: rules.keep.map { $0.names[...] }, drop: rules.drop.map { $0.names[...] },
            renames: rules.renames.map { ($0.field.names[...], $0.name) }, hash: rules.hash.fields.map { $0.names[...] }
        )
    }

    private typealias Path = ArraySlice<String>

    /// The fields that have a rule of their own.
    var fields: [String] { rules.values.flatMap { ($0.field.map { [$0] } ?? []) + ($0.below?.fields ?? []) } }

    /// - Parameter outer: The path from the record to the object that has the fields.
    private init(keep: [Path], drop: [Path], renames: [(Path, String)], hash: [Path], in outer: String = "") {
        keepsOnly = !keep.isEmpty
        // A hashed field is named as it is after the renames.
        let renamed = renames.filter { $0.0.count == 1 }
        let old = Dictionary(renamed.map { ($0.1, $0.0.first ?? "") }) { first, _ in first }
        let hash = hash.map { path -> Path in
            guard let first = path.first, let former = old[first] else { return path }
            return [former] + path.dropFirst()
        }
        let names = Set((keep + drop + renames.map(\.0) + hash).compactMap(\.first))
        var rules: [String: Rule] = [:]
        for name in names {
            func below(_ paths: [Path]) -> [Path] {
                paths.filter { $0.first == name && $0.count > 1 }.map { $0.dropFirst() }
            }
            let inner = renames.filter { $0.0.first == name && $0.0.count > 1 }.map { ($0.0.dropFirst(), $0.1) }
            let isWhole = keep.contains([name])
            var rule = Rule()
            rule.isKept = isWhole || !below(keep).isEmpty
            rule.isDropped = drop.contains([name])
            rule.isHashed = hash.contains([name])
            rule.name = renamed.first { $0.0.first == name }?.1
            if isWhole || rule.isDropped || rule.isHashed || rule.name != nil { rule.field = outer + name }
            let kept = isWhole ? [] : below(keep)
            if !kept.isEmpty || !below(drop).isEmpty || !inner.isEmpty || !below(hash).isEmpty {
                rule.below = FieldTree(
                    keep: kept, drop: below(drop), renames: inner, hash: below(hash), in: "\(outer)\(name).")
            }
            rules[name] = rule
        }
        self.rules = rules
        newNames = Set(rules.values.compactMap(\.name))
    }
}

/// Records that are written as a JSON array, and parsed again.
private struct RecordText: ~Copyable {
    private var text = CanonicalText()
    private var bytes = Bytes()
    private var count = 0
    /// The fields with a rule that a record has.
    private(set) var seenFields: Set<String> = []

    /// The largest size of the text. The names of fields, which each record repeats, may be many times as long as the body.
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
        bytes.append("[")
    }

    mutating func beginRecord() throws(FetchError.Kind) {
        guard bytes.count <= limit else { throw .bodyTooLarge(limit: limit) }
        if count > 0 { bytes.append(",") }
        count += 1
    }

    /// Ends the array. The parser reads what was written, so that records are all of one kind.
    consuming func selection() throws(FetchError.Kind) -> Selection {
        bytes.append("]")
        do {
            let document = try Document(parsing: bytes)
            return document.withRoot { Selection(valuesOf: $0, in: document) }
        } catch {
            throw .json(reason: error.reason, offset: error.offset)
        }
    }

    // MARK: Shapes

    mutating func append(columns: Node, at selector: Selector) throws(FetchError.Kind) {
        guard columns.kind == .object else { throw .shape(reason: "\(selector) selects no object of arrays") }
        var fields: [(name: Node, values: [Node])] = []
        for (key, value) in columns.members {
            guard value.kind == .array else { throw .shape(reason: "'\(key.text)' is no array") }
            fields.append((key, Array(value.elements)))
        }
        guard let first = fields.first else { throw .shape(reason: "\(selector) has no columns") }
        for field in fields where field.values.count != first.values.count {
            throw .shape(
                reason: "'\(first.name.text)' has \(first.values.count) values, and '\(field.name.text)' "
                    + "\(field.values.count)")
        }
        for place in first.values.indices {
            try beginRecord()
            append(object: fields.map { ($0.name.utf8, $0.values[place]) })
        }
    }

    mutating func append(
        entries: Node, _ keyField: String, _ valueField: String, at selector: Selector
    ) throws(FetchError.Kind) {
        guard entries.kind == .object else { throw .shape(reason: "\(selector) selects no object of entries") }
        for (number, (key, value)) in entries.members.enumerated() {
            try beginRecord()
            bytes.append("{")
            append(name: keyField)
            append(key)
            if value.kind == .object {
                for (name, inner) in value.members {
                    guard name.text != keyField else {
                        throw .shape(reason: "entry \(number + 1) has a field '\(keyField)' of its own")
                    }
                    bytes.append(",")
                    append(name)
                    bytes.append(":")
                    append(inner)
                }
            } else {
                bytes.append(",")
                append(name: valueField)
                append(value)
            }
            bytes.append("}")
        }
    }

    mutating func append(rows: Node, _ names: [String]?) throws(FetchError.Kind) {
        guard rows.kind == .array else { throw .shape(reason: "the rows are no array") }
        var names = names
        for (number, row) in rows.elements.enumerated() {
            guard row.kind == .array else { throw .shape(reason: "row \(number + 1) is no array") }
            let values = Array(row.elements)
            guard let known = names else {
                let texts = values.compactMap(\.string)
                guard texts.count == values.count else { throw .shape(reason: "the first row has no names") }
                try Self.checkUnique(texts)
                names = texts
                continue
            }
            guard known.count == values.count else {
                throw .shape(reason: "row \(number + 1) has \(values.count) values for \(known.count) names")
            }
            try beginRecord()
            bytes.append("{")
            for (place, value) in values.enumerated() {
                if place > 0 { bytes.append(",") }
                append(name: known[place])
                append(value)
            }
            bytes.append("}")
        }
    }

    static func checkUnique(_ names: [String]) throws(FetchError.Kind) {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted {
            throw .shape(reason: "two values of a row have the name '\(name)'")
        }
    }

    // MARK: Fields

    /// Appends a value whose fields have rules. Elements of arrays are treated alike.
    mutating func append(_ node: Node, by tree: FieldTree, key: [UInt8]) throws(FetchError.Kind) {
        switch node.kind {
        case .object: try append(object: node, by: tree, key: key)
        case .array:
            bytes.append("[")
            var isFirst = true
            // Of an element that is no object, nothing is what is to be kept.
            for element in node.elements where !tree.keepsOnly || element.isObject || element.kind == .array {
                if !isFirst { bytes.append(",") }
                isFirst = false
                try append(element, by: tree, key: key)
            }
            bytes.append("]")
        default: append(node)
        }
    }

    private mutating func append(object: Node, by tree: FieldTree, key: [UInt8]) throws(FetchError.Kind) {
        bytes.append("{")
        var isFirst = true
        for (name, value) in object.members {
            let text = name.text
            let rule = tree.rules[text]
            if let field = rule?.field { seenFields.insert(field) }
            guard rule?.isDropped != true, !tree.keepsOnly || rule?.isKept == true else { continue }
            // Where only inner fields are kept, a value of another kind is none of them.
            if let below = rule?.below, below.keepsOnly, ![.object, .array, .null].contains(value.kind) { continue }
            if rule?.name == nil, tree.newNames.contains(text) {
                throw .shape(reason: "a record has the field '\(text)', which another is renamed to")
            }
            if !isFirst { bytes.append(",") }
            isFirst = false
            append(name: rule?.name ?? text)
            if rule?.isHashed == true {
                append(hashOf: value, key: key)
            } else if let below = rule?.below {
                try append(value, by: below, key: key)
            } else {
                append(value)
            }
        }
        bytes.append("}")
    }

    /// Appends the hash of a value as text. Equal values have equal hashes; null stays null.
    private mutating func append(hashOf value: Node, key: [UInt8]) {
        guard value.kind != .null else { return append(value) }
        text.removeAll()
        if value.kind != .string { text.append(value) }
        let content = value.kind == .string ? Array(value.utf8) : text.bytes
        bytes.append("\"\(SHA256.hexAuthenticationCode(of: content, key: key))\"")
    }

    // MARK: Values

    private mutating func append(object members: [(name: UnsafeBufferPointer<UInt8>, value: Node)]) {
        bytes.append("{")
        for (place, member) in members.enumerated() {
            if place > 0 { bytes.append(",") }
            text.removeAll()
            text.append(string: member.name)
            text.bytes.withUnsafeBytes { bytes.append($0) }
            bytes.append(":")
            append(member.value)
        }
        bytes.append("}")
    }

    private mutating func append(name: String) {
        bytes.append(JSONText.quoted(name) + ":")
    }

    /// Appends a value with the spelling of its numbers.
    private mutating func append(_ node: Node) {
        text.removeAll()
        text.append(node)
        text.bytes.withUnsafeBytes { bytes.append($0) }
    }
}

extension Bytes {
    fileprivate mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }
}
