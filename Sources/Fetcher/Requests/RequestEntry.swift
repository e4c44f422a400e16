package import GarnerModel
import Synchronization

/// The network activity of one page request, for the run's record. It holds no secrets.
package struct RequestEntry: Sendable, Equatable {
    /// The time when the first attempt was sent.
    package let sentAt: Timestamp
    package let url: String
    /// The number of HTTP requests sent, including retries and redirects; 0 if the request was refused before sending.
    package internal(set) var attempts = 0
    /// The origin that the last redirect led to; nil if no redirect was followed.
    package internal(set) var redirectedTo: String?
    /// A digest of the path to which redirects led; nil if that is the one that was asked for.
    package internal(set) var redirect: String?
    /// The status of the last response; nil if there was none.
    package internal(set) var status: Int?
    /// The method that the server takes in place of the one that it answered with 405; nil if it names none.
    package internal(set) var otherMethod: String?
    /// The end of the `path` that a POST needs, as a redirect led there with a GET; empty for quite another path, nil without such a redirect.
    package internal(set) var endOfPost: String?
    /// The schemes of `Authorization` that the server asks for with 401, as far as they are known here.
    package internal(set) var schemes: [String] = []
    /// The scheme that it asks for if none is known here, such as `Digest`; nil if it names another one, or none.
    package internal(set) var otherScheme: String?
    /// The scope that the server says the token lacks; nil if it names none.
    package internal(set) var scope: String?
    /// The size of the body after decompression.
    package internal(set) var bytes = 0
    package internal(set) var duration = Duration.zero
    /// True if the server said that the stored page is unchanged.
    package internal(set) var isNotModified = false
    /// The rate limit that the last response reports.
    package internal(set) var rateLimit: RateLimitReport?
    /// The shortest delay before the next request that the last response asks for, in 0...24 h. It comes from
    /// `X-Poll-Interval` and, if the stream respects it, `Cache-Control`; nil if the response states neither.
    package internal(set) var earliestNext: Duration?

    /// True if it was sent again, because a connection that had served others was lost.
    package internal(set) var wasSentAgain = false
    /// True if the request would have been sent again, but the retries for its host were used up.
    package internal(set) var lacksRetries = false
    /// The reason that the last response gave for refusing, on one line without secrets; nil if it gave none.
    package internal(set) var words: String?
    /// The media type and the length of a refusal's body that must not be quoted; nil if there is none.
    package internal(set) var hiddenBody: String?

    package init(sentAt: Timestamp, url: String, attempts: Int = 0) {
        self.sentAt = sentAt
        self.url = url
        self.attempts = attempts
    }
}

/// Collects the entry of a request while it passes through the middlewares.
final class RequestTrace: Sendable {
    private let state: Mutex<RequestEntry>
    /// Called when the server asks for fewer requests.
    private let onPushback: (@Sendable () -> Void)?

    init(_ entry: RequestEntry, onPushback: (@Sendable () -> Void)? = nil) {
        state = Mutex(entry)
        self.onPushback = onPushback
    }

    var entry: RequestEntry { state.withLock(\.self) }

    func note(_ change: (inout RequestEntry) -> Void) { state.withLock { change(&$0) } }

    /// Notes that the server asks for fewer requests.
    func notePushback() { onPushback?() }
}
