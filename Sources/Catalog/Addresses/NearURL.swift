/// Texts that are no URLs, and nearly one.
package enum NearURL {
    /// Returns the URL that is meant by a host without a scheme, or with one that is nearly `http` or `https`; nil for other texts, and for those
    /// that may hold more than a host and a plain path.
    ///
    /// - Parameter usual: The scheme of a host that is neither this machine nor in its network.
    package static func meant(by text: String, usual: String = "https") -> String? {
        let shape = /(?:([A-Za-z]{2,6})(?::\/{0,3}|\/\/+))?([A-Za-z0-9][\w-]*(?:\.[\w-]+)*)(:[0-9]{1,5})?(\/[\w.\/-]*)?/
        guard text.utf8.count <= 200, let match = text.wholeMatch(of: shape) else { return nil }
        let (host, port, path) = (match.2, match.3 ?? "", match.4 ?? "")
        let isLocal = host == "localhost" || host.wholeMatch(of: /(?:127|10|192\.168)(?:\.[0-9]{1,3}){2,3}/) != nil
        guard let written = match.1 else {
            let ending = host.split(separator: ".").last ?? ""
            let isFile = port.isEmpty && path.isEmpty && fileEndings.contains(ending.lowercased())
            guard isLocal || host.contains(".") && !isFile else { return nil }
            return "\(isLocal ? "http" : usual)://\(host)\(port)\(path)"
        }
        return Suggestion.closest(to: String(written), among: ["https", "http"]).map { "\($0)://\(host)\(port)\(path)" }
    }

    private static let fileEndings: Set = ["csv", "json", "jsonl", "ndjson", "txt", "xml", "yaml", "yml"]

    /// Returns the path of a file that a text names by a URL; nil for other texts.
    package static func file(in text: String) -> String? {
        guard text.lowercased().hasPrefix("file:") else { return nil }
        let path = PercentEncoding.decoded(text.dropFirst(5))
        return path.hasPrefix("//") ? "/\(path.drop { $0 == "/" })" : path
    }
}
