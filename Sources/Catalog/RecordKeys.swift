package import GarnerJSON
package import GarnerModel
import GarnerYAML

package enum RecordShape: Sendable, Equatable {
    /// Each record is an object, or a value of its own.
    case objects
    /// An object of arrays, one for each field: `{"time": [1, 2], "open": [3, 4]}`.
    case columns
    /// An object whose members are the records: `{"EUR": {"rate": 1}, "USD": {"rate": 2}}`. The name of each is stored in
    /// the key field, and a value that is no object in the value field.
    case entries(keyField: String, valueField: String)
    /// Arrays of values: `[[1, 3], [2, 4]]`.
    case rows(RowNames)

    package enum RowNames: Sendable, Equatable {
        case list([String])
        /// The first row has the names.
        case first
        /// The place of the names in the body.
        case path(Selector)
    }
}

/// The treatment of the fields of each record before it is stored.
package struct FieldRules: Sendable, Equatable {
    /// The only fields that are kept; none for all.
    package var keep: [FieldPath] = []
    package var drop: [FieldPath] = []
    package var renames: [Rename] = []
    package var hash = FieldHash()
    package var types: [TypedField] = []
    /// Further columns: those that are set with the rows, and those of what belongs to the records.
    package var additions: [AddedColumn] = []

    package init() {}

    /// The types of columns that `types` names, by the paths of their members.
    package var columnTypes: [(path: [String], type: FieldType)] {
        types.map { ($0.field.names.map(\.text), $0.type) }
    }

    /// Returns true if `types` says what the column is, so that nothing needs to be told of it. A type that makes numbers NULL is told, and
    /// one that no value has.
    package func settles(_ column: OddColumn) -> Bool {
        let isText = column.kind == .numbersAsText
        let fitsNone = column.kind == .valuesSetAside && column.odd.map { $0 > 1 && $0 == column.values } ?? false
        guard let type = type(of: column), !fitsNone else { return false }
        // A number that SQLite cannot come near to has all of its digits in PostgreSQL.
        return (!column.hasNumbersAside || type == .numeric) && (type == .text) == isText
    }

    /// Returns true if the next sync makes a column of texts one of numbers.
    func willChange(_ column: OddColumn) -> Bool {
        column.kind == .numbersAsText && type(of: column).map { $0 != .text } ?? false
    }

    func type(of column: OddColumn) -> FieldType? { type(at: column.path.map { ExactText($0) }) }

    func type(at path: [ExactText]) -> FieldType? { types.last { $0.field.names == path }?.type }

    /// A field, by its new name, and the type of its column.
    package struct TypedField: Sendable, Equatable {
        package var field: FieldPath
        package var type: FieldType

        package init(field: FieldPath, type: FieldType) {
            (self.field, self.type) = (field, type)
        }
    }

    package struct Rename: Sendable, Equatable {
        package var field: FieldPath
        package var name: String

        package init(field: FieldPath, name: String) {
            (self.field, self.name) = (field, name)
        }
    }

    /// The fields whose values are replaced by their HMAC-SHA-256.
    package struct FieldHash: Sendable, Equatable {
        /// The fields by their names after `renames`.
        package var fields: [FieldPath] = []
        package var key = Secret("")

        package init(fields: [FieldPath] = [], key: Secret = Secret("")) {
            (self.fields, self.key) = (fields, key)
        }
    }
}

extension StreamKey {
    /// The keys that decide what becomes of the records of a response, in the order in which they apply.
    static let records: [StreamKey] = [
        StreamKey(
            "record_shape", .later(RecordShape.format), to: \.stream.recordShape,
            "The form of the records: objects, columns, entries or rows."),
        StreamKey(
            "record_filter", .optional(.text { $0.filter($1) }), on: [.stream], to: \.stream.recordFilter,
            "The condition for a record to be stored, such as @.type == 'order'."),
        StreamKey(
            "deleted_when", .optional(.text { $0.filter($1) }), on: [.stream], to: \.stream.deletedWhen,
            "The condition for a record to delete its row, such as @.is_deleted == true."),
        StreamKey(
            "fields", .later(FieldRules.format), on: [.stream], to: \.stream.fields,
            "The fields to keep, drop, rename or hash before a record is stored, and columns to add."),
        StreamKey(
            "optional_fields", .fieldPaths, on: [.stream], to: \.stream.optionalFields,
            "Fields that the stream names and that records need not have."),
    ]
}

