/// What one run has done so far.
package struct RunCounts: Sendable, Equatable {
    package var pages = 0
    package var requests = 0
    package var notModified = 0
    package var inserted = 0
    package var updated = 0
    package var unchanged = 0
    package var deleted = 0
    package var quarantined = 0
    /// Records that the stream's contract left out.
    package var discarded = 0
    /// Of response bodies, after decompression.
    package var bytes = 0

    /// Rows.
    package var changes: Int { inserted + updated + deleted }

    package init() {}
}
