/// Where reads of lists that begin with their newest record (`stop_at_known`) have to end, and what they may miss, as
/// docs/configuration.md describes it.
struct MirrorDescent {
    private var identity = ""
    /// A lower bound for the cursor of each part; none where it may have none.
    private var least: [SourcePart: String] = [:]
    /// An upper bound for it: the newest record that was ever sent.
    private var greatest: [SourcePart: String] = [:]
    /// The records that slipped between two pages of a read that moved the cursor behind them.
    private(set) var slipped: [SourcePart: Set<ModelRecord>] = [:]

    /// Returns a problem if pages were asked for that are known, or were left out.
    ///
    /// - Parameter isWhole: True if the read ended well, and nothing cut it short.
    func problem(
        _ log: [ModelServer.Served], _ reading: MirrorModel.Reading, _ world: World, isWhole: Bool
    ) -> HistoryProblem? {
        // In the midst of a list, a read may go on where pages have no numbers.
        let mayResume = world.paging == .cursor
        if let page = log.first(where: \.isConditional) {
            return HistoryProblem("conditional", "\(page.part) is asked with an ETag")
        }
        for (part, pages) in Dictionary(grouping: log, by: \.part).sorted(by: { "\($0.key)" < "\($1.key)" }) {
            guard mayResume || pages.first?.number == 1 else {
                return HistoryProblem(
                    "resumed", "\(part) does not begin again, but at page \(pages.first?.number ?? 0)")
            }
            if reading.ignoresCursors {
                guard !isWhole || pages.last?.isLast == true else {
                    return HistoryProblem("early", "a read of everything ends within \(part)")
                }
            } else if world.fullIdentity == identity, let page = pageBehindEnd(of: part, pages, world) {
                return HistoryProblem("known", "page \(page) of \(part) is asked for, although it is known")
            }
        }
        return nil
    }

    /// Returns false if a list has ended although no record of it is as old as those that were read before, so that some
    /// between them may be missing; nil if that is not certain.
    func meetsKnown(_ log: [ModelServer.Served], _ world: World) -> Bool? {
        var isCertain = true
        for (part, pages) in Dictionary(grouping: log, by: \.part) {
            let sent = pages.flatMap { $0.records ?? [] }
            guard !sent.isEmpty, let greatest = greatest[part] else { continue }
            let least = world.fullIdentity == identity ? least[part] : nil
            if let least, sent.contains(where: { world.stores($0) && $0.changedAt <= least }) { continue }
            if least != nil, sent.allSatisfy({ world.stores($0) && $0.changedAt > greatest }) { return false }
            isCertain = false
        }
        return isCertain ? true : nil
    }

    /// Returns the number of a page that follows one with which the read had to end.
    private func pageBehindEnd(
        of part: SourcePart, _ pages: [ModelServer.Served], _ world: World
    ) -> Int? {
        guard let least = least[part], let greatest = greatest[part] else { return nil }
        var (hasMetCursor, end) = (false, Int.max)
        for page in pages {
            if page.number == 1 { (hasMetCursor, end) = (false, .max) }
            if page.number > end { return page.number }
            let cursors = (page.records ?? []).filter(world.stores).map(\.changedAt)
            if cursors.contains(where: { $0 >= greatest }) { hasMetCursor = true }
            if hasMetCursor, let last = cursors.last, last < least { end = page.number }
        }
        return nil
    }

    /// Notes what a run has made of the cursors.
    ///
    /// - Parameters:
    ///   - parts: The parts that the source has by now. The cursors of others may be forgotten.
    ///   - restarts: True for a read that takes no cursor of an earlier one, and so may set it back.
    ///   - hasStored: True if the run has ended well, and so has stored all that was sent.
    ///   - movesCursors: True if it is certain that it has moved all cursors.
    mutating func note(
        _ log: [ModelServer.Served], _ world: World, parts: [SourcePart], beganAt: String, restarts: Bool,
        hasStored: Bool, movesCursors: Bool
    ) {
        let parts = Set(parts)
        least = restarts || world.fullIdentity != identity ? [:] : least.filter { parts.contains($0.key) }
        identity = world.fullIdentity
        for (part, pages) in Dictionary(grouping: log, by: \.part) {
            for page in pages {
                if hasStored { slipped[part]?.subtract(page.records ?? []) }
                slipped[part, default: []].formUnion(page.slipped)
            }
            // A part that failed is read from its old cursor again.
            if pages.last?.records == nil { for page in pages { slipped[part]?.subtract(page.slipped) } }
            let sent = pages.flatMap { $0.records ?? [] }
            if let newest = sent.map(\.changedAt).max() { greatest[part] = max(greatest[part] ?? "", newest) }
            guard movesCursors, let newest = sent.filter(world.stores).map(\.changedAt).max() else { continue }
            // A cursor never passes the beginning of its read.
            least[part] = max(least[part] ?? "", min(newest, beganAt))
        }
    }
}