extension RecordShape {
    fileprivate static let format = ValueFormat.variants(variants, hint: "write record_shape: { type: columns }")

    private static let variants: [Variant<RecordShape>] = [
        Variant("objects", Keys(()), { RecordShape.objects }, from: { $0 == RecordShape.objects ? () : nil }),
        Variant("columns", Keys(()), { RecordShape.columns }, from: { $0 == RecordShape.columns ? () : nil }),
        Variant(
            "entries", entryKeys, { .entries(keyField: $0.key, valueField: $0.value) },
            from: { if case .entries(let key, let value) = $0 { (key, value) } else { nil } }),
        Variant("rows", rowKeys, { .rows($0) }, from: { if case .rows(let names) = $0 { names } else { nil } }),
    ]

    /// The shape as a part of `StreamConfiguration.readIdentity`.
    var identity: String {
        guard case .members(let members) = Self.format.show(self) else { return "" }
        return members.map { "\($0)=\($1)" }.joined(separator: ",")
    }

    private static let entryKeys = Keys(
        (key: "", value: "value"),
        Key("key_field", .name, to: \.key, required: "add 'key_field: symbol'", "The field for the name of an entry."),
        Key("value_field", .name, to: \.value, "The field for a value that is no object; default: value.")
    ) { _, mapping, keys in
        guard keys.key == keys.value else { return }
        mapping["key_field"]?.fail(
            "'\(mapping.name).key_field' and 'value_field' are the same field", hint: "give each a name of its own")
    }

    private static let rowKeys = Keys(
        RowNames.first,
        Key(
            "names",
            ValueFormat(
                schema: .texts, read: { $0.rowNames($1) },
                show: { names in
                    switch names {
                    case .list(let list): .value(.list(list))
                    case .first: .text("first")
                    case .path(let path): .text(path)
                    }
                }), to: \.self, required: "add 'names: [time, open]', 'names: first' or 'names: $.columns'",
            "The names of a row's values: a list, first (the first row), or a JSONPath."))
}

extension FieldRules {
    fileprivate static let format = Keys(
        FieldRules(),
        Key("keep", .fieldPaths, to: \.keep, "The only fields to keep, as name or $.path.to.name."),
        Key("drop", .fieldPaths, to: \.drop, "The fields to leave out."),
        Key(
            "rename",
            ValueFormat(
                schema: .named(.text), read: { $0.renames($1) },
                show: { .members($0.map { ($0.field.description, .text($0.name)) }) }), to: \.renames,
            "New names of fields, as old: new."),
        Key(
            "hash", FieldHash.format, to: \.hash,
            "The fields to replace by their HMAC-SHA-256, and its key."),
        Key(
            "types",
            ValueFormat(
                schema: .named(.choice(FieldType.allCases.map(\.rawValue))), read: { $0.types($1) },
                show: { .members($0.map { ($0.field.description, .text($0.type.rawValue)) }) }), to: \.types,
            "The types of fields: text, integer, real, boolean or numeric."),
        Key(
            "add", AddedColumn.format, to: \.additions,
            "Further columns, such as fetched_at: \"{now}\" and owner: \"{record.owner.id}\".")
    ) { _, mapping, rules in
        for field in rules.drop where rules.keep.contains(where: { $0.names == field.names }) {
            mapping["drop"]?.fail(
                "'\(field)' stands in both '\(mapping.name).keep' and 'drop'", hint: "leave it out of one of them")
        }
    }.format(hint: "write fields: { drop: [email] }")

    /// Returns true if a record may have a field of this name after the rules.
    func mayHave(_ name: ExactText) -> Bool {
        if renames.contains(where: { $0.field.names.count == 1 && ExactText($0.name) == name }) { return true }
        if renames.contains(where: { $0.field.names == [name] }) || drop.contains(where: { $0.names == [name] }) {
            return false
        }
        return keep.isEmpty || keep.contains { $0.names.first == name }
    }

