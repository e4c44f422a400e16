extension StreamKey {
    /// One word for tables, columns and types, or a mapping whose keys are inherited one by one.
    static let schemaContract: StreamKey = {
        let name = "schema_contract"
        let hint = "write schema_contract: { columns: freeze }, or one word for all: freeze"
        let words = SchemaContract.Mode.allCases
        let ofTables = words.filter { $0 != .discardValue }
        let members = [
            StreamKey(
                Field("tables", .choice(ofTables.map(\.rawValue)), "What happens where there is no table yet."),
                to: \.stream.schemaContract.tables, show: { .value(.text($0.rawValue)) },
                read: { $1.contractOfTables() }),
            StreamKey(
                Field("columns", .choice(words.map(\.rawValue)), "What happens where a member has no column."),
                to: \.stream.schemaContract.columns, show: { .value(.text($0.rawValue)) },
                read: { $1.choice(words) }),
            StreamKey(
                Field("data_types", .choice(words.map(\.rawValue)), "What happens where a column is too narrow."),
                to: \.stream.schemaContract.dataTypes, show: { .value(.text($0.rawValue)) },
                read: { $1.choice(words) }),
        ]
        return StreamKey(
            Field(
                name, .anyOf([.choice(ofTables.map(\.rawValue)), .mapping(members.map(\.field))]),
                "What happens to records that do not fit their table; by default the table changes."),
            levels: Set(Level.allCases),
            read: { reader, value, level in
                let assignments: [Assignment]
                if value.plainOrQuotedText != nil {
                    guard value.choice(words) != nil else { return [] }
                    assignments = members.flatMap { $0.read(reader, value, level) }
                } else {
                    guard let mapping = value.mapping(hint: hint) else { return [] }
                    mapping.expect(members.map(\.field))
                    assignments = members.flatMap { member in
                        mapping[member.name].map { member.read(reader, $0, level) } ?? []
                    }
                }
                return assignments.map { assignment in
                    var assignment = assignment
                    assignment.path.insert(name, at: 0)
                    return assignment
                }
            },
            show: { draft, path in members.flatMap { $0.show(draft, path + [$0.name]) } })
    }()
}

extension YAMLValue {
    fileprivate func contractOfTables() -> SchemaContract.Mode? {
        guard let mode = choice(SchemaContract.Mode.allCases) else { return nil }
        guard mode == .discardValue else { return mode }
        fail(
            "'\(name)' cannot be 'discard_value' for tables",
            hint: "write discard_row for tables, and { columns: discard_value, data_types: discard_value } for values")
        return nil
    }
}
