import CSQLite

/// How much memory SQLite may take in this process, for all connections together.
package enum HeapLimit {
    /// Beyond it, statements fail for want of memory (sqlite.org/c3ref/hard_heap_limit64.html).
    package static func set(bytes: Int64) { sqlite3_hard_heap_limit64(bytes) }
}
