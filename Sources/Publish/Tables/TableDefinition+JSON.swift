import GarnerJSON

// The text in `_garner.tables.definition`.
extension TableDefinition {
    package var json: String {
        JSONText.object([
            (
                "columns",
                .array(
                    columns.map { column in
                        .object(
                            [("name", .string(column.name)), ("type", .string(column.type.rawValue))]
                                + (column.file.utf8.elementsEqual(column.name.utf8)
                                    ? [] : [("file", .string(column.file))])
                                + (column.role == .value ? [] : [("role", .string(column.role.rawValue))]))
                    })
            ),
            ("key", .array(key.map { .string($0.name) })),
        ]).text
    }

    /// Reads what `json` has written, in any spelling. Returns nil for something else.
    package init?(json: String) {
        guard let document = try? Document(parsing: Bytes(Array(json.utf8))) else { return nil }
        let read: TableDefinition? = document.withRoot { root in
            var columns: [Column] = []
            for element in root["columns"]?.elements ?? root.elements {
                guard let name = element["name"]?.string,
                    let type = element["type"]?.string.flatMap(PublishedType.init(rawValue:)),
                    let role = Column.Role(rawValue: element["role"]?.string ?? "value")
                else { return nil }
                columns.append(Column(name: name, file: element["file"]?.string ?? name, type: type, role: role))
            }
            var key: [Column] = []
            for name in (root["key"] ?? root).elements {
                guard let index = columns.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                    return nil
                }
                columns[index].isKey = true
                key.append(columns[index])
            }
            return columns.isEmpty || key.isEmpty ? nil : TableDefinition(columns: columns, key: key)
        }
        guard let read else { return nil }
        self = read
    }
}
