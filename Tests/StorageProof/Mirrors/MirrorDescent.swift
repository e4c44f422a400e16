/// Where reads of lists that begin with their newest record (`stop_at_known`) have to end, and what they may miss, as
/// docs/configuration.md describes it.
struct MirrorDescent {
    private var identity = ""
    /// A lower bound for the cursor of each part; none where it may have none.
    private var least: [MirrorSlice: String] = [:]
    /// An upper bound for it: the newest record that was ever sent.
    private var greatest: [MirrorSlice: String] = [:]
    /// The records that slipped between two pages of a read that moved the cursor behind them.
    private(set) var slipped: [MirrorSlice: Set<MirrorRecord>] = [:]

    /// Returns a problem if pages were asked for that are known, or were left out.
    ///
    /// - Parameters:
    ///   - isWhole: True if the read ended well, and nothing cut it short.
    ///   - mayResume: True if a read may go on in the midst of a list, since its pages have no numbers.
    ///   - isStored: Returns true for a record that is stored, and so has a cursor.
    func problem(
        _ log: [MirrorServer.Served], _ reading: MirrorModel.Reading, identity: String, isWhole: Bool,
        mayResume: Bool, isStored: (MirrorRecord) -> Bool
    ) -> HistoryProblem? {
        if let page = log.first(where: \.isConditional) {
            return HistoryProblem("conditional", "\(page.slice) is asked with an ETag")
        }
        for (slice, pages) in Dictionary(grouping: log, by: \.slice).sorted(by: { "\($0.key)" < "\($1.key)" }) {
            guard mayResume || pages.first?.number == 1 else {
                return HistoryProblem(
                    "resumed", "\(slice) does not begin again, but at page \(pages.first?.number ?? 0)")
            }
            if reading.ignoresCursors {
                guard !isWhole || pages.last?.isLast == true else {
                    return HistoryProblem("early", "a read of everything ends within \(slice)")
                }
            } else if identity == self.identity, let page = pageBehindEnd(of: slice, pages, isStored) {
                return HistoryProblem("known", "page \(page) of \(slice) is asked for, although it is known")
            }
        }
        return nil
    }

    /// Returns false if a list has ended although no record of it is as old as those that were read before, so that some
    /// between them may be missing; nil if that is not certain.
    func meetsKnown(_ log: [MirrorServer.Served], identity: String, isStored: (MirrorRecord) -> Bool) -> Bool? {
        var isCertain = true
        for (slice, pages) in Dictionary(grouping: log, by: \.slice) {
            let sent = pages.flatMap { $0.records ?? [] }
            guard !sent.isEmpty, let greatest = greatest[slice] else { continue }
            let least = identity == self.identity ? least[slice] : nil
            if let least, sent.contains(where: { isStored($0) && $0.changedAt <= least }) { continue }
            if least != nil, sent.allSatisfy({ isStored($0) && $0.changedAt > greatest }) { return false }
            isCertain = false
        }
        return isCertain ? true : nil
    }

    /// Returns the number of a page that follows one with which the read had to end.
    private func pageBehindEnd(
        of slice: MirrorSlice, _ pages: [MirrorServer.Served], _ isStored: (MirrorRecord) -> Bool
    ) -> Int? {
        guard let least = least[slice], let greatest = greatest[slice] else { return nil }
        var (hasMetCursor, end) = (false, Int.max)
        for page in pages {
            if page.number == 1 { (hasMetCursor, end) = (false, .max) }
            if page.number > end { return page.number }
            let cursors = (page.records ?? []).filter(isStored).map(\.changedAt)
            if cursors.contains(where: { $0 >= greatest }) { hasMetCursor = true }
            if hasMetCursor, let last = cursors.last, last < least { end = page.number }
        }
        return nil
    }

    /// Notes what a run has made of the cursors.
    ///
    /// - Parameters:
    ///   - slices: The parts that the source has by now. The cursors of others may be forgotten.
    ///   - restarts: True for a read that takes no cursor of an earlier one, and so may set it back.
    ///   - hasStored: True if the run has ended well, and so has stored all that was sent.
    ///   - movesCursors: True if it is certain that it has moved all cursors.
    mutating func note(
        _ log: [MirrorServer.Served], identity: String, slices: [MirrorSlice], beganAt: String, restarts: Bool,
        hasStored: Bool, movesCursors: Bool, isStored: (MirrorRecord) -> Bool
    ) {
        let slices = Set(slices)
        least = restarts || identity != self.identity ? [:] : least.filter { slices.contains($0.key) }
        self.identity = identity
        for (slice, pages) in Dictionary(grouping: log, by: \.slice) {
            for page in pages {
                if hasStored { slipped[slice]?.subtract(page.records ?? []) }
                slipped[slice, default: []].formUnion(page.slipped)
            }
            // A part that failed is read from its old cursor again.
            if pages.last?.records == nil { for page in pages { slipped[slice]?.subtract(page.slipped) } }
            let sent = pages.flatMap { $0.records ?? [] }
            if let newest = sent.map(\.changedAt).max() { greatest[slice] = max(greatest[slice] ?? "", newest) }
            guard movesCursors, let newest = sent.filter(isStored).map(\.changedAt).max() else { continue }
            // A cursor never passes the beginning of its read.
            least[slice] = max(least[slice] ?? "", min(newest, beganAt))
        }
    }
}
