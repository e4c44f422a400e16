import Catalog
import Persistence
import Sync

extension Instant {
    /// Runs `body`, to which the archive shows the rows as they were where an instant is given.
    static func viewing(
        _ archive: Archive, asOf text: String?, now: Timestamp, _ body: () throws -> Void
    ) throws {
        guard let text else { return try body() }
        try archive.viewing(asOf: instant(text, of: archive, now: now), body)
    }

    /// A number is that of a run: the instant at which it ended.
    private static func instant(_ text: String, of archive: Archive, now: Timestamp) throws -> Timestamp {
        guard let run = Int64(text) else { return try parse(text, now: now) }
        guard let end = try archive.run(run).endedAt else {
            throw Failure(
                code: ExitCode.usage, kind: "usage", message: "run \(run) has not ended",
                hint: "name one that has: garner runs")
        }
        return end
    }
}
