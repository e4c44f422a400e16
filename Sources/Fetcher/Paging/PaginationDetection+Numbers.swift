import GarnerCatalog
import GarnerJSON

// The numbers by which a page counts records and pages, its own included.
extension PaginationDetection {
    static let totals: Set = [
        "total", "totalcount", "totalsize", "totalresults", "totalitems", "recordstotal", "numfound", "totalelements",
        "totalrecords", "totalentries", "nbhits", "nhits", "@odata.count", "odata.count", "numbermatched",
        "opensearch:totalresults", "totalmatched", "totalresultscount", "totalrows",
    ]
    static let pageTotals: Set = [
        "totalpages", "lastpage", "maxpage", "nbpages", "numberofpages", "numpages", "totaldepaginas", "totalpage",
    ]
    private static let sizes: Set = [
        "perpage", "pagesize", "pagelen", "itemsperpage", "hitsperpage", "resultsperpage", "maxresults",
    ]
    private static let offsets: Set = ["offset", "startat", "start", "skip"]
    private static let pages: Set = ["page", "currentpage", "pagenumber", "pageno", "current"]
    /// Names of the number of the first record on a page, or of those before it. Where Garner does not count pages, what it counts has to
    /// be shown first.
    private static let starts = offsets.union([
        "firstindex", "firstresult", "opensearch:startindex", "position", "startindex", "startposition",
    ])
    /// Names among them by which logs name a record as well.
    static let positions: Set = ["from", "position", "start", "startposition"]
    /// The words with which the names of the first and of the last record begin: `from` and `to`, `startIndex` and `endIndex`.
    private static let ends = [("from", "to"), ("start", "end"), ("first", "last"), ("begin", "end")]
    private static let sizesInHead = ["X-Per-Page", "Per-Page", "X-Page-Size", "X-Pagination-Per-Page"]
    /// The names of texts such as `1-10 of 43`.
    private static let ranges: Set = ["contentrange", "pageinfo", "pagination", "paging", "range", "showing"]
    /// The totals at which servers stop to count: such a total is a lower bound.
    private static let bounds: Set = [1_000, 10_000, 1_000_000]

    /// Returns true for the name of the number, the offset or the size of a page.
    static func isEcho(_ name: String) -> Bool {
        sizes.contains(name) || name == "limit" || offsets.contains(name) || pages.contains(name)
            || ["itemsperpage", "startindex"].contains(where: name.hasSuffix)
    }

