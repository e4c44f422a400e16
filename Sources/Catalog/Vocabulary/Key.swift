/// The notation of one kind of values: the schema for editors, the reader and the display.
struct ValueFormat<Value>: Sendable {
    let schema: Schema
    /// Reads a value. Returns nil and notes an issue if it is wrong.
    let read: @Sendable (ConfigurationReader, YAMLValue) -> Value?
    let show: @Sendable (Value) -> Shown
}

extension ValueFormat {
    /// Returns the same format for a key that may be left out.
    ///
    /// - Parameter unset: the value that is shown if the key is left out; nil shows none.
    static func optional<Wrapped>(
        _ format: ValueFormat<Wrapped>, unset: EffectiveConfiguration.Value? = nil
    ) -> Self where Value == Wrapped? {
        Self(
            schema: format.schema, read: { reader, value in format.read(reader, value).map { .some($0) } },
            show: { $0.map(format.show) ?? unset.map { .value($0) } ?? .nothing })
    }

    /// Returns a format that is made when a file uses its key. Most files use few of the keys with many keys of their own,
    /// and a short command takes a tenth of its time to make them all.
    static func later(_ format: @escaping @autoclosure @Sendable () -> Self) -> Self {
        Self(
            schema: .later { format().schema }, read: { format().read($0, $1) }, show: { format().show($0) })
    }

    func list(hint: String, show: @escaping @Sendable ([Value]) -> Shown) -> ValueFormat<[Value]> {
        ValueFormat<[Value]>(
            schema: .list(schema), read: { reader, value in value.elements(hint: hint) { read(reader, $0) } },
            show: show)
    }
}

/// A value as `garner config` shows it.
enum Shown {
    case value(EffectiveConfiguration.Value)
    case members([(String, EffectiveConfiguration.Value)])

    static let nothing = Shown.members([])

    static func text(_ value: some CustomStringConvertible) -> Shown { .value(.text(value.description)) }

    /// Returns the keys and values that the mapping around the key shows.
    fileprivate func members(of key: String) -> [(String, EffectiveConfiguration.Value)] {
        switch self {
        case .value(let value): [(key, value)]
        case .members(let members): members.map { ("\(key).\($0)", $1) }
        }
    }
}

extension ValueFormat where Value == Bool {
    static var flag: Self { Self(schema: .flag, read: { $1.flag() }, show: { .value(.flag($0)) }) }
}

extension ValueFormat where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> Self {
        Self(schema: .integer(range), read: { $1.integer(in: range) }, show: { .value(.integer($0)) })
    }

    static var size: Self { Self(schema: .size, read: { $1.byteSize() }, show: { .value(.size($0)) }) }
}

extension ValueFormat where Value == Double {
    static func number(_ range: ClosedRange<Double>) -> Self {
        Self(schema: .number(range), read: { $1.number(in: range) }, show: { .value(.number($0)) })
    }
}

extension ValueFormat where Value == Duration {
    static func duration(atLeast minimum: Duration = .milliseconds(1)) -> Self {
        Self(schema: .duration, read: { $1.duration(atLeast: minimum) }, show: { .value(.duration($0)) })
    }
}

extension ValueFormat where Value: RawRepresentable<String> & CaseIterable & Sendable {
    static var choice: Self { choice(of: Array(Value.allCases)) }

    /// A choice of which the usual one is not shown.
    static func choice(usual: Value) -> Self {
        let format: Self = choice
        return Self(
            schema: format.schema, read: format.read,
            show: { $0.rawValue == usual.rawValue ? .nothing : format.show($0) })
    }

    static func choice(of words: [Value]) -> Self {
        Self(schema: .choice(words.map(\.rawValue)), read: { $1.choice(words) }, show: { .text($0.rawValue) })
    }
}

extension ValueFormat where Value: CustomStringConvertible & Sendable {
    /// A value that is shown as its description.
    static func text(
        _ schema: Schema = .text, _ read: @escaping @Sendable (ConfigurationReader, YAMLValue) -> Value?
    ) -> Self {
        Self(schema: schema, read: read, show: { .text($0) })
    }
}

extension ValueFormat where Value == String {
    static var name: Self { text { $0.name($1) } }

    /// A JSONPath, as it is written.
    static var jsonPath: Self { text(.jsonPath) { $0.jsonPath($1) } }
}

