import GarnerCatalog
import GarnerJSON
package import GarnerModel

/// The facts that the pages before a position have shown. They are stored with the position, so that a read that goes
/// on in another process judges the next page in the same way.
package struct ReadHistory: Hashable, Sendable {
    /// The number of records on all pages.
    package var records = 0
    /// The number of records on the fullest page.
    package var largestPage = 0
    /// True if the last page had fewer records than the fullest one, as the end of a list does.
    package var hasShrunk = false
    /// The detected place of the records in the body; nil if it is configured.
    package var place: Place?
    /// The fingerprint of the last page's records; nil if the paginator can tell from a response which page it is.
    package var digest: String?
    /// A digest of the names that the first rows have; nil if no row has names.
    var rowNames: String?
    /// The number of pages with records.
    var filledPages = 0
    /// The number of the first page, as the page states it or as it was requested.
    var firstPage: Int?
    /// The number of records that the first request skipped.
    var offset = 0
    /// The number of records in all, as the pages state it.
    var total: KnownTotal?
    /// The number of pages, as the pages state it.
    var totalPages: KnownTotal?
    /// The number of all that a search has found, as the latest page states it that states no fewer than have come.
    var found: PageStatement?
    /// True if two pages of this read stated different totals.
    var totalHasChanged = false
    /// True if the last page announced another one.
    var hadSign = false
    /// True if the last page said that it is the last one.
    var saidEnd = false
    /// True if a page had the place that the paginator reads.
    var sawPlace = false
    /// True if a page was requested by its number.
    var isNumbered = false
    /// True if a page was requested by a cursor.
    var isByCursor = false
    /// True if the records of a page were the elements of a list.
    var isList = false
    /// The first place that told of errors beside the records of a page; nil if none did.
    var errors: String?
    /// A digest of the latest path to which a redirect led; nil if none did, and empty if that path is not known.
    var redirect: String?
    /// The statement of the last page with records that there is more than can be asked for.
    var cutOff: PageStatement?
    /// The last page, as the latest address of it names it.
    var last: LastPage?
    /// The first statement of a page that a part of what was asked for is missing.
    var partMissing: PageStatement?
    /// The statement of the first page that others lie before it.
    var pagesBefore: PageStatement?

    /// The number of the latest page with records, as it states it and as it was asked for.
    var number: Number?
    /// The number of the first record of a page, behind which records it stands, and by how much it has grown.
    var start: Start?
    /// The number of the latest page to which a link or a cursor has led.
    var ordinal: Start?
    /// The number of records on a full page, as the latest page states it.
    var stride: Int?
    /// The statement of a page that it does not follow the page before.
    var skipped: PageStatement?
    /// The statement of a page that it is another one than the one that was asked for.
    var otherPage: PageStatement?
    /// The parameter that says which list is meant, and that the address of a page has left out.
    var lost: String?
    /// Digests of other names that the latest page with a next one has for its link: relations of `Link`, and places of the body.
    var namesOfNext: [String] = []
    /// Digests of the unknown relations that `Link` of that page has beside it, and that lead elsewhere.
    var namesOfOthers: [String] = []

    /// True if a page was requested as the one before it was, with a cursor that stays the same.
    var repeatsRequest = false
    /// The status members beside the latest records that cannot be judged by themselves, by their JSONPaths.
    var statuses: [String: String] = [:]

    /// The judgement on all pages before, those of earlier windows among them; nil if nothing is wrong with them.
    package fileprivate(set) var judged: Verdict?
    /// True if a page before holds the cursor where it is.
    package fileprivate(set) var holdsCursor = false

    package enum Place: Hashable, Sendable {
        /// The body is the array of the records.
        case array
        case member(String)
        /// The names that lead from the root to the array of the records, at least two.
        case path([String])
        /// The body is an array of two values. The second is the array of the records.
        case second
    }

    /// A total, and how reliable it is.
    struct KnownTotal: Hashable, Sendable {
        var value: Int
        var isExact: Bool
        /// True if a response of this read stated it. False if it was stored with a page that has not changed.
        var isReceived: Bool
        /// The greatest of the totals that pages of this read stated; nil if they stated one only.
        var greatest: Int?
        /// True if the server says that there are no fewer.
        var isLeast = false

        /// Returns true if so many records are too few, whatever else is said.
        func exceeds(_ records: Int) -> Bool { (isExact || isLeast) && value > records }
    }

    package init(
        records: Int = 0, largestPage: Int = 0, hasShrunk: Bool = false, place: Place? = nil, digest: String? = nil
    ) {
        self.records = records
        self.largestPage = largestPage
        self.hasShrunk = hasShrunk
        self.place = place
        self.digest = digest
    }

    /// Returns this history with one more page.
    ///
    /// - Parameter isFirst: true for the first page of its slice or window.
    func following(_ page: PageSummary, asked locator: PageLocator, isFirst: Bool) -> ReadHistory {
        var history = self
        history.records = records.addingReportingOverflow(page.recordCount).partialValue
        history.largestPage = max(largestPage, page.recordCount)
        history.hasShrunk = page.recordCount < largestPage
        history.place = page.place
        history.digest = page.digest
        history.rowNames = page.rowNames
        history.filledPages += page.recordCount > 0 ? 1 : 0
        if isFirst {
            history.firstPage = page.markers.page ?? locator.page
            // In SCIM, record 1 is the first one. Where it is the second, the total tells that one is missing.
            let isOfSCIM =
                page.markers.own == 1 && page.markers.total?.isExact == true
                && page.markers.ownPlace?.lowercased().contains("startindex") == true
            let beginsWithOne = locator.offset == 1 && (isOfSCIM || page.markers.countsFromOne)
            history.offset = beginsWithOne ? 0 : locator.offset ?? 0
            history.pagesBefore = page.markers.pagesBefore
        }
        history.isList = isList || page.markers.isList
        history.errors = errors ?? page.markers.errors
        history.redirect = page.redirect ?? redirect
        history.partMissing = partMissing ?? page.markers.partMissing
        history.cutOff = page.markers.cutOff ?? (page.recordCount == 0 ? cutOff : nil)
        // Fewer than have come are not all.
        if let stated = page.markers.found, let count = Int(stated.value), count >= history.records {
            history.found = stated
        }
        history.last = page.markers.last ?? last
        history.lost = lost ?? page.markers.lost
        if page.following != nil { history.namesOfNext = page.markers.namesOfNext }
        if !page.markers.namesOfOthers.isEmpty { history.namesOfOthers = page.markers.namesOfOthers }
        history.note(startOf: page, asked: locator, behind: self)
        history.note(ordinalOf: page, asked: locator, behind: self)
        history.note(numberOf: page, asked: locator)
        history.note(totalsOf: page)
        history.hadSign = page.markers.more != nil
        history.saidEnd = page.markers.end != nil && page.markers.more == nil
        history.sawPlace = sawPlace || page.markers.sawPlace
        history.isNumbered = isNumbered || page.following?.isNumbered == true
        history.isByCursor = isByCursor || page.following?.isByCursor == true
        history.repeatsRequest = repeatsRequest || page.following?.locator == locator
        if page.recordCount > 0, !page.statuses.isEmpty { history.statuses = page.statuses }
        return history
    }

    /// Returns true if all records that the server counts have come with the page behind this history; nil for a page that is not there.
    func isCounted(with page: PageSummary?) -> Bool {
        let count = page?.recordCount ?? 0
        // An empty page need not repeat the total.
        guard !totalHasChanged, let total = page?.markers.total ?? (count == 0 ? total : nil), total.isExact,
            total.isReceived, self.total.map({ $0.isReceived && $0.value == total.value }) ?? (filledPages == 0)
        else { return false }
        return total.value == records.addingReportingOverflow(count).partialValue
    }

    /// True if a read that begins with page 1 lacks as much as a page 0 has. Of one page, the last, the one before it may be longer.
    var lacksPageZero: Bool {
        guard (firstPage ?? 1) == 1, offset == 0 else { return false }
        guard let total, total.isExact else { return totalPages.map { $0.value == filledPages + 1 } ?? false }
        let missing = total.value.subtractingReportingOverflow(records).partialValue
        return missing > 0 && (filledPages > 1 ? missing == largestPage : missing >= largestPage)
    }

    /// The verdict that the pages demand, wherever the read ends; nil if they demand none.
    var doubt: Verdict? {
        errors.map { Verdict(.missed, .errors(place: $0)) }
            ?? partMissing.map { Verdict(.contradicted, .partMissing($0)) }
            ?? doubtOnPlace
            ?? lost.map {
                Verdict(
                    .contradicted, "the address of the next page leaves out \($0), which says which list is meant",
                    advice: "set a paginator that counts pages or records, which keeps the parameters")
            }
    }

    /// The verdict on a page that is another one than was asked for, or does not follow the one before; nil if none is.
    private var doubtOnPlace: Verdict? {
        if let otherPage { return Verdict(.contradicted, .otherPage(place: otherPage.path, number: otherPage.value)) }
        return skipped.map { Verdict.skipping($0) }
    }

    /// Returns the verdict on a read that ends with so many records, although a search has found more; nil for any other.
    ///
    /// The number counts something else where an exact total says that these are all. A total that is no greater than a page may count that.
    func foundMore(than records: Int) -> Verdict? {
        guard let found, let count = Int(found.value), count > records,
            total.map({ $0.isExact && records >= $0.value && $0.value > largestPage }) != true
        else { return nil }
        return Verdict(.contradicted, .mayLeadOn(place: found.path))
    }

    /// Returns true if two pages have stated different totals, this one included.
    func totalHasChanged(with page: PageSummary) -> Bool {
        var history = self
        history.note(totalsOf: page)
        return history.totalHasChanged
    }

    /// Returns true if fewer records or pages have come, this one included, than a total of this read stated before a smaller one.
    ///
    /// If the source removes a record in front of the next page, another one moves to a page that was read before. A list that grows
    /// hides none that was there, and behind a cursor that marks a record all come.
    func fallsShort(with page: PageSummary) -> Bool {
        var history = self
        history.note(totalsOf: page)
        let records = self.records.addingReportingOverflow(page.recordCount).partialValue
        let pages = filledPages + (page.recordCount > 0 ? 1 : 0)
        return history.total?.greatest.map { $0 > records } == true
            || history.totalPages?.greatest.map { $0 > pages } == true
    }

    private mutating func note(totalsOf page: PageSummary) {
        note(page.markers.total, in: \.total)
        note(
            page.markers.totalPages.map {
                KnownTotal(value: $0, isExact: true, isReceived: !page.markers.isRemembered)
            }, in: \.totalPages)
    }

    /// Notes a total. One that was received wins over one that was stored.
    ///
    /// A page that has not changed since it was stored still states its total, so that it counts as one of this read. Of two
    /// stored ones that differ, one is only old.
    private mutating func note(_ new: KnownTotal?, in place: WritableKeyPath<Self, KnownTotal?>) {
        guard let new else { return }
        guard let old = self[keyPath: place] else {
            self[keyPath: place] = new
            return
        }
        let areOfThisRead = old.isReceived || new.isReceived
        let differ = areOfThisRead && old.isExact && new.isExact && old.value != new.value
        if differ { totalHasChanged = true }
        if new.isReceived || !old.isReceived { self[keyPath: place] = new }
        self[keyPath: place]?.greatest = differ ? max(old.greatest ?? old.value, new.value) : old.greatest
    }
}

