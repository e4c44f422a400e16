package import GarnerCatalog
package import GarnerJSON
package import GarnerModel
package import GarnerPersistence
package import GarnerPresentation

extension SchemaChange {
    package var fields: [Report.Field] {
        [
            .init("table", table), .init("column", column), .init("change", kind.rawValue),
            .init("old_type", oldType?.rawValue), .init("new_type", newType?.rawValue), .init("run_id", run),
            .init("at", at),
        ]
    }

    package var json: JSONText { fields.json }

    /// The change in a few words.
    package var text: String {
        let name = "\(table).\(column)"
        let type = newType?.rawValue ?? "nulls only"
        return switch kind {
        case .added: "new column \(name) (\(type))"
        case .widened, .narrowed: "column \(name) is \(type) now, it was \(oldType?.rawValue ?? "nulls only")"
        }
    }
}

extension OddColumn {
    package var json: JSONText {
        .object([
            ("kind", .string(kind.rawValue)), ("table", .string(table)), ("column", .string(column)),
            ("type", .string(type.rawValue)), ("odd_values", JSONText(odd)), ("values", JSONText(values)),
            ("examples", JSONText(examples)), ("views", JSONText(views)),
            ("text", .string(text)),
            ("settled_by", JSONText(remedies)),
        ])
    }
}

extension TableDescription {
    package var json: JSONText {
        let columns = columns.map { column in
            JSONText.object([
                ("name", .string(column.name)), ("type", .string(column.typeName)),
                ("path", .string(column.normalizedPath)), ("first_seen_run", JSONText(column.firstSeenRun)),
            ])
        }
        let others = others.map { column in
            JSONText.object([
                ("name", .string(column.name)), ("type", .string(column.type)), ("path", .null),
                ("first_seen_run", .null),
            ])
        }
        var members: [(String, JSONText)] = [
            ("table", .string(table)), ("primary_key", JSONText(primaryKey)),
            ("columns", .array(columns + others)),
        ]
        if isView { members.append(("kind", .string("view"))) }
        return .object(members)
    }
}

extension Column {
    /// The declared type. A column without any value yet can hold all types.
    package var typeName: String { (type ?? .text).rawValue }

    /// The place of the values in a record of the table; nil if they are those of a record around it.
    package var placeInRecord: String? { outer == nil ? normalizedPath : nil }

    /// - Parameter path: The place of the values; nil if a record has none.
    package func fields(at path: String?) -> [Report.Field] {
        [
            .init("column", name), .init("type", typeName), .init("key", keyPosition.map { $0 + 1 }),
            .init("path", path),
        ]
    }
}

extension Report.Field {
    init(_ count: RowCount?) { self.init("rows", json: JSONText(count?.all), text: count?.text()) }
}

extension TableSummary {
    package var fields: [Report.Field] {
        [
            .init("table", table), .init("stream", stream), .init("rows", count?.all),
            .init("last_changed_at", lastChangedAt), .init("deleted", count?.deleted), kind,
            .init("configured", json: isConfigured.map { .bool($0) } ?? .null, text: isConfigured.map { "\($0)" }),
        ]
    }

    package var summary: [Report.Field] {
        [
            .init("table", table),
            .init("stream", stream.map { isConfigured == false ? "\($0) (not in the file)" : $0 }), .init(count),
            .init("last_changed_at", lastChangedAt), kind,
        ]
    }

    private var kind: Report.Field { .init("kind", isView ? "view" : "table") }
}

extension [TableSummary] {
    /// Returns the tables with the knowledge whether a configuration has their streams.
    package func known(to configuration: Configuration?) -> [TableSummary] {
        guard let configuration else { return self }
        let streams = Set(configuration.streams.map(\.name.description))
        return map { table in
            var table = table
            table.isConfigured = table.stream.map { streams.contains($0) }
            return table
        }
    }
}
