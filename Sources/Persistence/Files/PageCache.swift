import GarnerSQLite

/// The memory in which the writer keeps pages of the database.
///
/// It is larger while records come in no order of their keys, since each of them then changes another page of the database. The
/// log is larger, too, before it is copied into the database: each transaction writes most of these pages again, and only
/// the last one counts.
struct PageCache {
    /// In KiB. It is SQLite's own (sqlite.org/pragma.html#pragma_cache_size).
    private static let usual = 2_000
    /// In pages of the log, from which SQLite copies it. The first is SQLite's own
    /// (sqlite.org/pragma.html#pragma_wal_autocheckpoint); with the second, `WALCheckpointer` comes first.
    private static let (usualLog, largeLog) = (1_000, 16_000)
    /// The number of written rows after which it is judged.
    private static let sample = 500
    /// The number of rows that a page must write to be judged. What is read to note a page counts as well, and outweighs fewer.
    private static let fewest = 10

    /// In KiB, while records come in no order.
    private let large: Int
    private(set) var isLarge = false
    private var written = 0
    private var read = 0
    /// The number of pages that are still to be read until they fill the larger memory.
    private var unfilled = 0

    /// - Parameter large: In KiB, while records come in no order.
    init(large: Int = 64 << 10) { self.large = large }

    /// Notes the rows that a page has written. Returns true if most of them were on pages of the database that had to be read, although
    /// as many were read before as the larger memory holds.
    mutating func isTooSmall(afterWriting rows: Int, on connection: Connection) -> Bool {
        let pages = connection.takeReadPages()
        unfilled -= pages
        guard rows >= Self.fewest else { return false }
        (written, read) = (written + rows, read + pages)
        guard written >= Self.sample else { return false }
        defer { (written, read) = (0, 0) }
        return 2 * read > written && (!isLarge || unfilled < 0)
    }

    /// Keeps more pages of the database.
    mutating func enlarge(on connection: Connection) {
        isLarge = (try? connection.setCache(kibibytes: large, logPages: Self.largeLog)) != nil
        unfilled = (large << 10) / connection.pageSize
    }

    /// Frees what was kept beyond the usual.
    mutating func shrink(on connection: Connection) {
        (written, read) = (0, 0)
        guard isLarge, (try? connection.setCache(kibibytes: Self.usual, logPages: Self.usualLog)) != nil else { return }
        isLarge = false
    }
}
