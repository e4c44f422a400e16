/// A request as the server saw it.
package struct LoopbackRequest: Sendable {
    package let method: String
    /// Path and query, byte for byte.
    package let target: String
    package let headers: [(name: String, value: String)]
    /// The body, with as many bytes as `Content-Length` says.
    package internal(set) var body = ""
    /// Counts the requests of a server from 0.
    package let number: Int
    /// Counts the connections of a server from 0.
    package let connection: Int

    /// The first header of that name, without regard to case.
    package subscript(header: String) -> String? {
        headers.first { $0.name.lowercased() == header.lowercased() }?.value
    }

    /// The number in `?page=` or behind `/page/`; 1 without.
    package var page: Int {
        let name = target.firstRange(of: "page=") ?? target.firstRange(of: "page/")
        return name.flatMap { Int(target[$0.upperBound...]) } ?? 1
    }

    var bodyLength: Int { self["Content-Length"].flatMap { Int($0) } ?? 0 }

    /// Returns nil unless `head` is the whole head of a request.
    init?(head: String, number: Int, connection: Int) {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)
        let parts = (lines.first ?? "").split(separator: " ")
        guard parts.count == 3 else { return nil }
        method = String(parts[0])
        target = String(parts[1])
        headers = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (name: String(line[..<colon]), value: String(value))
        }
        self.number = number
        self.connection = connection
    }
}
