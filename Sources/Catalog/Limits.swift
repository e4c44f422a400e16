/// What one response may take, in bytes and time.
package struct Limits: Sendable, Equatable {
    /// Bytes of a body after decompression.
    package var body: Int
    /// Bytes of a response head.
    package var head: Int
    package var connect: Duration
    /// From the request sent to the response head received.
    package var firstByte: Duration
    /// Between two chunks of a body.
    package var idle: Duration
    /// Around head and body of one attempt.
    package var total: Duration
    /// The largest number of bytes that one compressed byte may become; nil: `standardRatio`, in a body that is longer than
    /// `lengthOfAnyRatio`.
    package var ratio: Int?

    package static let standardRatio = 200
    /// In bytes, decompressed.
    package static let lengthOfAnyRatio = 4 << 20

    package init(
        body: Int = 64 << 20, head: Int = 64 << 10, connect: Duration = .seconds(10),
        firstByte: Duration = .seconds(30), idle: Duration = .seconds(30), total: Duration = .seconds(300),
        ratio: Int? = nil
    ) {
        self.body = body
        self.head = head
        self.connect = connect
        self.firstByte = firstByte
        self.idle = idle
        self.total = total
        self.ratio = ratio
    }
}
