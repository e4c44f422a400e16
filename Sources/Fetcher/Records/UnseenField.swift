package import GarnerCatalog
import GarnerJSON
import GarnerModel

/// A field that the configuration names and no record of a page has.
package struct UnseenField: Sendable {
    package let field: NamedField
    /// The member that is meant, by its spelling; nil if none is near, or if the page has too few records to tell.
    package let meant: String?
}

extension Selection {
    /// The number of records from which on a name that none of them has may be misspelt.
    private static let manyRecords = 10

    /// Returns those of the fields that no record has.
    ///
    /// - Parameter guesses: True to look for the member that is meant, which reads all names of the page.
    func unseen(of fields: [NamedField], guesses: Bool) -> [UnseenField] {
        guard count > 0 else { return [] }
        let isSure = guesses && count >= Self.manyRecords
        return fields.filter { !has($0.path[...], orColumn: $0.takesColumn) }.map { field in
            // A nested member's name in SQL, or with dots, is no guess.
            let name = field.path[0].text
            let dotted = field.key.hasPrefix("fields.") ? FieldPath.dotted(name) : nil
            let nested = dotted ?? name.split(separator: "__").map(String.init)
            if guesses, field.path.count == 1, nested.count > 1, has(nested.map { ExactText($0) }[...]) {
                return UnseenField(field: field, meant: FieldPath.written(nested))
            }
            let near = isSure ? meant(by: field, besides: fields.map(\.path)) : nil
            // The beginning of a name such as `tags.v` means all of the tags.
            return UnseenField(field: field, meant: near == dotted?.first ? nil : near)
        }
    }

    private func has(_ path: ArraySlice<ExactText>, orColumn takesColumn: Bool = false) -> Bool {
        withNodes { nodes in
            var nodes = nodes
            while let record = nodes.next() {
                if !record.values(at: path).isEmpty || takesColumn && record.hasColumn(path) { return true }
            }
            return false
        }
    }

    /// Returns the member with a name like that of the field, which no other key names.
    private func meant(by field: NamedField, besides named: [[ExactText]]) -> String? {
        guard let level = field.path.indices.last(where: { $0 == 0 || has(field.path[..<$0]) }) else { return nil }
        let above = field.path[..<level]
        var names = UniqueTexts()
        forEach { record in
            for object in record.values(at: above) {
                for (name, _) in object.members { names.add(name.text) }
            }
        }
        let others = names.list.filter { !named.contains(above + [ExactText($0)]) }
        return Suggestion.misspelt(field.path[level].text, among: others)
    }
}

extension Node {
    /// The values at the end of the names. Elements of arrays on the way are all meant.
    fileprivate func values(at path: ArraySlice<ExactText>) -> [Node] {
        if kind == .array { return elements.flatMap { $0.values(at: path) } }
        guard let first = path.first else { return [self] }
        return self[first.text]?.values(at: path.dropFirst()) ?? []
    }

    /// Returns true if a field is named as the column of nested objects, such as `contact__email`, and this record has it.
    fileprivate func hasColumn(_ path: ArraySlice<ExactText>) -> Bool {
        guard let name = path.first?.text, path.count == 1, name.contains("__") else { return false }
        let parts = name.split(separator: "__").map { ExactText($0) }
        return parts.count > 1 && !values(at: parts[...]).isEmpty
    }
}
