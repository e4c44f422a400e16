import GarnerDigest

/// The key of a record, as the read remembers it.
struct RecordKey {
    let fingerprint: Fingerprint
    /// The key itself, if it is one integer.
    let integer: Int64?

    /// The fingerprint in 64 bits.
    var shortened: Int64 { fingerprint.shortened }
}

/// The keys that a read has met, for detecting a record on two pages.
///
/// An integer is one bit beside its neighbours, so that a list of consecutive ones takes little memory in any order. Any other key is
/// known by 64 bits. Two keys that share them look like a repeated one, and then every page is read again.
struct SeenKeys {
    /// The largest table that a read needs in bytes, with room for 1.5 million keys that are no neighbours.
    static let mostBytes = 16 << 20

    /// The largest table in bytes. Beyond it, only keys in rising or falling order still tell.
    private let mostBytes: Int
    /// A word has the bits of 64 consecutive integers, or is what is known of one key. 0 is a free place.
    private var words: [UInt64] = Array(repeating: 0, count: 1024)
    /// The integers of each word, divided by 64; empty if each word is one key.
    private var blocks: [Int64] = []
    /// The number of words in use.
    private var count = 0
    private var order = KeyOrder()
    /// True if the keys have outgrown the table, and all have come in order.
    private var isByOrder = false
    /// True if a key came twice, or if too many came to know.
    private(set) var areUnclear = false

    init(mostBytes: Int = Self.mostBytes) { self.mostBytes = mostBytes }

    mutating func add(_ key: RecordKey) {
        guard !areUnclear else { return }
        order.note(key.integer)
        if isByOrder {
            if !order.isKept { giveUp() }
            return
        }
        if let isNew = insert(key) {
            if !isNew { giveUp() }
        } else if order.isKept {
            isByOrder = true
            (words, blocks) = ([], [])
        } else {
            giveUp()
        }
    }

    func contains(_ key: RecordKey) -> Bool {
        guard !words.isEmpty, blocks.isEmpty || key.integer != nil else { return false }
        let (block, bits) = place(of: key)
        return words[slot(of: block, bits)] & bits == bits
    }

    /// Adds a key that may already be there.
    mutating func insertAnyway(_ key: RecordKey) {
        if !areUnclear, insert(key) == nil { giveUp() }
    }

    /// Stops detecting repeated keys, because keys are spelled differently from now on.
    mutating func giveUp() {
        areUnclear = true
        (words, blocks) = ([], [])
    }

    /// Inserts a key. Returns false if it is already there, and nil if there is no room.
    private mutating func insert(_ key: RecordKey) -> Bool? {
        if count == 0, key.integer != nil { blocks = Array(repeating: 0, count: words.count) }
        if !blocks.isEmpty, key.integer == nil, !separate() { return nil }
        if count * 4 >= words.count * 3, !grow() { return nil }
        let (block, bits) = place(of: key)
        return insert(block, bits)
    }

    private mutating func insert(_ block: Int64, _ bits: UInt64) -> Bool {
        let slot = slot(of: block, bits)
        if words[slot] & bits == bits { return false }
        if words[slot] == 0 {
            count += 1
            if !blocks.isEmpty { blocks[slot] = block }
        }
        words[slot] |= bits
        return true
    }

    /// The block and the bits of a key. Where each word is one key, the block is 0.
    private func place(of key: RecordKey) -> (block: Int64, bits: UInt64) {
        guard let integer = key.integer else { return (0, max(1, UInt64(bitPattern: key.shortened))) }
        return blocks.isEmpty ? (0, max(1, Self.mixed(integer))) : (integer >> 6, 1 << UInt64(integer & 63))
    }

    /// The word that has a key or its block, or else the free one for it.
    private func slot(of block: Int64, _ bits: UInt64) -> Int {
        let start = blocks.isEmpty ? bits : Self.mixed(block)
        var slot = Int(truncatingIfNeeded: start) & (words.count - 1)
        while words[slot] != 0, blocks.isEmpty ? words[slot] != bits : blocks[slot] != block {
            slot = (slot + 1) & (words.count - 1)
        }
        return slot
    }

    /// Spreads integers over 64 bits. No two share theirs.
    private static func mixed(_ integer: Int64) -> UInt64 {
        let bits = UInt64(bitPattern: integer)
        let product = (bits ^ (bits >> 32)) &* 0x9E37_79B9_7F4A_7C15
        return product ^ (product >> 32)
    }

    /// Makes room for more words. Returns false if there is none.
    private mutating func grow() -> Bool {
        guard words.count * (blocks.isEmpty ? 8 : 16) < mostBytes else { return !blocks.isEmpty && separate() }
        let old = (words: words, blocks: blocks)
        clear(to: old.words.count * 2, hasBlocks: !old.blocks.isEmpty)
        for (slot, word) in old.words.enumerated() where word != 0 {
            _ = insert(old.blocks.isEmpty ? 0 : old.blocks[slot], word)
        }
        return true
    }

    /// Gives each key a word of its own. Returns false if there is no room.
    private mutating func separate() -> Bool {
        let old = (words: words, blocks: blocks)
        let keys = old.words.reduce(0) { $0 + $1.nonzeroBitCount }
        var size = 1024
        while keys * 4 >= size * 3 { size *= 2 }
        guard size * 8 <= mostBytes else { return false }
        clear(to: size, hasBlocks: false)
        for (slot, word) in old.words.enumerated() where word != 0 {
            for bit: Int64 in 0..<64 where word & (1 << UInt64(bit)) != 0 {
                _ = insert(0, max(1, Self.mixed(old.blocks[slot] << 6 | bit)))
            }
        }
        return true
    }

    private mutating func clear(to size: Int, hasBlocks: Bool) {
        count = 0
        words = Array(repeating: 0, count: size)
        blocks = hasBlocks ? Array(repeating: 0, count: size) : []
    }
}

/// The order of keys that are integers. As long as they rise or fall, none comes twice.
private struct KeyOrder {
    private var last: Int64?
    private var rises: Bool?
    /// True if all keys so far have come in one order.
    private(set) var isKept = true

    mutating func note(_ key: Int64?) {
        guard isKept else { return }
        if let key, let last {
            isKept = key != last && rises != (key < last)
            rises = key > last
        } else if key == nil {
            isKept = false
        }
        last = key
    }
}
