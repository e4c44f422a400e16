import Catalog
import JSON

/// The signs on one page of further pages, and of the number of records. They depend only on the head and the envelope.
struct PaginationDetection {
    /// A sign of another page.
    struct Sign {
        /// The JSONPath of the sign, or `Link`; for people.
        let path: String
        let kind: Kind
        /// The value of the sign; nil for a header.
        var node: Node?
        /// True if Garner 0.1 followed such a sign.
        var isOld = false

        enum Kind {
            case headerLink(String)
            case link(String)
            /// The value of a parameter of the next request; the parameter is nil if nothing tells its name.
            case cursor(BodyValue, parameter: String?)
            /// Several parameters of the next request.
            case parameters([(name: String, value: String)])
            /// A statement that there is more, without the place.
            case announcement
        }
    }

    /// A number of records or pages.
    struct Count: Equatable {
        var value: Int
        /// False for an estimate and for a lower bound.
        var isExact = true
        let path: String
    }

    struct Echo {
        let name: String
        let path: String
        let value: Int
        let node: Node?
    }

    /// The signs that have a value. The first one is followed.
    private(set) var signs: [Sign] = []
    /// The place of the boolean that says that this is the last page.
    private(set) var end: String?
    /// The place of a sign whose value is null or empty.
    private(set) var emptySign: String?
    private(set) var total: Count?
    private(set) var totalPages: Count?
    /// The page's own number.
    private(set) var page: Echo?
    /// The number of records before the first one of the page.
    private(set) var offset: Echo?
    /// The greatest number of records on a page.
    private(set) var size: Echo?
    /// True if a total stands in the head.
    private(set) var dependsOnHead = false

    /// True if the page has a place for a sign, with a value or without.
    var hasSign: Bool { !signs.isEmpty || end != nil || emptySign != nil }

    /// Throws if the `Link` field is broken.
    ///
    /// - Parameters:
    ///   - way: the values from the root to the records; empty if the whole body is the record.
    ///   - count: the number of records that the server put on the page.
    ///   - fullest: the greatest number of records on an earlier page.
    init(
        head: ResponseHead, root: Node, way: [(path: String, node: Node)], count: Int, locator: PageLocator,
        fullest: Int = 0
    ) throws(FetchError.Kind) {
        if let target = try head.link("next") {
            signs.append(Sign(path: "Link", kind: .headerLink(target), isOld: true))
        }
        guard !way.isEmpty else { return }
        let envelope = Envelope(root: root, way: way)
        readEchoes(envelope, locator)
        for member in envelope.members { readSign(member, in: envelope) }
        readBooleans(envelope)
        readTotals(envelope, count: count, locator: locator, fullest: fullest)
        readHead(head, count: count)
        signs = signs.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element)
    }

    /// Removes the signs at places that the configuration names. The paginator reads those itself.
    mutating func leaveOut(_ nodes: [Node]) {
        signs.removeAll { sign in sign.node.map { node in nodes.contains { $0.isSame(as: node) } } ?? false }
    }

    mutating func ignoreTotals() { (total, totalPages, dependsOnHead) = (nil, nil, false) }

    /// The first sign, unless a boolean says that this is the last page; nil if there is none.
    var openSign: Sign? { end == nil ? signs.first : nil }

    /// True if the page says that it is the last one.
    var isEnd: Bool { end != nil || signs.isEmpty && emptySign != nil }
}

extension PaginationDetection.Sign {
    var isAnnouncement: Bool { if case .announcement = kind { true } else { false } }

    /// The order in which signs are followed. It keeps the order of Garner 0.1, so that old configurations read the
    /// same pages.
    fileprivate var rank: Int {
        let links = [
            "$.links.next", "$._links.next", "$['@odata.nextLink']", "$.next", "$.meta.next", "$.paging.next",
            "$.next_page",
        ]
        switch kind {
        case .headerLink: return 0
        case .link where isOld: return 1 + (links.firstIndex { path.hasPrefix($0) } ?? links.count)
        case .cursor(_, .some) where isOld: return 10
        case .link: return 11
        case .cursor(_, .some), .parameters: return 12
        case .cursor: return 13
        case .announcement: return 14
        }
    }
}