// MARK: - As JSON members

extension ReadHistory {
    var members: [(String, JSONText)] {
        var members: [(String, JSONText)] = []
        if records > 0 { members.add("records", records) }
        if largestPage > 0 { members.add("largest_page", largestPage) }
        members.add("has_shrunk", if: hasShrunk)
        if let place { members.append(place.member) }
        members.add("digest", digest)
        members.add("row_names", rowNames)
        if filledPages > 0 { members.add("filled_pages", filledPages) }
        members.add("first_page", firstPage)
        if offset > 0 { members.add("offset", offset) }
        members += total?.members("total") ?? []
        members += totalPages?.members("total_pages") ?? []
        members.add("found", found)
        members.add("total_has_changed", if: totalHasChanged)
        members.add("had_sign", if: hadSign)
        members.add("said_end", if: saidEnd)
        members.add("saw_place", if: sawPlace)
        members.add("number_stated", number?.stated)
        members.add("number_asked", number?.asked)
        members += start?.members("start") ?? []
        members += ordinal?.members("ordinal") ?? []
        members.add("stride", stride)
        members.add("skipped", skipped)
        members.add("other_page", otherPage)
        members.add("lost", lost)
        members.add("names_of_next", namesOfNext)
        members.add("names_of_others", namesOfOthers)
        members.add("is_numbered", if: isNumbered)
        members.add("is_by_cursor", if: isByCursor)
        members.add("is_list", if: isList)
        members.add("errors", errors)
        members.add("redirect", redirect)
        members.add("part_missing", partMissing)
        members.add("cut_off", cutOff)
        members += last?.members ?? []
        members.add("pages_before", pagesBefore)
        members.add("repeats_request", if: repeatsRequest)
        if !statuses.isEmpty { members.append(("statuses", .texts(statuses))) }
        members.add("judged", judged?.kind.rawValue)
        members.add("judged_reason", judged?.reason)
        members.add("holds_cursor", if: holdsCursor)
        return members
    }

