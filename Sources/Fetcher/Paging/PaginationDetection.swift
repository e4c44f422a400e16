import GarnerCatalog
import GarnerJSON

/// The signs on one page of further pages, and of the number of records. They depend only on the head and the envelope.
struct PaginationDetection {
    /// A sign of another page.
    struct Sign {
        /// The JSONPath of the sign, or `Link`; for people.
        let path: String
        let kind: Kind
        /// The value of the sign; nil for a header.
        var node: Node?

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
        /// True for a lower bound that the server states as one: there are no fewer.
        var isLeast = false
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
    var total: Count?
    var totalPages: Count?
    /// The number of all that a search has found, under a name that is not that of a total.
    var found: PageStatement?
    /// The page's own number.
    var page: Echo?
    /// The number of records before the first one of the page.
    var offset: Echo?
    /// The greatest number of records on a page.
    var size: Echo?
    /// True if `size` may be the number of records that came, as QuickBooks writes it.
    var sizeMayBeCount = false
    /// The number by which a page without those tells only whether it is the one that was asked for.
    var own: Echo?
    /// The number that stands there, if it is that of the page before or of the next one; nil otherwise.
    var ownSaid: Int?
    /// The number of the first record on a page.
    var start: Echo?
    /// True if the number of the last record stands there, too, and there are as many as from one to the other.
    var startHasEnd = false
    /// True if its name is that of a number of records, and of nothing else.
    var startIsSure: Bool { start.map { !Self.positions.contains(Envelope.normalized($0.name)) } ?? false }
    /// The number of a page to which a link or a cursor has led.
    var ordinal: Echo?
    /// The number of records on a full page, in the head or in the page's own address, too.
    var stride: Echo?
    /// A value in the place of a link or a cursor that cannot be followed.
    var notUnderstood: PageStatement? { odd.map { PageStatement($0.path, $0.node) } }
    private var odd: Envelope.Member?
    /// The statement that there is more than can be asked for.
    var cutOff: PageStatement?
    /// The statement that a part of what was asked for is missing.
    var partMissing: PageStatement?
    /// The statement that other pages lie before this one.
    var pagesBefore: PageStatement?
    /// The last page, as its address on this one names it.
    var last: LastPage?
    /// A place that may lead to more records.
    var possible: PossibleSign?
    /// The place of a member beside the records, or of the one that has them, that stands twice with other values.
    private(set) var doubled: String?
    /// The objects that describe the page; nil if the whole body is the record.
    private(set) var envelope: Envelope?
    /// What the server tells people.
    var remark: ServerRemark?
    /// True if a cursor of "0" leads nowhere: the page was asked for by another one, has no records, or is said to be the only one.
    private let endsWithZero: Bool
    /// True if the head tells of the pages, by a total or in another way than by a link.
    var dependsOnHead: Bool { hasTotalInHead || hasWordInHead }
    /// True if a total stands in the head.
    var hasTotalInHead = false
    /// True if another field than `Link` tells of more, or of a part that is missing.
    var hasWordInHead = false

    /// True if the page has a place for a sign, with a value or without.
    var hasSign: Bool { !signs.isEmpty || end != nil || emptySign != nil }

    /// Throws if the `Link` field is broken.
    ///
    /// - Parameters:
    ///   - way: the values from the root to the records; empty if the whole body is the record.
    ///   - fullest: the greatest number of records on an earlier page.
    ///   - before: the number of records on all of them.
    ///   - isCounted: true if the numbers of pages are our own.
    init(
        head: ResponseHead, root: Node, way: [(path: String, node: Node)], count: Int, locator: PageLocator,
        fullest: Int = 0, before: Int = 0, endsWithZero: Bool = false, isCounted: Bool = false,
        ignoring ignored: [Selector] = []
    ) throws(FetchError.Kind) {
        self.endsWithZero = endsWithZero || count == 0
        if let target = try head.link("next") {
            signs.append(Sign(path: "Link", kind: .headerLink(target)))
        } else if head.leadsOnByLink(behind: locator) {
            signs.append(Sign(path: "Link", kind: .announcement))
        } else if head.hasEmptyLink("next") {
            emptySign = "Link"
        }
        last = head.lastPage(asked: locator)
        guard !way.isEmpty else { return }
        possible = PossibleSign(head, asked: locator)
        hasWordInHead = possible != nil
        let envelope = Envelope(root: root, way: way, ignoring: ignored)
        self.envelope = envelope
        doubled = envelope.doubled
        readEchoes(envelope)
        readOwnNumber(envelope, head, locator, isCounted: isCounted)
        readPlace(envelope, head, locator, isCounted: isCounted, count: count)
        for member in envelope.members { readSign(member, in: envelope, locator) }
        readNextOffset(in: envelope, locator, count: count)
        readBooleans(envelope)
        readDoubts(envelope, head, locator, count: count, isCounted: isCounted)
        for member in envelope.members where possible == nil {
            possible = PossibleSign(
                member, in: envelope, count: count, asked: locator, endsWithZero: self.endsWithZero)
        }
        possible = possible ?? PossibleSign(in: envelope)
        readTotals(envelope, count: count, locator: locator, fullest: fullest, before: before)
        if let field = readHead(head, count: count) {
            signs.append(Sign(path: field, kind: .announcement))
            (end, hasWordInHead) = (nil, true)
        }
        signs = signs.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element)
    }

