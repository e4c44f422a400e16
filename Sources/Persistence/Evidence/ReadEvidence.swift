import GarnerCatalog
import GarnerDigest
import GarnerJSON
import GarnerModel

/// The evidence of one read: keys that came again, pages and slices that share records, and records that say that they are deleted.
///
/// It is told of each page and each stored record in their order, and knows no database and no rows.
struct ReadEvidence {
    let hashKey: HashKey
    /// The number of records read so far.
    private(set) var recordsRead = 0
    /// True if no page of the read has come with its records.
    private(set) var isUnchanged: Bool
    private(set) var repeatedKeys = RepeatedKeys()
    /// The keys of the read from its first page on; nil if not all of them are known, or if each insert tells.
    private var seenKeys: SeenKeys?
    /// The keys of the rows that this run has changed. All other rows are as the hashes of the pages' records say; nil if that is not known.
    private(set) var changedKeys: SeenKeys?
    /// The records of this run that come in several slices.
    let overlap: SliceOverlap
    /// The field that tells records with the same key apart; nil while nothing is known to do so.
    var distinction = KeyDistinction()
    /// The first record that changed what another one of the read had written.
    var repeatedExample: String?
    /// The first record that was on an earlier page, too.
    var crossingExample: String?
    /// The judgement on an inferred key, once it is made.
    var keyJudgement: Verdict??
    /// True if a record came twice on one page, and none of those did in the read before.
    var doublesAreNew = false
    /// True if it was looked up whether all rows are those of the read that goes on.
    var isOriginKnown = false
    /// True if the page being stored is one record that is the whole body, and the only one of its slice.
    private(set) var isDocument = false
    /// True if a page of a table that is replaced was requested by number.
    var pagesAreNumbered = false
    var first: FirstRecords
    var deletions = FlaggedDeletions()
    /// The records that `schema_contract` has left out.
    var discarded = LeftOut()
    /// The kinds of content in the documents that are not stored as written.
    var notes: Document.Notes = []

    /// The first records of a read, by which a table without a key tells that its records come again.
    struct FirstRecords {
        /// True if the next page is the first of a new read.
        var areAwaited: Bool
        /// The records; nil if the table has a key.
        var records: Selection?
        /// The warning that the table got its records once more; nil if it did not.
        var comesAgain: String?
    }

    /// The records that say that they are deleted.
    struct FlaggedDeletions {
        /// The number of those that do not say which row they mean.
        var withoutKey = 0
        /// The number of those of which it is not known if another slice shows them.
        var untold = 0
        /// True if records of different slices can be the same row; nil while that is not known.
        var shareRows: Bool?
        /// The read and the slice of the page being stored, if an earlier run began the read and has stored pages of it.
        var resumedRead: (read: ReadID, slice: SliceID)?
        /// True if the records of all pages of that read are known; nil while that was not looked up.
        var knowsResumedRead: Bool?
    }

    /// - Parameters:
    ///   - beginsRead: True if all pages of the read will come.
    ///   - pagesAreApart: True if no record is known to be on two pages.
    init(of stream: StreamConfiguration, beginsRead: Bool, pagesAreApart: Bool, hashKey: HashKey) {
        self.hashKey = hashKey
        isUnchanged = beginsRead
        seenKeys = beginsRead ? SeenKeys() : nil
        // Pages that an earlier run has staged may change rows.
        changedKeys = pagesAreApart && (beginsRead || !stream.replacesTable) ? SeenKeys() : nil
        overlap = SliceOverlap(of: stream)
        first = FirstRecords(areAwaited: beginsRead)
    }
}

// MARK: - Events

extension ReadEvidence {
    /// The read has made the table, so that every row came with it.
    ///
    /// - Parameter isOneList: True if all rows of the read come with one list.
    mutating func madeTable(isOneList: Bool) {
        repeatedKeys.tableIsNew = true
        repeatedKeys.insertsTell = isOneList
        seenKeys = nil  // where all rows are new, each insert tells
    }

    /// All rows are those of this read, which an earlier run began.
    mutating func ownsAllRows() { repeatedKeys.insertsTell = true }

    /// The read leaves pages out, so that it cannot tell if pages share records.
    mutating func leavesPagesOut() { seenKeys = nil }

    /// Keys come again for other reasons than that pages share records, or are spelled in another way.
    mutating func keysComeAgain() { seenKeys?.giveUp() }