    /// Returns nil if a count is invalid.
    init?(stored root: Node) {
        guard let records = root["records"].map(\.storedCount) ?? 0,
            let largestPage = root["largest_page"].map(\.storedCount) ?? 0
        else { return nil }
        self.init(
            records: records, largestPage: largestPage, hasShrunk: root["has_shrunk"]?.kind == .true,
            place: Place(stored: root), digest: root["digest"]?.string)
        rowNames = root["row_names"]?.string
        filledPages = root["filled_pages"]?.storedCount ?? 0
        firstPage = root["first_page"]?.storedCount
        offset = root["offset"]?.storedCount ?? 0
        total = KnownTotal("total", stored: root)
        totalPages = KnownTotal("total_pages", stored: root)
        found = PageStatement(stored: root["found"])
        totalHasChanged = root["total_has_changed"]?.kind == .true
        hadSign = root["had_sign"]?.kind == .true
        saidEnd = root["said_end"]?.kind == .true
        sawPlace = root["saw_place"]?.kind == .true
        if let stated = root["number_stated"]?.storedCount, let asked = root["number_asked"]?.storedCount {
            number = Number(stated: stated, asked: asked)
        }
        start = Start("start", stored: root)
        ordinal = Start("ordinal", stored: root)
        stride = root["stride"]?.storedCount
        skipped = PageStatement(stored: root["skipped"])
        otherPage = PageStatement(stored: root["other_page"])
        lost = root["lost"]?.string
        namesOfNext = root["names_of_next"]?.elements.compactMap(\.string) ?? []
        namesOfOthers = root["names_of_others"]?.elements.compactMap(\.string) ?? []
        isNumbered = root["is_numbered"]?.kind == .true
        isByCursor = root["is_by_cursor"]?.kind == .true
        isList = root["is_list"]?.kind == .true
        // Earlier versions did not keep the place.
        errors = root["errors"]?.string ?? root["has_errors"].map { _ in "$" }
        // Earlier versions did not keep the path.
        redirect = root["redirect"]?.string ?? root["is_redirected"].map { _ in "" }
        partMissing = PageStatement(stored: root["part_missing"])
        cutOff = PageStatement(stored: root["cut_off"])
        last = LastPage(stored: root)
        pagesBefore = PageStatement(stored: root["pages_before"])
        repeatsRequest = root["repeats_request"]?.kind == .true
        statuses = root["statuses"]?.storedTexts ?? [:]
        if let kind = root["judged"]?.string.flatMap(Verdict.Kind.init(rawValue:)) {
            judged = Verdict(kind, root["judged_reason"]?.string.map { Verdict.Cause(stored: $0) })
        }
        holdsCursor = root["holds_cursor"]?.kind == .true
    }
}

extension PagePosition {
    /// Returns the position with the judgement on the pages before it, which a read that goes on there in another process keeps.
    package func behind(_ verdict: Verdict, holdsCursor: Bool) -> PagePosition {
        var position = self
        position.history.judged = verdict.kind == .complete ? nil : verdict
        position.history.holdsCursor = holdsCursor
        return position
    }
}

extension ReadHistory.KnownTotal {
    func members(_ name: String) -> [(String, JSONText)] {
        var members: [(String, JSONText)] = []
        members.add(name, value)
        members.add("\(name)_is_bound", if: !isExact)
        members.add("\(name)_is_remembered", if: !isReceived)
        members.add("\(name)_greatest", greatest)
        members.add("\(name)_is_least", if: isLeast)
        return members
    }

    init?(_ name: String, stored root: Node) {
        guard let value = root[name]?.storedCount else { return nil }
        self.init(
            value: value, isExact: root["\(name)_is_bound"]?.kind != .true,
            isReceived: root["\(name)_is_remembered"]?.kind != .true,
            greatest: root["\(name)_greatest"]?.storedCount, isLeast: root["\(name)_is_least"]?.kind == .true)
    }
}
