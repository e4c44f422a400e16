/// How a stream reads only what changed since its last run.
package struct Incremental: Sendable, Equatable {
    /// A member's name, or a JSONPath relative to the record when it begins with `$`.
    package var cursorField: String
    /// Where the first read begins.
    package var initialValue: String?
    /// Where every read ends.
    package var endValue: String?
    /// How much one request covers.
    package var step: Span?
    /// How far before the last cursor a read begins.
    package var lookbackWindow: Span?

    package init(
        cursorField: String, initialValue: String? = nil, endValue: String? = nil, step: Span? = nil,
        lookbackWindow: Span? = nil
    ) {
        self.cursorField = cursorField
        self.initialValue = initialValue
        self.endValue = endValue
        self.step = step
        self.lookbackWindow = lookbackWindow
    }

    /// A distance between two cursors.
    package enum Span: Sendable, Equatable {
        case time(Duration)
        /// At least 1.
        case count(Int)
    }
}
