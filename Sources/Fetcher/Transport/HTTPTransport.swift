import AsyncHTTPClient
package import Catalog
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix

/// HTTP/1.1 over AsyncHTTPClient: no redirects, no proxy, TLS verified, gzip and deflate decompressed up to a limit.
///
/// Connections that may lead into private networks are kept apart from those that may not, so that the latter are never
/// used for a request that must not be answered from there.
package struct HTTPTransport: Transport {
    private let open: HTTPClient
    private let guarded: HTTPClient
    private let userAgent: String

    /// `limits.connect` and `limits.body` are the connection's own; the others are kept by who sends.
    package init(limits: Limits, userAgent: String) {
        self.userAgent = userAgent
        var configuration = Self.configuration(limits)
        open = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        configuration.http1_1ConnectionDebugInitializer = Self.refusingPrivateNetworks
        guarded = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
    }

    private static func configuration(_ limits: Limits) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = .nanoseconds(limits.connect.wholeNanoseconds)
        configuration.decompression = .enabled(limit: .size(limits.body))
        // A failed connection is reported at once, since retries have their own schedule.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// Closes a connection whose other end is private, before any byte of a request was sent.
    private static let refusingPrivateNetworks: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
        guard let address = channel.remoteAddress?.ipAddress, PrivateNetwork.contains(address) else {
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(TransportFailure.privateNetwork(address: address))
    }

    package func send(_ request: Request) async throws -> Response {
        var outgoing = HTTPClientRequest(url: request.revealedURL())
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        outgoing.headers.add(name: "User-Agent", value: userAgent)
        if let body = request.body {
            outgoing.headers.add(name: "Content-Type", value: body.mediaType)
            outgoing.body = .bytes(ByteBuffer(string: body.revealed()))
        }
        for header in request.headers { outgoing.headers.replaceOrAdd(name: header.name, value: header.value.reveal()) }
        outgoing.headers.replaceOrAdd(name: "Accept-Encoding", value: "gzip, deflate")
        let client = request.mayReachPrivateNetwork ? open : guarded
        do {
            let incoming = try await client.execute(outgoing, deadline: .distantFuture)
            let headers = HeaderFields(incoming.headers.map { (name: $0.name, value: $0.value) })
            return Response(
                head: ResponseHead(status: Int(incoming.status.code), headers: headers),
                body: HTTPBody(chunks: incoming.body))
        } catch {
            throw Self.failure(for: error, insteadOf: .closed)
        }
    }

    package func shutdown() async throws {
        do {
            try await guarded.shutdown()
        } catch {
            try await open.shutdown()
            throw error
        }
        try await open.shutdown()
    }
}

/// A body whose errors are the transport's own.
private struct HTTPBody: AsyncSequence, Sendable {
    let chunks: HTTPClientResponse.Body

    func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var chunks: HTTPClientResponse.Body.AsyncIterator

        mutating func next() async throws -> BodyChunk? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> BodyChunk? {
            do {
                return try await chunks.next(isolation: actor).map { BodyChunk($0) }
            } catch {
                throw HTTPTransport.failure(for: error, insteadOf: .incompleteBody)
            }
        }
    }
}

extension Duration {
    /// Saturates at the ends of Int64.
    fileprivate var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : product + attoseconds / 1_000_000_000
    }
}
