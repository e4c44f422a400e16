package import Catalog

/// What is removed of a database's own history.
package struct PruneRequest: Sendable {
    /// Runs that ended before, with their requests and their notes of changes.
    package var runsBefore: Timestamp?
    /// Requests that were sent before.
    package var requestsBefore: Timestamp?
    /// Versions of rows that were replaced before.
    package var historyBefore: Timestamp?
    /// Files that no record leads to any longer.
    package var removesFiles = false
    /// Whether the file is written anew without what is free in it.
    package var vacuums = false

    package init() {}
}

/// What was removed, or would be.
package struct PruneOutcome: Sendable, Equatable {
    package var runs = 0
    package var requests = 0
    package var changes = 0
    package var versions = 0
    package var files = 0
    /// Of the files.
    package var fileBytes = 0
    /// The files that killed copies and exports had left in the database's folder.
    package var leftovers = Leftovers.Outcome()
    /// What new rows can use, or was given back; nil where nothing was removed yet.
    package var freedBytes: Int?
    /// The size of the database file.
    package var databaseBytes = 0
}
