/// The part of a source that requests ask for, as a range of cursors. Both ends may be open.
package struct ReadWindow: Hashable, Sendable {
    /// The cursor of `{incremental.start_value}`, as records spell it; nil for an open start.
    package var start: String?
    /// The cursor of `{incremental.end_value}`; nil for an open end.
    package var end: String?

    package init(start: String? = nil, end: String? = nil) {
        self.start = start
        self.end = end
    }
}
