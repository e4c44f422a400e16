package import GarnerModel

/// The request of one page as recorded in the ledger, without secrets.
package struct RequestRecord: Sendable, Equatable {
    package var sentAt: Timestamp
    package var url: String
    /// The status of the last response; nil if none came.
    package var status: Int?
    /// The number of HTTP requests it took, including retries and redirects.
    package var attempts: Int
    /// The size of the body in bytes, after decompression.
    package var bytes: Int
    package var duration: Duration
    package var isNotModified: Bool
    /// The number of further requests that the server said it would accept; nil if it said nothing.
    package var rateLimitRemaining: Int?
    /// The kind of error with which the page failed; nil if it succeeded.
    package var errorKind: String?

    package init(
        sentAt: Timestamp, url: String, status: Int? = nil, attempts: Int = 1, bytes: Int = 0,
        duration: Duration = .zero, isNotModified: Bool = false, rateLimitRemaining: Int? = nil,
        errorKind: String? = nil
    ) {
        self.sentAt = sentAt
        self.url = url
        self.status = status
        self.attempts = attempts
        self.bytes = bytes
        self.duration = duration
        self.isNotModified = isNotModified
        self.rateLimitRemaining = rateLimitRemaining
        self.errorKind = errorKind
    }
}
