import GarnerJSON
import GarnerModel
import Synchronization

/// Pages or files of one run that share one open transaction.
///
/// A page that cannot be stored is undone alone, because each page is a savepoint. If the transaction itself is lost,
/// all its pages are lost, and the run stores nothing more.
///
/// It is a class because each use of a struct would copy the run, with its two configurations of the stream.
final class PageGroup {
    /// The most pages of a transaction, and the time for which it may stay open.
    struct Limits {
        let pages: Int
        let time: Duration

        static let usual = Limits(pages: 32, time: .milliseconds(200))
        /// While keys come in no order, each commit writes most of the table again: few commits are better than short ones.
        static let large = Limits(pages: 64, time: .seconds(1))
    }

    /// The time for which a transaction stays open although the next page has not come.
    static let patience = Duration.milliseconds(20)
    /// Pages that come within this time of each other are expected to go on doing so.
    static let shortPause = Duration.milliseconds(5)

    /// The most records of a page that joins others. If SQLite is interrupted while it stores the page, it undoes the
    /// others, too. So a page that joins others is not interrupted, and must be short.
    private static let mostRecords = 5_000
    /// The most bytes of a file that joins others.
    private static let mostBytes = 256 << 10

    let run: RunID
    /// The run as it was before these pages.
    let before: OpenRun
    let beganAt: Timestamp
    /// True if its commit waits for the disk.
    let waitsForDisk: Bool
    private let limits: Limits
    /// The number of its pages whose caller was told that they are stored.
    private(set) var pages = 0
    /// The requests of those pages.
    private(set) var requests: [RequestRecord] = []
    /// True if the next page has not come.
    var awaitsPage = false
    /// The task that commits the pages if the next one does not come in time; nil if none was ever late.
    var deadline: Task<Void, Never>?

    init(of run: OpenRun, at now: Timestamp, waitsForDisk: Bool, _ limits: Limits) {
        (self.run, before, beganAt, self.waitsForDisk) = (run.id, run, now, waitsForDisk)
        self.limits = limits
    }

    /// Counts a page that is stored, while the transaction stays open.
    func add(_ requests: [RequestRecord]) {
        pages += 1
        self.requests += requests
    }

    /// Returns true if another page may join after the one that was just stored, and is not yet added.
    func isOpen(at now: Timestamp) -> Bool { pages + 1 < limits.pages && hasTime(at: now) }

    private func hasTime(at now: Timestamp) -> Bool {
        (.zero..<limits.time).contains(beganAt.duration(to: now))
    }

    /// Returns true if one more page or file may join.
    func takesMore(at now: Timestamp) -> Bool { pages < limits.pages && hasTime(at: now) }

    /// Returns true if the page is short enough to share the transaction.
    func takes(_ page: PageCommit) -> Bool { page.recordCount <= Self.mostRecords }

    /// Returns true if the file is small enough to share the transaction.
    func takes(_ outcome: AttachmentOutcome) -> Bool {
        guard case .file(let file, _) = outcome.content else { return true }
        return file.bytes.count <= Self.mostBytes
    }
}

/// The number of pages and files of each run that have come, and wait to be stored.
final class WaitingPages: Sendable {
    private let counts = Mutex<[RunID: Int]>([:])

    func add(_ run: RunID) { counts.withLock { $0[run, default: 0] += 1 } }

    func remove(_ run: RunID) {
        counts.withLock { counts in
            let left = counts[run, default: 0] - 1
            counts[run] = left > 0 ? left : nil
        }
    }

    func contains(_ run: RunID) -> Bool { counts.withLock { $0[run] != nil } }
}

/// The page behind one that is stored.
package enum SuccessorState: Sendable {
    /// It is not to join the page's transaction, or there is none.
    case separate
    /// It was requested, and may come soon.
    case requested
    case arrived
}

/// Pages that a run was told of, and that were lost before they were committed.
struct LostPages {
    let error: any Error
    /// Their requests, which the run has made all the same.
    let requests: [RequestRecord]
}