// MARK: - Signs of more

extension PaginationDetection {
    private static let links: Set = [
        "nexturl", "nextlink", "@odata.nextlink", "odata.nextlink", "nextrecordsurl", "nextpageurl",
    ]

    private mutating func readSign(_ member: Envelope.Member, in envelope: Envelope) {
        let (name, node) = (member.name, member.node)
        let owner = envelope.names[member.object]
        let isRoot = owner.isEmpty
        switch name {
        case "next":
            // The value of `links.next` is a URL in any spelling.
            readNext(member, isAlwaysLink: owner == "links", isOld: isOldNext(member, owner))
        case "nextpage": readNext(member, isAlwaysLink: false, isOld: isRoot && member.spelling == "next_page")
        case _ where Self.links.contains(name):
            readLink(node.string, member, isOld: isRoot && member.spelling == "@odata.nextLink")
        case "nextcursor":
            readCursor(member, "cursor", isOld: isRoot && ["next_cursor", "nextCursor"].contains(member.spelling))
        case "nextpagetoken":
            let parameter = member.spelling.contains("_") ? "page_token" : "pageToken"
            let isOld = isRoot && ["nextPageToken", "next_page_token"].contains(member.spelling)
            readCursor(member, parameter, isOld: isOld)
        case "nexttoken":
            let inMeta = owner == "meta" && member.spelling == "next_token"
            readCursor(
                member, inMeta ? "pagination_token" : member.spelling == "next_token" ? "next_token" : "nextToken")
        case "paginationtoken": readCursor(member, member.spelling)
        case "bookmark": readCursor(member, "bookmark")
        case "scrollid": readCursor(member, nil)
        case "offset":
            // An integer is the offset of this page. A text is the cursor of the next page.
            if let text = node.string, Int(text) == nil { readCursor(member, "offset", ifEmpty: text.isEmpty) }
        case "after" where hasSibling("before", of: member, in: envelope):
            readCursor(member, "after")
        case "continue" where node.kind == .object:
            let values = node.members.compactMap { key, value in
                value.pagingText.map { (name: key.text, value: $0) }
            }
            if values.isEmpty { noteEmpty(member) } else { add(member, .parameters(values)) }
        default: break
        }
    }

    private func isOldNext(_ member: Envelope.Member, _ owner: String) -> Bool {
        guard member.spelling == "next" else { return false }
        return ["$.next", "$.links.next", "$._links.next", "$.meta.next", "$.paging.next"].contains(member.path)
    }

    private func hasSibling(_ name: String, of member: Envelope.Member, in envelope: Envelope) -> Bool {
        envelope.members.contains { $0.object == member.object && $0.name == name }
    }

    private mutating func readNext(_ member: Envelope.Member, isAlwaysLink: Bool, isOld: Bool) {
        let node = member.node
        switch node.kind {
        case .null, .false: noteEmpty(member)
        case .true: add(member, .announcement)
        case .string: readText(node.text, member, isAlwaysLink: isAlwaysLink, isOld: isOld)
        case .integer:
            add(member, .cursor(BodyValue(node), parameter: member.name == "nextpage" ? "page" : nil), isOld: isOld)
        case .object:
            let inner = Envelope(root: node, way: [(path: member.path, node: node), (path: "", node: node)]).members
            if let link = inner.first(where: {
                ["href", "url", "link"].contains($0.name) && $0.node.string?.isEmpty == false
            }),
                inner.first(where: { $0.name == "after" && $0.node.pagingText != nil }) == nil
            {
                add(link, .link(link.node.text), isOld: isOld && link.spelling == "href")
            } else if let after = inner.first(where: {
                ["after", "cursor"].contains($0.name) && $0.node.pagingText?.isEmpty == false
            }) {
                add(after, .cursor(BodyValue(after.node), parameter: after.spelling))
            } else {
                noteEmpty(member)
            }
        case .real, .number, .array: break
        }
    }

