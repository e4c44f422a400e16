import GarnerCatalog
import GarnerJSON
import GarnerModel

// The records of several slices, each row with the values of its partitions. Those of different slices count as different.
extension StreamTable {
    /// Notes the slice of the page that is to be stored next.
    ///
    /// Throws `PersistenceError` if a record has a member with the name of a partition's column.
    func beginSlice(of page: PageCommit, _ records: Selection) throws {
        guard evidence.overlap.hasSlices else { return }
        try stream.requireFreeNames(among: records)
        guard !stream.partitions.isEmpty else {
            return evidence.overlap.beginPage(of: page.slice, values: nil, url: page.url)
        }
        let added = AddedFields(json: page.added)
        let text = added.with { added in
            stream.partitions.map { "\($0.name) \(added?[$0.memberName]?.text ?? "")" }.joined(separator: ", ")
        }
        evidence.overlap.beginPage(of: page.slice, values: text, url: page.url)
    }

    /// True if slices must be read in their order, because they share records and the first one's values count.
    var needsOrder: Bool { loader?.schema.partitionParameter != nil && !pageOverlap.areApart }

    /// True if records have come under several values of a partition, even if only on pages that cannot be remembered.
    var sharesPartitions: Bool { evidence.overlap.sharesRecords && loader?.schema.partitionParameter != nil }

    /// The error or warning about records of different slices that share a key; nil if none do.
    var sliceConflict: (message: String, hint: String)? {
        get throws {
            guard let first = evidence.overlap.first, let key = loader?.schema.key.map(\.name) else { return nil }
            let example = first.key.map { ", such as \($0)" } ?? ""
            let count = evidence.overlap.conflicts
            let slices = stream.partitions.isEmpty ? "parents" : "partitions"
            return (
                "\(count.counted("record")) of different \(slices) \(count == 1 ? "has" : "have") the "
                    + "\(key.joined(separator: ", ")) of another one with other content\(example) "
                    + "(\(first.slices.joined(separator: "; ")))",
                "set \(try distinction(beside: key)) if they are different records, "
                    + "or leave out with fields: { drop: … } what differs"
            )
        }
    }

    /// Returns the lines of configuration that make the slice of a record a part of its key.
    private func distinction(beside key: [String]) throws -> String {
        var (lines, members): ([String], [String]) = ([], stream.partitions.map(\.memberName))
        if let parent = stream.parent, let table = try ParentTable(of: stream, parent: parent, on: connection) {
            let fields = table.keyFields
            if !fields.allSatisfy(parent.include.contains) {
                let all = fields + parent.include.filter { !fields.contains($0) }
                lines.append("include_from_parent: [\(all.joined(separator: ", "))]")
            }
            members = fields.map(parent.memberName) + members
        }
        // An inferred key contains the included fields of the parent already.
        if stream.primaryKey != nil || !stream.partitions.isEmpty || lines.isEmpty {
            let all = members + key.filter { !members.contains($0) }
            lines.append("primary_key: [\(all.joined(separator: ", "))]")
        }
        return lines.joined(separator: " and ")
    }
}
