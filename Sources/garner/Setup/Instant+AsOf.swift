import Catalog
import Persistence
import SQLite

extension Instant {
    /// The statement that `prepare` makes, which sees the rows as they were where an instant is given.
    static func statement(
        of archive: Archive, asOf text: String?, now: Timestamp, _ prepare: () throws -> Statement
    ) throws -> Statement {
        guard let text else { return try prepare() }
        return try archive.statement(asOf: parse(text, now: now), prepare)
    }
}
