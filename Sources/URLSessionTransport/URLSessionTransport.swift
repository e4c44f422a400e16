import GarnerCatalog
public import GarnerFetcher
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// HTTP over Foundation's URLSession, without redirects, cookies, cache and stored credentials.
///
/// docs/decisions/0014-transports.md lists its limitations compared with `HTTPTransport`. It ignores a stream's `proxy`
/// and `ca`.
package final class URLSessionTransport: Transport {
    /// The session's timeout in seconds. The attempt has its own timeouts, but `URLSession` would give up after a
    /// minute.
    private static let longestWait: Double = 86_400

    private let userAgent: String
    private let session: URLSession
    private let events: SessionEvents
    private let maximumBody: Int
    /// False after `shutdown()`. Asking an invalidated session for a task would crash the process.
    private let isOpen = Mutex(true)

    /// Creates a transport with a session of its own.
    ///
    /// - Parameter maximumBody: the largest body after decompression, in bytes. No more than that is held in memory,
    ///   however slow the reader.
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
        // The session does not reveal the address before it sends the request. So a request that may not reach private
        // networks is refused unless its URL names an address.
        guard request.range == .any || request.namesItsAddress else {
            throw TransportError.unverifiable(host: request.host)
        }
        let attempt = try attempt(for: request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { attempt.start($0) }
        } onCancel: {
            attempt.cancel()
        }
    }

    /// Ends all requests and connections; later requests fail. Call it before releasing the last reference.
    package func shutdown() {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            isOpen = false
            session.invalidateAndCancel()
        }
    }

    /// Creates an attempt and registers it for the session's events under the lock, so that a shutdown reaches it.
    private func attempt(for request: Request) throws(TransportError) -> SessionAttempt {
        let outgoing = try outgoing(request)
        return try isOpen.withLock { isOpen throws(TransportError) in
            guard isOpen else { throw .other(reason: "its connections were shut down") }
            let attempt = SessionAttempt(of: session.dataTask(with: outgoing), maximumBody: maximumBody)
            events.add(attempt)
            return attempt
        }
    }

    private func outgoing(_ request: Request) throws(TransportError) -> URLRequest {
        guard let url = URL(string: request.revealedURL(), encodingInvalidCharacters: false) else {
            throw .other(reason: "URLSession cannot ask for such a URL")
        }
        guard request.method != .get || request.body == nil else {
            throw .other(reason: "URLSession sends no body with GET")
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
            // libcurl would take the text after a line break for another field.
            guard HeaderSyntax.isName(name), HeaderSyntax.isValue(value) else {
                throw .other(reason: "a header field cannot be sent")
            }
            outgoing.setValue(value, forHTTPHeaderField: name)
        }
        outgoing.setValue("gzip, deflate", forHTTPHeaderField: "Accept-Encoding")
        return outgoing
    }
}

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension TransportError {
    /// Returns the transport's error for a session's error. `early` is the meaning of a closed connection at this
    /// point.
    ///
    /// The session's error quotes the URL with its secrets, so only its code is passed on.
    static func of(_ error: any Error, insteadOf early: TransportError) -> any Error {
        guard let error = error as? URLError else { return TransportError.other(reason: "\(type(of: error))") }
        return switch error.code {
        case .cancelled: CancellationError()
        case .cannotFindHost, .dnsLookupFailed: TransportError.unknownHost
        case .cannotConnectToHost: TransportError.refused
        case .notConnectedToInternet: TransportError.unreachable(reason: "there is no network")
        // libcurl's "transferred a partial file" arrives as `unknown`.
        case .networkConnectionLost, .badServerResponse, .unknown: early
        case .cannotDecodeContentData, .cannotDecodeRawData:
            TransportError.decompression(reason: "its data is broken")
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            TransportError.tls(reason: "URLError \(error.code.rawValue)")
        default: TransportError.other(reason: "URLError \(error.code.rawValue)")
        }
    }
}

extension Connections {
    /// Creates connections over Foundation's URLSession, with the limitations that docs/decisions/0014-transports.md
    /// lists. On Linux, use them only with trusted servers.
    ///
    ///     let connections = Connections.urlSession(userAgent: "zoo/1.0")
    ///
    /// - Parameter userAgent: the value of the `User-Agent` header, such as `zoo/1.0`.
    public static func urlSession(userAgent: String) -> Connections {
        let sessions = Sessions(userAgent: userAgent)
        return Connections(transport: { try sessions.transport(for: $0) }, end: { sessions.shutdown() })
    }
}

/// The sessions by body limit, the only setting of a stream that a session needs.
private final class Sessions: Sendable {
    private let userAgent: String
    /// The open transports; nil after `shutdown()`.
    private let made = Mutex<[Int: URLSessionTransport]?>([:])

    init(userAgent: String) { self.userAgent = userAgent }

    func transport(for stream: StreamConfiguration) throws -> any Transport {
        try made.withLock { made in
            guard made != nil else { throw FetchError.shutDown(stream.name) }
            if let transport = made?[stream.limits.body] { return transport }
            let transport = URLSessionTransport(userAgent: userAgent, maximumBody: stream.limits.body)
            made?[stream.limits.body] = transport
            return transport
        }
    }

    func shutdown() {
        let all = made.withLock { made in
            defer { made = nil }
            return Array((made ?? [:]).values)
        }
        for transport in all { transport.shutdown() }
    }
}