    mutating func readEchoes(_ envelope: Envelope) {
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
            Self.pages.contains($0.name)
                || $0.name == "number" && isBeside($0, ["totalpages", "totalelements", "numberofelements"])
        }
        size = first {
            Self.sizes.contains($0.name) || $0.name == "limit"
                || $0.name == "size" && isBeside($0, ["totalpages", "totalelements", "number"])
        }
        sizeMayBeCount =
            size?.path == "$.QueryResponse.maxResults"
            && envelope.members.contains { $0.path == "$.QueryResponse.startPosition" }
    }

    /// Reads the number of a page in its own address, such as `links.self`, or one that follows nothing: OpenSearch's and SCIM's
    /// `startIndex`, and Spring's `number` beside a size alone. A page that is asked for by counting lies between the next and the one before.
    mutating func readOwnNumber(_ envelope: Envelope, _ head: ResponseHead, _ locator: PageLocator, isCounted: Bool) {
        let isByPage = locator.page != nil
        guard isByPage ? page == nil : offset == nil else { return }
        for member in envelope.members where own == nil {
            let names = envelope.members.lazy.filter { $0.object == member.object }.map(\.name)
            let value: Int? =
                switch member.name {
                case "number" where isByPage && (isCounted || names.contains("size")): member.node.pagingCount
                case "startindex", "opensearch:startindex": isByPage ? nil : member.node.pagingCount
                default: nil
                }
            if let value { own = Echo(name: member.spelling, path: member.path, value: value, node: member.node) }
        }
        if isByPage || locator.offset != nil {
            own = own ?? Self.numberOfOwnAddress(envelope, head, locator) { isByPage ? $0.page : $0.offset }
        }
        guard isByPage, isCounted else { return }
        for member in envelope.members where own == nil {
            guard member.word == .previous || ["next", "nextpage"].contains(member.name),
                let value = Self.page(member.node, locator), (1..<Int(Int32.max)).contains(value)
            else { continue }
            let step = member.word == .previous ? 1 : -1
            own = Echo(name: member.spelling, path: member.path, value: value + step, node: member.node)
            ownSaid = value
        }
    }

    /// Returns the number of a page that a link or a cursor leads to, under names by which counted pages begin with 0 or with 1.
    private static func indexOfPage(_ envelope: Envelope, _ head: ResponseHead) -> Echo? {
        for member in envelope.members where ["pageindex", "pagenum"].contains(member.name) {
            guard let value = member.node.pagingCount else { continue }
            return Echo(name: member.spelling, path: member.path, value: value, node: member.node)
        }
        for name in ["X-Page", "X-Pagination-Current-Page"] {
            if let value = head.headers[name].flatMap({ Int($0) }) {
                return Echo(name: name, path: name, value: value, node: nil)
            }
        }
        return nil
    }

    /// Reads where a page stands: the number of its first record or of those before it, and its own where links or cursors lead to it. There,
    /// what a request names counts more, and has no place.
    ///
    /// - Parameter count: The number of records on the page.
    mutating func readPlace(
        _ envelope: Envelope, _ head: ResponseHead, _ locator: PageLocator, isCounted: Bool, count: Int
    ) {
        stride = sizeMayBeCount ? nil : size
        for name in Self.sizesInHead where stride == nil {
            guard let value = head.headers[name].flatMap({ Int($0) }) else { continue }
            stride = Echo(name: name, path: name, value: value, node: nil)
        }
        for (place, address) in envelope.ownAddresses(head, at: locator.address) where stride == nil {
            guard let value = PageLocator(address: address, body: nil).limit else { continue }
            stride = Echo(name: place, path: place, value: value, node: nil)
        }
        if !isCounted {
            ordinal =
                locator.page.map { Echo(name: "", path: "", value: $0, node: nil) } ?? page
                ?? Self.indexOfPage(envelope, head)
                ?? Self.numberOfOwnAddress(envelope, head, locator, \.page)
                ?? Self.numberBehindPrevious(envelope, locator)
        }
        start = startWithEnd(envelope, head, count: count)
        startHasEnd = start != nil
        guard start == nil else { return }
        if !isCounted, let value = locator.offset, let name = locator.name(where: ParameterRole.isOffset) {
            start = Echo(name: name, path: "", value: value, node: nil)
        }
        start = start ?? offset
        for member in envelope.members where start == nil {
            let isFrom = member.name == "from" && Self.end(of: member, in: envelope.members) != nil
            guard isFrom || Self.starts.contains(member.name), let value = member.node.pagingCount else { continue }
            start = Echo(name: member.spelling, path: member.path, value: value, node: member.node)
        }
        // A record of a log has the number itself, and others may be missing there.
        if let found = start, envelope.firstRecord?[found.name]?.pagingNumber == found.value { start = nil }
    }

    /// Returns the number of the first record where that of the last one stands beside it, and as many are on the page.
    private func startWithEnd(_ envelope: Envelope, _ head: ResponseHead, count: Int) -> Echo? {
        guard count > 0 else { return nil }
        // `range` may be an object, which is no wrapper.
        let objects = envelope.members.filter {
            Self.ranges.contains($0.name) && $0.node.kind == .object && !Wrapper($0.name).contains(.page)
        }
        let inner = objects.map {
            Envelope(root: $0.node, way: [(path: $0.path, node: $0.node), (path: "", node: $0.node)]).members
        }
        for members in [envelope.members] + inner {
            for member in members where !envelope.isIgnored(member.node) {
                let text = Self.ranges.contains(member.name) ? member.node.string : nil
                var first = text.flatMap { Self.range($0, of: count)?.first }
                if let number = member.node.pagingCount,
                    let last = Self.end(of: member, in: members)?.node.pagingCount,
                    // The end may be the number behind the last one.
                    (0...1).contains(number &+ count &- last)
                {
                    first = number
                }
                guard let first else { continue }
                return Echo(name: member.spelling, path: member.path, value: first, node: member.node)
            }
        }
        let range = head.headers["Content-Range"].flatMap { Self.range($0, of: count)?.first }
        return range.map { Echo(name: "Content-Range", path: "Content-Range", value: $0, node: nil) }
    }

    /// Returns the member with the number of the last record beside one with that of the first; nil if there is none.
    private static func end(of member: Envelope.Member, in members: [Envelope.Member]) -> Envelope.Member? {
        guard member.word == nil, let (start, end) = ends.first(where: { member.name.hasPrefix($0.0) }) else {
            return nil
        }
        let name = "\(end)\(member.name.dropFirst(start.count))"
        return members.first { $0.object == member.object && $0.name == name }
    }

    /// Returns the first number of a kind in the addresses by which an answer names itself; nil if they have none.
    private static func numberOfOwnAddress(
        _ envelope: Envelope, _ head: ResponseHead, _ locator: PageLocator, _ number: (PageLocator) -> Int?
    ) -> Echo? {
        for (place, address) in envelope.ownAddresses(head, at: locator.address) {
            guard let value = number(PageLocator(address: address, body: nil)) else { continue }
            return Echo(name: place, path: place, value: value, node: nil)
        }
        return nil
    }

    /// Returns the number behind that in the address of the page before; nil without such an address.
    private static func numberBehindPrevious(_ envelope: Envelope, _ locator: PageLocator) -> Echo? {
        for member in envelope.members where member.word == .previous && member.node.pagingNumber == nil {
            guard let value = Self.page(member.node, locator), (0..<Int(Int32.max)).contains(value) else { continue }
            return Echo(name: member.spelling, path: member.path, value: value + 1, node: member.node)
        }
        return nil
    }

    /// Returns the number of the page that a value leads to; nil if it names none.
    private static func page(_ node: Node, _ locator: PageLocator) -> Int? {
        if let number = node.pagingNumber { return number }
        guard !node.saysNothing, !node.isBlank else { return nil }
        let link = node.string ?? node["href"]?.string
        return link.flatMap(locator.address.resolving).flatMap { PageLocator(address: $0, body: nil).page }
    }

    /// The number of the first record, or of those before it, under the name that the parameter has, too, in SCIM and NVD; nil without one.
    var startIndex: Echo? { own.flatMap { Envelope.normalized($0.name) == "startindex" ? $0 : nil } }

    /// - Parameter before: The number of records on the pages before.
    mutating func readTotals(
        _ envelope: Envelope, count: Int, locator: PageLocator, fullest: Int, before: Int
    ) {
        let isIncomplete =
            envelope.members.contains { $0.name == "incompleteresults" && $0.node.kind == .true }
            || envelope.members.contains(where: Self.saysInexact)
        let unfiltered = envelope.members.lazy.compactMap { Self.unfiltered(beside: $0, in: envelope, count) }.first
        self.found = PossibleSign.found(in: envelope, asked: locator, behind: before)
        for member in envelope.members {
            let names = envelope.members.lazy.filter { $0.object == member.object }.map(\.name)
            if Self.pageTotals.contains(member.name)
                || ["pages", "pagecount"].contains(member.name)
                    && names.contains(where: { Self.pages.contains($0) || Self.totals.contains($0) })
                || isNumberOfLast(member, in: envelope, fullest: max(count, fullest), locator)
                || Self.isPageOfPages(member)
            {
                if let value = member.node.statedCount?.value, value >= 0 {
                    totalPages = .greater(totalPages, Count(value: value, path: member.path))
                }
                continue
            }
            guard
                var found = Self.total(of: member, beside: names, unfiltered)
                    ?? Self.total(ofRange: member, count: count)
            else { continue }
            // CKAN's search counts all that it has found.
            if ["count", "resultcount"].contains(member.name), !names.contains("searchfacets") {
                guard found.value > count, found.value != fullest, found.value != size?.value,
                    found.value != locator.limit, !Self.isSizeOfPages(member, in: envelope)
                else { continue }
            }
            guard found.value >= count else { continue }
            found.isExact = found.isExact && !isIncomplete && !Self.bounds.contains(found.value)
            found.isLeast = found.isLeast && !isIncomplete
            total = .greater(total, found)
        }
    }

    /// Returns true for the size of a page in Slack's `{ "count": 10, "total": 11, "page": 1, "pages": 2 }`: the total has so many pages of it.
    private static func isSizeOfPages(_ member: Envelope.Member, in envelope: Envelope) -> Bool {
        func number(_ name: String) -> Int? {
            envelope.members.first { $0.object == member.object && $0.name == name }?.node.pagingNumber
        }
        guard let size = member.node.pagingNumber, size > 0, let total = number("total"), let pages = number("pages"),
            total >= 0, pages >= 0
        else { return false }
        let (full, rest) = total.quotientAndRemainder(dividingBy: size)
        return max(1, pages) == max(1, rest > 0 ? full + 1 : full)
    }

    /// Returns true for a page `"3 of 5"`.
    private static func isPageOfPages(_ member: Envelope.Member) -> Bool {
        guard member.name.mentions(["page"]), let text = member.node.string, text.utf8.count <= longestRange else {
            return false
        }
        return text.wholeMatch(of: /(?:[Pp]age )?[0-9]+(?: of |\/)[0-9]+/) != nil
    }

    /// Returns true for the number of the last page beside that of this one: `{ "page": 1, "last": 5 }`, `{ "page": 3, "of": 5 }`. It may be
    /// that of a record beside `first` or `start`, and where the total has another number of pages, unless it lies before the records of
    /// the page. The number behind `of` may be that of all records, unless so many have come. Until then, it is noted for the end of the read.
    private mutating func isNumberOfLast(
        _ member: Envelope.Member, in envelope: Envelope, fullest: Int, _ locator: PageLocator
    ) -> Bool {
        let isOf = member.name == "of"
        guard isOf || member.name == "last" && Wrapper(envelope.names[member.object]).contains(.counts),
            let last = member.node.pagingNumber
        else { return false }
        let beside = envelope.members.filter { $0.object == member.object && $0.node.pagingNumber != nil }
        let isNumber = { (name: String) in Self.pages.contains(name) || isOf && ["batch", "part"].contains(name) }
        guard let page = beside.first(where: { isNumber($0.name) })?.node.pagingNumber, page < last,
            !beside.contains(where: { (isOf ? ["from", "to"] : ["first", "start"]).contains($0.name) })
        else { return false }
        let (before, overflow) = (page &- 1).multipliedReportingOverflow(by: fullest)
        let isOfNoRecord = !overflow && last <= before
        if isOf {
            let isOfPages = isOfNoRecord || last < fullest
            if !isOfPages { self.last = self.last ?? LastPage(member.path, pagesOrRecords: last) }
            return isOfPages
        }
        // A total that is no greater than a page may count that.
        let totals = envelope.members.filter { Self.totals.contains($0.name) || $0.name == "count" }
            .compactMap { $0.node.pagingNumber.flatMap { $0 > fullest ? $0 : nil } }
        let sizes = [size?.value, locator.limit, fullest].compactMap(\.self).filter { $0 > 0 }
        func isLastPage(of total: Int) -> Bool {
            sizes.contains { (0...1).contains((total - 1) / $0 &+ 1 &- last) }
        }
        return totals.isEmpty || isOfNoRecord || totals.contains(where: isLastPage)
    }

    /// Returns the total of a text such as `1-10/43` or `items 1 - 10 of 43` that counts the records of the page, or such as `Showing 30 of 43`.
    /// Returns nil for any other text.
    private static func total(ofRange member: Envelope.Member, count: Int) -> Count? {
        guard let text = member.node.string, text.utf8.count <= longestRange else { return nil }
        if text.hasPrefix("Showing "), let said = StatedCount(text), said.isLeast {
            return Count(value: said.value, isExact: false, isLeast: true, path: member.path)
        }
        guard ranges.contains(member.name) || text.mentions([" of "]), let said = Self.range(text, of: count),
            let total = said.total, said.first &+ count &- 1 <= total
        else { return nil }
        return Count(value: total, path: member.path)
    }

    private static let longestRange = 64

    /// Returns the number of the first record, and the total, of a text such as `1-10`, `1-10/43` or `items 1 - 10 of 43` that counts the
    /// records of the page; nil for any other.
    private static func range(_ text: String, of count: Int) -> (first: Int, total: Int?)? {
        guard
            let parts = text.wholeMatch(
                of: /(?:([A-Za-z]+) )?([0-9]+) ?[-–] ?([0-9]+)(?:(?:\/| of )([0-9]+|\*))?/),
            parts.1?.lowercased() != "bytes", let first = Int(parts.2), let last = Int(parts.3),
            last &- first &+ 1 == count
        else { return nil }
        return (first, parts.4.flatMap { Int($0) })
    }

    /// Returns the place that says that as many records lie before the page as one has; nil if it says something else. The page is the
    /// first one that is asked for by counting, so that a number of another kind is no place of it.
    func startBehindAPage(_ locator: PageLocator, count: Int) -> PageStatement? {
        // Under a name that the request has, it is an echo.
        guard let start, start.value > 1, startHasEnd || start.name.lowercased() != "from",
            !locator.numbers.contains(where: { Envelope.normalized($0.name) == Envelope.normalized(start.name) })
        else { return nil }
        let stated = [size?.value, locator.limit].compactMap(\.self)
        let isBehindAPage = [start.value, start.value &- 1].contains {
            $0 == count || stated.contains($0) || stated.isEmpty && $0 > count && $0.isUsualPageSize
        }
        return isBehindAPage ? PageStatement(path: start.path, value: "\(start.value)") : nil
    }

    /// Returns the name of the total of all records where a member counts those that the request selects, as those of DataTables and
    /// Directus do; nil for any other member. In Directus's `meta`, both stand side by side.
    private static func unfiltered(beside member: Envelope.Member, in envelope: Envelope, _ count: Int) -> String? {
        guard let value = member.node.pagingNumber else { return nil }
        if member.name == "recordsfiltered" { return "recordstotal" }
        guard member.spelling == "filter_count", envelope.names[member.object] == "meta", value >= count else {
            return nil
        }
        let total = envelope.members.first { $0.object == member.object && $0.spelling == "total_count" }
        return total?.node.pagingNumber.flatMap { $0 >= value ? "totalcount" : nil }
    }

    /// Returns true for a member that says that a count beside it is no exact one, such as `numFoundExact: false`, `exhaustive: {…}`
    /// with a false member, `total_relation: "gte"` and `total_is_estimate: true`.
    private static func saysInexact(_ member: Envelope.Member) -> Bool {
        let (name, node) = (member.name, member.node)
        if name.hasSuffix("exact") || name.hasPrefix("exhaustive") {
            return node.truth(named: name) == false
                || node.kind == .object && node.members.contains { $0.value.kind == .false }
        }
        if name.hasSuffix("relation") {
            return node.string.map { !["eq", "exact"].contains($0.lowercased()) } ?? false
        }
        return bounded.contains { name.hasSuffix($0) } && node.truth(named: name) == true
    }

    private static let bounded = ["estimate", "estimated", "approximate", "approximation", "lowerbound"]

    private static func total(
        of member: Envelope.Member, beside names: some Sequence<String>, _ unfiltered: String?
    ) -> Count? {
        let name = member.name
        let isEstimate = name.hasPrefix("estimated")
        let isOfSelected = name == "recordsfiltered" || name == "filtercount" && unfiltered == "totalcount"
        let isTotal =
            isOfSelected || totals.contains(name) && name != unfiltered
            || ["count", "resultcount"].contains(name) || name == "size" && names.contains("pagelen")
            || isEstimate && totals.contains(String(name.dropFirst("estimated".count)))
        guard isTotal else { return nil }
        if let stated = member.node.statedCount {
            return Count(
                value: stated.value, isExact: stated.isExact && !isEstimate, isLeast: stated.isLeast && !isEstimate,
                path: member.path)
        }
        guard let (place, stated) = member.node.countWithin, stated.isExact || name == "total" else { return nil }
        return Count(value: stated.value, isExact: stated.isExact && !isEstimate, path: member.path + place)
    }

    /// Returns the field of the head that says that another page follows; nil if none does.
    mutating func readHead(_ head: ResponseHead, count: Int) -> String? {
        let stated = HeadTotals(head, count: count)
        hasTotalInHead = stated.total != nil || stated.totalPages != nil
        if let found = stated.total { total = .greater(total, found) }
        if let found = stated.totalPages { totalPages = .greater(totalPages, found) }
        return stated.more
    }
}

