import Synchronization

/// Asks runs in flight to end at their next page; once made, it stands.
package final class StopRequest: Sendable {
    private let state = Mutex(false)

    package init() {}

    package var isRequested: Bool {
        state.withLock { $0 }
    }

    package func request() {
        state.withLock { $0 = true }
    }
}
