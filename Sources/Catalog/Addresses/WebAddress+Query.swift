extension WebAddress {
    /// The decoded value of the first parameter of that name.
    package func value(of name: String) -> String? {
        for item in items where Self.name(of: item) == name {
            return Self.value(of: item)
        }
        return nil
    }

    /// The decoded names and values, in order.
    package var parameters: [(name: String, value: String)] {
        items.map { (name: Self.name(of: $0), value: Self.value(of: $0)) }
    }

    /// This address with that one parameter, in its old place or at the end; everything else stays byte for byte.
    package func setting(_ name: String, to value: String) -> WebAddress {
        let written = "\(PercentEncoding.encoded(name))=\(PercentEncoding.encoded(value))"
        var found = false
        var changed = items.compactMap { item -> Substring? in
            guard Self.name(of: item) == name else { return item }
            defer { found = true }
            return found ? nil : written[...]
        }
        if !found { changed.append(written[...]) }
        return replacing(items: changed)
    }

    package func appending(parameter name: String, value: String) -> WebAddress {
        let written = "\(PercentEncoding.encoded(name))=\(PercentEncoding.encoded(value))"
        return replacing(items: items + [written[...]])
    }

    /// This address without the parameters of which `isUnwanted` is true; itself where it has none of them.
    package func removingParameters(where isUnwanted: (_ name: String, _ value: String) -> Bool) -> WebAddress {
        let kept = items.filter { !isUnwanted(Self.name(of: $0), Self.value(of: $0)) }
        return kept.count == items.count ? self : replacing(items: kept)
    }

    private var items: [Substring] { (query ?? "").split(separator: "&", omittingEmptySubsequences: true) }

    private func replacing(items: [Substring]) -> WebAddress {
        var changed = self
        changed.query = items.isEmpty ? nil : items.joined(separator: "&")
        return changed
    }

    private static func name(of item: Substring) -> String {
        PercentEncoding.decoded(item[..<(item.firstIndex(of: "=") ?? item.endIndex)])
    }

    private static func value(of item: Substring) -> String {
        item.firstIndex(of: "=").map { PercentEncoding.decoded(item[item.index(after: $0)...]) } ?? ""
    }
}
