import GarnerCatalog
import GarnerJSON

/// A list one or two objects below a body that is no record, beside something that tells of its pages, such as `$.artists.items` of
/// `{ "artists": { "items": [...], "next": "…" } }`.
struct PagedList {
    /// The names that lead from the root to the list.
    let names: [String]
    let array: Node
    /// True if no other list of objects stands as deep, and what stands beside it tells of nothing but pages.
    let isOnly: Bool

    /// The path of its records, as `record_selector` has it.
    var selector: String { "$" + names.map(Selector.shortSegment(named:)).joined() + "[*]" }

    private static let mostMembers = 100

    init?(below root: Node) {
        guard root.kind == .object, !RecordNames.looksLikeRecord(root) else { return nil }
        let found = Self.lists(in: root, at: [], []).sorted { $0.names.count < $1.names.count }
        let paged = found.compactMap { list in Self.isPaged(list).map { (list: list, isSure: $0) } }
        guard let (list, isSure) = paged.first(where: { $0.isSure }) ?? paged.first else { return nil }
        (names, array) = (list.names, list.array)
        isOnly = isSure && !found.contains { $0.names.count == list.names.count && !$0.array.isSame(as: list.array) }
    }

    /// A list, the names that lead to it, and the objects below the root that have it.
    private typealias List = (names: [String], array: Node, owners: [Node])

    private static func lists(in object: Node, at names: [String], _ owners: [Node]) -> [List] {
        object.members.prefix(mostMembers).flatMap { key, value -> [List] in
            let name = key.text
            guard object[name]?.isSame(as: value) == true else { return [] }
            switch value.kind {
            case .object where owners.count < 2 && !RecordNames.looksLikeRecord(value):
                return lists(in: value, at: names + [name], owners + [value])
            case .array where !owners.isEmpty:
                let mayBeMeant =
                    value.elements.contains { $0.kind == .object } || value.saysNothing && RecordNames.isList(name)
                guard mayBeMeant, !BodyRefusal.complaints.contains(name), !value.isListOfLinks(named: name) else {
                    return []
                }
                return [(names: names + [name], array: value, owners: owners)]
            default: return []
            }
        }
    }

    private static let counts = PaginationDetection.totals.union(PaginationDetection.pageTotals)
        .union(["pagecount", "pages"])

    /// Returns true for a list beside something that leads on from it, or counts its records or pages; false beside what may do so, and nil
    /// beside nothing of that kind.
    ///
    /// A number may be the sum of an order or the length of a book, unless the number or the size of a page stands beside it. What also
    /// tells of other things counts beside a list that is as long as a page may be.
    private static func isPaged(_ list: List) -> Bool? {
        guard let owner = list.owners.first else { return nil }
        let way = (list.owners + [list.array]).map { (path: "$", node: $0) }
        let members = Envelope(root: owner, way: way).members
        let count = list.array.elements.reduce(0) { count, _ in count + 1 }
        let isFull = count.isUsualPageSize
        let isCounted = members.contains { PaginationDetection.isEcho($0.name) && $0.node.pagingCount != nil }
        let isAlone =
            list.names.last.map(RecordNames.isList) == true
            && list.owners.last?.members.prefix(3).reduce(0) { count, _ in count + 1 } == 2
        // Beside the number of records on the page stands that of all, such as `SearchResultCountAll`.
        let ownCounts = members.filter { $0.node.pagingCount == count && $0.name.hasSuffix("count") }.map(\.name)
        let told = members.compactMap { member -> Bool? in
            let (name, node) = (member.name, member.node)
            let mayLeadOn: Bool? = isFull && node.kind != .array && !node.saysNothing ? false : nil
            switch name {
            case "next", "nextpage": return node.isNull || node.isPlainLink ? true : mayLeadOn
            case "nextcursor", "nextpagetoken", "nexttoken": return true
            case "cursor": return node.string?.isEmpty == false ? true : nil
            case "count", "found": return (node.statedCount?.value ?? 0) > count ? mayLeadOn : nil
            case "totalestimatedmatches": return node.pagingCount == nil ? nil : true
            case _ where PossibleSign.cursors.contains(name): return mayLeadOn
            case _ where counts.contains(name):
                guard let value = node.statedCount?.value else { return nil }
                if isCounted || isAlone && (count == 0 || value == count) { return true }
                return value > count ? mayLeadOn : nil
            case _ where ownCounts.contains(where: { name == $0 + "all" || name == $0 + "total" }):
                return (node.pagingCount ?? 0) > count ? false : nil
            default: break
            }
            switch (member.word, node.truth(named: name)) {
            case (.nextLink, _), (.more, .some): return true
            // A game or a job may be done, too.
            case (.end, false?) where name.hasPrefix("is") || name.mentions(["list", "page", "record", "result"]):
                return false
            case (.cutOff, true?): return false
            default: return nil
            }
        }
        return told.contains(true) ? true : told.first
    }
}

extension Node {
    /// True for an address, also in an object such as `{ "href": "/a?page=2" }`. A text such as `12/01/2026` is none.
    fileprivate var isPlainLink: Bool {
        guard let link = string ?? self["href"]?.string else { return false }
        return link.hasPrefix("/") || link.utf8.contains(UInt8(ascii: "?")) || link.contains("://")
    }
}
