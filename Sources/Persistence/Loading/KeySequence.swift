import Digest

/// The keys of a page's records in their order, as one fingerprint. It tells whether they are those that the page had
/// before, followed by nothing but records that no page had.
struct KeySequence {
    private var list: ListFingerprint
    private var count = 0
    private let known: PageTable.Row?
    /// Whether the first records are those of the known page.
    private var beginsAsKnown: Bool
    private var areAllNew = true
    private var areAllNewBehind = true

    init(after known: PageTable.Row?, key: HashKey) {
        self.known = known
        list = ListFingerprint(key: key)
        beginsAsKnown = known?.recordCount == 0
    }

    /// In 32 hexadecimal digits.
    var digest: String { list.value.text }

    /// Whether the page shares no record with another one, if none did before.
    var isApart: Bool { areAllNew || (beginsAsKnown && areAllNewBehind) }

    mutating func add(_ key: Fingerprint, isNew: Bool) {
        if beginsAsKnown, !isNew { areAllNewBehind = false }
        if !isNew { areAllNew = false }
        list.add(key)
        count += 1
        if count == known?.recordCount { beginsAsKnown = digest == known?.keysDigest }
    }
}

/// The keys that a read has met, so that a record on two pages is found out.
///
/// Each is known by 64 bits. Two keys that share them look like one that came twice, and then every page is read again.
struct SeenKeys {
    /// 64 MiB: beyond it nothing is told.
    private static let maximum = 4 << 20

    private var slots: [Int64] = Array(repeating: 0, count: 1024)
    private var count = 0
    /// Whether a key came twice, or too many came to tell.
    private(set) var areUnclear = false

    mutating func add(_ fingerprint: Fingerprint) {
        let key = fingerprint.shortened
        guard !areUnclear else { return }
        if count * 2 >= slots.count { grow() }
        guard !areUnclear, insert(key == 0 ? 1 : key) else { return giveUp() }
        count += 1
    }

    func contains(_ key: Int64) -> Bool {
        let key = key == 0 ? 1 : key
        guard !slots.isEmpty else { return false }
        var slot = Int(truncatingIfNeeded: key) & (slots.count - 1)
        while slots[slot] != 0 {
            if slots[slot] == key { return true }
            slot = (slot + 1) & (slots.count - 1)
        }
        return false
    }

    /// Adds a key that may be there.
    mutating func insertAnyway(_ key: Int64) {
        guard !areUnclear else { return }
        if count * 2 >= slots.count { grow() }
        guard !areUnclear else { return giveUp() }
        if insert(key == 0 ? 1 : key) { count += 1 }
    }

    /// Tells no more whether a key comes twice, as keys are spelled otherwise from now on.
    mutating func giveUp() {
        areUnclear = true
        slots = []
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
