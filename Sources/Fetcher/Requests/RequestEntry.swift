package import Catalog
import Synchronization

/// What the request of one page did on the network, for the ledger; without secrets.
package struct RequestEntry: Sendable, Equatable {
    /// When the first attempt was sent.
    package let sentAt: Timestamp
    package let url: String
    /// The HTTP requests that it took, retries and redirects included; none where it was refused before.
    package internal(set) var attempts = 0
    /// The origin that the last redirect led to; nil where none was followed.
    package internal(set) var redirectedTo: String?
    /// Of the last response; nil where none came.
    package internal(set) var status: Int?
    /// Of the body after decompression.
    package internal(set) var bytes = 0
    package internal(set) var duration = Duration.zero
    /// The server said that the page is still the one that was stored.
    package internal(set) var isNotModified = false
    /// What the last response says of the server's limit.
    package internal(set) var rateLimit: RateLimitReport?
    /// How long the last response asks not to be asked again, in 0...24 h: its `X-Poll-Interval`, and its
    /// `Cache-Control` where the stream respects that; nil where it says nothing.
    package internal(set) var earliestNext: Duration?

    /// The reason that the last response gave for refusing, on one line without secrets; nil if it gave none.
    package internal(set) var words: String?

    package init(sentAt: Timestamp, url: String, attempts: Int = 0) {
        self.sentAt = sentAt
        self.url = url
        self.attempts = attempts
    }
}

/// Follows a request through the layers, which note in it what they see.
final class RequestTrace: Sendable {
    private let state: Mutex<RequestEntry>

    init(_ entry: RequestEntry) { state = Mutex(entry) }

    var entry: RequestEntry { state.withLock(\.self) }

    func note(_ change: (inout RequestEntry) -> Void) { state.withLock { change(&$0) } }
}