    /// True if some values of records must not be stored.
    package var hidesValues: Bool { !keep.isEmpty || !drop.isEmpty || !hash.fields.isEmpty }

    package var secrets: [Secret] { hash.fields.isEmpty ? [] : [hash.key] }

    /// True if the records themselves are stored otherwise than they come.
    package var changeRecords: Bool {
        var rules = self
        rules.additions.removeAll { if case .composed = $0.content { false } else { true } }
        return rules != FieldRules()
    }

    /// The rules for records as a part of `StreamConfiguration.readIdentity`; empty if there are none. A new key of the hash makes another
    /// text. Columns that are set with rows make none, since they change no row that comes as it is stored.
    var identity: String {
        guard changeRecords else { return "" }
        var tag = StableHash()
        tag.add(hash.key.reveal().utf8)
        let parts = [
            keep.map(\.description), drop.map(\.description), renames.map { "\($0.field)=\($0.name)" },
            hash.fields.map(\.description),
        ]
        // As few bits as the tag of credentials has: the secret cannot be found from them.
        return parts.map { $0.joined(separator: ",") }.joined(separator: " ")
            + (hash.fields.isEmpty ? "" : " \(String(tag.mixed & 0xFFFF, radix: 16))")
            + types.map { " \($0.field):\($0.type.rawValue)" }.joined()
            + composed.map { " +\($0.name)=\($0.templates.map(\.description).joined(separator: ","))" }.joined()
    }
}

extension FieldRules.FieldHash {
    fileprivate static let format: ValueFormat<Self> = {
        let keys = Keys(
            Self(),
            Key("fields", .fieldPaths, to: \.fields, required: "add 'fields: [email]'", "The fields to hash."),
            Key(
                "key", .secret(isHeader: false), to: \.key,
                required: "add 'key: \"${NAME}\"' and export NAME=…; without a key a hash hides little",
                "The key of the hash, which nobody else may know."))
        let format = keys.format(hint: "write hash: { fields: [email], key: \"${NAME}\" }")
        return ValueFormat(
            schema: format.schema, read: format.read, show: { $0.fields.isEmpty ? .nothing : format.show($0) })
    }()
}

extension ValueFormat where Value == [FieldPath] {
    fileprivate static var fieldPaths: Self {
        Self(
            schema: .texts, read: { $0.fieldPaths($1) },
            show: { $0.isEmpty ? .nothing : .value(.list($0.map(\.description))) })
    }
}

extension StreamDraft {
    /// Returns true for a member that Garner adds to records, after `fields` has applied.
    func adds(_ name: String) -> Bool {
        if stream.partitions.contains(where: { $0.memberName == name }) { return true }
        guard let parent = parent?.stream.split(separator: ".").last, !includedFromParent.isEmpty else { return false }
        return name.hasPrefix("_\(parent)_")
    }
}

