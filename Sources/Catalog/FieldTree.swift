package import GarnerModel

/// The rules for the fields of a record, arranged as the fields are.
package final class FieldTree: Sendable {
    package struct Rule: Sendable {
        package var isKept = false
        package var isDropped = false
        package var isHashed = false
        package var type: FieldType?
        package var name: ExactText?
        package var below: FieldTree?
    }

    package let rules: [ExactText: Rule]
    /// The new names of renamed members. No other member may have one of them.
    package let newNames: Set<ExactText>
    /// The names of columns that `add` makes of what belongs to a record. No member of it may have one of them.
    package let addedNames: Set<ExactText>
    /// True if members without a rule are left out.
    package let keepsOnly: Bool

    /// Returns nil if there are no rules.
    package convenience init?(_ rules: FieldRules) {
        guard rules.changeRecords else { return nil }
        self.init(
            keep: rules.keep.map { $0.names[...] }, drop: rules.drop.map { $0.names[...] },
            renames: rules.renames.map { ($0.field.names[...], ExactText($0.name)) },
            hash: rules.hash.fields.map { $0.names[...] }, types: rules.types.map { ($0.field.names[...], $0.type) },
            added: rules.composed.map { ExactText($0.name) })
    }

    private typealias Path = ArraySlice<ExactText>

    private init(
        keep: [Path], drop: [Path], renames: [(Path, ExactText)], hash: [Path], types: [(Path, FieldType)],
        added: [ExactText] = []
    ) {
        addedNames = Set(added)
        keepsOnly = !keep.isEmpty
        // A hashed field is named as it is after the renames.
        let renamed = renames.filter { $0.0.count == 1 }
        let old = Dictionary(renamed.map { ($0.1, $0.0[$0.0.startIndex]) }) { first, _ in first }
        func former(_ path: Path) -> Path {
            guard let first = path.first, let former = old[first] else { return path }
            return [former] + path.dropFirst()
        }
        let hash = hash.map(former)
        let types = types.map { (former($0.0), $0.1) }
        let names = Set((keep + drop + renames.map(\.0) + hash + types.map(\.0)).compactMap(\.first))
        var rules: [ExactText: Rule] = [:]
        for name in names {
            func below(_ paths: [Path]) -> [Path] {
                paths.filter { $0.first == name && $0.count > 1 }.map { $0.dropFirst() }
            }
            let inner = renames.filter { $0.0.first == name && $0.0.count > 1 }.map { ($0.0.dropFirst(), $0.1) }
            let isWhole = keep.contains([name])
            var rule = Rule()
            rule.isKept = isWhole || !below(keep).isEmpty
            rule.isDropped = drop.contains([name])
            rule.isHashed = hash.contains([name])
            rule.type = types.last { $0.0 == [name] }?.1
            rule.name = renamed.first { $0.0.first == name }?.1
            let kept = isWhole ? [] : below(keep)
            let innerTypes = types.filter { $0.0.first == name && $0.0.count > 1 }.map { ($0.0.dropFirst(), $0.1) }
            if !kept.isEmpty || !below(drop).isEmpty || !inner.isEmpty || !below(hash).isEmpty || !innerTypes.isEmpty {
                rule.below = FieldTree(
                    keep: kept, drop: below(drop), renames: inner, hash: below(hash), types: innerTypes)
            }
            rules[name] = rule
        }
        self.rules = rules
        newNames = Set(rules.values.compactMap(\.name))
    }
}

extension FieldTree {
    /// The treatment of a value that is stored already, so that the database has no more of it than the rules would store.
    package enum Treatment: Sendable {
        case keep
        case remove
        case hash
        /// The value may have members with rules of their own.
        case inside(FieldTree)
    }

    /// Returns the rule for a stored member. A member that was renamed has its new name.
    package func rule(ofStored name: String) -> Rule? {
        let name = ExactText(name)
        return newNames.contains(name) ? rules.values.first { $0.name == name } : rules[name]
    }

    /// Returns the treatment of a value by the names that lead to it.
    package func treatment(of path: ArraySlice<String>) -> Treatment {
        guard let first = path.first else { return .inside(self) }
        let rule = rule(ofStored: first)
        if rule?.isDropped == true || keepsOnly && rule?.isKept != true { return .remove }
        let rest = path.dropFirst()
        // A hash replaces the whole, so no part of it is stored.
        if rule?.isHashed == true { return rest.isEmpty ? .hash : .remove }
        return rule?.below?.treatment(of: rest) ?? .keep
    }
}