    /// True if the page has a total or a sign of other pages, as lists have.
    var looksLikeList: Bool { hasSign || totalPages != nil || total != nil }

    /// Removes the signs at places that the configuration names. The paginator reads those itself.
    mutating func leaveOut(_ nodes: [Node]) {
        func isNamed(_ node: Node) -> Bool { nodes.contains { $0.isSame(as: node) } }
        signs.removeAll { $0.node.map(isNamed) ?? false }
        if let odd, isNamed(odd.node) { self.odd = nil }
        if possible?.node.map(isNamed) == true { possible = nil }
    }

    mutating func ignoreTotals() { (total, totalPages, found, hasTotalInHead) = (nil, nil, nil, false) }

    /// The first sign, unless a boolean says that this is the last page; nil if there is none.
    var openSign: Sign? { end == nil ? signs.first : nil }

    /// True if the page says that it is the last one.
    var isEnd: Bool { end != nil || signs.isEmpty && emptySign != nil && notUnderstood == nil }
}

extension PaginationDetection.Sign {
    var isAnnouncement: Bool { if case .announcement = kind { true } else { false } }

    /// The places whose links, or numbers of pages, Garner 0.1 followed.
    private static let oldLinks = [
        "$.links.next", "$._links.next", "$['@odata.nextLink']", "$.next", "$.meta.next", "$.paging.next",
        "$.next_page",
    ]
    private static let oldCursors = ["$.next_cursor", "$.nextCursor", "$.nextPageToken", "$.next_page_token"]

    /// True if Garner 0.1 followed such a sign.
    var isOld: Bool {
        switch kind {
        case .headerLink: true
        case .link: Self.oldLinks.contains { path == $0 || path == "\($0).href" }
        case .cursor(_, .some): Self.oldLinks.contains(path) || Self.oldCursors.contains(path)
        case .cursor, .parameters, .announcement: false
        }
    }

    /// The order in which signs are followed: that of Garner 0.1, so that old configurations read the same pages.
    fileprivate var rank: Int {
        switch kind {
        case .headerLink: 0
        case .link where isOld: 1 + (Self.oldLinks.firstIndex { path.hasPrefix($0) } ?? Self.oldLinks.count)
        case .cursor(_, .some) where isOld: 10
        case .link: 11
        case .cursor(_, .some), .parameters: 12
        case .cursor: 13
        case .announcement: 14
        }
    }
}

// MARK: - Signs of more

extension PaginationDetection {
    private mutating func readSign(_ member: Envelope.Member, in envelope: Envelope, _ locator: PageLocator) {
        let (name, node) = (member.name, member.node)
        let owner = envelope.names[member.object]
        switch name {
        case "next":
            // The value of `links.next` is a URL in any spelling.
            readNext(member, isAlwaysLink: owner == "links")
        case "nextpage": readNext(member, isAlwaysLink: false)
        case _ where member.word == .nextLink: readLink(member)
        case "nextcursor": readCursor(member, "cursor")
        case "nextpagetoken": readCursor(member, member.spelling.contains("_") ? "page_token" : "pageToken")
        case "nexttoken":
            let inMeta = owner == "meta" && member.spelling == "next_token"
            readCursor(
                member, inMeta ? "pagination_token" : member.spelling == "next_token" ? "next_token" : "nextToken")
        case "paginationtoken": readCursor(member, member.spelling)
        case "bookmark": readCursor(member, "bookmark")
        // CORE has null there on each page of a list that is not scrolled through.
        case "scrollid" where !node.saysNothing && !node.isNoCursor(behindOthers: endsWithZero):
            readCursor(member, nil)
        // Google gives the token for the next sync in the place of the next page's. A page with a number may be any.
        case "nextsynctoken"
        where member.spelling == "nextSyncToken" && node.string?.isEmpty == false && page == nil && offset == nil:
            noteEmpty(member)
        case "offset":
            // An integer is the offset of this page, and null an echo of a request without one. A text is the cursor of the next page.
            if node.pagingNumber == nil, !node.saysNothing, !node.isZoneOffset { readCursor(member, "offset") }
        case "after" where hasSibling("before", of: member, in: envelope):
            readCursor(member, "after")
        case "link", "links": readLinks(member, in: envelope, locator)
        case "last" where owner == "links": readLast(member, in: envelope, locator)
        case "last", "lasturl", "lastlink", "lastpageurl":
            // Under the first name, only a query shows that it is an address.
            if let text = node.string, text.contains("?"), !text.hasBlank { _ = note(last: text, member, locator) }
        case "continue" where node.kind == .object && !node.saysNothing:
            let values = node.members.map { (name: $0.key.text, value: $0.value.pagingText) }
            let texts = values.compactMap { name, value in value.map { (name: name, value: $0) } }
            if texts.count == values.count { add(member, .parameters(texts)) } else { noteOdd(member) }
        // Kubernetes has a token there.
        case "continue": readCursor(member, "continue")
        default: break
        }
    }

