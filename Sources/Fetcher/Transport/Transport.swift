package import Catalog

/// Carries one request to a server and its answer back.
///
/// A transport follows no redirects, tries nothing twice and knows of no time but the connection's own limit.
/// Cancelling the task ends the exchange and its connection. It throws `TransportFailure` and `CancellationError`.
package protocol Transport: Sendable {
    func send(_ request: Request) async throws -> Response
    /// What it adds to requests and nobody may see.
    var secrets: [Secret] { get }
    /// Where long bodies may be kept while they come in, the best one first.
    var temporaryFolders: [String] { get }
}

extension Transport {
    package var secrets: [Secret] { [] }
    package var temporaryFolders: [String] { [] }
}

/// A response whose body is still to come.
package struct Response: Sendable {
    package let head: ResponseHead
    /// Decompressed; throws `TransportFailure` unless it ended as the head promised.
    package let body: any AsyncSequence<BodyChunk, any Error> & Sendable

    package init(head: ResponseHead, body: any AsyncSequence<BodyChunk, any Error> & Sendable) {
        self.head = head
        self.body = body
    }
}
