import GarnerModel

/// A map from the members of an object to their columns, learnt from the records.
///
/// A lookup first tries the member's position in earlier records, since the records of a page usually have one
/// shape, then the hash of its name. Neither allocates.
struct FieldMap {
    struct Field {
        fileprivate let keyStart: Int
        fileprivate let keyCount: Int
        /// The index of the column; nil until a value came.
        var column: Int?
        /// The index of the map for objects here, if they are flattened.
        var nested: Int?
        /// The number of the table for arrays here, if they become one.
        var child: Int?
        /// True if arrays here are known to stay text.
        var keepsArrays = false
    }

    let path: [String]
    /// The fields in the order in which they were first seen.
    private var fields: [Field] = []
    /// The names of all fields, one after another.
    private var keys: [UInt8] = []
    /// A hash table with open addressing and linear probing: the fields' indices, -1 for a free slot; a power of two long.
    private var slots: [Int] = Array(repeating: -1, count: 16)

    init(path: [String]) {
        self.path = path
    }

    /// Returns the index of the field with this name. `guess` is its position in other records.
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

    /// Changes the field with this name, or adds it first.
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
            return Self.areSame(stored + field.keyStart, asked, field.keyCount)
        }
    }

    /// Compares bytes. For a name, a call of `memcmp` takes longer than that.
    @inline(__always)
    private static func areSame(_ bytes: UnsafePointer<UInt8>, _ others: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        func word(_ place: UnsafePointer<UInt8>, _ index: Int) -> UInt64 {
            UnsafeRawPointer(place + index).loadUnaligned(as: UInt64.self)
        }
        guard count >= 8 else {
            for index in 0..<count where bytes[index] != others[index] { return false }
            return true
        }
        var index = 0
        while index < count - 8 {
            guard word(bytes, index) == word(others, index) else { return false }
            index += 8
        }
        return word(bytes, count - 8) == word(others, count - 8)
    }

    private static func hash(_ key: UnsafeBufferPointer<UInt8>) -> Int {
        var hash = StableHash()
        hash.add(key)
        return Int(truncatingIfNeeded: hash.value)
    }
}
