package import Catalog
package import JSON

/// The table that the records of a first page would make; nothing is stored.
package struct TablePreview: Sendable {
    /// Empty where there are no records.
    package let columns: [Column]
    /// The names of the key's columns, in their order.
    package let primaryKey: [String]
    private let flattenDepth: Int
    private let parent: ParentRecord?

    /// Throws `PersistenceError` where the records do not fit what is configured.
    ///
    /// - Parameter parent: the record whose children they are.
    package init(of stream: Stream, from records: Selection, childrenOf parent: ParentRecord? = nil) throws {
        flattenDepth = stream.flattenDepth
        self.parent = parent
        guard records.count > 0 else {
            (columns, primaryKey) = ([], [])
            return
        }
        let own = KeyInference.key(of: stream, in: records)
        let inferred = own.map { (parent?.keyMembers ?? []) + [$0] }
        let key = stream.writeDisposition == .append || stream.dedupes ? [] : stream.primaryKey ?? inferred ?? []
        let added = parent?.added ?? AddedFields(json: nil)
        let schema = try added.with { added in
            try TableSchema(for: stream, from: records, adding: added, key: key, run: 0)
        }
        columns = schema.columns
        primaryKey = schema.key.map(\.name)
    }

    /// Calls `body` with what a record has for each column; the values are valid inside it only.
    package func withValues<Result>(of node: Node, _ body: ([Node?]) throws -> Result) rethrows -> Result {
        let added = parent?.added ?? AddedFields(json: nil)
        return try added.with { try body(values(of: PageRecord(node: node, added: $0))) }
    }

    private func values(of record: PageRecord) -> [Node?] {
        columns.map { column in
            if column.path.isEmpty { return nil }
            if record.node.kind != .object, column.path == [RecordBinder.scalarRecordField] { return record.node }
            let value = record.value(at: column.path)
            // Its members have columns of their own.
            return value?.kind == .object && column.path.count <= flattenDepth ? nil : value
        }
    }
}