    /// A page came as it was stored. Its keys are not known.
    mutating func unchangedPage(_ page: PageCommit, records: Int) {
        seenKeys = nil
        if page.isNumbered { repeatedKeys.noteUnknownKeys(in: page.slice) }
        repeatedKeys.finish(page, isApart: true)
        recordsRead += records
    }

    /// A page with records is about to be stored.
    ///
    /// - Parameter hasKey: False if the table is known to have no key.
    mutating func beginPage(_ page: PageCommit, hasKey: Bool, isInferred: Bool) {
        (isUnchanged, isDocument) = (false, page.isDocument)
        let slice = hasKey ? page.slice : nil
        repeatedKeys.beginPage(numbered: page.isNumbered ? slice : nil, inferred: isInferred ? slice : nil)
    }

    /// Records of the page that was stored share a key.
    mutating func noteDoubled() { repeatedKeys.noteDoubled() }

    /// The same read has found these keys twice on a page, before what it had stored was undone.
    mutating func keepDoubled(_ keys: Set<Int64>) { repeatedKeys.doubled = keys }

    /// A record was stored.
    mutating func stored(_ key: RecordKey, at place: Int, isNew: Bool, isUpdate: Bool) {
        repeatedKeys.add(key, at: place, isNew: isNew, isUpdate: isUpdate && !overlap.hasChangedValuesOnly)
        if isUpdate { changedKeys?.insertAnyway(key) }
        seenKeys?.add(key)
    }

    /// A record waits that may change its row.
    mutating func staged(_ key: RecordKey) { changedKeys?.insertAnyway(key) }

    /// Rows were deleted that a page may still have.
    mutating func deletedRows() { (changedKeys, seenKeys) = (nil, nil) }

    /// Rows change that are not remembered one by one: too many, or with a column.
    mutating func changesManyRows() { changedKeys = nil }

    /// All records of the page are stored.
    mutating func endPage(records: Int) -> RepeatedKeys.Finding {
        recordsRead += records
        return repeatedKeys.endPage()
    }

    /// The page is judged.
    ///
    /// - Parameter isApart: False if a record of the page has come from another page.
    mutating func finish(_ page: PageCommit, isApart: Bool) { repeatedKeys.finish(page, isApart: isApart) }

    /// The read has ended. Returns true if it has shown that no record is on two pages.
    mutating func provesPagesApart() -> Bool { seenKeys.take()?.areUnclear == false }
}

// MARK: - Findings

extension ReadEvidence {
    /// The judgement on a read that has brought a record on two pages; nil if it has not.
    var crossing: Verdict? {
        guard repeatedKeys.crossesPages else { return nil }
        let record = crossingExample.map { "the record \($0)" } ?? "a record"
        return Verdict(
            .contradicted,
            "\(record) came on two pages, so the list may have changed while it was read",
            advice: "the next sync checks again")
    }

    /// True if so many records have the inferred key of another one that it was no key.
    var manyShareKey: Bool { repeatedKeys.count >= 10 && repeatedKeys.count * 100 >= recordsRead }

    /// True if so many records of the one list have the configured key of another one that it can be no key.
    var mostShareKey: Bool {
        !overlap.hasSlices && repeatedKeys.count >= 10 && repeatedKeys.count * 2 > recordsRead
    }

    /// Returns true if enough records have shown that those of different slices are different ones.
    ///
    /// - Parameter records: The number of records on the page that was stored last.
    func slicesDiffer(keyIsInferred: Bool, records: Int) -> Bool {
        let (count, inPage) = (overlap.conflicts, overlap.conflictsInPage)
        guard count > 0 else { return false }
        return keyIsInferred
            ? count * 10 >= recordsRead || count >= 10 && count * 100 >= recordsRead
            : inPage >= 10 && inPage * 2 > records
    }

    /// Returns true if keys came again because the inferred key is none, rather than because records changed meanwhile.
    ///
    /// - Parameter earlier: The keys that came again in the read before.
    func inferredKeyIsDoubtful(after earlier: Set<Int64>) -> Bool {
        let keys = repeatedKeys.keys
        guard !keys.isEmpty else { return false }
        return keys.count >= 10 || repeatedKeys.count * 10 >= recordsRead || !keys.isDisjoint(with: earlier)
    }
}
