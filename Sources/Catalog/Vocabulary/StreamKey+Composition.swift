extension StreamKey {
    /// A mapping whose keys are inherited one by one.
    static func group(_ name: String, _ summary: String, hint: String, _ members: [StreamKey]) -> StreamKey {
        let fields = members.map(\.field)
        return StreamKey(
            Field(name, .mapping(fields), summary), levels: Set(Level.allCases),
            read: { reader, value, level in
                guard let mapping = value.mapping(hint: hint) else { return [] }
                mapping.expect(fields)
                return members.flatMap { member in
                    mapping[member.name].map { member.read(reader, $0, level) } ?? []
                }.map { assignment in
                    var assignment = assignment
                    assignment.path.insert(name, at: 0)
                    return assignment
                }
            },
            show: { draft, path in members.flatMap { $0.show(draft, path + [$0.name]) } })
    }

    /// Names with texts, each of which replaces an inherited one of the same name and else joins them.
    ///
    /// - Parameter folding: Names are the same where this is.
    static func parameters(
        _ field: Field, to target: Target<[RequestTemplate.Parameter]>,
        folding: @escaping @Sendable (String) -> String,
        read: @escaping @Sendable (ConfigurationReader, YAMLMapping) -> [(YAMLMapping.Entry, ConfiguredText)]
    ) -> StreamKey {
        StreamKey(
            field, levels: Set(Level.allCases),
            read: { reader, value, level in
                guard let mapping = value.mapping(isOptional: true) else { return [] }
                return read(reader, mapping).map { entry, text in
                    let name = folding(entry.key)
                    return Assignment(path: [field.name, name], place: entry.keyPlace, level: level) { draft in
                        let parameter = RequestTemplate.Parameter(name: entry.key, value: text)
                        if let index = draft[keyPath: target].firstIndex(where: { folding($0.name) == name }) {
                            draft[keyPath: target][index] = parameter
                        } else {
                            draft[keyPath: target].append(parameter)
                        }
                    }
                }
            },
            show: { draft, path in
                draft[keyPath: target].map { parameter in
                    EffectiveConfiguration.Entry(
                        path: path + [parameter.name], value: .text(parameter.value.description),
                        origin: draft.origin(of: path + [folding(parameter.name)]))
                }
            })
    }
}
