import Catalog
import JSON

/// What the pages before a position have shown: it is stored with the position, so that a read that goes on in another
/// process judges the next page as it would have been judged in this one.
package struct ReadHistory: Hashable, Sendable {
    /// How many records the pages had in all.
    package var records = 0
    /// How many the fullest page had.
    package var largestPage = 0
    /// The last page had fewer records than the fullest one, as last pages have.
    package var hasShrunk = false
    /// Where in the body the records stood, where that was found out and not configured.
    package var place: Place?
    /// The fingerprint of the last page's records, where its paginator cannot tell from a response which page it is.
    package var digest: String?
    /// How many pages had records.
    var filledPages = 0
    /// The number of the first page, as it said or was asked for.
    var firstPage: Int?
    /// How many records the first request skipped.
    var offset = 0
    /// How many records there are in all, as the pages have said.
    var total: KnownTotal?
    /// The number of pages that a page of this read has told.
    var totalPages: Int?
    /// Two pages of this read have said different totals.
    var totalHasChanged = false
    /// The last page had a sign of another one.
    var hadSign = false
    /// A page had the place at which the paginator looks.
    var sawPlace = false
    /// A page was asked for by its number.
    var isNumbered = false

    package enum Place: Hashable, Sendable {
        /// The body is their array.
        case array
        case member(String)
        /// The names that lead from the root to their array, at least two.
        case path([String])
        /// The body is an array of two, of which the second is their array.
        case second
    }

    /// A total, and what it is worth.
    struct KnownTotal: Hashable, Sendable {
        var value: Int
        var isExact: Bool
        /// A response of this read has said it; otherwise it was remembered with a page that did not change.
        var isReceived: Bool
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

    /// This history and one page more.
    ///
    /// - Parameter isFirst: whether it is the first page of its slice or window.
    func following(_ page: PageSummary, asked locator: PageLocator, isFirst: Bool) -> ReadHistory {
        var history = self
        history.records = records.addingReportingOverflow(page.recordCount).partialValue
        history.largestPage = max(largestPage, page.recordCount)
        history.hasShrunk = page.recordCount < largestPage
        history.place = page.place
        history.digest = page.digest
        history.filledPages += page.recordCount > 0 ? 1 : 0
        if isFirst {
            history.firstPage = page.markers.page ?? locator.page
            history.offset = locator.offset ?? 0
        }
        history.note(page.markers.total)
        if let pages = page.markers.totalPages, !page.markers.isRemembered {
            if let old = totalPages, old != pages { history.totalHasChanged = true }
            history.totalPages = pages
        }
        history.hadSign = page.markers.more != nil
        history.sawPlace = sawPlace || page.markers.sawPlace
        history.isNumbered = isNumbered || page.following?.isNumbered == true
        return history
    }

    /// A total that was received wins over one that was remembered.
    private mutating func note(_ new: KnownTotal?) {
        guard let new else { return }
        guard let old = total, old.isReceived else {
            total = new
            return
        }
        guard new.isReceived else { return }
        if old.isExact, new.isExact, old.value != new.value { totalHasChanged = true }
        total = new
    }
}

// MARK: - As JSON members

extension ReadHistory {
    var members: [String] {
        var members: [String] = []
        if records > 0 { members.append(#""records":\#(records)"#) }
        if largestPage > 0 { members.append(#""largest_page":\#(largestPage)"#) }
        if hasShrunk { members.append(#""has_shrunk":true"#) }
        members += place.map { [$0.member] } ?? []
        if let digest { members.append(#""digest":\#(quoted(digest))"#) }
        if filledPages > 0 { members.append(#""filled_pages":\#(filledPages)"#) }
        if let firstPage { members.append(#""first_page":\#(firstPage)"#) }
        if offset > 0 { members.append(#""offset":\#(offset)"#) }
        members += total.map(\.members) ?? []
        if let totalPages { members.append(#""total_pages":\#(totalPages)"#) }
        if totalHasChanged { members.append(#""total_has_changed":true"#) }
        if hadSign { members.append(#""had_sign":true"#) }
        if sawPlace { members.append(#""saw_place":true"#) }
        if isNumbered { members.append(#""is_numbered":true"#) }
        return members
    }

    /// nil where a count is none.
    init?(stored root: Node) {
        guard let records = root["records"].map(\.storedCount) ?? 0,
            let largestPage = root["largest_page"].map(\.storedCount) ?? 0
        else { return nil }
        self.init(
            records: records, largestPage: largestPage, hasShrunk: root["has_shrunk"]?.kind == .true,
            place: Place(stored: root), digest: root["digest"]?.string)
        filledPages = root["filled_pages"]?.storedCount ?? 0
        firstPage = root["first_page"]?.storedCount
        offset = root["offset"]?.storedCount ?? 0
        total = KnownTotal(stored: root)
        totalPages = root["total_pages"]?.storedCount
        totalHasChanged = root["total_has_changed"]?.kind == .true
        hadSign = root["had_sign"]?.kind == .true
        sawPlace = root["saw_place"]?.kind == .true
        isNumbered = root["is_numbered"]?.kind == .true
    }
}

extension ReadHistory.KnownTotal {
    var members: [String] {
        [#""total":\#(value)"#] + (isExact ? [] : [#""total_is_bound":true"#])
            + (isReceived ? [] : [#""total_is_remembered":true"#])
    }

    init?(stored root: Node) {
        guard let value = root["total"]?.storedCount else { return nil }
        self.init(
            value: value, isExact: root["total_is_bound"]?.kind != .true,
            isReceived: root["total_is_remembered"]?.kind != .true)
    }
}