extension ValueFormat where Value == Secret {
    /// - Parameter isHeader: true if the value is sent in a header.
    static func secret(isHeader: Bool) -> Self { text(.secret) { $0.secret($1, isHeader: isHeader) } }
}

extension ValueFormat where Value == [String] {
    static func texts(_ read: @escaping @Sendable (ConfigurationReader, YAMLValue) -> [String]?) -> Self {
        Self(schema: .texts, read: read, show: { .value(.list($0)) })
    }

    static var fieldNames: Self {
        Self(schema: .texts, read: { $0.fieldNames($1) }, show: { $0.isEmpty ? .nothing : .value(.list($0)) })
    }
}

/// A key of a mapping. Its one declaration serves the reader, the display and the schema.
struct Key<Owner>: Sendable {
    let field: Field
    /// The hint if a required key is missing; nil if the key may be left out.
    let missingHint: String?
    /// Reads a value into a change of its owner. Returns nil and notes an issue if it is wrong.
    let read: @Sendable (ConfigurationReader, YAMLValue) -> (@Sendable (inout Owner) -> Void)?
    let show: @Sendable (Owner) -> Shown
    fileprivate let value: @Sendable (Owner) -> Any

    typealias Target<Value> = any WritableKeyPath<Owner, Value> & Sendable

    var name: String { field.name }

    init<Value: Sendable>(
        _ name: String, _ format: ValueFormat<Value>, to target: Target<Value>, required missingHint: String? = nil,
        _ summary: String
    ) {
        field = Field(name, format.schema, summary, isRequired: missingHint != nil)
        self.missingHint = missingHint
        read = { reader, value in
            guard let read = format.read(reader, value) else { return nil }
            return { $0[keyPath: target] = read }
        }
        show = { format.show($0[keyPath: target]) }
        value = { $0[keyPath: target] }
    }
}

/// The keys of a mapping that becomes one value. The value replaces an inherited one as a whole.
struct Keys<Owner: Sendable>: Sendable {
    /// The value of a mapping without keys. Its required parts may have any value.
    let start: Owner
    let list: [Key<Owner>]
    /// Checks several keys against each other, and may change the value. A part that is wrong or missing is as in
    /// `start`.
    let check: @Sendable (ConfigurationReader, YAMLMapping, inout Owner) -> Void

    init(
        _ start: Owner, _ list: Key<Owner>...,
        check: @escaping @Sendable (ConfigurationReader, YAMLMapping, inout Owner) -> Void = { _, _, _ in }
    ) {
        (self.start, self.list, self.check) = (start, list, check)
    }

    var fields: [Field] { list.map(\.field) }

    /// Reads all keys. Returns nil if one is wrong or missing, which is noted.
    func read(_ reader: ConfigurationReader, _ mapping: YAMLMapping) -> Owner? {
        var owner = start
        var isRight = true
        for key in list {
            guard let value = mapping.value(of: key) else {
                isRight = isRight && key.missingHint == nil
                continue
            }
            guard let change = key.read(reader, value) else {
                isRight = false
                continue
            }
            change(&owner)
        }
        check(reader, mapping, &owner)
        return isRight ? owner : nil
    }

    /// - Parameters:
    ///   - isOptional: true if no value counts as a mapping without keys.
    ///   - elsewhere: the hints for keys of other places and programs.
    func format(
        isOptional: Bool = false, hint: String? = nil, elsewhere: [String: String] = [:]
    ) -> ValueFormat<Owner> {
        ValueFormat(
            schema: .mapping(fields),
            read: { reader, value in
                guard let mapping = value.mapping(isOptional: isOptional, hint: hint) else { return nil }
                mapping.expect(fields, elsewhere: elsewhere)
                return read(reader, mapping)
            }, show: { .members(show($0)) })
    }

    /// The keys that may not be left out, with examples of their values.
    var example: String {
        list.compactMap { key in
            key.missingHint.flatMap { $0.hasPrefix("add '") ? $0.dropFirst(5).prefix { $0 != "'" } : nil }
        }.joined(separator: ", ")
    }

    /// Returns keys and values as a file has them. A value that is not set is left out.
    func show(_ owner: Owner) -> [(String, EffectiveConfiguration.Value)] {
        list.flatMap { $0.show(owner).members(of: $0.name) }
    }

