import Catalog
import JSON
import Model
import Persistence
import Presentation

extension SchemaChange {
    var fields: [Report.Field] {
        [
            .init("table", table), .init("column", column), .init("change", kind.rawValue),
            .init("old_type", oldType?.rawValue), .init("new_type", newType?.rawValue), .init("run_id", run),
            .init("at", at),
        ]
    }

    var json: JSONText { .object(fields.map { ($0.name, $0.json) }) }

    /// The change in a few words.
    var text: String {
        let name = "\(table).\(column)"
        let type = newType?.rawValue ?? "nulls only"
        return switch kind {
        case .added: "new column \(name) (\(type))"
        case .widened: "column \(name) is \(type) now, it was \(oldType?.rawValue ?? "nulls only")"
        }
    }
}
