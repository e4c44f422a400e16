import JSON
import Model

/// Pages of one run that share a transaction, which is open.
///
/// A page that cannot be stored is undone alone, since it is a savepoint. If the transaction itself is lost, so are all of them,
/// and the run stores nothing more.
struct PageGroup {
    private static let mostPages = 32
    private static let longestTime = Duration.milliseconds(200)
    /// The most records of a page that joins others. SQLite would undo the others if it were interrupted, so it must be short.
    private static let mostRecords = 5_000

    let run: RunID
    /// The run as it was before these pages.
    let before: OpenRun
    let beganAt: Timestamp
    /// True if its commit waits for the disk.
    let waitsForDisk: Bool
    /// The number of its pages whose caller was told that they are stored.
    private(set) var pages = 0
    /// The requests of those pages.
    private(set) var requests: [RequestRecord] = []

    init(of run: OpenRun, at now: Timestamp, waitsForDisk: Bool) {
        (self.run, before, beganAt, self.waitsForDisk) = (run.id, run, now, waitsForDisk)
    }

    /// Counts a page that is stored, while the transaction stays open.
    mutating func add(_ page: PageCommit) {
        pages += 1
        requests += page.requests
    }

    /// Returns true if another page may come behind the one that was just stored.
    func isOpen(at now: Timestamp) -> Bool { pages + 1 < Self.mostPages && hasTime(at: now) }

    private func hasTime(at now: Timestamp) -> Bool {
        (.zero..<Self.longestTime).contains(beganAt.duration(to: now))
    }

    /// Returns true if the page may share the transaction. The last page of a slice may have to delete many rows.
    func takes(_ page: PageCommit, of run: RunID, at now: Timestamp) -> Bool {
        guard self.run == run, pages < Self.mostPages, hasTime(at: now), case .next = page.continuation else {
            return false
        }
        guard case .records(let records) = page.content else { return true }
        return records.count <= Self.mostRecords
    }
}

/// Pages that a run was told of, and that were lost before they were committed.
struct LostPages {
    let error: any Error
    /// Their requests, which the run has made all the same.
    let requests: [RequestRecord]
}
