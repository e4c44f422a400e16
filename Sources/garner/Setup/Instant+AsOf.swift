import Catalog
import Persistence

extension Instant {
    /// Runs `body`, to which the archive shows the rows as they were where an instant is given.
    static func viewing(
        _ archive: Archive, asOf text: String?, now: Timestamp, _ body: () throws -> Void
    ) throws {
        guard let text else { return try body() }
        try archive.viewing(asOf: parse(text, now: now), body)
    }
}