extension ConfigurationReader {
    /// Checks that other keys name no field that `fields` leaves out, and no hash where the value itself is needed.
    func checkFields(_ draft: StreamDraft) {
        let (stream, rules) = (draft.stream, draft.stream.fields)
        for (key, filter) in [("record_filter", stream.recordFilter), ("deleted_when", stream.deletedWhen)] {
            guard let filter, let place = draft.place(of: key), !"\(filter)".unicodeScalars.contains("@") else {
                continue
            }
            issues.warn(
                at: place, "'\(key)' says nothing of a record",
                hint: "write @ for the record, as in @.type == 'order'")
        }
        guard rules != FieldRules(), let place = draft.place(of: "fields") else { return }
        for path in rules.drop + rules.keep + rules.hash.fields where path.names == [ExactText(path.description)] {
            guard let names = FieldPath.dotted(path.description) else { continue }
            issues.warn(
                at: place, "'\(path)' in 'fields' is one name with a dot in it",
                hint: "write \(FieldPath.written(names)) for a field inside another")
        }
        for path in rules.hash.fields where path.names.count == 1 && !rules.mayHave(path.names[0]) {
            issues.fail(
                at: place, "'fields' hashes '\(path)', which it leaves out or renames",
                hint: "name the field as it is after 'rename', or remove it from 'hash'")
        }
        for typed in rules.types {
            if rules.hash.fields.contains(where: { $0.names == typed.field.names }) {
                issues.fail(
                    at: place, "'fields' hashes '\(typed.field)' and gives it a type",
                    hint: "a hash is text; remove one of them")
            } else if typed.field.names.count == 1, !rules.mayHave(typed.field.names[0]) {
                issues.fail(
                    at: place, "'fields' gives a type to '\(typed.field)', which it leaves out or renames",
                    hint: "name the field as it is after 'rename', or remove it from 'types'")
            }
        }
        var needed: [(key: String, name: String, isExact: Bool)] = (stream.primaryKey ?? []).map {
            ("primary_key", $0, false)
        }
        needed += (stream.incremental?.cursorFields ?? []).map { ("incremental", $0, true) }
        needed += stream.search.map { ("search", $0, true) }
        needed += stream.attachments.map { ("attachments", $0.field, true) }
        for (key, name, isExact) in needed
        where !name.utf8.starts(with: "$".utf8) && !draft.adds(name) && !rules.composes(name) {
            let exact = ExactText(name)
            if !rules.mayHave(exact) {
                issues.fail(
                    at: place, "'fields' leaves out '\(name)', which '\(key)' of '\(draft.name)' needs",
                    hint: "keep the field, or name one by its new name in '\(key)'")
            } else if isExact, rules.hash.fields.contains(where: { $0.names == [exact] }) {
                issues.fail(
                    at: place, "'fields' hashes '\(name)', whose value '\(key)' of '\(draft.name)' needs",
                    hint: "hash another field, or remove '\(key)'")
            }
        }
    }

    fileprivate func rowNames(_ value: YAMLValue) -> RecordShape.RowNames? {
        guard let text = value.plainOrQuotedText else { return fieldNames(value).map { .list($0) } }
        if text == "first" { return .first }
        guard text.hasPrefix("$") else { return .list([text]) }
        return selector(value).map { .path($0) }
    }

    func filter(
        _ value: YAMLValue, example: String = "@.type == 'order' && @.total > 0", otherwise: String = ""
    ) -> FilterExpression? {
        let key = String(value.name.split(separator: ".").last ?? "")
        if let list = value.node.sequence, !list.isEmpty {
            let parts = list.compactMap { element -> String? in
                guard let text = element.scalar?.string else { return nil }
                return (try? FilterExpression(parsing: text)) != nil ? text : Self.condition(like: text)
            }
            let both = parts.map { $0.contains("||") ? "(\($0))" : $0 }.joined(separator: " && ")
            if parts.count == list.count, (try? FilterExpression(parsing: both)) != nil {
                return value.failed(
                    "'\(value.name)' must be text, not a list", hint: "write \(key): \(Self.written(both))")
            }
        }
        guard let text = name(value) else { return nil }
        do {
            return try FilterExpression(parsing: text)
        } catch {
            let meant = Self.condition(like: text) ?? Self.flag(named: text, as: example)
            return value.failed(
                "'\(value.name)' is no condition: \(error.reason) (byte \(error.offset))",
                hint: meant.map { "write \(key): \(Self.written($0))" }
                    ?? "write a filter expression of JSONPath, such as \(example)\(otherwise)")
        }
    }

    /// Returns a condition as the file has it.
    static func written(_ condition: String) -> String {
        condition.contains("\"") && !condition.contains("'") ? "'\(condition)'" : YAMLText.quoted(condition)
    }

    /// Returns the condition that a member which stands alone is true, from where the example looks for it; nil if no name is meant.
    private static func flag(named text: String, as example: String) -> String? {
        guard text.wholeMatch(of: /[A-Za-z_]\w{0,59}/) != nil, !YAMLText.words.contains(text.lowercased()) else {
            return nil
        }
        return "\(example.hasPrefix("$") ? "$" : "@").\(text) == true"
    }

