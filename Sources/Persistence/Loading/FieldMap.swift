#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Which column each member of an object goes to, learnt from the records.
///
/// A member is looked for first where it stood in the records before, since those of a page usually have one shape,
/// then by the hash of its name. Neither allocates.
struct FieldMap {
    struct Field {
        fileprivate let keyStart: Int
        fileprivate let keyCount: Int
        /// The index of the column for values here; nil while none came.
        var column: Int?
        /// The index of the map of the objects here, where they are flattened.
        var nested: Int?
        /// The number of the table of the arrays here, where they become one.
        var child: Int?
        /// Whether arrays here are known to stay text.
        var keepsArrays = false
    }

    let path: [String]
    /// In the order in which they were seen first.
    private var fields: [Field] = []
    /// The names of all fields, one after the other.
    private var keys: [UInt8] = []
    /// Open addressing with linear probing: the indices of the fields, -1 where free; a power of two long.
    private var slots: [Int] = Array(repeating: -1, count: 16)

    init(path: [String]) {
        self.path = path
    }

    /// The index of the field with this name; `guess` is where it stood in other records.
    func index(of key: UnsafeBufferPointer<UInt8>, guess: Int) -> Int? {
        if guess < fields.count, isKey(key, ofFieldAt: guess) { return guess }
        var slot = Self.hash(key) & (slots.count - 1)
        while slots[slot] >= 0 {
            if isKey(key, ofFieldAt: slots[slot]) { return slots[slot] }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    subscript(index: Int) -> Field { fields[index] }

    /// Changes the field with this name, which is added where there is none.
    mutating func update(_ key: String, _ change: (inout Field) -> Void) {
        var key = key
        let index = key.withUTF8 { self.index(of: $0, guess: fields.count) } ?? add(key)
        change(&fields[index])
    }

    private mutating func add(_ key: String) -> Int {
        fields.append(Field(keyStart: keys.count, keyCount: key.utf8.count))
        keys.append(contentsOf: key.utf8)
        if fields.count * 2 > slots.count {
            slots = Array(repeating: -1, count: slots.count * 2)
            fields.indices.forEach { place($0) }
        } else {
            place(fields.count - 1)
        }
        return fields.count - 1
    }

    private mutating func place(_ index: Int) {
        let field = fields[index]
        let hash = keys[field.keyStart..<field.keyStart + field.keyCount].withUnsafeBufferPointer(Self.hash)
        var slot = hash & (slots.count - 1)
        while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = index
    }

    private func isKey(_ key: UnsafeBufferPointer<UInt8>, ofFieldAt index: Int) -> Bool {
        let field = fields[index]
        guard field.keyCount == key.count else { return false }
        return keys.withUnsafeBufferPointer { keys in
            guard let stored = keys.baseAddress, let asked = key.baseAddress else { return field.keyCount == 0 }
            return memcmp(stored + field.keyStart, asked, field.keyCount) == 0
        }
    }

    /// FNV-1a of 64 bits.
    private static func hash(_ key: UnsafeBufferPointer<UInt8>) -> Int {
        Int(truncatingIfNeeded: key.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }
}
