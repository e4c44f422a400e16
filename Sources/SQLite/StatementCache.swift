/// The statements used most recently, by their text; the one unused for longest gives way.
struct StatementCache {
    private let capacity: Int
    /// The one used last stands at the end.
    private var entries: [(sql: String, statement: Statement)] = []

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// O(capacity). Texts are told apart by their bytes, since Swift's strings are equal where only their Unicode form
    /// differs.
    mutating func statement(for sql: String) -> Statement? {
        let found = entries.lastIndex {
            $0.sql.utf8.count == sql.utf8.count && $0.sql.utf8.elementsEqual(sql.utf8)
        }
        guard let found else { return nil }
        let entry = entries.remove(at: found)
        entries.append(entry)
        return entry.statement
    }

    /// Adds one whose text is not there.
    mutating func add(_ statement: Statement, for sql: String) {
        if entries.count >= capacity { entries.removeFirst() }
        entries.append((sql, statement))
    }

    mutating func removeAll() { entries.removeAll() }
}
