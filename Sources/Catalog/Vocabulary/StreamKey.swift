/// A key that says something about streams, declared once: from here it is read, inherited, shown and told to editors.
struct StreamKey: Sendable {
    let field: Field
    /// Where it may stand.
    let levels: Set<Level>
    /// What the value does; nothing where it is wrong, which is noted.
    let read: @Sendable (ConfigurationReader, YAMLValue, Level) -> [Assignment]
    /// What is in force of the key with this path; nothing where it is not set.
    let show: @Sendable (StreamDraft, _ path: [String]) -> [EffectiveConfiguration.Entry]

    var name: String { field.name }

    typealias Target<Value> = any WritableKeyPath<StreamDraft, Value> & Sendable

    /// What `config show` says of a value.
    enum Shown {
        case value(EffectiveConfiguration.Value)
        case members([(String, EffectiveConfiguration.Value)])
    }

    /// A key with one value, which always has one: a stream begins with the built-in one.
    init<Value>(
        _ field: Field, on levels: Set<Level> = Set(Level.allCases),
        to target: Target<Value>,
        show: @escaping @Sendable (Value) -> Shown,
        read: @escaping @Sendable (ConfigurationReader, YAMLValue) -> Value?
    ) {
        self.field = field
        self.levels = levels
        self.read = { reader, value, level in
            guard let decoded = read(reader, value) else { return [] }
            return [
                Assignment(path: [field.name], place: value.place, level: level) { $0[keyPath: target] = decoded }
            ]
        }
        self.show = { draft, path in Self.entries(show(draft[keyPath: target]), path, draft.origin(of: path)) }
    }

    /// A key with one value, or none.
    ///
    /// - Parameter unset: What is shown for none; nil: nothing.
    init<Value>(
        _ field: Field, on levels: Set<Level> = Set(Level.allCases),
        toOptional target: Target<Value?>,
        unset: EffectiveConfiguration.Value? = nil, show: @escaping @Sendable (Value) -> Shown,
        read: @escaping @Sendable (ConfigurationReader, YAMLValue) -> Value?
    ) {
        self.field = field
        self.levels = levels
        self.read = { reader, value, level in
            guard let decoded = read(reader, value) else { return [] }
            return [
                Assignment(path: [field.name], place: value.place, level: level) { $0[keyPath: target] = decoded }
            ]
        }
        self.show = { draft, path in
            let shown = draft[keyPath: target].map(show) ?? unset.map { .value($0) } ?? .members([])
            return Self.entries(shown, path, draft.origin(of: path))
        }
    }

    init(
        _ field: Field, levels: Set<Level>,
        read: @escaping @Sendable (ConfigurationReader, YAMLValue, Level) -> [Assignment],
        show: @escaping @Sendable (StreamDraft, [String]) -> [EffectiveConfiguration.Entry]
    ) {
        self.field = field
        self.levels = levels
        self.read = read
        self.show = show
    }

    private static func entries(
        _ shown: Shown, _ path: [String], _ origin: EffectiveConfiguration.Origin
    ) -> [EffectiveConfiguration.Entry] {
        switch shown {
        case .value(let value): [.init(path: path, value: value, origin: origin)]
        case .members(let members): members.map { .init(path: path + [$0], value: $1, origin: origin) }
        }
    }
}
