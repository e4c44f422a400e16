import GarnerJSON
package import GarnerModel

/// A field of a source's records that the configuration names.
package struct NamedField: Sendable, Hashable {
    /// The key that names it, such as `fields.keep`.
    package let key: String
    /// The names from the record to the field, as the source writes them.
    package let path: [ExactText]
    /// True if no record need have it now: the configuration asks whether it is there, or only deleted records have it.
    package let mayBeMissing: Bool

    /// True if the key takes the name of a column, such as `owner__login`, for the member of a nested object.
    package let takesColumn: Bool

    fileprivate init(_ key: String, _ path: [ExactText], mayBeMissing: Bool = false, takesColumn: Bool = false) {
        (self.key, self.path, self.mayBeMissing, self.takesColumn) = (key, path, mayBeMissing, takesColumn)
    }

    /// True if `record_filter` compares it, and does not only ask whether it is there.
    package var isCompared: Bool { key == "record_filter" && !mayBeMissing }

    /// The names, such as `contact.email`.
    package var text: String { path.map(\.text).joined(separator: ".") }

    /// The field as `optional_fields` names it.
    package var written: String { FieldPath.written(path.map(\.text)) }
}

extension StreamConfiguration {
    /// The fields that the configuration names and does not call optional.
    package var namedFields: [NamedField] {
        var named = fields.keep.map { NamedField("fields.keep", $0.names) }
        // A column takes the place of a field of its name, which records may have or not.
        let replaced = fields.additions.map { [ExactText($0.name)] }
        named += fields.drop.filter { !replaced.contains($0.names) }.map { NamedField("fields.drop", $0.names) }
        named += fields.renames.map { NamedField("fields.rename", $0.field.names) }
        for (key, condition) in [("record_filter", recordFilter), (Self.markKey, deletedWhen)] {
            named += (condition?.memberPaths ?? []).map {
                NamedField(key, $0.names.map { ExactText($0) }, mayBeMissing: $0.isAskedFor || key == Self.markKey)
            }
        }
        for column in fields.composed {
            for path in column.recordPaths where !path.contains(where: { Int($0) != nil }) {
                let path = path.map { ExactText($0) }
                named.append(NamedField("fields.add", path, mayBeMissing: column.templates.count > 1))
            }
        }
        let stored =
            fields.hash.fields.map { ("fields.hash", $0, false) }
            + fields.types.map { ("fields.types", $0.field, false) }
            + columns.compactMap { key, name in FieldPath(name).map { (key, $0, true) } }
        named += stored.filter { !isAdded($0.1.names) }
            .map { key, field, takesColumn in NamedField(key, fields.former(field.names), takesColumn: takesColumn) }
        return named.filter { field in !field.path.isEmpty && !optionalFields.contains { $0.names == field.path } }
    }

    /// Returns the warning that no record has had some fields, with what to do; nil if all that are named were seen.
    ///
    /// - Parameter sightings: The fields for which was looked, with true for those that a record had.
    package func words(of sightings: [String: Bool]) -> String? {
        let named = namedFields.filter { !$0.mayBeMissing && sightings[$0.text] == false }
        guard !named.isEmpty else { return nil }
        let list = named.map { "'\($0.text)' (\($0.key))" }.joined(separator: ", ")
        var optional = UniqueTexts()
        for field in named { optional.add(field.written) }
        return
            "no record has had \(list); correct the name, or add optional_fields: [\(optional.list.joined(separator: ", "))]"
    }

    /// Returns the note that no record of a first page has what `deleted_when` looks for, which only deleted records may have; nil if that is not so.
    ///
    /// - Parameter unseen: The fields that no record has.
    package func words(onMarksAmong unseen: [NamedField]) -> String? {
        guard let mark = unseen.first(where: { $0.key == Self.markKey }) else { return nil }
        return
            "no record of the first page has '\(mark.text)' (\(mark.key)); correct the name, or, if only deleted records have it, "
            + "add optional_fields: [\(mark.written)]"
    }

    private static let markKey = "deleted_when"

    /// Returns the warning that no record has the members of some columns any more, with what to do; nil if each is known to be optional, or
    /// left out by `fields`.
    package func words(ofEmptied columns: [EmptiedColumn]) -> String? {
        let told = columns.filter { column in
            let names = [column.path.map { ExactText($0) }, [ExactText(column.column)]]
            return !fields.leavesOut(column.path) && !optionalFields.contains { names.contains($0.names) }
        }
        guard !told.isEmpty else { return nil }
        let most = 3
        let list = told.prefix(most).map { "'\($0.column)' (\($0.rows.counted("row")) had a value)" }
        let more = told.count > most ? " and \((told.count - most).counted("other column"))" : ""
        let optional = told.map { FieldPath.written($0.path) }.joined(separator: ", ")
        return
            "no record has \(list.joined(separator: ", "))\(more) in \(told[0].table) any more; look if the source has renamed "
            + "it, or 'fields' or flatten_depth in the file; if that is right, add optional_fields: [\(optional)]"
    }

    private var columns: [(key: String, name: String)] {
        (primaryKey ?? []).map { ("primary_key", $0) } + search.map { ("search", $0) }
            + attachments.map { ("attachments", $0.field) }
            + (incremental?.cursorFields ?? []).map { ("incremental.cursor_field", $0) }
    }

    /// Returns true for a field that Garner may add to records, so that the source need not have it.
    private func isAdded(_ names: [ExactText]) -> Bool {
        guard let name = names.first else { return true }
        if fields.additions.contains(where: { ExactText($0.name) == name }) { return true }
        return (parent != nil || !partitions.isEmpty) && name.text.utf8.starts(with: "_".utf8)
    }
}

extension FieldRules {
    /// Returns true if `drop` or `keep` keeps the stored member at a path out, or one that it is in.
    package func leavesOut(_ path: [String]) -> Bool {
        let names = former(path.map { ExactText($0) })
        if drop.contains(where: { names.starts(with: $0.names) }) { return true }
        return !keep.isEmpty && !keep.contains { names.starts(with: $0.names) || $0.names.starts(with: names) }
    }

    /// Returns the names of a stored field before `rename` has applied.
    func former(_ names: [ExactText]) -> [ExactText] {
        var former = names
        for place in names.indices {
            let rename = renames.first {
                ExactText($0.name) == names[place] && $0.field.names.count == place + 1
                    && $0.field.names[..<place] == former[..<place]
            }
            if let rename { former[place] = rename.field.names[place] }
        }
        return former
    }
}
