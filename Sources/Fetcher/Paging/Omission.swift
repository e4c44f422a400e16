/// Why a read ends before its source does: it is not all that there is, so that nothing may be taken for deleted.
package enum Omission: Sendable, Hashable {
    /// The stream's `max_pages`.
    case maximumPages
    /// A page is empty although more is announced.
    case emptyPage
    /// The server refused a page that had to be counted, and nothing had shown that the one before was the last.
    case refusedPage(status: Int)
    /// `response_actions` ignores a page, which says nothing of the records that may be there.
    case ignoredPage(status: Int)
}
