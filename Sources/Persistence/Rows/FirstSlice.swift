package import GarnerCatalog
package import GarnerJSON

/// The first slice of a stream's read, as it is known without a database: the values that fill the placeholders of its
/// requests, and what is stored with its records.
package struct FirstSlice: Sendable {
    package let bindings: Bindings
    /// The JSON object that is stored with each record.
    let added: AddedFields
    /// The members of `added` that belong to an inferred key: those that identify the parent's record.
    let keyMembers: [String]
    /// The members of `added` that identify the only record of the slice.
    let documentKey: [String]

    /// Creates the slice of a stream without a parent.
    package init(of stream: StreamConfiguration) {
        bindings = Self.partitions(of: stream)
        added = Self.added(stream.columnMembers(bindings) { _ in nil }, stream, bindings)
        keyMembers = []
        documentKey = stream.partitions.map(\.memberName)
    }

    /// Creates the slice of the parent's first record that has the fields to request `child`; nil if none has.
    ///
    /// Throws `PersistenceError` if the records do not fit the parent's configuration.
    package init?(of child: StreamConfiguration, below records: Selection, of parent: StreamConfiguration) throws {
        let fields = child.request.parentFields
        let included = child.parent?.include ?? []
        var found: (bindings: Bindings, members: [(String, JSONText)])?
        records.forEach { record in
            guard found == nil else { return }
            var bindings = Self.partitions(of: child)
            for field in fields {
                guard let text = record.value(ofField: field)?.boundText else { return }
                bindings[.parent(field)] = text
            }
            let members = included.map { field in
                let name = child.parent?.memberName(for: field) ?? field
                return (name, record.value(ofField: field).map { JSONText.verbatim($0.source) } ?? .null)
            }
            let columns = child.columnMembers(bindings) { field in
                guard let value = record.value(ofField: field), !value.isNull else { return nil }
                return (.verbatim(value.source), value.text)
            }
            found = (bindings, members + columns)
        }
        guard let found else { return nil }
        bindings = found.bindings
        added = Self.added(found.members, child, bindings)
        let key = try TablePreview(of: parent, from: records).primaryKey
        keyMembers = included.filter { field in
            key.contains { $0.utf8.elementsEqual(field.utf8) }
        }.compactMap { child.parent?.memberName(for: $0) }
        documentKey = keyMembers + child.partitions.map(\.memberName)
    }

    /// Returns the first field that requests of `child` need and none of the records has, with the fields that they have; nil if there is none.
    package static func lacking(in records: Selection, for child: StreamConfiguration) -> (
        field: String, others: [String]
    )? {
        var (missing, others) = (child.request.parentFields, [String]())
        records.forEach { record in
            missing.removeAll { record.value(ofField: $0) != nil }
            if others.isEmpty { others = record.members.map { $0.0.text } }
        }
        guard !others.isEmpty else { return nil }
        return missing.first.map { (field: $0, others: others) }
    }

    private static func partitions(of stream: StreamConfiguration) -> Bindings {
        stream.partitions.reduce(into: [:]) { $0[.partition($1.name)] = $1.values.first }
    }

    private static func added(_ members: [(String, JSONText)], _ stream: StreamConfiguration, _ bindings: Bindings)
        -> AddedFields
    {
        let members = members + stream.partitionMembers(bindings)
        return AddedFields(json: members.isEmpty ? nil : JSONText.object(members).text)
    }
}

extension Node {
    /// Returns the value at a path with dots, or of the column that it becomes.
    fileprivate func value(ofField field: String) -> Node? {
        func value(at path: [String]) -> Node? { path.reduce(self as Node?) { node, name in node?[name] } }
        return value(at: Parent.path(ofField: field))
            ?? value(at: field.split(separator: "__", omittingEmptySubsequences: false).map(String.init))
    }

    /// The text for a placeholder; nil for a value that cannot fill one.
    fileprivate var boundText: String? {
        switch kind {
        case .null, .array, .object: nil
        case .true, .false, .integer, .real, .number, .string: text
        }
    }
}
