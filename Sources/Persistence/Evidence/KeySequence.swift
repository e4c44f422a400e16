import GarnerDigest
import GarnerModel

/// The fingerprint of a page's record keys in order. It shows if the page has its earlier records, followed
/// only by records that were on no page.
struct KeySequence {
    private var list: ListFingerprint
    private var count = 0
    private let known: PageRow?
    /// True if the first records are those of the known page.
    private var beginsAsKnown: Bool
    private var areAllNew = true
    private var areAllNewBehind = true

    init(after known: PageRow?, key: HashKey) {
        self.known = known
        list = ListFingerprint(key: key)
        beginsAsKnown = known?.recordCount == 0
    }

    /// The fingerprint in 32 hexadecimal digits.
    var digest: String { list.value.text }

    /// True if each record so far was inserted, so that none has the key of another one.
    var areAllInserted: Bool { areAllNew }

    /// True if the page shares no record with another one, provided that none did before.
    var isApart: Bool { areAllNew || (beginsAsKnown && areAllNewBehind) }

    mutating func add(_ key: Fingerprint, isNew: Bool) {
        if beginsAsKnown, !isNew { areAllNewBehind = false }
        if !isNew { areAllNew = false }
        list.add(key)
        count += 1
        if count == known?.recordCount { beginsAsKnown = digest == known?.keysDigest }
    }
}

/// Finds the records of a read that share their key.
///
/// Within a page all are found. Across pages they are found if the read created the table and, in numbered pages and where
/// the key is inferred, among as many keys as fit the memory set aside. With more, the search begins anew.
struct RepeatedKeys {
    /// The key of each record in the page being stored.
    private var page: [RecordKey] = []
    /// The indices of the keys whose record changed an existing row.
    private var changed: [Int] = []
    /// The indices of the keys whose row was there already, noted if `insertsTell`.
    private var known: [Int] = []
    private var places: [Int] = []
    /// The slice of the page being stored, if its pages are numbered.
    private var slice: SliceID?
    /// The slice of the page being stored, if a change of a row tells nothing of the read, and all of its keys are remembered.
    private var compared: SliceID?
    /// The keys of the earlier pages of each slice whose pages are numbered or compared. A record may be in several slices.
    private var earlier: [SliceID: SeenKeys] = [:]
    /// The slices of numbered pages with a page whose keys are not known, as it came unchanged or is not numbered.
    private var slicesWithUnknownKeys: Set<SliceID> = []
    /// The slices with a page that is not numbered, as the first one often is. Its keys are not remembered.
    private var slicesWithOtherPages: Set<SliceID> = []
    /// The slices with a numbered page to which a record has come from another page.
    private var slicesWithMovedRecords: Set<SliceID> = []
    /// The most memory for the keys of one slice.
    var mostBytes = SeenKeys.mostBytes
    /// True if the read created the table, so that every existing row came with it.
    var tableIsNew = false
    /// True if all rows came with this list, so that a record with a row has come before, and no earlier keys are remembered.
    var insertsTell = false
    /// The number of records that changed a row which another record of the read had written with other content.
    private(set) var count = 0
    /// The keys of those records, of which the first ten are kept.
    private(set) var keys: Set<Int64> = []
    /// The slices in which a key came on two numbered pages.
    private(set) var crossedSlices: Set<SliceID> = []
    var crossesPages: Bool { !crossedSlices.isEmpty }
    /// True if more keys came than are remembered, so that others may also be on two pages.
    private(set) var isUncounted = false

    /// The slices with records that moved between numbered pages of which some came unchanged: one may be on two pages.
    private(set) var doubtfulSlices: Set<SliceID> = []
    var mayCrossPages: Bool { !doubtfulSlices.isEmpty }

    mutating func noteUnknownKeys(in slice: SliceID) { slicesWithUnknownKeys.insert(slice) }

    /// True if records of the page that was stored last share a key.
    var pageRepeatsKey: Bool { Set(page.lazy.map(\.shortened)).count < page.count }

    /// Keys of records that came twice on one page, with any content, of which the first ten are kept.
    var doubled: Set<Int64> = []

    /// Notes the keys that came twice on the page that was stored last.
    mutating func noteDoubled() {
        guard doubled.count < 10 else { return }
        var seen: Set<Int64> = []
        for key in page.lazy.map(\.shortened) where !seen.insert(key).inserted && doubled.count < 10 {
            doubled.insert(key)
        }
    }

