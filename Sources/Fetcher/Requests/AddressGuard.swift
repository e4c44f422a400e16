import Catalog

/// Refuses requests to this machine and to private networks unless they are allowed; what a URL does not show, the
/// transport sees when it has connected.
struct AddressGuard: Layer {
    private let isAllowed: Bool?
    private let start: WebAddress

    init(_ stream: Stream, start: WebAddress) {
        isAllowed = stream.allowsPrivateNetwork
        self.start = start
    }

    func send<Answer: Sendable>(_ request: Request, next: Next<Answer>) async throws -> Answer {
        try await next(admitted(request))
    }

    /// The request with what its connection may reach.
    func admitted(_ request: Request) throws(FetchError.Kind) -> Request {
        let host = request.address.host
        let isPrivate = PrivateNetwork.contains(host)
        // Who writes a private address into base_url means it; a link or a redirect does not.
        let mayBePrivate = isAllowed ?? (isPrivate && request.address.origin == start.origin)
        guard mayBePrivate || !isPrivate else { throw .privateNetwork(host: host) }
        var request = request
        request.mayReachPrivateNetwork = mayBePrivate
        return request
    }
}
