import GarnerCatalog
import GarnerJSON

/// A page's statements about the whole read. They are stored with the page.
struct PageMarkers: Equatable {
    /// The place that announces another page; nil if none does.
    var more: String?
    /// True if that place is in the body and holds the address of the page.
    var moreIsLink = false
    /// The place that says that this is the last page; nil if none does.
    var end: String?
    var total: ReadHistory.KnownTotal?
    var totalPages: Int?
    /// The number of all that a search has found, under a name that is not that of a total.
    var found: PageStatement?
    /// The page's own number.
    var page: Int?
    /// The place of that number.
    var pagePlace: String?
    /// The number of records before the page, as it states it, and the place of that number.
    var offset: Int?
    var offsetPlace: String?
    /// The number, of the kind that the request names, by which a page without those tells which one it is, and its place.
    var own: Int?
    var ownPlace: String?
    /// The number that stands there, if it is that of the page before or of the next one; nil otherwise.
    var ownSaid: Int?
    /// The number of the first record on the page, and its place; that is empty if the request names it.
    var start: Int?
    var startPlace: String?
    /// True if the number of the last record stands there, too, and there are as many as from one to the other.
    var startHasEnd = false
    /// True if its name is that of a number of records, and of nothing else.
    var startIsSure = false
    /// True if the configuration counts the records from 1, and the page does not say that one lies before it.
    var countsFromOne = false
    /// True if Garner counts the pages.
    var isCounted = false
    /// The number of a page to which a link or a cursor has led, and its place; that is empty if the request names it.
    var ordinal: Int?
    var ordinalPlace: String?
    /// The number of records on a full page, and its place.
    var stride: Int?
    var stridePlace: String?
    /// The page size that the server stated, if the request named none or another one.
    var size: Int?
    /// True if the page has the place that the paginator reads, even with null.
    var sawPlace = false
    /// True if the place that the paginator reads says that this is the last page. No other statement counts then.
    var isDecided = false
    /// True if the value at `total_path` or `total_pages_path` is the size or the number of a page.
    var totalIsSize = false
    /// True if the whole body is the record, and there is no list.
    var isDocument = false
    /// True if the body has a total or a sign of other pages, as lists do.
    var looksLikeList = false
    /// The selector of a list in an object of such a body, beside what tells of its pages; nil if there is none.
    var pagedList: String?
    /// The place that tells of errors beside the records; nil if none does.
    var errors: String?
    /// The place of a flag that says that another page follows.
    var flagOfMore: String?
    /// True if the records are the elements of a list.
    var isList = false
    /// True if the body is a list, in which no name leads to the places of the next page.
    var isNameless = false
    /// A value in the place of a link or a cursor that cannot be followed.
    var notUnderstood: PageStatement?
    /// A place that may lead to more records.
    var possible: PageStatement?
    /// The statement that there is more than can be asked for.
    var cutOff: PageStatement?
    /// The last page, as its address on this one names it.
    var last: LastPage?
    /// The statement that a part of what was asked for is missing.
    var partMissing: PageStatement?
    /// The statement that other pages lie before this one.
    var pagesBefore: PageStatement?
    /// The parameter that says which list is meant, and that the address of the next page leaves out.
    var lost: String?
    /// Digests of other names of the link to the next page: relations of `Link`, and places of the body.
    var namesOfNext: [String] = []
    /// Digests of the unknown relations that `Link` has beside that of the next page, and that lead elsewhere.
    var namesOfOthers: [String] = []
    /// True if the markers were stored with the page, and no response of this read has repeated them.
    var isRemembered = false

    /// The same markers for a body that was received again.
    var received: PageMarkers {
        var markers = self
        markers.isRemembered = false
        markers.total?.isReceived = true
        return markers
    }
}

