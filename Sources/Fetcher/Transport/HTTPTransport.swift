import AsyncHTTPClient
import GarnerCatalog
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// HTTP/1.1 over AsyncHTTPClient, without redirects. It verifies TLS, and decompresses gzip and deflate up to a limit.
struct HTTPTransport: Transport {
    private let proxies: ProxyRules
    private let clients: HTTPClients
    /// The clients without the client's certificate, for servers that the configuration does not name.
    private let strangers: HTTPClients?
    private let userAgent: String
    let bodyMemory: BodyMemory

    init(_ settings: ConnectionSettings, userAgent: String, environment: [String: String], lookup: HostLookup) {
        proxies = settings.proxies
        clients = HTTPClients(settings, lookup: lookup)
        strangers = settings.identity == nil ? nil : HTTPClients(settings.withoutIdentity, lookup: lookup)
        self.userAgent = userAgent
        // The folders of SQLite (sqlite.org/tempfiles.html). /var/tmp comes before /tmp, which is often in memory.
        bodyMemory = BodyMemory(
            folders: [environment["TMPDIR"], "/var/tmp", "/tmp"].compactMap(\.self).filter { !$0.isEmpty })
    }

    var secrets: [Secret] { proxies.secrets }

    func send(_ request: Request) async throws -> Response {
        let way = try way(of: request)
        do {
            let outgoing = try outgoing(request, on: way)
            for _ in 0..<Self.maximumLostConnections {
                do {
                    return try await send(outgoing, for: request, on: way)
                } catch TransportError.lostConnection(let answerBegan) where request.maySurvive(answerBegan) {
                    // "A client MAY open a new connection and automatically retransmit an aborted sequence of requests
                    // if all of those requests have idempotent methods" (RFC 9112, 9.3.1).
                } catch ChannelError.ioOnClosedChannel where request.maySurvive(false) {
                    // The connection was closed before the HTTP client could use it.
                }
                request.trace.note { $0.wasSentAgain = true }
            }
            return try await send(outgoing, for: request, on: way)
        } catch {
            throw Self.failure(for: error, insteadOf: .closed, through: way.proxy)
        }
    }

    /// The number of connections that a request may find lost. Each of them has served another one.
    private static let maximumLostConnections = 10

    private func send(
        _ outgoing: HTTPClient.Request, for request: Request, on way: HTTPClients.Way
    ) async throws -> Response {
        let lease = try await (request.isForMeantServer ? clients : strangers ?? clients).lease(for: way)
        let body = HTTPBody(lease: lease)
        let incoming = try await body.head(of: outgoing)
        if case .relay(let proxy) = way, incoming.status == .proxyAuthenticationRequired {
            throw TransportError.proxy("\(proxy)", .unauthorized)
        }
        let headers = HeaderFields(incoming.headers.map { (name: $0.name, value: $0.value) })
        return Response(head: ResponseHead(status: Int(incoming.status.code), headers: headers), body: body)
    }

    private func outgoing(_ request: Request, on way: HTTPClients.Way) throws -> HTTPClient.Request {
        var url = request.revealedURL()
        var headers = HTTPHeaders()
        headers.add(name: "User-Agent", value: userAgent)
        if let body = request.body { headers.add(name: "Content-Type", value: body.mediaType) }
        for header in request.headers { headers.replaceOrAdd(name: header.name, value: header.value.reveal()) }
        headers.replaceOrAdd(name: "Accept-Encoding", value: "gzip, deflate")
        if case .relay(let proxy) = way {
            url = proxy.url(leadingTo: url)
            // "A proxy MUST ignore the received Host header field (if any) and instead replace it with the host
            // information of the request-target" (RFC 9112, 3.2.2).
            headers.replaceOrAdd(name: "Host", value: request.address.authority)
        }
        return try HTTPClient.Request(
            url: url, method: HTTPMethod(rawValue: request.method.rawValue), headers: headers,
            body: request.body.map { .byteBuffer(ByteBuffer(string: $0.revealed())) })
    }

    private func way(of request: Request) throws(TransportError) -> HTTPClients.Way {
        guard let proxy = try proxies.proxy(to: request.address) else {
            if request.range == .any, request.address.scheme == "http" { return .straight(tlsHost: nil) }
            let place = try GuardedPlace(request.address, request.range)
            return request.range == .any ? .straight(tlsHost: place.host) : .guarded(place)
        }
        guard request.address.scheme == "https" else { return .relay(proxy) }
        guard IPAddress(request.address.host) == nil else { throw .proxy("\(proxy)", .numericHost) }
        return .tunnel(proxy, tlsHost: try GuardedPlace(request.address, request.range).host)
    }

    func shutdown() async throws {
        var failure: (any Error)?
        for clients in [clients, strangers].compactMap(\.self) {
            do { try await clients.shutdown() } catch { failure = error }
        }
        if let failure { throw failure }
    }
}

extension Proxy {
    /// Returns the URL with which the HTTP client connects to the proxy. It finds the server in `Host`; see `RelayHandler`.
    fileprivate func url(leadingTo url: String) -> String {
        let target = WebAddress(url)
        return WebAddress(
            scheme: address.scheme, authority: address.authority, path: target?.path ?? "", query: target?.query
        ).description
    }
}

extension GuardedPlace {
    /// Reads the host as the HTTP client does, percent-decoded, so that the host which is resolved is the one it uses.
    fileprivate init(_ address: WebAddress, _ range: AddressRange) throws(TransportError) {
        guard let host = URL(string: address.description)?.host, !host.isEmpty else {
            throw .other(reason: "the URL names no host")
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        self.init(
            host: isBracketed ? String(host.dropFirst().dropLast()) : host, port: address.origin.port,
            range: range)
    }
}

/// A response body that throws the transport's own errors. Without its last reference, the request ends.
private final class HTTPBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private let receiver = ResponseReceiver()
    private let lease: ClientLease

    init(lease: ClientLease) { self.lease = lease }

    deinit { receiver.cancel() }

    /// Sends a request and returns the head of its response, whose body this is.
    func head(of request: HTTPClient.Request) async throws -> HTTPResponseHead {
        do {
            return try await receiver.send(request, over: lease.client)
        } catch {
            lease.failed()
            throw error
        }
    }

    func makeAsyncIterator() -> HTTPBody { self }

    func next() async throws -> BodyChunk? { try await next(isolation: nil) }

    func next(isolation actor: isolated (any Actor)?) async throws -> BodyChunk? {
        do {
            return try await receiver.chunk().map { BodyChunk($0) }
        } catch {
            throw HTTPTransport.failure(for: error, insteadOf: .incompleteBody, through: nil)
        }
    }
}
