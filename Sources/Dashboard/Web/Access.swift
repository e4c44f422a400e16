package import GarnerCatalog
import GarnerDigest
import GarnerModel

/// The rules for who may see and use the dashboard.
///
/// A browser sends what any site asks it to. So the `Host` of each request is checked, against sites whose name leads to this
/// machine, and a form is taken only from the dashboard's own pages.
package struct Access: Sendable {
    /// The secret that a request must show; nil if whoever reaches the address may look.
    package var token: Secret?
    /// The host that the configuration names for the address, beside those of this machine.
    package var host: String?

    package init(token: Secret? = nil, host: String? = nil) {
        self.token = token
        self.host = host
    }

    enum Refusal: Error {
        case host(String)
        case origin(String)
        case token
        case repeated(header: String)
    }

    /// The headers that decide who may look. Of two, each would mean something else.
    static let singleHeaders: Set = ["host", "origin", "sec-fetch-site"]

    /// The cookie of a browser that has logged in.
    static let cookie = "garner_session"

    func check(_ request: WebRequest) throws(Refusal) {
        if let header = request.repeatedHeader { throw .repeated(header: header) }
        let host = request.headers["host", default: ""]
        guard isOwn(host) else { throw .host(host) }
        if request.method == .post { try checkOrigin(of: request, host: host) }
    }

    func checkToken(of request: WebRequest) throws(Refusal) {
        guard let token else { return }
        if let bearer = Self.bearer(in: request), Self.areSame(bearer, token.reveal()) { return }
        if let cookie = request.cookies[Self.cookie], Self.areSame(cookie, sessionValue(of: token)) { return }
        throw .token
    }

    /// Returns the token after the scheme, whose case does not count (RFC 9110, section 11.1).
    private static func bearer(in request: WebRequest) -> String? {
        guard let header = request.headers["authorization"] else { return nil }
        let parts = header.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Substring(parts[0]).lowercased() == "bearer" else { return nil }
        return String(Substring(parts[1]))
    }

    /// The value of the cookie: not the token itself, which a browser need not keep.
    func sessionValue(of token: Secret) -> String {
        SHA256.hexDigest(of: Array("garner dashboard \(token.reveal())".utf8))
    }

    /// Returns true if a form gives the token.
    func accepts(_ text: String) -> Bool { token.map { Self.areSame(text, $0.reveal()) } ?? true }

    /// A name that somebody else owns may lead to this machine. With a token, nobody else's pages have the cookie.
    private func isOwn(_ hostAndPort: String) -> Bool {
        if token != nil { return !hostAndPort.isEmpty }
        guard let name = Self.name(in: hostAndPort)?.lowercased() else { return false }
        if name == "localhost" || name == host?.lowercased() { return true }
        return Self.isAddress(name)
    }

    private func checkOrigin(of request: WebRequest, host: String) throws(Refusal) {
        if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" { throw .origin(site) }
        guard let origin = request.headers["origin"] else { return }
        guard
            origin.lowercased() == "http://\(host)".lowercased()
                || origin.lowercased() == "https://\(host)".lowercased()
        else { throw .origin(origin) }
    }

    /// Returns the host before the port; nil if what follows it is no port.
    private static func name(in hostAndPort: String) -> Substring? {
        let bytes = hostAndPort.utf8
        let end: String.Index
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            end = bytes.index(after: bracket)
        } else {
            end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        }
        let isPort = bytes[end...].isEmpty || bytes[end...].dropFirst().allSatisfy { (0x30...0x39).contains($0) }
        guard isPort, bytes[end...].first.map({ $0 == UInt8(ascii: ":") }) ?? true else { return nil }
        return hostAndPort[..<end]
    }

    /// Returns true for an address in numbers, which no site can make its own.
    private static func isAddress(_ name: String) -> Bool {
        if name.hasPrefix("[") {
            let address = name.utf8.dropFirst().dropLast()
            return address.contains(0x3A) && address.allSatisfy { isHexadecimal($0) || $0 == 0x3A || $0 == 0x2E }
        }
        let parts = name.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                part.allSatisfy { (0x30...0x39).contains($0) } && Int(Substring(part)).map { $0 < 256 } == true
            }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }

    /// Compares in a time that does not depend on where two texts differ.
    private static func areSame(_ first: String, _ second: String) -> Bool {
        let (first, second) = (Array(first.utf8), Array(second.utf8))
        guard first.count == second.count else { return false }
        return zip(first, second).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension Access.Refusal: FailureConvertible {
    var failure: RunFailure {
        RunFailure(answer.category, kind: answer.kind, message: answer.message, hint: .text(answer.hint))
    }

    var status: Int { answer.status }

    private var answer: (status: Int, category: ErrorCategory, kind: String, message: String, hint: String) {
        switch self {
        case .host(let host):
            (
                421, .usage, "foreign_host", "this address is not the dashboard's own: '\(host.prefix(100))'",
                "use the address that garner printed"
            )
        case .origin(let origin):
            (
                403, .noPermission, "foreign_form", "a form of another site was refused: '\(origin.prefix(100))'",
                "use the buttons of the pages"
            )
        case .token:
            (
                401, .noPermission, "no_token", "the request needs the token",
                "send the header Authorization: Bearer …"
            )
        case .repeated(let header):
            (400, .usage, "repeated_header", "the header '\(header)' came more than once", "send it once")
        }
    }
}
