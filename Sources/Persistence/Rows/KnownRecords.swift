import GarnerDatabase
import GarnerDigest
import GarnerJSON
import GarnerModel

/// The records of a page whose rows are as these records left them.
struct KnownRecords {
    /// The hash of each record, in the page's order.
    let hashes: [Int64]
    /// The key of each record whose row is as it should be; nil for others.
    private var keys: [RecordKey?] = []

    /// - Parameters:
    ///   - hashes: The hash of each of the records.
    ///   - stored: The hashes with which the page was stored, and in which no key came twice.
    ///   - changed: The keys of the rows that may be as other records left them.
    init(among records: Selection, hashes: [Int64], stored: [Int64], changed: SeenKeys?, _ loader: TableLoader?) {
        self.hashes = hashes
        guard let loader, !stored.isEmpty else { return }
        let known = stored == hashes ? [] : Set(stored)
        func isKnown(_ place: Int) -> Bool {
            place < stored.count && stored[place] == hashes[place] || known.contains(hashes[place])
        }
        guard hashes.indices.contains(where: isKnown) else { return }
        keys.reserveCapacity(records.count)
        // If another record of the page changes the same row, this one changes it back, so it is not left out.
        var changing: Set<Int64> = []
        records.forEach { record in
            let place = keys.count
            // The text 1 and the number have the same bytes.
            let isStored = record.isObject && isKnown(place)
            let key = loader.recordKey(of: PageRecord(node: record, added: nil))
            if !isStored, let key { changing.insert(key.shortened) }
            keys.append(isStored && key.map { changed?.contains($0) == true } != true ? key : nil)
        }
        guard !changing.isEmpty else { return }
        for place in keys.indices {
            if let key = keys[place], changing.contains(key.shortened) { keys[place] = nil }
        }
    }

    /// Creates the records of a page that was staged.
    ///
    /// - Parameter keysOnly: The indices of the records that needed no look when they were.
    init(among records: Selection, hashes: [Int64], keysOnly: Set<Int>, _ loader: TableLoader?) throws {
        self.hashes = hashes
        guard !keysOnly.isEmpty else { return }
        keys.reserveCapacity(records.count)
        try records.forEach { record in
            guard keysOnly.contains(keys.count) else { return keys.append(nil) }
            // The rest of the record is not there, so that it cannot be stored.
            guard let key = loader?.recordKey(of: PageRecord(node: record, added: nil)) else {
                throw PersistenceError(
                    .configuration, "the table has changed while a read that replaces it waits for its last page",
                    hint: "run garner sync --full-refresh, which reads all pages anew")
            }
            keys.append(key)
        }
    }

    /// Returns a record's key if its row needs no look.
    func key(at place: Int) -> RecordKey? { place < keys.count ? keys[place] : nil }
}

/// A place for values that nobody needs.
private struct Nowhere: RecordSink {
    func bindNull(at parameter: Int32) {}
    func bind(_ integer: Int64, at parameter: Int32) {}
    func bind(_ real: Double, at parameter: Int32) {}
    func bind(unownedUTF8 text: UnsafeBufferPointer<UInt8>, at parameter: Int32) {}
    func bind(copyingUTF8 text: [UInt8], at parameter: Int32) {}
}

extension TableLoader {
    /// Returns the key of the row that a record means; nil if no row can have it.
    func recordKey(of record: PageRecord) -> RecordKey? {
        binder.bindKeyOfRow(of: record, to: Nowhere(), from: 1) ? binder.recordKey : nil
    }

    /// Returns true if the table holds a record as it came, and no column gets another type for it.
    func fits(_ record: PageRecord) -> Bool {
        // The record is bound once more when it is stored, and its values are counted then.
        let (placeholders, numbers, leftOut) = (binder.placeholders, binder.numbersInText, binder.leftOut)
        let tally = binder.tally
        defer {
            (binder.placeholders, binder.numbersInText, binder.leftOut) = (placeholders, numbers, leftOut)
            binder.tally = tally
        }
        return binder.bind(record, to: Nowhere()) == nil && binder.placeholders == placeholders
    }
}
