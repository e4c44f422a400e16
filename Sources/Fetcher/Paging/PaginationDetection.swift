import Catalog
import JSON

/// What one page says of the pages after it, and of how many records there are: a pure function of its head and envelope.
struct PaginationDetection {
    /// A sign of another page.
    struct Sign {
        /// Where it stands, for people: a JSONPath or `Link`.
        let path: String
        let kind: Kind
        /// nil for a header.
        var node: Node?
        /// Garner 0.1 followed it.
        var isOld = false

        enum Kind {
            case headerLink(String)
            case link(String)
            /// A value that is sent as the parameter; nil: which one takes it, nothing tells.
            case cursor(BodyValue, parameter: String?)
            /// Each becomes a parameter.
            case parameters([(name: String, value: String)])
            /// Says that there is more, but not where.
            case announcement
        }
    }

    /// A number of records or pages.
    struct Count: Equatable {
        var value: Int
        /// Neither an estimate nor a lower bound.
        var isExact = true
        let path: String
    }

    struct Echo {
        let name: String
        let path: String
        let value: Int
        let node: Node?
    }

    /// The signs that are set, the ones to follow first.
    private(set) var signs: [Sign] = []
    /// The boolean that says that this is the last page.
    private(set) var end: String?
    /// A place of a sign that is null or empty.
    private(set) var emptySign: String?
    private(set) var total: Count?
    private(set) var totalPages: Count?
    /// The page's own number.
    private(set) var page: Echo?
    /// How many records are before the page's first one.
    private(set) var offset: Echo?
    /// How many records a page has at most.
    private(set) var size: Echo?
    /// What tells the total stands in the head, which may change while the body stays.
    private(set) var dependsOnHead = false

    /// Any place of a sign was there, set or not.
    var hasSign: Bool { !signs.isEmpty || end != nil || emptySign != nil }

    /// Throws where the `Link` field is broken.
    ///
    /// - Parameters:
    ///   - way: the values from the root to the records; empty where the whole body is the record.
    ///   - count: how many records the server has put on the page.
    ///   - fullest: how many the fullest page before had.
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

    /// What is named in the configuration is left to its paginator.
    mutating func leaveOut(_ nodes: [Node]) {
        signs.removeAll { sign in sign.node.map { node in nodes.contains { $0.isSame(as: node) } } ?? false }
    }

    mutating func ignoreTotals() { (total, totalPages, dependsOnHead) = (nil, nil, false) }

    /// The first sign that nothing on the page denies; nil where there is none. A boolean end wins over every sign.
    var openSign: Sign? { end == nil ? signs.first : nil }

    /// The page says that nothing follows it.
    var isEnd: Bool { end != nil || signs.isEmpty && emptySign != nil }
}

extension PaginationDetection.Sign {
    var isAnnouncement: Bool { if case .announcement = kind { true } else { false } }

    /// In the order of Garner 0.1, whose configurations go on as they were.
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
            // `links.next` is a URL however it is spelled.
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
            // An integer says where the page is; a text leads to the next one.
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
        // What has blanks is a title.
        guard !text.contains(where: \.isWhitespace) else { return }
        // Absolute, or with a path or a query.
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

    /// GraphQL's `pageInfo` has its cursor also on the last page.
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
    /// Where so many are told, there may be more than a server counts.
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
                    totalPages = Self.greater(totalPages, Count(value: value, path: member.path))
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
            total = Self.greater(total, found)
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

    private static func greater(_ one: Count?, _ other: Count) -> Count {
        guard let one else { return other }
        return other.value > one.value ? other : one
    }

    private mutating func readHead(_ head: ResponseHead, count: Int) {
        for name in ["X-Total", "X-Total-Count", "X-WP-Total"] {
            guard let value = head.headers[name].flatMap({ Int($0) }), value >= count else { continue }
            dependsOnHead = true
            total = Self.greater(total, Count(value: value, path: name))
        }
        for name in ["X-Total-Pages", "X-WP-TotalPages"] {
            guard let value = head.headers[name].flatMap({ Int($0) }), value >= 0 else { continue }
            dependsOnHead = true
            totalPages = Self.greater(totalPages, Count(value: value, path: name))
        }
        // RFC 9110, 14.4: Content-Range = range-unit SP ( range-resp / unsatisfied-range )
        guard let range = head.headers["Content-Range"], !range.lowercased().hasPrefix("bytes"),
            let value = range.split(separator: "/").last.flatMap({ Int($0) }), range.contains("/"), value >= count
        else { return }
        dependsOnHead = true
        total = Self.greater(total, Count(value: value, path: "Content-Range"))
    }
}
