/// The statements used most recently, by their text; the one unused for longest gives way.
struct StatementCache {
    private let capacity: Int
    private var entries: [Key: (statement: Statement, used: Int)] = [:]
    private var uses = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// O(1) to read; O(capacity) to write into a full cache.
    subscript(sql: String) -> Statement? {
        mutating get {
            guard let index = entries.index(forKey: Key(sql: sql)) else { return nil }
            uses += 1
            entries.values[index].used = uses
            return entries.values[index].statement
        }
        set {
            let key = Key(sql: sql)
            uses += 1
            if let newValue, entries.count >= capacity, entries[key] == nil,
                let oldest = entries.min(by: { $0.value.used < $1.value.used })?.key
            {
                entries[oldest] = nil
                entries[key] = (newValue, uses)
            } else {
                entries[key] = newValue.map { ($0, uses) }
            }
        }
    }

    mutating func removeAll() { entries.removeAll() }

    /// A text by its bytes, since Swift's strings are equal where only their Unicode form differs.
    private struct Key: Hashable {
        let sql: String

        static func == (left: Key, right: Key) -> Bool { left.sql.utf8.elementsEqual(right.sql.utf8) }

        func hash(into hasher: inout Hasher) {
            var sql = sql
            sql.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}
