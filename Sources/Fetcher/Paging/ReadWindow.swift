/// The part of a source that a read covers, as a range of cursors. Both ends may be open.
package struct ReadWindow: Hashable, Sendable {
    /// The cursor of `{incremental.start_value}`, as records have it.
    package var start: String?
    /// The cursor of `{incremental.end_value}`.
    package var end: String?

    package init(start: String? = nil, end: String? = nil) {
        self.start = start
        self.end = end
    }
}
