import GarnerModel

/// The pages whose commits wait for the disk.
package enum Synchronous: String, Sendable, CaseIterable {
    /// Every page. A loss of power undoes none that was stored.
    case full
    /// One page a second, pages that may not come again, and the end of each run. A loss of power may undo the pages of the
    /// last second, with their place in the read, so that the next run reads them again.
    case normal
}

/// Decides which commits of pages wait for the disk.
struct DiskWaits {
    /// The time after a commit that waited in which later ones need not.
    private static let longestUnsynced = Duration.seconds(1)

    let synchronous: Synchronous
    private var last: Timestamp?

    init(_ synchronous: Synchronous) { self.synchronous = synchronous }

    /// Returns true if a commit waits although its pages do not ask for it.
    func isDue(at now: Timestamp) -> Bool {
        synchronous == .full || last.map { !(.zero..<Self.longestUnsynced).contains($0.duration(to: now)) } ?? true
    }

    mutating func note(at now: Timestamp) { last = now }
}