extension PageMarkers {
    init(_ page: ReceivedPage, places: NamedPlaces?) {
        var detection = page.detection
        detection.leaveOut(places?.nodes ?? [])
        more = detection.openSign?.path
        if case .link? = detection.openSign?.kind { moreIsLink = true }
        flagOfMore = detection.signs.first(where: \.isAnnouncement)?.path
        end = detection.isEnd ? detection.end ?? detection.emptySign : nil
        total = detection.total.map {
            .init(value: $0.value, isExact: $0.isExact, isReceived: true, isLeast: $0.isLeast)
        }
        (totalPages, found) = (detection.totalPages?.value, detection.found)
        (self.page, pagePlace) = (detection.page?.value, detection.page?.path)
        (offset, offsetPlace) = (detection.offset?.value, detection.offset?.path)
        (own, ownPlace, ownSaid) = (detection.own?.value, detection.own?.path, detection.ownSaid)
        (start, startPlace, startHasEnd) = (detection.start?.value, detection.start?.path, detection.startHasEnd)
        startIsSure = detection.startIsSure
        (ordinal, ordinalPlace) = (detection.ordinal?.value, detection.ordinal?.path)
        (stride, stridePlace) = (detection.stride?.value, detection.stride?.path)
        if let size = detection.size, !(detection.sizeMayBeCount && size.value == page.recordCount), size.value > 0,
            size.value != page.locator.limit,
            size.name.lowercased() != "limit" || detection.offset != nil
        {
            self.size = size.value
        }
        note(
            places, echoes: [detection.size?.node, detection.page?.node, detection.offset?.node],
            count: page.recordCount)
        sawPlace = places?.areThere ?? detection.hasSign
        isDecided = places?.saysLast == true
        if places?.saysMore == true { more = more ?? "has_more_path" }
        isDocument = page.rootIsRecord
        // The header that the configuration names is read by its paginator.
        if places?.cursorHeader.map({ $0.lowercased() != detection.possible?.header?.lowercased() }) ?? true {
            possible = detection.possible?.statement
        }
        notUnderstood = detection.notUnderstood ?? notUnderstood
        (cutOff, last) = (detection.cutOff, detection.last)
        (partMissing, pagesBefore) = (detection.partMissing, detection.pagesBefore)
    }

    /// Adds the totals at the configured places. The configured total of records wins over one that was detected, unless it may count
    /// the records of this page, or the pages; then the greater one counts. A place that the configuration names has a number or a bound.
    private mutating func note(_ places: NamedPlaces?, echoes: [Node?], count: Int) {
        let odd = [places?.total, places?.totalPages].lazy.compactMap(\.self).first {
            $0.node.statedCount.map { !$0.isExact && !$0.isLeast } ?? !$0.node.isNull
        }
        if let odd { notUnderstood = PageStatement("\(odd.path)", odd.node) }
        func isEcho(_ node: Node) -> Bool { echoes.contains { $0?.isSame(as: node) == true } }
        if let node = places?.total?.node, let stated = node.statedCount, stated.value >= 0 {
            if isEcho(node) {
                totalIsSize = true
            } else if stated.value >= total?.value ?? 0 || stated.value > count && stated.value != totalPages {
                total = .init(
                    value: stated.value, isExact: stated.isExact, isReceived: true, isLeast: stated.isLeast)
            }
        }
        if let node = places?.totalPages?.node, let value = node.statedCount?.value, value >= 0 {
            if isEcho(node) { totalIsSize = true } else { totalPages = max(totalPages ?? 0, value) }
        }
    }

    /// Takes over totals that are greater. The response that states them has come without a body.
    mutating func raise(to head: HeadTotals) {
        if let stated = head.total, stated.value > total?.value ?? 0 {
            total = .init(value: stated.value, isExact: stated.isExact, isReceived: true, isLeast: stated.isLeast)
        }
        if let stated = head.totalPages { totalPages = max(totalPages ?? 0, stated.value) }
    }

    /// Takes over what a head says against itself. The response has come without a body.
    mutating func take(_ head: ResponseHead) {
        func ofBody(_ said: PageStatement?) -> PageStatement? { said?.path.hasPrefix("$") == true ? said : nil }
        (partMissing, cutOff) = (ofBody(partMissing) ?? head.partMissing, ofBody(cutOff) ?? head.cutOff)
    }

