import GarnerCatalog

/// The URL and the method of requests.
extension StreamTranslation {
    func translateRequest(_ requester: ManifestNode) {
        guard !loseCode(requester, "a requester") else { return }
        attempt(at: requester) { try translateMethod(requester) }
        attempt(at: requester["url_base"] ?? requester["url"] ?? requester) { try translateURL(requester) }
        translateParameters(requester["request_parameters"], as: "params", of: requester)
        translateParameters(requester["request_headers"], as: "headers", of: requester)
        translateBody(of: requester)
        if let endpoint = requester["fetch_properties_from_endpoint"] { lose(.propertiesFromAPI, at: endpoint) }
        if let properties = requester["query_properties"] {
            attempt(at: properties) { _ = try propertyList(properties) }
        }
    }

    private func translateMethod(_ requester: ManifestNode) throws {
        let method = try knownText(requester["http_method"], of: requester) ?? "GET"
        guard ["GET", "POST", "PUT"].contains(method.uppercased()) else {
            throw LossError(.method, String(method.prefix(20)), at: requester["http_method"])
        }
        self.method = method.uppercased()
    }

    /// Writes the method, unless it is the one that a request with or without a body has by default. Call this after
    /// all parts of the body are written.
    func writeMethod() {
        let hasBody = ["json", "form", "body"].contains { stream[$0] != nil }
        stream["method"] = method == (hasBody ? "POST" : "GET") ? nil : .text(method)
    }

    private func translateURL(_ requester: ManifestNode) throws {
        encoded = []
        let base = try urlText(requester["url"] ?? requester["url_base"], of: requester) ?? ""
        let path = try urlText(requester["path"], of: requester) ?? ""
        let isAbsolute = ["http://", "https://"].contains { path.lowercased().hasPrefix($0) }
        // A path that is a whole URL takes the place of the base, too.
        var url = WrittenURL(isAbsolute ? path : base)
        if !isAbsolute { url.append(path) }
        if url.origin.isEmpty {
            // A field of the parent has the whole URL. Most likely, it leads to the parent's server.
            guard url.parts.path.hasPrefix("{parent."), let base = parents.first?.base else {
                throw LossError(.host, "no server is named")
            }
            self.base = base
            stream["path"] = .text(url.parts.path)
            return
        }
        guard !url.origin.contains("${") else {
            throw LossError(.secretInText, "a secret in the host; a value that is none can be given with --set")
        }
        guard Template(url.origin).placeholders.isEmpty else {
            throw LossError(.host, "a value that comes from records decides it")
        }
        if let scheme = Self.foreignScheme(of: base) {
            throw LossError(.host, "the address '\(scheme.prefix(20)):' is neither http nor https")
        }
        guard url.origin.wholeMatch(of: /(?i)https?:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?/) != nil else {
            throw LossError(.host, "the URL names no server")
        }
        try checkPartitions(in: url.parts.path)
        self.base = url.parts.base
        stream["path"] = url.parts.path.isEmpty ? nil : .text(url.parts.path)
    }

    /// Returns the scheme of a URL; nil for `http`, `https`, and for a host without a scheme such as `localhost:8080`.
    private static func foreignScheme(of url: String) -> Substring? {
        guard let match = url.prefixMatch(of: /\s*([A-Za-z][A-Za-z0-9+.-]*):(?![0-9])/) else { return nil }
        return ["http", "https"].contains(match.1.lowercased()) ? nil : match.1
    }

    private func urlText(_ node: ManifestNode?, of requester: ManifestNode) throws -> String? {
        guard let node else { return nil }
        switch try requestValue(try value(node, of: requester), at: nil, for: .url) {
        case .text(let text)?, .plain(let text)?: return text
        case nil: return nil
        default: throw LossError(.requestOption, "a list in the URL", at: node)
        }
    }

    /// Throws `LossError` if a value of a partition in the path has a slash. Garner encodes it; Airbyte does not.
    private func checkPartitions(in path: String) throws {
        for case .partition(let name) in Template(path).placeholders {
            guard !encoded.contains("{partition.\(name)}"),
                case .list(let values)? = stream[mapping: "partitions"][name]
            else { continue }
            guard values.contains(where: { $0.text?.contains("/") == true }) else { continue }
            throw LossError(.partitions, "a slash in a value of '\(name)', which stands in the path")
        }
    }
}

/// A URL that is made of the base and the path of a manifest.
private struct WrittenURL {
    /// The scheme and the host; empty for a text that names none.
    private(set) var origin = ""
    /// The path of the base.
    private var folder: String
    private var path = ""
    /// True if the path may be a whole URL. No slash may precede it then.
    private var mayBeURL = true
    private var query: String

    init(_ text: String) {
        var rest = text[...]
        // A setting may have the scheme that the manifest writes before it, too.
        if let doubled = rest.prefixMatch(of: /https?:\/\/(?=https?:\/\/)/) { rest = rest[doubled.range.upperBound...] }
        if let mark = rest.firstRange(of: "://") {
            let end = rest[mark.upperBound...].firstIndex { "/?".contains($0) } ?? rest.endIndex
            origin = String(rest[..<end])
            rest = rest[end...]
        } else if !rest.isEmpty, !rest.hasPrefix("{parent."), !rest.hasPrefix("/") {
            // A setting such as `example.com` without the scheme.
            let end = rest.firstIndex { "/?".contains($0) } ?? rest.endIndex
            origin = "https://" + rest[..<end]
            rest = rest[end...]
        }
        (folder, query) = Self.cut(rest)
    }

    private static func cut(_ text: Substring) -> (path: String, query: String) {
        let mark = text.firstIndex(of: "?") ?? text.endIndex
        return (String(text[..<mark]), String(text[mark...].dropFirst()))
    }

    mutating func append(_ text: String) {
        let (added, addedQuery) = Self.cut(text[...])
        path = String(added.drop { $0 == "/" })
        mayBeURL = !added.hasPrefix("/")
        if !path.isEmpty {
            // Airbyte joins with `urljoin` of Python, which leaves out empty segments, unless there is no path.
            (folder, path) = (folder.replacing(/\/{2,}/, with: "/"), path.replacing(/\/{2,}/, with: "/"))
        }
        query = [query, addedQuery].filter { !$0.isEmpty }.joined(separator: "&")
    }

    /// The part of the URL that streams of one base share, and the rest.
    var parts: (base: String, path: String) {
        var (head, tail) = (folder, path)
        if let brace = Self.firstPlaceholder(in: head) ?? (path.isEmpty ? head.endIndex : nil) {
            let slash = head[..<brace].lastIndex(of: "/").map(head.index(after:)) ?? head.startIndex
            let rest = head[slash...]
            tail = rest + (rest.isEmpty || rest.hasSuffix("/") || path.isEmpty ? "" : "/") + path
            head = String(head[..<slash])
        }
        if !head.hasSuffix("/"), !origin.isEmpty { head += "/" }
        let slash = tail.isEmpty || mayBeURL && tail.hasPrefix("{parent.") ? "" : "/"
        return (origin + head, slash + tail + (query.isEmpty ? "" : "?" + query))
    }

    private static func firstPlaceholder(in text: String) -> String.Index? {
        text.indices.first { index in
            text[index] == "{" && (index == text.startIndex || text[text.index(before: index)] != "$")
        }
    }
}