    /// - Parameter isApart: False if a record of the page has come from another page.
    mutating func finish(_ page: PageCommit, isApart: Bool) {
        if !page.isNumbered {
            slicesWithOtherPages.insert(page.slice)
        } else if slicesWithOtherPages.contains(page.slice) {
            slicesWithUnknownKeys.insert(page.slice)
        }
        if page.isNumbered, !isApart { slicesWithMovedRecords.insert(page.slice) }
        guard page.endsList else { return }
        slicesWithOtherPages.remove(page.slice)
        // The next pages are those of another list. Its range may begin where this one ends, with the same records.
        earlier[page.slice] = nil
        let mayCross = slicesWithUnknownKeys.remove(page.slice) != nil
        if slicesWithMovedRecords.remove(page.slice) != nil, mayCross { doubtfulSlices.insert(page.slice) }
    }

    /// - Parameters:
    ///   - numbered: The slice of the page if its pages are numbered.
    ///   - inferred: The slice of the page if its key is inferred.
    mutating func beginPage(numbered: SliceID?, inferred: SliceID? = nil) {
        page.removeAll(keepingCapacity: true)
        changed.removeAll(keepingCapacity: true)
        known.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        slice = numbered
        compared = tableIsNew ? nil : inferred
        if let remembered = slice ?? compared, earlier[remembered] == nil, !insertsTell {
            earlier[remembered] = SeenKeys(mostBytes: mostBytes)
        }
    }

    /// - Parameters:
    ///   - place: The index of the record in the page.
    ///   - isNew: True if it became a new row.
    ///   - isUpdate: True if it changed an existing row.
    mutating func add(_ key: RecordKey, at place: Int, isNew: Bool, isUpdate: Bool) {
        if isUpdate { changed.append(page.count) }
        if insertsTell, !isNew { known.append(page.count) }
        page.append(key)
        places.append(place)
    }

    /// The findings of the stored page.
    struct Finding {
        /// The number of records that changed what another record of the read had written.
        var repeats = 0
        /// The indices of the first ten of them in the page.
        var places: [Int] = []
        /// The index of a record that was on an earlier page, if it is the first such record of its list.
        var crossingPlace: Int?
        /// The number of records that share their key with another one of the page.
        var sharing = 0
        /// The number of different keys on the page.
        var distinct = 0
    }

    mutating func endPage() -> Finding {
        var finding = findRepeats()
        if let index = noteCrossing(), let slice {
            crossedSlices.insert(slice)
            finding.crossingPlace = places[index]
        }
        return finding
    }

    private mutating func findRepeats() -> Finding {
        var finding = Finding()
        // A record whose content differs from the previous one's has changed its row.
        guard !changed.isEmpty else { return finding }
        var occurrences: [Int64: Int] = [:]
        var next = changed[...]
        for (index, key) in page.enumerated() {
            let isOnPage = occurrences[key.shortened] != nil
            occurrences[key.shortened, default: 0] += 1
            guard next.first == index else { continue }
            next.removeFirst()
            let isEarlier = isOnPage || tableIsNew || compared.flatMap { earlier[$0]?.contains(key) } ?? false
            guard isEarlier else { continue }
            finding.repeats += 1
            if finding.places.count < 10 { finding.places.append(places[index]) }
            if keys.count < 10 { keys.insert(key.shortened) }
        }
        finding.distinct = occurrences.count
        finding.sharing = occurrences.values.reduce(0) { $0 + ($1 > 1 ? $1 : 0) }
        count += finding.repeats
        return finding
    }

    /// The index of the first key whose row was there, although no earlier record of the page has it; nil if there is none.
    private var indexOfEarlierKey: Int? {
        guard let last = known.last else { return nil }
        var (onPage, next) = (Set<Int64>(), known[...])
        for index in 0...last {
            if next.first == index {
                if !onPage.contains(page[index].shortened) { return index }
                next.removeFirst()
            }
            onPage.insert(page[index].shortened)
        }
        return nil
    }

    /// Returns the index of a key that came on an earlier page; nil if none did, or if that is known.
    private mutating func noteCrossing() -> Int? {
        let isKnown = slice.map(crossedSlices.contains) ?? false
        if insertsTell { return slice == nil || isKnown ? nil : indexOfEarlierKey }
        guard let remembered = slice ?? compared, var earlier = earlier.removeValue(forKey: remembered) else {
            return nil
        }
        var crossing: Int?
        // Once known, it need not be detected again.
        if slice != nil, !isKnown { crossing = page.firstIndex { earlier.contains($0) } }
        if compared == nil, crossing != nil || isKnown { return crossing }
        for key in page { earlier.insertAnyway(key) }
        if earlier.areUnclear {
            // Most keys that come again do so soon.
            isUncounted = true
            earlier = SeenKeys(mostBytes: mostBytes)
            for key in page { earlier.insertAnyway(key) }
        }
        self.earlier[remembered] = earlier
        return crossing
    }
}
