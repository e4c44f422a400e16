/// The address on which the dashboard listens: `127.0.0.1:8787`, `[::1]:8787`, `0.0.0.0:80`.
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    package let host: String
    /// The port; 0 for a free one.
    package let port: Int

    package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// Parses `HOST:PORT` or a port alone, which is one of this machine. Returns nil for anything else.
    package init?(_ text: String) {
        let (host, port): (Substring, Substring)
        if let colon = text.lastIndex(of: ":") {
            (host, port) = (text[..<colon], text[text.index(after: colon)...])
        } else {
            (host, port) = ("127.0.0.1", text[...])
        }
        guard let number = UInt16(port), port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), !host.isEmpty else {
            return nil
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard isBracketed || !host.contains(":") else { return nil }
        self.init(host: isBracketed ? String(host.dropFirst().dropLast()) : String(host), port: Int(number))
    }

    /// True if only programs of this machine reach it.
    package var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    package func url(port: Int? = nil) -> String {
        "http://\(host.contains(":") ? "[\(host)]" : host):\(port ?? self.port)/"
    }

    package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
