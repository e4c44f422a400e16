package import Catalog

/// One run to come.
package struct Firing: Sendable, Hashable {
    package let stream: StreamName
    package let nominal: Timestamp
    /// The nominal instant plus its jitter.
    package let dueAt: Timestamp
}
