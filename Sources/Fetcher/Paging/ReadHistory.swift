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

    package enum Place: Hashable, Sendable {
        /// The body is their array.
        case array
        case member(String)
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
    func following(_ page: PageSummary) -> ReadHistory {
        ReadHistory(
            records: records.addingReportingOverflow(page.recordCount).partialValue,
            largestPage: max(largestPage, page.recordCount), hasShrunk: page.recordCount < largestPage,
            place: page.place, digest: page.digest)
    }
}
