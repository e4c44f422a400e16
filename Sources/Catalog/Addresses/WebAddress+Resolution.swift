extension WebAddress {
    /// The URL that `reference` means on a page at this address (RFC 3986, 5.2); nil where it is none of `http` or `https`.
    package func resolving(_ reference: String) -> WebAddress? {
        let parts = URLReference(reference)
        if parts.scheme != nil { return WebAddress(reference) }
        if parts.authority != nil { return WebAddress("\(scheme):\(PercentEncoding.cleaned(reference))") }
        var target = self
        if parts.path.isEmpty {
            if let query = parts.query { target.query = query }
            return target
        }
        target.path = Self.withoutDotSegments(parts.path.hasPrefix("/") ? parts.path : merged(with: parts.path))
        target.query = parts.query
        return target
    }

    /// `suffix`, which may carry a query, behind this address's own path.
    package func appending(_ suffix: String) -> WebAddress {
        let encoded = PercentEncoding.withoutBrackets(PercentEncoding.cleaned(suffix))
        let mark = encoded.firstIndex(of: "?")
        let added = encoded[..<(mark ?? encoded.endIndex)]
        var target = self
        if !added.isEmpty {
            let head = path.hasSuffix("/") ? path.dropLast() : path[...]
            target.path = "\(head)\(added.hasPrefix("/") ? "" : "/")\(added)"
        }
        if let mark {
            let addedQuery = encoded[encoded.index(after: mark)...]
            target.query = query.map { $0.isEmpty ? String(addedQuery) : "\($0)&\(addedQuery)" } ?? String(addedQuery)
        }
        return target
    }

    /// RFC 3986, 5.2.3.
    private func merged(with relativePath: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "/" + relativePath }
        return path[...slash] + relativePath
    }

    /// RFC 3986, 5.2.4.
    private static func withoutDotSegments(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".":
                if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}
