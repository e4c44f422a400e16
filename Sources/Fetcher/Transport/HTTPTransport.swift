import AsyncHTTPClient
import Catalog
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
    let temporaryFolders: [String]

    init(_ settings: ConnectionSettings, userAgent: String, environment: [String: String], lookup: HostLookup) {
        proxies = settings.proxies
        clients = HTTPClients(settings, lookup: lookup)
        strangers = settings.identity == nil ? nil : HTTPClients(settings.withoutIdentity, lookup: lookup)
        self.userAgent = userAgent
        // The same folders as SQLite's (sqlite.org/tempfiles.html). /var/tmp comes before /tmp, which is often in
        // memory.
        temporaryFolders = [environment["TMPDIR"], "/var/tmp", "/tmp"].compactMap(\.self).filter { !$0.isEmpty }
    }

    var secrets: [Secret] { proxies.secrets }

    func send(_ request: Request) async throws -> Response {
        let way = try way(of: request)
        var outgoing = HTTPClientRequest(url: request.revealedURL())
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        outgoing.headers.add(name: "User-Agent", value: userAgent)
        if let body = request.body {
            outgoing.headers.add(name: "Content-Type", value: body.mediaType)
            outgoing.body = .bytes(ByteBuffer(string: body.revealed()))
        }
        for header in request.headers { outgoing.headers.replaceOrAdd(name: header.name, value: header.value.reveal()) }
        outgoing.headers.replaceOrAdd(name: "Accept-Encoding", value: "gzip, deflate")
        if case .relay(let proxy) = way { outgoing.relay(through: proxy, to: request.address) }
        do {
            let lease = try await (request.isForMeantServer ? clients : strangers ?? clients).lease(for: way)
            let incoming = try await execute(outgoing, with: lease)
            if case .relay(let proxy) = way, incoming.status == .proxyAuthenticationRequired {
                throw TransportError.proxy("\(proxy)", .unauthorized)
            }
            let headers = HeaderFields(incoming.headers.map { (name: $0.name, value: $0.value) })
            return Response(
                head: ResponseHead(status: Int(incoming.status.code), headers: headers),
                body: HTTPBody(chunks: incoming.body, lease: lease))
        } catch {
            throw Self.failure(for: error, insteadOf: .closed, through: way.proxy)
        }
    }

    private func execute(
        _ request: HTTPClientRequest, with lease: ClientLease
    ) async throws -> HTTPClientResponse {
        do {
            return try await lease.client.execute(request, deadline: .distantFuture)
        } catch {
            lease.failed()
            throw error
        }
    }

    private func way(of request: Request) throws(TransportError) -> HTTPClients.Way {
        guard let proxy = try proxies.proxy(to: request.address) else {
            return request.range == .any ? .straight : .guarded(try GuardedPlace(request.address, request.range))
        }
        guard request.address.scheme == "https" else { return .relay(proxy) }
        guard IPAddress(request.address.host) == nil else { throw .proxy("\(proxy)", .numericHost) }
        return .tunnel(proxy)
    }

    func shutdown() async throws {
        var failure: (any Error)?
        for clients in [clients, strangers].compactMap(\.self) {
            do { try await clients.shutdown() } catch { failure = error }
        }
        if let failure { throw failure }
    }
}

extension HTTPClientRequest {
    /// Addresses the request to the proxy, which finds the server in `Host`; see `RelayHandler`.
    fileprivate mutating func relay(through proxy: Proxy, to address: WebAddress) {
        let target = WebAddress(url)
        url =
            WebAddress(
                scheme: proxy.address.scheme, authority: proxy.address.authority, path: target?.path ?? "",
                query: target?.query
            ).description
        // "A proxy MUST ignore the received Host header field (if any) and instead replace it with the host information
        // of the request-target" (RFC 9112, 3.2.2).
        headers.replaceOrAdd(name: "Host", value: address.authority)
    }
}

extension GuardedPlace {
    /// Reads the host as the HTTP client does, which decodes percent-encoding. So the resolved host is the one whose
    /// address the client uses.
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

/// A response body that throws the transport's own errors.
private struct HTTPBody: AsyncSequence, Sendable {
    let chunks: HTTPClientResponse.Body
    let lease: ClientLease

    func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator(), lease: lease) }

    struct Iterator: AsyncIteratorProtocol {
        var chunks: HTTPClientResponse.Body.AsyncIterator
        let lease: ClientLease

        mutating func next() async throws -> BodyChunk? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> BodyChunk? {
            do {
                return try await chunks.next(isolation: actor).map { BodyChunk($0) }
            } catch {
                throw HTTPTransport.failure(for: error, insteadOf: .incompleteBody, through: nil)
            }
        }
    }
}
