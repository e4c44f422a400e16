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
        for (place, address) in envelope.ownAddresses(head, at: locator.address) where own == nil {
            guard isByPage || locator.offset != nil else { break }
            let address = PageLocator(address: address, body: nil)
            guard let value = isByPage ? address.page : address.offset else { continue }
            own = Echo(name: place, path: place, value: value, node: nil)
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
        guard !isCounted || locator.page != nil else { return }
        func asked(_ number: Int?) -> Echo? {
            isCounted ? nil : number.map { Echo(name: "", path: "", value: $0, node: nil) }
        }
        ordinal = isCounted ? nil : asked(locator.page) ?? page
        start = asked(locator.offset) ?? offset
        for member in envelope.members where start == nil {
            let to = envelope.members.first { $0.object == member.object && $0.name == "to" }
            let value: Int?
            switch member.name {
            case "from" where to != nil:
                value = member.node.pagingCount
                startHasEnd = value.map { to?.node.pagingCount == $0 &+ count &- 1 } ?? false
            case "startindex", "opensearch:startindex": value = member.node.pagingCount
            case _ where Self.ranges.contains(member.name):
                value = member.node.string.flatMap { Self.range($0, of: count)?.first }
                startHasEnd = value != nil
            case _ where !isCounted && Self.starts.contains(member.name): value = member.node.pagingCount
            default: continue
            }
            start = value.map { Echo(name: member.spelling, path: member.path, value: $0, node: member.node) }
        }
        if start == nil, let range = head.headers["Content-Range"].flatMap({ Self.range($0, of: count) }) {
            start = Echo(name: "Content-Range", path: "Content-Range", value: range.first, node: nil)
            startHasEnd = true
        }
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

    mutating func readTotals(_ envelope: Envelope, count: Int, locator: PageLocator, fullest: Int) {
        let isIncomplete =
            envelope.members.contains { $0.name == "incompleteresults" && $0.node.kind == .true }
            || envelope.members.contains(where: Self.saysInexact)
        let unfiltered = envelope.members.lazy.compactMap { Self.unfiltered(beside: $0, in: envelope, count) }.first
        self.found = PossibleSign.found(in: envelope, asked: locator)
        for member in envelope.members {
            let names = envelope.members.lazy.filter { $0.object == member.object }.map(\.name)
            if Self.pageTotals.contains(member.name)
                || ["pages", "pagecount"].contains(member.name)
                    && names.contains(where: { Self.pages.contains($0) || Self.totals.contains($0) })
                || isNumberOfLast(member, in: envelope, fullest: max(count, fullest), locator)
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
                    found.value != locator.limit
                else { continue }
            }
            guard found.value >= count else { continue }
            found.isExact = found.isExact && !isIncomplete && !Self.bounds.contains(found.value)
            found.isLeast = found.isLeast && !isIncomplete
            total = .greater(total, found)
        }
    }

    /// Returns true for the number of the last page beside that of this one: `{ "page": 1, "last": 5 }`, `{ "page": 3, "of": 5 }`. It may be
    /// that of a record beside `first` or `start`, and where the total has another number of pages, unless it lies before the records of
    /// the page. The number behind `of` may be that of all records, unless so many have come.
    private func isNumberOfLast(
        _ member: Envelope.Member, in envelope: Envelope, fullest: Int, _ locator: PageLocator
    ) -> Bool {
        let isOf = member.name == "of"
        guard isOf || member.name == "last" && Wrapper(envelope.names[member.object]).contains(.counts),
            let last = member.node.pagingNumber
        else { return false }
        let beside = envelope.members.filter { $0.object == member.object && $0.node.pagingNumber != nil }
        guard let page = beside.first(where: { Self.pages.contains($0.name) })?.node.pagingNumber, page < last,
            !beside.contains(where: { (isOf ? ["from", "to"] : ["first", "start"]).contains($0.name) })
        else { return false }
        let (before, overflow) = (page &- 1).multipliedReportingOverflow(by: fullest)
        let isOfNoRecord = !overflow && last <= before
        if isOf { return isOfNoRecord || last < fullest }
        // A total that is no greater than a page may count that.
        let totals = envelope.members.filter { Self.totals.contains($0.name) || $0.name == "count" }
            .compactMap { $0.node.pagingNumber.flatMap { $0 > fullest ? $0 : nil } }
        let sizes = [size?.value, locator.limit, fullest].compactMap(\.self).filter { $0 > 0 }
        func isLastPage(of total: Int) -> Bool {
            sizes.contains { (0...1).contains((total - 1) / $0 &+ 1 &- last) }
        }
        return totals.isEmpty || isOfNoRecord || totals.contains(where: isLastPage)
    }

    /// Returns the total of a text such as `1-10/43` or `items 1 - 10 of 43` that counts the records of the page; nil for any other.
    private static func total(ofRange member: Envelope.Member, count: Int) -> Count? {
        guard ranges.contains(member.name), let text = member.node.string, let said = Self.range(text, of: count),
            let total = said.total, said.first &+ count &- 1 <= total
        else { return nil }
        return Count(value: total, path: member.path)
    }

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

    /// Returns the place that says that as many records lie before the page as one has; nil if none does. The page is the first one that
    /// is asked for by counting, so that a number of another kind is no place of it.
    func startBehindAPage(
        _ envelope: Envelope, _ head: ResponseHead, _ locator: PageLocator, count: Int
    ) -> PageStatement? {
        let stated = [size?.value, locator.limit].compactMap(\.self)
        func isBehindAPage(_ start: Int) -> Bool {
            start > 1
                && [start, start &- 1].contains {
                    $0 == count || stated.contains($0) || stated.isEmpty && $0 > count && $0.isUsualPageSize
                }
        }
        for member in envelope.members {
            // Under a name that the request has, it is an echo.
            if Self.starts.contains(member.name), let start = member.node.pagingNumber, isBehindAPage(start),
                !locator.numbers.contains(where: { Envelope.normalized($0.name) == member.name })
            {
                return PageStatement(member.path, member.node)
            }
            if Self.ranges.contains(member.name),
                let start = member.node.string.flatMap({ Self.range($0, of: count) })?.first,
                isBehindAPage(start)
            {
                return PageStatement(path: member.path, value: "a range from \(start)")
            }
        }
        guard let start = head.headers.rangeOfUnits.flatMap({ Self.range($0, of: count) })?.first, isBehindAPage(start)
        else { return nil }
        return PageStatement(path: "Content-Range", value: "a range from \(start)")
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
            let key = ["value", "total", "count"].first(where: { self[$0]?.pagingNumber != nil }),
            let value = self[key]?.pagingNumber
        else { return nil }
        let isAlone = members.allSatisfy { name, value in
            name.text == key || name.text == "relation" && value.string == "eq" || value.saysNothing
        }
        return isAlone || key == "value" ? (".\(key)", StatedCount(value, isExact: isAlone)) : nil
    }
}
