import GarnerCatalog
import GarnerJSON
import GarnerModel

// Where the pages of a read stand, by what they and their requests state.
extension ReadHistory {
    /// The number of a page as it states it, and as it was asked for.
    struct Number: Hashable, Sendable {
        var stated: Int
        var asked: Int
    }

    /// The number of a page, or of its first record.
    struct Start: Hashable, Sendable {
        var stated: Int
        /// The number of records that had come before it.
        var records: Int
        /// By how much it has grown; nil for the first one.
        var step: Int?
        /// True if it has grown by what came, so that it counts that.
        var isProven = false
        /// True if the number of the last record stands beside it, and fits.
        var hasEnd = false
        /// True if the request names it. Answers may count from another number.
        var isAsked = false
    }

    /// Notes the number that a page states, which grows as the number that is asked for does. One that stays the same is no number of
    /// this page, and behind the last page servers state what they like.
    mutating func note(numberOf page: PageSummary, asked locator: PageLocator) {
        var (stated, place): (Int?, String?)
        let asked: Int?
        if locator.page != nil {
            (stated, place, asked) = (page.markers.page, page.markers.pagePlace, locator.page)
        } else {
            (stated, place, asked) = (page.markers.offset, page.markers.offsetPlace, locator.offset)
        }
        let isOwn = stated == nil
        if isOwn { (stated, place) = (page.markers.own, page.markers.ownPlace) }
        guard let stated, let asked, page.recordCount > 0 else { return }
        let new = Number(stated: stated, asked: asked)
        // A number that is not that of the first page, counted from 0 or 1, is something else.
        guard let old = number ?? ((-1...1).contains(stated &- new.asked) ? new : nil) else { return }
        // SCIM answers 0 and 1 with record 1, so that the number that was asked for is no other one.
        let isItself = isOwn && stated == asked && locator.page == nil
        if !isItself, stated != old.stated, stated &- old.stated != new.asked &- old.asked {
            let said = isOwn ? page.markers.ownSaid ?? stated : stated
            otherPage = otherPage ?? PageStatement(path: place ?? "$", value: "\(said)")
        }
        number = new
    }

    /// Notes the number of the first record on a page. It grows by the records of the pages before, or, where some are left out of each
    /// page, as it did before.
    ///
    /// It may go back or overlap where links and cursors lead on, and it may count something else until it has grown by the records.
    mutating func note(startOf page: PageSummary, asked locator: PageLocator, behind before: ReadHistory) {
        let (markers, records) = (page.markers, before.records)
        guard let stated = markers.start else {
            // An empty page in the midst may leave it out.
            if page.recordCount == 0 { start = nil }
            return
        }
        var new = Start(
            stated: stated, records: records, hasEnd: markers.startHasEnd, isAsked: markers.startPlace?.isEmpty == true)
        guard let old = start, old.isAsked == new.isAsked else {
            new.isProven = records > 0
            start = (0...1).contains(stated &- records) ? new : nil
            return
        }
        let (step, came) = (stated &- old.stated, records &- old.records)
        guard step != 0 else { return }
        (new.step, new.isProven) = (step, old.isProven || step == came)
        start = new
        if !old.isProven, step == came, let known = old.step, known > came, known % came == 0 {
            // The page before had left others out.
            skipped = skipped ?? PageStatement(path: markers.startPlace ?? "$", value: "\(old.stated)")
        }
        guard page.recordCount > 0, step != came, step != old.step else { return }
        let said = PageStatement(path: markers.startPlace ?? "$", value: "\(stated)")
        if markers.isCounted, old.step != nil {
            otherPage = otherPage ?? said
        } else if step > came, came > 0 {
            let areExact = old.hasEnd && new.hasEnd
            let isSkipped = old.isProven && (areExact || step % came == 0)
            // A page of a size that nobody states has grown, or records were left out of the first one.
            let hasGrown =
                areExact && old.step == nil && stride == nil && locator.limit == nil
                && page.recordCount > before.largestPage
            if isSkipped || hasGrown { skipped = skipped ?? said }
        }
    }

    /// Notes the number of a page to which a link or a cursor has led, and its size, which sets where a numbered page begins.
    mutating func note(ordinalOf page: PageSummary, asked locator: PageLocator, behind before: ReadHistory) {
        let markers = page.markers
        if let size = markers.stride, page.recordCount > 0 {
            if let stride, size > stride, locator.page != nil {
                skipped = skipped ?? PageStatement(path: markers.stridePlace ?? "$", value: "\(size)")
            }
            stride = size
        }
        guard let stated = markers.ordinal else {
            ordinal = nil
            return
        }
        let isAsked = markers.ordinalPlace?.isEmpty == true
        guard let old = ordinal, old.isAsked == isAsked else {
            let new = Start(stated: stated, records: 0, isProven: before.filledPages > 0, isAsked: isAsked)
            ordinal = (0...1).contains(stated &- before.filledPages) ? new : nil
            return
        }
        let step = stated &- old.stated
        // It may grow by more with each page. Where it then grows by one, the page before had left others out.
        let hasJumped = old.isProven && step > 1 && step != old.step
        let hadJumped = !old.isProven && step == 1 && old.step ?? 0 > 1
        if page.recordCount > 0, hasJumped || hadJumped {
            skipped =
                skipped
                ?? PageStatement(path: markers.ordinalPlace ?? "$", value: "\(hasJumped ? stated : old.stated)")
        }
        ordinal = Start(
            stated: stated, records: 0, step: step, isProven: old.isProven || step == 1, isAsked: isAsked)
    }
}

extension ReadHistory.Start {
    func members(_ name: String) -> [(String, JSONText)] {
        var members: [(String, JSONText)] = []
        members.add(name, stated)
        members.add("\(name)_records", records)
        members.add("\(name)_step", step)
        members.add("\(name)_is_proven", if: isProven)
        members.add("\(name)_has_end", if: hasEnd)
        members.add("\(name)_is_asked", if: isAsked)
        return members
    }

    init?(_ name: String, stored root: Node) {
        guard let stated = root[name]?.storedCount, let records = root["\(name)_records"]?.storedCount else {
            return nil
        }
        self.init(
            stated: stated, records: records, step: root["\(name)_step"]?.storedCount,
            isProven: root["\(name)_is_proven"]?.kind == .true, hasEnd: root["\(name)_has_end"]?.kind == .true,
            isAsked: root["\(name)_is_asked"]?.kind == .true)
    }
}