    var members: [(String, JSONText)] {
        var members: [(String, JSONText)] = []
        members.add("more", more)
        members.add("more_is_link", if: moreIsLink)
        members.add("end", end)
        members.add("total", total?.value)
        members.add("total_is_bound", if: total?.isExact == false)
        members.add("total_is_least", if: total?.isLeast == true)
        members.add("total_pages", totalPages)
        members.add("found", found)
        members.add("page", page)
        members.add("page_place", pagePlace)
        members.add("offset", offset)
        members.add("offset_place", offsetPlace)
        members.add("own", own)
        members.add("own_place", ownPlace)
        members.add("own_said", ownSaid)
        members.add("start", start)
        members.add("start_place", startPlace)
        members.add("start_has_end", if: startHasEnd)
        members.add("start_is_sure", if: startIsSure)
        members.add("counts_from_one", if: countsFromOne)
        members.add("is_counted", if: isCounted)
        members.add("ordinal", ordinal)
        members.add("ordinal_place", ordinalPlace)
        members.add("stride", stride)
        members.add("stride_place", stridePlace)
        members.add("size", size)
        members.add("saw_place", if: sawPlace)
        members.add("total_is_size", if: totalIsSize)
        members.add("is_decided", if: isDecided)
        members.add("is_document", if: isDocument)
        members.add("looks_like_list", if: looksLikeList)
        members.add("paged_list", pagedList)
        members.add("errors", errors)
        members.add("flag_of_more", flagOfMore)
        members.add("is_list", if: isList)
        members.add("is_nameless", if: isNameless)
        members.add("not_understood", notUnderstood)
        members.add("possible", possible)
        members.add("cut_off", cutOff)
        members += last?.members ?? []
        members.add("part_missing", partMissing)
        members.add("pages_before", pagesBefore)
        members.add("lost", lost)
        members.add("names_of_next", namesOfNext)
        members.add("names_of_others", namesOfOthers)
        return members
    }

    init(stored root: Node) {
        more = root["more"]?.string
        moreIsLink = root["more_is_link"]?.kind == .true
        end = root["end"]?.string
        total = ReadHistory.KnownTotal("total", stored: root)
        total?.isReceived = false
        totalPages = root["total_pages"]?.storedCount
        found = PageStatement(stored: root["found"])
        page = root["page"]?.storedCount
        pagePlace = root["page_place"]?.string
        offset = root["offset"]?.storedCount
        offsetPlace = root["offset_place"]?.string
        own = root["own"]?.storedCount
        ownPlace = root["own_place"]?.string
        ownSaid = root["own_said"]?.storedCount
        start = root["start"]?.storedCount
        startPlace = root["start_place"]?.string
        startHasEnd = root["start_has_end"]?.kind == .true
        startIsSure = root["start_is_sure"]?.kind == .true
        countsFromOne = root["counts_from_one"]?.kind == .true
        isCounted = root["is_counted"]?.kind == .true
        ordinal = root["ordinal"]?.storedCount
        ordinalPlace = root["ordinal_place"]?.string
        stride = root["stride"]?.storedCount
        stridePlace = root["stride_place"]?.string
        size = root["size"]?.storedCount
        sawPlace = root["saw_place"]?.kind == .true
        totalIsSize = root["total_is_size"]?.kind == .true
        isDecided = root["is_decided"]?.kind == .true
        isDocument = root["is_document"]?.kind == .true
        looksLikeList = root["looks_like_list"]?.kind == .true
        pagedList = root["paged_list"]?.string
        errors = root["errors"]?.string
        flagOfMore = root["flag_of_more"]?.string
        isList = root["is_list"]?.kind == .true
        isNameless = root["is_nameless"]?.kind == .true
        notUnderstood = PageStatement(stored: root["not_understood"])
        possible = PageStatement(stored: root["possible"])
        cutOff = PageStatement(stored: root["cut_off"])
        last = LastPage(stored: root)
        partMissing = PageStatement(stored: root["part_missing"])
        pagesBefore = PageStatement(stored: root["pages_before"])
        lost = root["lost"]?.string
        namesOfNext = root["names_of_next"]?.elements.compactMap(\.string) ?? []
        namesOfOthers = root["names_of_others"]?.elements.compactMap(\.string) ?? []
        isRemembered = true
    }
}

extension NamedPlaces {
    /// Returns the places without totals that say nothing.
    func without(_ ignored: [Node]) -> NamedPlaces {
        var places = self
        if let total, ignored.have(total.node) { places.total = nil }
        if let totalPages, ignored.have(totalPages.node) { places.totalPages = nil }
        return places
    }
}
