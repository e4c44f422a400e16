import AsyncHTTPClient

/// An HTTP client that stays open as long as this lives.
struct ClientLease: Sendable {
    let client: HTTPClient
    /// Gives the client back; nil for a client that stays open anyway.
    private let use: Use?

    init(client: HTTPClient, use: Use? = nil) {
        self.client = client
        self.use = use
    }

    /// The client led nowhere.
    func failed() { use?.forget() }

    /// Ends with its last reference.
    final class Use: Sendable {
        private let end: @Sendable () -> Void
        fileprivate let forget: @Sendable () -> Void

        init(end: @escaping @Sendable () -> Void, forget: @escaping @Sendable () -> Void) {
            self.end = end
            self.forget = forget
        }

        deinit { end() }
    }
}
