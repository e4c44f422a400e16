package import Catalog
package import JSON

/// A parent's record as it came in: what its children are asked for, and shown, with.
package struct ParentRecord: Sendable {
    package let bindings: Bindings
    /// A JSON object of what is stored with each child.
    let added: AddedFields
    /// The included fields that identify the parent's record, by the names that they have with the children.
    let keyMembers: [String]

    /// The first of the parent's records that `child` can be asked with; nil where none has the fields.
    ///
    /// Throws `PersistenceError` where the records do not fit what is configured for the parent.
    package init?(of parent: Stream, among records: Selection, for child: Stream) throws {
        let fields = child.request.parentFields
        var found: (bindings: Bindings, added: String)?
        records.forEach { record in
            guard found == nil else { return }
            var bindings: Bindings = [:]
            for field in fields {
                guard let text = record.value(ofField: field)?.boundText else { return }
                bindings[.parent(field)] = text
            }
            let members = (child.parent?.include ?? []).map { field in
                let name = child.parent?.memberName(for: field) ?? field
                return "\(JSONString.quoted(name)):\(record.value(ofField: field)?.source ?? "null")"
            }
            found = (bindings, "{\(members.joined(separator: ","))}")
        }
        guard let found else { return nil }
        bindings = found.bindings
        added = AddedFields(json: found.added)
        let key = try TablePreview(of: parent, from: records).primaryKey
        keyMembers = (child.parent?.include ?? []).filter { field in
            key.contains { $0.utf8.elementsEqual(field.utf8) }
        }.compactMap { child.parent?.memberName(for: $0) }
    }
}

extension Node {
    fileprivate func value(ofField field: String) -> Node? {
        Parent.path(ofField: field).reduce(self as Node?) { node, name in node?[name] }
    }

    /// As it is asked with; nil for what is none.
    fileprivate var boundText: String? {
        switch kind {
        case .null, .array, .object: nil
        case .true, .false, .integer, .real, .number, .string: text
        }
    }
}
