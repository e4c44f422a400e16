import Catalog

/// The hosts that the environment's `no_proxy` takes from the proxy, as curl reads it: names with all below them,
/// addresses, and networks such as `10.0.0.0/8`; each may have a port. `*` is every host.
struct ProxyExceptions: Hashable, Sendable {
    private let entries: [Entry]

    fileprivate struct Entry: Hashable {
        let host: Host
        /// nil: any.
        var port: Int?
    }

    fileprivate enum Host: Hashable {
        case any
        /// With all below it; in lower case, without a dot at either end.
        case name(String)
        case network(IPAddress, bits: Int)
    }

    init(_ text: String) {
        entries = text.lowercased().split { $0 == "," || $0.isWhitespace }.compactMap { Entry(text: $0) }
    }

    func contains(_ origin: Origin) -> Bool {
        let address = IPAddress(origin.host)
        let name = origin.host.hasSuffix(".") ? origin.host.dropLast() : origin.host[...]
        return entries.contains { entry in
            guard entry.port == nil || entry.port == origin.port else { return false }
            return switch entry.host {
            case .any: true
            case .name(let suffix): address == nil && (name == suffix || name.hasSuffix("." + suffix))
            case .network(let network, let bits): address?.sharesPrefix(with: network, bits: bits) ?? false
            }
        }
    }
}

extension ProxyExceptions.Entry {
    /// nil where nothing can be meant.
    fileprivate init?(text: Substring) {
        let (host, port) = Self.split(text)
        if let host = ProxyExceptions.Host(host) {
            self.init(host: host, port: port)
        } else {
            return nil
        }
    }

    /// The port is nil where there is none: an IPv6 address with one stands in brackets.
    private static func split(_ text: Substring) -> (Substring, port: Int?) {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let behind = text[text.index(after: end)...]
            return (text[..<end].dropFirst(), behind.hasPrefix(":") ? Int(behind.dropFirst()) : nil)
        }
        guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":"),
            let port = Int(text[text.index(after: colon)...])
        else { return (text, nil) }
        return (text[..<colon], port)
    }
}

extension ProxyExceptions.Host {
    fileprivate init?(_ text: Substring) {
        if text == "*" {
            self = .any
        } else if let address = IPAddress(text) {
            self = .network(address, bits: address.bitCount)
        } else if let slash = text.firstIndex(of: "/") {
            guard let address = IPAddress(text[..<slash]), let bits = Int(text[text.index(after: slash)...]),
                (0...address.bitCount).contains(bits)
            else { return nil }
            self = .network(address, bits: bits)
        } else {
            let name = text.drop { $0 == "*" || $0 == "." }
            let trimmed = name.hasSuffix(".") ? name.dropLast() : name
            if trimmed.isEmpty { return nil }
            self = .name(String(trimmed))
        }
    }
}