    /// Returns the condition that is meant by one in the words of SQL, Python or JavaScript; nil if none is. A word to the right of a comparison
    /// is a text.
    static func condition(like text: String) -> String? {
        let words = [
            "and": "&&", "or": "||", "not": "!", "none": "null", "=": "==", "===": "==", "<>": "!=", "!==": "!=",
        ]
        let values: Set = ["true", "false", "null", "length", "count", "value"]
        var (meant, isCompared) = ("", false)
        let date = /\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?/
        for token in text.matches(
            of: /'[^']*'|"[^"]*"|\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?|[@$\w][\w.@$\[\]-]*|[<>=!]+|./)
        {
            let lower = token.0.lowercased()
            defer { if lower != " " { isCompared = lower.allSatisfy { "<>=!".contains($0) } && lower != "!" } }
            if let word = words[lower] {
                meant += word
            } else if token.0.wholeMatch(of: date) != nil {
                meant += "'\(token.0)'"
            } else if lower.first.map({ $0.isLetter || $0 == "_" }) == true, !values.contains(lower) {
                meant += isCompared ? "'\(token.0)'" : "@.\(token.0)"
            } else {
                meant += values.contains(lower) ? lower : String(token.0)
            }
        }
        meant = meant.replacing(/@\.is +! *null/.ignoresCase(), with: "!= null")
            .replacing(/@\.is +null/.ignoresCase(), with: "== null").replacing(/! +\(/, with: "!(")
        guard let condition = try? FilterExpression(parsing: meant), !condition.asksForPresence, !meant.contains("\\")
        else { return nil }
        return meant
    }

    fileprivate func fieldPaths(_ value: YAMLValue) -> [FieldPath]? {
        guard let texts = fieldNames(value) else { return nil }
        let paths = texts.compactMap { fieldPath($0, of: value) }
        return paths.count == texts.count ? paths : nil
    }

    fileprivate func types(_ value: YAMLValue) -> [FieldRules.TypedField]? {
        guard let mapping = value.mapping(hint: "write types: { price: text }") else { return nil }
        let types = mapping.entries.compactMap { entry -> FieldRules.TypedField? in
            guard let field = fieldPath(entry.key, of: value), let type = entry.value.choice(FieldType.allCases) else {
                return nil
            }
            return FieldRules.TypedField(field: field, type: type)
        }
        return types.count == mapping.entries.count ? types : nil
    }

    private func fieldPath(_ text: String, of value: YAMLValue) -> FieldPath? {
        if text == "*", value.name.hasPrefix("fields.keep") {
            return value.failed(
                "'*' in '\(value.name)' is no field",
                hint: "remove '\(value.name)' if all fields are meant; a field of this name is $['*']")
        }
        if let path = FieldPath(text) { return path }
        let meant = text.contains("[]") || text.contains("[*]") ? FieldPath.dotted(text) : nil
        return value.failed(
            "'\(text)' in '\(value.name)' is no field",
            hint: meant.map { "write \(FieldPath.written($0)), which means all elements of lists on the way" }
                ?? "write a name, or names only, as in $.contact.email")
    }

    fileprivate func renames(_ value: YAMLValue) -> [FieldRules.Rename]? {
        guard let mapping = value.mapping(hint: "write rename: { old: new }") else { return nil }
        let renames = mapping.entries.compactMap { entry -> FieldRules.Rename? in
            guard let field = fieldPath(entry.key, of: value), let name = name(entry.value) else { return nil }
            guard !name.utf8.starts(with: "$.".utf8) else {
                return value.failed(
                    "'\(name)' in '\(value.name)' is a path, and a new name is none",
                    hint: "write the name alone, as in rename: { $.contact.mail: email }; a field stays where it is")
            }
            return FieldRules.Rename(field: field, name: name)
        }
        guard renames.count == mapping.entries.count else { return nil }
        if let name = renames.map(\.name).firstRepeated {
            return value.failed(
                "'\(value.name)' has a new name twice: \(name.prefix(60))", hint: "give each field a name of its own")
        }
        return renames
    }
}
