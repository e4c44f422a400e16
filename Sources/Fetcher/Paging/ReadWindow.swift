package import Catalog

/// What part of a source the pages of a read are of, by their cursors; both ends may be open.
package struct ReadWindow: Hashable, Sendable {
    /// What `{incremental.start_value}` stands for.
    package var start: String?
    /// What `{incremental.end_value}` stands for.
    package var end: String?

    package init(start: String? = nil, end: String? = nil) {
        self.start = start
        self.end = end
    }

    package var bindings: Bindings {
        var bindings: Bindings = [:]
        bindings[.incrementalStart] = start
        bindings[.incrementalEnd] = end
        return bindings
    }
}