    private mutating func readText(_ text: String, _ member: Envelope.Member, isAlwaysLink: Bool, isOld: Bool) {
        if text.isEmpty { return noteEmpty(member) }
        if isAlwaysLink { return add(member, .link(text), isOld: isOld) }
        // A text with blanks is a title.
        guard !text.contains(where: \.isWhitespace) else { return }
        // The text is an absolute URL, or has a path or a query.
        if text.contains(where: { $0 == "/" || $0 == "?" }) { return add(member, .link(text), isOld: isOld) }
        let isNumber = member.name == "nextpage" && Int(text) != nil
        add(member, .cursor(BodyValue(member.node), parameter: isNumber ? "page" : nil), isOld: isOld && isNumber)
    }

    private mutating func readLink(_ text: String?, _ member: Envelope.Member, isOld: Bool) {
        guard let text, !text.isEmpty else {
            if member.node.kind != .object { noteEmpty(member) }
            return
        }
        add(member, .link(text), isOld: isOld)
    }

    private mutating func readCursor(
        _ member: Envelope.Member, _ parameter: String?, isOld: Bool = false, ifEmpty isEmpty: Bool = false
    ) {
        guard let text = member.node.pagingText else {
            if [.null, .false].contains(member.node.kind) { noteEmpty(member) }
            return
        }
        guard !text.isEmpty, !isEmpty else { return noteEmpty(member) }
        if text.hasPrefix("https://") || text.hasPrefix("http://") { return add(member, .link(text)) }
        add(member, .cursor(BodyValue(member.node), parameter: parameter), isOld: isOld)
    }

    private mutating func add(_ member: Envelope.Member, _ kind: Sign.Kind, isOld: Bool = false) {
        signs.append(Sign(path: member.path, kind: kind, node: member.node, isOld: isOld))
    }

    private mutating func noteEmpty(_ member: Envelope.Member) { emptySign = emptySign ?? member.path }

    private mutating func readBooleans(_ envelope: Envelope) {
        var more: Envelope.Member?
        var last: Envelope.Member?
        for member in envelope.members {
            guard let isTrue = Self.truth(of: member) else { continue }
            switch member.name {
            case "hasmore", "hasnext", "hasnextpage", "more":
                if isTrue { more = more ?? member } else { last = last ?? member }
            case "done", "islast", "islastpage", "last":
                if isTrue { last = last ?? member } else { more = more ?? member }
            default: continue
            }
        }
        if let more {
            readEndCursor(beside: more, in: envelope)
            add(more, .announcement)
        } else if let last {
            end = last.path
        }
    }

    /// Some servers write a boolean as a text, or as 0 and 1 where the name asks a question.
    private static func truth(of member: Envelope.Member) -> Bool? {
        let isQuestion = member.name.hasPrefix("has") || member.name.hasPrefix("is")
        switch member.node.kind {
        case .true: return true
        case .false: return false
        case .string: return ["true": true, "false": false][member.node.text.lowercased()]
        case .integer where isQuestion: return [1: true, 0: false][member.node.integer]
        default: return nil
        }
    }

    /// Adds the cursor of GraphQL's `pageInfo` only if there is more, since its last page has a cursor too.
    private mutating func readEndCursor(beside more: Envelope.Member, in envelope: Envelope) {
        let cursor = envelope.members.first { $0.object == more.object && $0.name == "endcursor" }
        guard let cursor, cursor.node.pagingText?.isEmpty == false else { return }
        add(cursor, .cursor(BodyValue(cursor.node), parameter: "after"))
    }
}

// MARK: - Numbers

extension PaginationDetection {
    private static let totals: Set = [
        "total", "totalcount", "totalsize", "totalresults", "totalitems", "recordstotal", "numfound", "totalelements",
        "totalrecords", "totalentries", "nbhits", "@odata.count", "odata.count",
    ]
    private static let pageTotals: Set = ["totalpages", "lastpage", "nbpages", "numpages"]
    private static let sizes: Set = [
        "perpage", "pagesize", "pagelen", "itemsperpage", "hitsperpage", "resultsperpage", "maxresults",
    ]
    private static let offsets: Set = ["offset", "startat", "start", "skip"]
    private static let pages: Set = ["page", "currentpage", "pagenumber", "pageno", "current"]
    /// The totals at which servers stop to count: such a total is a lower bound.
    private static let bounds: Set = [1_000, 10_000, 1_000_000]

