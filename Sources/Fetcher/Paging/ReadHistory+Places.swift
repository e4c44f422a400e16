import GarnerCatalog
import GarnerJSON
import GarnerModel

// Pages and their requests state where the pages stand in the list. These functions find the pages that leave others out.
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
        /// The growth since the page before; nil for the first one.
        var step: Int?
        /// True if it has grown by what came, so that it counts that.
        var isProven = false
        /// True if the number of the last record stands beside it, and fits.
        var hasEnd = false
        /// The place in the answer that states it; empty if the request names it. Other places may count from another number.
        var place: String
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
        // A first page that was asked for without its number states it.
        if number == nil, filledPages == 2, locator.page == stated, let firstPage, stated &- firstPage > 1 {
            skipped = skipped ?? PageStatement(path: place ?? "$", value: "\(stated)")
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
        let said = PageStatement(path: markers.startPlace ?? "$", value: "\(stated)")
        /// Pages of as many records are full ones, so that such a step leaves others out, whatever the number has done before.
        func leavesOutPages(_ step: Int, behind came: Int, areExact: Bool = false) -> Bool {
            guard came >= Self.shortestFullPage, page.recordCount == came, step > came else { return false }
            return step % came == 0 && step / came <= Self.mostPages || areExact && came.isUsualPageSize
        }
        var new = Start(stated: stated, records: records, hasEnd: markers.startHasEnd, place: said.path)
        guard let old = start, old.place == new.place else {
            // The request of the first page skipped no record, and named no number.
            if said.path.isEmpty, markers.startIsSure, before.filledPages == 1, before.offset == 0, records > 0,
                leavesOutPages(stated &- (stated % records == 1 ? 1 : 0), behind: records)
            {
                skipped = skipped ?? said
            }
            new.isProven = records > 0
            start = (0...1).contains(stated &- records) ? new : nil
            return
        }
        let (step, came) = (stated &- old.stated, records &- old.records)
        guard step != 0 else { return }
        // The number that was asked for by counting counts as Garner does.
        let isAsked = markers.isCounted && locator.offset == stated
        (new.step, new.isProven) = (step, old.isProven || step == came || isAsked)
        start = new
        if !old.isProven, step == came, let known = old.step, known > came, known % came == 0 {
            // The page before had left others out.
            skipped = skipped ?? PageStatement(path: said.path, value: "\(old.stated)")
        }
        // Behind the last page that is asked for by counting, servers state what they like.
        guard page.recordCount > 0 || !markers.isCounted, step != came else { return }
        if markers.isCounted, old.step != nil, step != old.step, markers.startIsSure || new.hasEnd {
            otherPage = otherPage ?? said
        } else if step > came, came > 0 {
            let areExact = old.hasEnd && new.hasEnd && came > 1
            let isSkipped =
                new.isProven && step != old.step && (areExact || markers.startIsSure || step % came == 0)
            // A page of a size that nobody states has grown, or records were left out of the first one.
            let hasGrown =
                areExact && old.step == nil && stride == nil && locator.limit == nil
                && page.recordCount > before.largestPage
            if isSkipped || hasGrown || leavesOutPages(step, behind: came, areExact: areExact) {
                skipped = skipped ?? said
            }
        }
    }

    /// The number of records from which pages of as many are full by no chance.
    private static let shortestFullPage = 10
    /// The number of pages to which a number may leap that has counted nothing yet. A greater one may be that of a byte.
    private static let mostPages = 10

    /// Notes the number of a page to which a link or a cursor has led, and its size, which sets where a numbered page begins.
    mutating func note(ordinalOf page: PageSummary, asked locator: PageLocator, behind before: ReadHistory) {
        let markers = page.markers
        if let size = markers.stride, page.recordCount > 0 {
            // It may be the number of the records that the page shows, of which others are hidden.
            if let stride, size > stride, locator.page != nil,
                size != page.recordCount || size / 2 >= stride && size.isUsualPageSize && stride.isUsualPageSize
            {
                skipped = skipped ?? PageStatement(path: markers.stridePlace ?? "$", value: "\(size)")
            }
            stride = size
        }
        guard let stated = markers.ordinal else {
            ordinal = nil
            return
        }
        let place = markers.ordinalPlace ?? "$"
        /// A page before this one is named by the place of the number of this one.
        func skipping(_ number: Int) -> PageStatement {
            let isOfPrevious =
                place.split(separator: ".").last.map { PagingWord(Envelope.normalized("\($0)")) == .previous } ?? false
            return PageStatement(path: place, value: "\(isOfPrevious ? number &- 1 : number)")
        }
        var new = Start(stated: stated, records: before.records, place: place)
        guard let old = ordinal, old.place == place else {
            // The first page has no number, or another one of that kind.
            if before.filledPages == 1, firstPage ?? 1 <= 1, stated > 2, stated < before.records {
                skipped = skipped ?? skipping(stated)
            }
            new.isProven = before.filledPages > 0
            ordinal = (0...1).contains(stated &- before.filledPages) ? new : nil
            return
        }
        let (step, came) = (stated &- old.stated, before.records &- old.records)
        // It may grow by more with each page, as a number of records does. Where it then grows by one, the page before had left others out.
        let hasJumped = step > 1 && (old.isProven && step != old.step || step < came)
        let hadJumped = !old.isProven && step == 1 && old.step ?? 0 > 1 && page.recordCount > 0
        if hasJumped || hadJumped { skipped = skipped ?? skipping(hasJumped ? stated : old.stated) }
        (new.step, new.isProven) = (step, old.isProven || step == 1)
        ordinal = new
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
        members.add("\(name)_place", place)
        return members
    }

    init?(_ name: String, stored root: Node) {
        guard let stated = root[name]?.storedCount, let records = root["\(name)_records"]?.storedCount,
            let place = root["\(name)_place"]?.string
        else { return nil }
        self.init(
            stated: stated, records: records, step: root["\(name)_step"]?.storedCount,
            isProven: root["\(name)_is_proven"]?.kind == .true, hasEnd: root["\(name)_has_end"]?.kind == .true,
            place: place)
    }
}
