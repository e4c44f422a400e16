import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerReports

/// The records that a run changed, with their old and new values. Values are cut while they are read, so that a page of
/// large records takes little memory.
struct ChangeTable: Sendable {
    private static let maximumFields = 20
    /// The number of fields that are shown of an added or a deleted record.
    private static let shownFields = 3
    private static let maximumLength = 300

    let changed: ChangedRun
    /// The changes before the first row.
    let offset: Int
    private var rows: [[DataTable.Cell]] = []

    init(_ changed: ChangedRun, limit: Int, offset: Int = 0, in reader: ReadOnlyDatabase) throws {
        (self.changed, self.offset) = (changed, offset)
        let hasKey = try Self.hasKey(changed.table, in: reader)
        var rows: [[DataTable.Cell]] = []
        try reader.forEachChange(of: changed, limit: limit, offset: offset) { change in
            rows.append(Self.row(change, table: changed.table, hasKey: hasKey))
        }
        self.rows = rows
    }

    /// Returns false for a table without a key, and for one that is gone although its changes are noted.
    private static func hasKey(_ table: String, in reader: ReadOnlyDatabase) throws -> Bool {
        do { return try !reader.relation(table).key.isEmpty } catch is UnknownTableError { return false }
    }

    var count: Int { rows.count }

    /// The number of changes with which the table ends, counted from the first one of the run.
    var end: Int { offset + rows.count }
    var isCut: Bool { end < changed.count }

    func html(id: String, caption: HTML) -> HTML {
        var table = DataTable(
            id: id, caption: caption,
            columns: [.init("Key", label: "Key"), .init("What"), .init("Old → new")], isStacked: true)
        table.rows = rows
        return table.html
    }

    /// - Parameter hasKey: False if rows have no key, so that none has a page.
    private static func row(_ change: RecordChange, table: String, hasKey: Bool) -> [DataTable.Cell] {
        let key = change.key.text ?? "null"
        let name = Component.foreign(key.prefix(80))
        let isLinked = hasKey && key.utf8.count <= Link.longestKey
        return [
            .init(isLinked ? Component.link(link(to: change.key, of: table), name) : name, isHeader: true),
            .init(Component.operation(change.operation)), .init(difference(change), kind: "wide"),
        ]
    }

    /// Returns the page of a record. Each value of its key is a component of the address.
    private static func link(to key: RecordChange.Key, of table: String) -> Link {
        guard case .composite(let json) = key, let document = try? Document(parsing: Bytes(json.utf8)) else {
            return Link.record([key.text ?? "null"], of: table)
        }
        let parts = document.withRoot { root in
            root.elements.map { node in
                switch node.kind {
                case .integer, .real, .number, .string: node.text
                default: node.source
                }
            }
        }
        return Link.record(parts, of: table)
    }

    private static func difference(_ change: RecordChange) -> HTML {
        guard let fields = change.fields else {
            return switch change.operation {
            case .insert: "<span class=\"muted\">the whole record</span>"
            case .update: "<span class=\"muted\">some of its fields; <code>history: true</code> keeps which</span>"
            case .delete: "<span class=\"muted\">the whole record</span>"
            }
        }
        let shown = change.operation == .update ? fields.prefix(maximumFields) : fields.prefix(shownFields)
        let lines = shown.map { field -> HTML in
            let old: HTML? = change.operation == .insert ? nil : "<del>\(value(field.old))</del> "
            let new: HTML? = change.operation == .delete ? nil : "<ins>\(value(field.new))</ins>"
            return "<li><code>\(Component.foreign(field.name.prefix(100)))</code> \(old)\(new)</li>"
        }
        let rest = fields.count - shown.count
        let more: HTML? =
            rest > 0 ? "<li class=\"muted\">and \(Component.counted(rest, "more field"))</li>" : nil
        return "<ul class=\"diff\">\(lines)\(more)</ul>"
    }

    /// A value, cut if it is long. Null differs from the text "null".
    private static func value(_ value: Value) -> HTML {
        switch value {
        case .null: return "<span class=\"null\">null</span>"
        case .blob(let bytes): return "<span class=\"muted\">\(Component.counted(bytes.count, "byte"))</span>"
        case .integer, .real: return HTML(value.text ?? "")
        case .text(let text):
            if text.isEmpty { return "<span class=\"null\">empty</span>" }
            let start = text.unicodeScalars.prefix(maximumLength)
            let isCut = start.endIndex < text.endIndex
            return Component.foreign(String(start) + (isCut ? "…" : ""))
        }
    }
}