extension PaginationDetection.Count {
    /// Returns the greater one. If they are equal, it is the first, unless that one may be the number of the last page.
    static func greater(_ one: Self?, _ other: Self) -> Self {
        guard let one else { return other }
        return other.value > one.value || other.value == one.value && one.path.namesLastPage ? other : one
    }
}

extension Int {
    /// True for a number of records that pages often have, such as 100.
    var isUsualPageSize: Bool { [10, 20, 25, 30, 50, 100, 200, 250, 500, 1_000].contains(self) }
}

/// A number of records or pages that a server states, such as `1023`, `1,000`, `28 items` or `23+`.
struct StatedCount {
    let value: Int
    /// False if the text has more than digits and plain nouns, as `21+`, `over 21` and `21 of many` have: there may be more.
    let isExact: Bool
    /// True if the text says that there are no fewer, as `21+` and `over 21` do.
    var isLeast = false

    private static let nouns: Set = [
        "documents", "elements", "entries", "entry", "found", "hit", "hits", "item", "items", "match", "matches",
        "object", "objects", "page", "pages", "record", "records", "result", "results", "row", "rows", "total",
    ]

    /// The words around a number that is a lower bound, and around one that the count exceeds.
    private static let bounds: Set = ["+", "at least", ">=", "≥"]
    private static let exceeded: Set = ["more than", "over", ">"]

