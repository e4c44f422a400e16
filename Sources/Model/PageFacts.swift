/// The facts of a page that are stored or told with its records. The fetcher finds them, and the writer uses them.
package struct PageFacts: Sendable {
    /// The indices of the records that say that their rows are to be deleted.
    package var deletions: Set<Int> = []
    /// The number of records that the configuration left out.
    package var leftOut = 0
    /// What the first record has where `record_filter` compares it, if that has left out all of the page; nil if nothing tells.
    package var filterMismatch: String?
    /// The doubt whether `record_filter` is meant to leave out all of the page; nil if it is, or leaves out a part only.
    package var filterDoubt: Verdict?
    /// The server's words to people beside the records, without secrets, of which a run warns once; nil if it says nothing.
    package var remark: String?
    /// The shape of the page's answer, for `ReadContext.shape`; nil if it has no records, or is not the first of its list.
    package var shape: String?
    /// True if this page or the next has a number. Records that are added or deleted meanwhile then move others elsewhere.
    package var isNumbered = false
    /// True if the request may not bring the same again, as by a cursor: a loss of power must not undo the page.
    package var mayNotComeAgain = false
    /// The data by which a later read can tell that the page has not changed; nil if nothing can tell that.
    package var memory: CachedPage?
    /// The hash of each of its records; nil until somebody has hashed them.
    package var recordHashes: [Int64]?

    /// True if the total that the server states has changed since the read began.
    package var totalHasChanged = false
    /// True if as many records have come as the server counts.
    package var isCounted = false
    /// True if fewer records have come than the server counted before its total became smaller.
    package var fallsShort = false

    package init(
        isNumbered: Bool = false, mayNotComeAgain: Bool = false, memory: CachedPage? = nil,
        totalHasChanged: Bool = false, isCounted: Bool = false, fallsShort: Bool = false
    ) {
        (self.isNumbered, self.mayNotComeAgain, self.memory) = (isNumbered, mayNotComeAgain, memory)
        (self.totalHasChanged, self.isCounted, self.fallsShort) = (totalHasChanged, isCounted, fallsShort)
    }
}
