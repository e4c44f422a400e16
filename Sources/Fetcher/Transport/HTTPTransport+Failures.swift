import AsyncHTTPClient
import GarnerLibC
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension HTTPTransport {
    /// Returns the transport's error for an error of the HTTP client.
    ///
    /// The text of an `HTTPClientError` may quote header values, so only its short description is passed on.
    ///
    /// - Parameters:
    ///   - early: What a closed connection means at this point of the exchange.
    ///   - proxy: The proxy that the connection goes through; nil for none. A failure to connect is then one of the
    ///     proxy.
    static func failure(
        for error: any Error, insteadOf early: TransportError, through proxy: Proxy?
    ) -> any Error {
        let failure = failure(for: error, insteadOf: early)
        guard let proxy, let failure = failure as? TransportError else { return failure }
        return failure.through("\(proxy)")
    }

    private static func failure(for error: any Error, insteadOf early: TransportError) -> any Error {
        switch error {
        case TransportError.lostConnection: early
        case is CancellationError, is TransportError: error
        case let error as HTTPClientError where error == .cancelled: CancellationError()
        case let error as HTTPClientError: failure(for: error, early: early)
        case let error as NIOConnectionError: failure(for: error)
        case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection: early
        case HTTPParserError.headerOverflow: TransportError.headTooLarge
        case let error as HTTPParserError: TransportError.malformed(reason: "\(error)")
        case let error as any TLSFailure: error.isUncleanShutdown ? early : TransportError.tls(reason: error.reason)
        case let error as IOError: failure(for: error) ?? early
        // A connection that closes during its set-up has lost the handlers that the set-up asks for.
        case is ChannelError, is ChannelPipelineError: early
        default: TransportError.other(reason: "\(type(of: error))")
        }
    }

    private static func failure(for error: HTTPClientError, early: TransportError) -> TransportError {
        switch error {
        case .remoteConnectionClosed, .uncleanShutdown: early
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout, .httpProxyHandshakeTimeout:
            .connectDeadline
        case .proxyAuthenticationRequired: .proxy("", .unauthorized)
        case .invalidProxyResponse: .proxy("", .noTunnel)
        default: .other(reason: error.shortDescription)
        }
    }

    private static func failure(for error: NIOConnectionError) -> TransportError {
        guard let first = error.connectionErrors.first else { return .unknownHost }
        if case ChannelError.connectTimeout = first.error { return .connectDeadline }
        return (first.error as? IOError).flatMap(failure(for:)) ?? .unreachable(reason: "\(type(of: first.error))")
    }

    /// Returns the failure to connect; nil if the error concerns an established connection.
    private static func failure(for error: IOError) -> TransportError? {
        switch error.errnoCode {
        case ECONNREFUSED: .refused
        case ETIMEDOUT: .connectDeadline
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL, EACCES, EPERM, EMFILE, ENFILE:
            .unreachable(reason: String(cString: strerror(error.errnoCode)))
        default: nil
        }
    }
}

extension TransportError {
    /// Turns a failure to connect into one of the proxy, to which the connection goes. Returns others as they are.
    fileprivate func through(_ proxy: String) -> TransportError {
        switch self {
        case .unknownHost: .proxy(proxy, .unknownHost)
        case .refused: .proxy(proxy, .refused)
        case .unreachable(let reason): .proxy(proxy, .unreachable(reason: reason))
        case .proxy("", let problem): .proxy(proxy, problem)
        default: self
        }
    }
}

/// The errors of the TLS layer.
private protocol TLSFailure: Error {
    var isUncleanShutdown: Bool { get }
}

extension TLSFailure {
    /// The reason in plain words. BoringSSL gives its reasons as names within a longer text.
    fileprivate var reason: String {
        let text = "\(self)"
        return Self.reasons.first { text.contains($0.name) }?.reason ?? text
    }

    private static var reasons: [(name: String, reason: String)] {
        [
            ("CERTIFICATE_VERIFY_FAILED", FetchError.Kind.untrusted),
            ("failedToValidateHostname", FetchError.Kind.otherHost),
            ("unableToValidateCertificate", FetchError.Kind.otherHost),
            (
                "ALERT_CERTIFICATE_REQUIRED",
                "the server requires a certificate of the client: set client_certificate"
            ),
            ("ALERT_UNKNOWN_CA", "the server does not accept the certificate of client_certificate"),
            ("ALERT_BAD_CERTIFICATE", "the server does not accept the certificate of client_certificate"),
            ("ALERT_CERTIFICATE_EXPIRED", "the server does not accept the certificate of client_certificate"),
            ("ALERT_CERTIFICATE_UNKNOWN", "the server does not accept the certificate of client_certificate"),
            ("PROTOCOL_VERSION", "the server offers no TLS 1.2 or newer"),
            ("UNSUPPORTED_PROTOCOL", "the server offers no TLS 1.2 or newer"),
            ("WRONG_VERSION_NUMBER", FetchError.Kind.noTLS), ("HTTP_REQUEST", FetchError.Kind.noTLS),
        ]
    }
}

extension NIOSSLError: TLSFailure {
    var isUncleanShutdown: Bool { self == .uncleanShutdown }
}

extension BoringSSLError: TLSFailure {
    var isUncleanShutdown: Bool { false }
}

extension NIOSSLExtraError: TLSFailure {
    var isUncleanShutdown: Bool { false }
}
