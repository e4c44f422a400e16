import Catalog

/// Refuses requests to this machine and to private networks, as far as the URL shows them, unless they are allowed.
struct AddressGuard: Layer {
    let allowsPrivateNetwork: Bool

    func send(_ request: Request, next: Next) async throws -> Reply {
        let host = request.address.host
        guard allowsPrivateNetwork || !PrivateNetwork.contains(host) else {
            throw FetchError.Kind.privateNetwork(host: host)
        }
        return try await next(request)
    }
}
