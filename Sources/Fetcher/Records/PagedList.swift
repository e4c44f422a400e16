import GarnerCatalog
import GarnerJSON

/// A list one object below a body that is no record, beside something that tells of its pages, such as `$.artists.items` of
/// `{ "artists": { "items": [...], "next": "…" } }`.
struct PagedList {
    /// The names that lead from the root to the list.
    let names: [String]
    let array: Node
    /// True if no other list of objects stands as deep.
    let isOnly: Bool

    /// The path of its records, as `record_selector` has it.
    var selector: String { "$" + names.map(Selector.shortSegment(named:)).joined() + "[*]" }

    private static let mostMembers = 100

    init?(below root: Node) {
        guard root.kind == .object, !RecordNames.looksLikeRecord(root) else { return nil }
        var found: [(object: Node, names: [String], array: Node)] = []
        for (key, object) in root.members.prefix(Self.mostMembers) where object.kind == .object {
            let owner = key.text
            guard !RecordNames.looksLikeRecord(object), root[owner]?.isSame(as: object) == true else { continue }
            for (key, array) in object.members.prefix(Self.mostMembers) where array.kind == .array {
                let name = key.text
                let mayBeMeant =
                    array.elements.contains { $0.kind == .object } || array.saysNothing && RecordNames.isList(name)
                guard mayBeMeant, !BodyRefusal.complaints.contains(name), !array.isListOfLinks(named: name),
                    object[name]?.isSame(as: array) == true
                else { continue }
                found.append((object: object, names: [owner, name], array: array))
            }
        }
        guard let paged = found.first(where: { Self.isPaged($0.array, named: $0.names[1], in: $0.object) }) else {
            return nil
        }
        (names, array, isOnly) = (paged.names, paged.array, found.count == 1)
    }

    private static let counts = PaginationDetection.totals.union(PaginationDetection.pageTotals)
        .union(["pagecount", "pages"])

    /// Returns true if something in the object leads on from the list, or counts its records or pages. A number may be the sum of an
    /// order or the length of a book, unless the number or the size of a page stands beside it, or nothing else stands
    /// beside a list of a usual name.
    private static func isPaged(_ list: Node, named name: String, in object: Node) -> Bool {
        let members = Envelope(root: object, way: [(path: "$", node: object), (path: "$", node: list)]).members
        let isOfList =
            RecordNames.isList(name) && object.members.prefix(3).reduce(0) { count, _ in count + 1 } == 2
            || members.contains { PaginationDetection.isEcho($0.name) && $0.node.pagingCount != nil }
        return members.contains { member in
            let (name, node) = (member.name, member.node)
            switch name {
            case "next": return node.isNull || node.string?.contains(where: { "/?".contains($0) }) == true
            case "nextcursor", "nextpagetoken", "nexttoken": return true
            case "cursor": return node.string?.isEmpty == false
            case "totalestimatedmatches": return node.pagingCount != nil
            case _ where counts.contains(name): return isOfList && node.statedCount != nil
            default: return member.word == .nextLink || member.word == .more && node.truth(named: name) != nil
            }
        }
    }
}