    private func hasSibling(_ name: String, of member: Envelope.Member, in envelope: Envelope) -> Bool {
        envelope.members.contains { $0.object == member.object && $0.name == name }
    }

    private mutating func readNext(_ member: Envelope.Member, isAlwaysLink: Bool) {
        let node = member.node
        switch node.kind {
        // No page follows another one as page 0.
        case _ where node.saysNothing || node.isNoCursor(behindOthers: endsWithZero || member.name == "nextpage"):
            noteEmpty(member)
        case .true: add(member, .announcement)
        case .string where node.isBlank: noteOdd(member)
        case .string: readText(node.text, member, isAlwaysLink: isAlwaysLink)
        case .integer: add(member, .cursor(BodyValue(node), parameter: "page"))
        case .object: readPager(member)
        // HAL writes a list where there may be several links of a relation.
        case .array where isAlwaysLink && node.onlyElement?.kind == .object:
            guard let link = node.onlyElement else { return noteOdd(member) }
            readPager(
                Envelope.Member(
                    path: member.path + "[0]", spelling: member.spelling, node: link, object: member.object))
        default: noteOdd(member)
        }
    }

    /// Reads an object in the place of the next page: one with an address or a cursor, or the parameters of the next request.
    private mutating func readPager(_ member: Envelope.Member) {
        let node = member.node
        let inner = Envelope(root: node, way: [(path: member.path, node: node), (path: "", node: node)]).members
        func first(_ names: Set<String>) -> Envelope.Member? {
            inner.first { names.contains($0.name) && $0.node.pagingText?.isEmpty == false }
        }
        let cursor = first(["after", "cursor"])
        if let link = first(["href", "url", "link"]), link.node.kind == .string, cursor?.name != "after" {
            add(link, .link(link.node.text))
        } else if let cursor {
            add(cursor, .cursor(BodyValue(cursor.node), parameter: cursor.spelling))
        } else if inner.contains(where: {
            ["href", "url", "link", "after", "cursor"].contains($0.name) && $0.node.saysNothing
        }) {
            noteEmpty(member)
        } else if let parameters = pagerParameters(of: node) {
            add(member, .parameters(parameters))
        } else {
            noteOdd(member)
        }
    }

    /// Returns the members of a pager, such as `{ "page": 2, "limit": 10 }`, as parameters; nil if they do not name a page.
    private func pagerParameters(of node: Node) -> [(name: String, value: String)]? {
        var parameters: [(name: String, value: String)] = []
        for (key, value) in node.members {
            guard let text = value.pagingText else { return nil }
            parameters.append((name: key.text, value: text))
        }
        let namesPage = parameters.contains {
            Int($0.value) != nil && (ParameterRole.isPage($0.name) || ParameterRole.isOffset($0.name))
        }
        return namesPage ? parameters : nil
    }