    private mutating func readEchoes(_ envelope: Envelope, _ locator: PageLocator) {
        func first(_ isMeant: (Envelope.Member) -> Bool) -> Echo? {
            for member in envelope.members where isMeant(member) {
                guard let value = member.node.pagingNumber, value >= 0 else { continue }
                return Echo(name: member.spelling, path: member.path, value: value, node: member.node)
            }
            return nil
        }
        func isBeside(_ member: Envelope.Member, _ names: Set<String>) -> Bool {
            envelope.members.contains { $0.object == member.object && names.contains($0.name) }
        }
        offset = first { Self.offsets.contains($0.name) }
        page = first {
            Self.pages.contains($0.name) || $0.name == "number" && isBeside($0, ["totalpages", "totalelements"])
        }
        size = first {
            Self.sizes.contains($0.name) || $0.name == "limit"
                || $0.name == "size" && isBeside($0, ["totalpages", "totalelements", "number"])
        }
    }

    private mutating func readTotals(_ envelope: Envelope, count: Int, locator: PageLocator, fullest: Int) {
        let isIncomplete = envelope.members.contains { $0.name == "incompleteresults" && $0.node.kind == .true }
        let isFiltered = envelope.members.contains { $0.name == "recordsfiltered" && $0.node.pagingNumber != nil }
        for member in envelope.members {
            let names = envelope.members.lazy.filter { $0.object == member.object }.map(\.name)
            if Self.pageTotals.contains(member.name)
                || ["pages", "pagecount"].contains(member.name) && names.contains(where: Self.pages.contains)
            {
                if let value = member.node.pagingNumber, value >= 0 {
                    totalPages = .greater(totalPages, Count(value: value, path: member.path))
                }
                continue
            }
            guard var found = Self.total(of: member, beside: names, isFiltered) else { continue }
            if ["count", "resultcount"].contains(member.name) {
                guard found.value > count, found.value != fullest, found.value != size?.value,
                    found.value != locator.limit
                else { continue }
            }
            guard found.value >= count else { continue }
            found.isExact = found.isExact && !isIncomplete && !Self.bounds.contains(found.value)
            total = .greater(total, found)
        }
    }

    private static func total(
        of member: Envelope.Member, beside names: some Sequence<String>, _ isFiltered: Bool
    ) -> Count? {
        let name = member.name
        let isEstimate = name.hasPrefix("estimated")
        let isTotal =
            totals.contains(name) && !(isFiltered && name == "recordstotal") || name == "recordsfiltered"
            || ["count", "resultcount"].contains(name) || name == "size" && names.contains("pagelen")
            || isEstimate && totals.contains(String(name.dropFirst("estimated".count)))
        guard isTotal else { return nil }
        if let value = member.node.pagingNumber { return Count(value: value, isExact: !isEstimate, path: member.path) }
        // Elasticsearch: { "value": 10000, "relation": "gte" }
        guard name == "total", let value = member.node["value"]?.pagingNumber else { return nil }
        let relation = member.node["relation"]?.string
        return Count(value: value, isExact: relation == nil || relation == "eq", path: "\(member.path).value")
    }

    private mutating func readHead(_ head: ResponseHead, count: Int) {
        let stated = HeadTotals(head, count: count)
        dependsOnHead = stated.total != nil || stated.totalPages != nil
        if let found = stated.total { total = .greater(total, found) }
        if let found = stated.totalPages { totalPages = .greater(totalPages, found) }
    }
}

extension PaginationDetection.Count {
    /// Returns the greater one; the first if they are equal.
    static func greater(_ one: Self?, _ other: Self) -> Self {
        guard let one else { return other }
        return other.value > one.value ? other : one
    }
}