    func values<Value>(of type: Value.Type, in owner: Owner) -> [Value] {
        list.compactMap { $0.value(owner) as? Value }
    }
}

extension YAMLMapping {
    /// Returns the value of a key. Notes an issue if a required one is missing.
    func value<Owner>(of key: Key<Owner>) -> YAMLValue? {
        key.missingHint.map { required(key.name, hint: $0) } ?? self[key.name]
    }
}

/// The keys of a mapping with this `type`.
struct Variant<Value>: Sendable {
    let type: String
    let fields: [Field]
    let read: @Sendable (ConfigurationReader, YAMLMapping) -> Value?
    /// Shows a value. Returns nil if it is of another type.
    let show: @Sendable (Value) -> [(String, EffectiveConfiguration.Value)]?
    /// The keys that the type needs, with examples of their values.
    var example = ""

    /// The line of a mapping of this type.
    var line: String { "{ type: \(type)\(example.isEmpty ? "" : ", \(example)") }" }
}

extension Variant {
    init<Owner>(
        _ type: String, _ keys: Keys<Owner>, _ made: @escaping @Sendable (Owner) -> Value,
        from part: @escaping @Sendable (Value) -> Owner?
    ) {
        self.init(
            type: type, fields: keys.fields, read: { keys.read($0, $1).map(made) },
            show: { part($0).map(keys.show) }, example: keys.example)
    }
}

extension ValueFormat where Value: Sendable {
    /// - Parameter implied: the type of a mapping that names none; nil if each must name its own.
    static func variants(_ variants: [Variant<Value>], implied: String? = nil, hint: String) -> Self {
        let types = variants.map(\.type)
        let all = Set(variants.flatMap(\.fields).map(\.name))
        return Self(
            schema: .variants(variants.map { ($0.type, $0.fields) }, implied: implied),
            read: { reader, value in
                let word = value.plainOrQuotedText
                let named = variants.first { $0.type == word }
                let meant = word.flatMap {
                    ForeignWords.meaning(of: $0, among: types) ?? Suggestion.misspelt($0, among: types)
                }
                let own = (named ?? variants.first { $0.type == meant }).map { "write \(value.name): \($0.line)" }
                guard let mapping = value.mapping(hint: own ?? hint) else { return nil }
                let usual = mapping["type"] == nil ? variants.first { $0.type == implied } : nil
                func typing() -> String? {
                    // The type that has all keys which are written is meant, if there is one alone.
                    let written = mapping.entries.map(\.key)
                    let fitting = variants.filter { Set($0.fields.map(\.name)).isSuperset(of: written) }
                    return fitting.count == 1 ? fitting.first.map { "add 'type: \($0.type)'" } : nil
                }
                let typed = mapping["type"] == nil && implied == nil ? typing() : nil
                guard
                    let variant = usual
                        ?? mapping.required("type", hint: typed ?? "write one of \(types.joined(separator: ", "))")?
                        .choice(variants.map { ($0.type, $0) })
                else { return nil }
                let keys = variant.fields.map(\.name)
                let required = variant.fields.filter(\.isRequired).map(\.name)
                let missing = required.filter { mapping[$0] == nil }
                func elsewhere() -> [String: String] {
                    let known = keys.isEmpty ? "it has no other keys" : "its keys are \(keys.joined(separator: ", "))"
                    // A key that is a word for one that is missing stands for it.
                    let others = all.filter { ForeignWords.meaning(of: $0, among: missing) == nil }
                    return Dictionary(
                        uniqueKeysWithValues: others.map { key in
                            let owners = variants.filter { $0.fields.contains { $0.name == key } }
                            let types = owners.map(\.type).joined(separator: " or ")
                            var way = "it is one of type: \(types)"
                            if owners.count > 3 {
                                // A key of most types says little about which of them is meant.
                                way = known
                            } else if owners.count == 1, owners[0].fields.count <= 3 {
                                way += " (\(owners[0].fields.map(\.name).joined(separator: ", ")))"
                            }
                            return (key, "'\(variant.type)' has no such key: \(way)")
                        })
                }
                mapping.expect(["type"] + keys, elsewhere: elsewhere(), required: required)
                return variant.read(reader, mapping)
            },
            show: { value in
                .members(
                    variants.lazy.compactMap { variant in
                        variant.show(value).map { [("type", .text(variant.type))] + $0 }
                    }.first ?? [])
            })
    }
}
