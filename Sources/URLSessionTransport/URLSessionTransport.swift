import Catalog
package import Fetcher
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// HTTP over Foundation's URLSession: no redirects, no cookies, no cache, no stored credentials.
///
/// What it cannot do that `HTTPTransport` can is in docs/decisions/0014-transports.md; a stream's `proxy` and `ca` are not
/// honoured.
package final class URLSessionTransport: Transport {
    /// Deadlines are the exchange's. In seconds; `URLSession` would give up after a minute.
    private static let longestWait: Double = 86_400

    private let userAgent: String
    private let session: URLSession
    private let events: SessionEvents
    private let maximumBody: Int
    /// A session that is asked for a task behind its end ends the process.
    private let isOpen = Mutex(true)

    /// - Parameter maximumBody: bytes of a body after decompression. More than that is never held, however slowly it is
    ///   read.
    package init(userAgent: String, maximumBody: Int) {
        self.userAgent = userAgent
        self.maximumBody = maximumBody
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCredentialStorage = nil
        configuration.timeoutIntervalForRequest = Self.longestWait
        #if !canImport(FoundationNetworking)
            configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        #endif
        events = SessionEvents()
        session = URLSession(configuration: configuration, delegate: events, delegateQueue: nil)
    }

    package func send(_ request: Request) async throws -> Response {
        // The address that was really connected to is not told before the request is sent: where a name may stand for a
        // private one, nothing is sent at all.
        guard request.mayReachPrivateNetwork || request.namesItsAddress else {
            throw TransportFailure.unverifiable(host: request.host)
        }
        let exchange = try exchange(for: request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { exchange.start($0) }
        } onCancel: {
            exchange.cancel()
        }
    }

    /// Ends all requests and connections; what is sent after it fails. Must be called before the last reference goes.
    package func shutdown() {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            isOpen = false
            session.invalidateAndCancel()
        }
    }

    /// Known to the session's events before the session can be shut down, which tells them of its end.
    private func exchange(for request: Request) throws(TransportFailure) -> SessionExchange {
        let outgoing = try outgoing(request)
        return try isOpen.withLock { isOpen throws(TransportFailure) in
            guard isOpen else { throw .other(reason: "its connections were shut down") }
            let exchange = SessionExchange(of: session.dataTask(with: outgoing), maximumBody: maximumBody)
            events.add(exchange)
            return exchange
        }
    }

    private func outgoing(_ request: Request) throws(TransportFailure) -> URLRequest {
        guard let url = URL(string: request.revealedURL(), encodingInvalidCharacters: false) else {
            throw .other(reason: "URLSession cannot ask for such a URL")
        }
        var outgoing = URLRequest(url: url)
        outgoing.httpMethod = request.method.rawValue
        outgoing.timeoutInterval = Self.longestWait
        outgoing.httpShouldHandleCookies = false
        var fields = [(name: "User-Agent", value: userAgent)]
        if let body = request.body {
            fields.append((name: "Content-Type", value: body.mediaType))
            outgoing.httpBody = Data(body.revealed().utf8)
        }
        for (name, value) in fields + request.headers.map({ ($0.name, $0.value.reveal()) }) {
            // libcurl would take what follows a line break for another field.
            guard HeaderSyntax.isName(name), HeaderSyntax.isValue(value) else {
                throw .other(reason: "a header field cannot be sent")
            }
            outgoing.setValue(value, forHTTPHeaderField: name)
        }
        outgoing.setValue("gzip, deflate", forHTTPHeaderField: "Accept-Encoding")
        return outgoing
    }
}
