import JSON

/// The keys of a page's records in their order, as one hash; and whether they are those that the page had before, with
/// nothing behind them but records that no page had.
struct KeySequence {
    private var hash = StableHash()
    private var count = 0
    private let known: PageTable.Row?
    /// Whether the first records are those of the known page.
    private var beginsAsKnown: Bool
    private var areAllNew = true
    private var areAllNewBehind = true

    init(after known: PageTable.Row?) {
        self.known = known
        beginsAsKnown = known?.recordCount == 0
    }

    var value: Int64 { hash.value }

    /// Whether the page shares no record with another one, if none did before.
    var isApart: Bool { areAllNew || (beginsAsKnown && areAllNewBehind) }

    mutating func add(_ key: Int64, isNew: Bool) {
        if beginsAsKnown, !isNew { areAllNewBehind = false }
        if !isNew { areAllNew = false }
        hash.add(word: key)
        count += 1
        if count == known?.recordCount { beginsAsKnown = hash.value == known?.keysHash }
    }
}

/// The keys that a read has met, by their hashes, so that a record on two pages is found out.
struct SeenKeys {
    /// 64 MiB: beyond it nothing is told.
    private static let maximum = 4 << 20

    private var slots: [Int64] = Array(repeating: 0, count: 1024)
    private var count = 0
    /// Whether a key came twice, or too many came to tell.
    private(set) var areUnclear = false

    mutating func add(_ key: Int64) {
        guard !areUnclear else { return }
        if count * 2 >= slots.count { grow() }
        guard !areUnclear, insert(key == 0 ? 1 : key) else {
            areUnclear = true
            slots = []
            return
        }
        count += 1
    }

    /// false where it is there.
    private mutating func insert(_ key: Int64) -> Bool {
        var slot = Int(truncatingIfNeeded: key) & (slots.count - 1)
        while slots[slot] != 0 {
            if slots[slot] == key { return false }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = key
        return true
    }

    private mutating func grow() {
        guard count < Self.maximum else {
            areUnclear = true
            return
        }
        let old = slots
        slots = Array(repeating: 0, count: old.count * 2)
        for key in old where key != 0 { _ = insert(key) }
    }
}
