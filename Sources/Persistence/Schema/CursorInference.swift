import Catalog
package import JSON

/// Finds the fields that seem to grow with every change of a record, so that what changed can be asked for by them.
package enum CursorInference {
    private static let usual = [
        "updated_at", "updatedAt", "updated", "updated_on", "last_updated", "lastUpdated", "last_updated_at",
        "lastUpdatedAt", "modified_at", "modifiedAt", "modified", "modified_on", "last_modified", "lastModified",
        "date_modified", "dateModified", "changed_at", "changedAt", "changed", "timestamp", "sequence", "seq",
    ]

    /// Those of the usual names under which every record has an integer, or a time in RFC 3339.
    package static func fields(of records: Selection) -> [String] {
        guard records.count > 0 else { return [] }
        return usual.filter { name in
            var isCursor = true
            records.forEach { record in
                guard isCursor else { return }
                let value = record[name]
                isCursor = value?.kind == .integer || value?.string.flatMap(Timestamp.init(rfc3339:)) != nil
            }
            return isCursor
        }
    }
}
