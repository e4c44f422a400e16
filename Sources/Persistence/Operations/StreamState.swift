package import Catalog
package import Model

/// Where the next run of a stream begins, and what it may leave out.
package struct StreamState: Sendable, Equatable {
    /// The full name.
    package let stream: String
    package let table: String
    /// The read that was not finished; nil: the next run begins with the first page.
    package let read: Read?
    package let cursors: [Cursor]
    package let cursorCount: Int
    /// Pages that are known, and those of them that the server can be asked with whether they have changed.
    package let pages: Int
    package let pagesWithValidator: Int
    /// The run that ended the first read.
    package let baselineRun: Int64?
    package let lastRun: RunRecord?

    package struct Read: Sendable, Equatable {
        /// The run that began it.
        package let run: Int64
        package let beganAt: Timestamp?
        package let savedAt: Timestamp?
        /// The judgement on what was read of it.
        package let verdict: Verdict
        package let slices: [Slice]
        package let sliceCount: Int
    }

    package struct Slice: Sendable, Equatable {
        /// A JSON object of its placeholders' values.
        package let bindings: String
        /// nil: with its first page.
        package let goesOnAt: String?
        /// The greatest cursor that was read of it.
        package let watermark: String?
    }

    package struct Cursor: Sendable, Equatable {
        /// A JSON object of its slice's placeholders' values.
        package let bindings: String
        package let value: String
        package let movedAt: Timestamp?
    }
}
