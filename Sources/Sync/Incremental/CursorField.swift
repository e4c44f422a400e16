import Catalog
import JSON

/// Where the cursor stands in a record.
struct CursorField: Sendable {
    private let name: String
    private let selector: Selector

    /// Throws `SelectorError`.
    init(_ incremental: Incremental) throws {
        name = incremental.cursorField
        let isPath = name.hasPrefix("$")
        selector = try Selector(parsing: isPath ? name : "$" + Selector.segment(named: name))
    }

    /// The greatest cursor of the records; nil where none has one.
    func latest(in records: Selection) -> CursorValue? {
        var latest: CursorValue?
        records.forEach { record in
            guard let node = selector.first(in: record), [.string, .integer, .real, .number].contains(node.kind) else {
                return
            }
            latest = CursorValue.latest(latest, CursorValue(node.text))
        }
        return latest
    }

    /// Throws where there are records and none has the field, not even as null.
    func check(_ records: Selection) throws(IncrementalError) {
        guard records.count > 0 else { return }
        var isThere = false
        records.forEach { isThere = isThere || selector.first(in: $0) != nil }
        guard isThere else { throw .noField(name) }
    }
}
