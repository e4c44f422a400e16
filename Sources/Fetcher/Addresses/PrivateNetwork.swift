import Catalog

/// The hosts that lie on this machine or in a private network, as far as the name itself says so.
enum PrivateNetwork {
    /// True where `host` is `localhost` or the literal of an address that is not public, however it is spelt.
    static func contains(_ host: String) -> Bool {
        // "URI producers should use names that conform to the DNS syntax", but may percent-encode them (RFC 3986, 3.2.2).
        let decoded = host.contains("%") ? PercentEncoding.decoded(host[...]) : host
        let name = decoded.hasSuffix(".") ? String(decoded.dropLast()) : decoded
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        return IPAddress(numeric: name).map { !$0.isPublic } ?? IPAddress(name).map { !$0.isPublic } ?? false
    }
}
