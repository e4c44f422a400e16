package import GarnerSQLite

/// Receives each commit of a file that is only a copy of what is kept elsewhere.
package protocol CommitReceiver: Sendable {
    /// Takes the pages of a commit. It is called on the store's thread, and may block while too much waits.
    ///
    /// - Parameter pages: Nil if they are not known. Then this commit and everything after it is lost.
    func committed(_ pages: CommittedPages?)

    /// Returns when all that was committed before the call is where it is kept. A cancellation of the task does not end it.
    ///
    /// - Throws: `PersistenceError` of the kind `lost` or `server`. The writer stores nothing after it.
    func safe() async throws
}