    init(_ value: Int, isExact: Bool = true) { (self.value, self.isExact) = (value, isExact) }

    /// Fails if the text has no number, or several, but for a part of a number, as in `1-30 of 43` and `30/43`. That is a lower bound.
    init?(_ text: String) {
        if let number = Int(text), !text.utf8.starts(with: "+".utf8) {
            (value, isExact) = (number, true)
            return
        }
        // Some servers count with floating point: 43.0.
        if let zeros = [".0", ".00"].first(where: text.hasSuffix), let number = Int(text.dropLast(zeros.count)),
            !text.utf8.starts(with: "+".utf8)
        {
            (value, isExact) = (number, true)
            return
        }
        let digits = text.split { !$0.isASCII || !$0.isNumber }
        guard !digits.isEmpty else { return nil }
        let parts = digits.count > 1 ? text.replacing("/", with: " of ").split(separator: " ") : []
        if let cut = parts.lastIndex(where: { $0.lowercased() == "of" }),
            parts[..<cut].contains(where: { $0.contains(where: \.isNumber) }),
            let all = StatedCount(parts[(cut + 1)...].joined(separator: " ")), all.isExact || all.isLeast
        {
            (value, isExact, isLeast) = (all.value, false, true)
            return
        }
        let start = text.first?.isNumber == true ? 0 : 1
        let others = text.split { $0.isASCII && $0.isNumber }
        let between = others.dropFirst(start).prefix(digits.count - 1)
        let areGroups =
            digits.dropFirst().allSatisfy { $0.count == 3 }
            && between.allSatisfy { $0.count == 1 && !$0.allSatisfy(\.isLetter) }
        guard areGroups, let number = Int(digits.joined()) else { return nil }
        let around = others.prefix(start) + others.dropFirst(start + between.count)
        let words = around.joined(separator: " ").lowercased().split(separator: " ").map(String.init)
            .filter { !Self.nouns.contains($0) }
        let phrase = words.joined(separator: " ")
        let isExceeded = Self.exceeded.contains(phrase) && number < .max
        value = isExceeded ? number + 1 : number
        isExact = words.isEmpty
        isLeast = isExceeded || Self.bounds.contains(phrase)
    }
}

extension Node {
    /// The number of records or pages that a value states; nil if it states none that can be read.
    var statedCount: StatedCount? { pagingNumber.map { StatedCount($0) } ?? string.flatMap { StatedCount($0) } }

    /// The number in an object that says nothing else, such as Elasticsearch's `{ "value": 43, "relation": "eq" }` or `{ "total": 43 }`, and its
    /// place there. What else stands beside `value` tells how it was counted.
    var countWithin: (place: String, count: StatedCount)? {
        guard kind == .object,
            let key = ["value", "total", "count", "all"].first(where: { self[$0]?.pagingNumber != nil }),
            let value = self[key]?.pagingNumber
        else { return nil }
        let isAlone = members.allSatisfy { name, value in
            [key, "page"].contains(name.text) || name.text == "relation" && value.string == "eq" || value.saysNothing
        }
        return isAlone || key == "value" ? (".\(key)", StatedCount(value, isExact: isAlone)) : nil
    }
}