    private mutating func readText(_ text: String, _ member: Envelope.Member, isAlwaysLink: Bool) {
        if text.isEmpty { return noteEmpty(member) }
        if isAlwaysLink { return add(member, .link(text)) }
        // A text with blanks is a title.
        guard !text.hasBlank else { return }
        // The text is an absolute URL, or has a path or a query.
        if text.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) {
            return add(member, .link(text))
        }
        let isNumber = member.name == "nextpage" && Int(text) != nil
        add(member, .cursor(BodyValue(member.node), parameter: isNumber ? "page" : nil))
    }

    private mutating func readLink(_ member: Envelope.Member) {
        if member.node.saysNothing || member.node.isWordForNothing { return noteEmpty(member) }
        guard let text = member.node.string, !member.node.isBlank else { return noteOdd(member) }
        add(member, .link(text))
    }

    /// Reads a list of links that name their relation, such as `{ "rel": "next", "href": "..." }`, or FHIR's `relation` and `url`.
    private mutating func readLinks(_ member: Envelope.Member, in envelope: Envelope, _ locator: PageLocator) {
        guard member.node.kind == .array, !envelope.holdsRecords(member.node) else { return }
        var hasPages = false
        for link in member.node.elements {
            for name in ["rel", "relation"] {
                // Siren has a list of relations.
                let list = link[name]?.onlyElement
                guard let text = (list ?? link[name])?.string else { continue }
                let relation = text.lowercased()
                hasPages = hasPages || ["first", "last", "prev", "previous"].contains(relation)
                guard relation == "next" else { continue }
                let target = ["href", "url", "uri"].lazy.compactMap { key in link[key].map { (key: key, node: $0) } }
                    .first
                guard let target, let address = target.node.string else { return noteOdd(member) }
                let place = list == nil ? name : name + "[0]"
                let path = "\(member.path)[?@.\(place) == '\(text)'].\(target.key)"
                signs.append(Sign(path: path, kind: .link(address), node: target.node))
                return
            }
        }
        let last = member.node.elements.first { $0["rel"]?.string?.lowercased() == "last" }
        if let target = last?["href"]?.string, note(last: target, member, locator) { return }
        if hasPages { noteEmpty(member) }
    }

    /// Reads the address of the last page, which lies behind this one where nothing leads on: `links.last` and `_links.last.href`.
    private mutating func readLast(_ member: Envelope.Member, in envelope: Envelope, _ locator: PageLocator) {
        func target(_ node: Node) -> String? { node.string ?? node["href"]?.string }
        guard let last = target(member.node), !note(last: last, member, locator), locator.body == nil else { return }
        let first = envelope.members.first { $0.object == member.object && $0.name == "first" }
        if first.map({ target($0.node) == last }) == true { noteEmpty(member) }
    }

    /// Notes the address of the last page. Returns true if it tells whether another page follows.
    private mutating func note(last target: String, _ member: Envelope.Member, _ locator: PageLocator) -> Bool {
        last = last ?? LastPage(member.path, link: target, on: locator)
        if locator.isBefore(target) {
            add(member, .announcement)
            return true
        }
        // All pages that are asked for by POST have one address.
        guard locator.body == nil, locator.address.resolving(target) == locator.address else { return false }
        noteEmpty(member)
        return true
    }

    private mutating func readCursor(_ member: Envelope.Member, _ parameter: String?) {
        let node = member.node
        if node.saysNothing || node.isNoCursor(behindOthers: endsWithZero) { return noteEmpty(member) }
        guard let text = node.pagingText else { return noteOdd(member) }
        if text.hasPrefix("https://") || text.hasPrefix("http://") { return add(member, .link(text)) }
        add(member, .cursor(BodyValue(member.node), parameter: parameter))
    }

    /// Reads the offset of the next page, which stands beside that of this one: { "start": 0, "next_start": 100 }.
    private mutating func readNextOffset(in envelope: Envelope, _ locator: PageLocator, count: Int) {
        guard let offset, let own = envelope.members.first(where: { $0.path == offset.path }),
            let next = envelope.members.first(where: { $0.object == own.object && $0.name == "next\(own.name)" })
        else { return }
        if next.node.saysNothing || next.node.isNoCursor(behindOthers: false) { return noteEmpty(next) }
        // Datadog adds the records of the page, which are none on the last one.
        if count == 0, next.node.pagingNumber == offset.value { return noteEmpty(next) }
        guard let number = next.node.pagingNumber, number > offset.value else { return noteOdd(next) }
        let family = locator.name(where: ParameterRole.isSize)?.hasPrefix("page[") == true ? "page[offset]" : nil
        let name = locator.name(where: ParameterRole.isOffset) ?? family ?? offset.name
        add(next, .parameters([(name: name, value: "\(number)")]))
    }

    private mutating func add(_ member: Envelope.Member, _ kind: Sign.Kind) {
        signs.append(Sign(path: member.path, kind: kind, node: member.node))
    }

    private mutating func noteEmpty(_ member: Envelope.Member) { emptySign = emptySign ?? member.path }

    private mutating func noteOdd(_ member: Envelope.Member) {
        odd = odd ?? member
    }

    private mutating func readBooleans(_ envelope: Envelope) {
        var more: Envelope.Member?
        var last: Envelope.Member?
        for member in envelope.members {
            guard let isTrue = member.node.truth(named: member.name) else { continue }
            switch member.word {
            case .more: if isTrue { more = more ?? member } else { last = last ?? member }
            case .end: if isTrue { last = last ?? member } else { more = more ?? member }
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

    /// Adds the cursor of GraphQL's `pageInfo` only if there is more, since its last page has a cursor too.
    private mutating func readEndCursor(beside more: Envelope.Member, in envelope: Envelope) {
        let cursor = envelope.members.first { $0.object == more.object && $0.name == "endcursor" }
        guard let cursor, cursor.node.pagingText?.isEmpty == false else { return }
        add(cursor, .cursor(BodyValue(cursor.node), parameter: "after"))
    }
}
