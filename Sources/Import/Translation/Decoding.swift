import GarnerCatalog

/// Kinds of answers, and what all streams of a connector share.
extension StreamTranslation {
    func translateDecoder(_ decoder: ManifestNode?) {
        var decoder = decoder
        // A file of gzip is unpacked in any case.
        for _ in 0..<10 {
            switch decoder?.type {
            case "GzipDecoder", "GzipParser": decoder = decoder?["decoder"] ?? decoder?["inner_parser"]
            case "CompositeRawDecoder": decoder = decoder?["parser"]
            default: break
            }
        }
        guard let decoder, decoder.isMapping else { return }
        var keys = FileMapping()
        switch decoder.type {
        case "", "JsonDecoder", "JsonParser", "JsonItemsDecoder": break
        case "JsonlDecoder", "JsonLineParser":
            keys = FileMapping(["media_types": .list([.text("*/*")]), "format": .text("json_lines")])
        case let type:
            guard !loseCode(decoder, "a decoder") else { return }
            return lose(.decoder, String(type.prefix(60)), at: decoder)
        }
        attempt(at: decoder) {
            guard let encoding = try knownText(decoder["encoding"], of: decoder) else { return }
            guard let charset = Self.charsets[encoding.lowercased().filter { $0.isLetter || $0.isNumber }] else {
                throw LossError(.decoder, String(encoding.prefix(40)), at: decoder["encoding"])
            }
            if charset != "utf-8" { keys["charset"] = .text(charset) }
        }
        stream[mapping: "response"] = keys
    }

    /// The encodings by Python's names, without what separates their letters.
    private static let charsets = [
        "utf8": "utf-8", "utf8sig": "utf-8", "ascii": "utf-8", "usascii": "utf-8", "utf16": "utf-16",
        "utf16le": "utf-16le", "utf16be": "utf-16be", "latin1": "iso-8859-1", "iso88591": "iso-8859-1",
        "latin9": "iso-8859-15", "iso885915": "iso-8859-15", "cp1252": "windows-1252", "windows1252": "windows-1252",
    ]

    /// Returns the keys of a source for the budget of calls, and for the number of streams that are read at once.
    func translateLimits(budget: ManifestNode?, concurrency: ManifestNode?) -> FileMapping {
        var keys = FileMapping()
        // The strictest limit holds for all requests.
        let rates = (budget?["policies"]?.list ?? []).flatMap { policy in
            attempt(at: policy) { try self.rates(of: policy) } ?? []
        }
        if let rate = rates.min(by: { $0.calls * $1.seconds < $1.calls * $0.seconds }) {
            keys["rate_limit"] = .mapping(
                FileMapping([
                    "requests": .int(rate.calls), "per": .plain(DurationText.format(.seconds(rate.seconds))),
                ]))
        }
        if let concurrency {
            let numbers = ["default_concurrency", "max_concurrency"].compactMap { name in
                attempt(at: concurrency) { try known(concurrency[name], of: concurrency).integerValue } ?? nil
            }
            if let number = numbers.min() { keys["max_concurrency"] = .int(min(max(number, 1), 256)) }
        }
        return keys
    }

    private func rates(of policy: ManifestNode) throws -> [(calls: Int, seconds: Int)] {
        let parts: [(ManifestNode?, ManifestNode?)] =
            switch policy.type {
            case "FixedWindowCallRatePolicy": [(policy["call_limit"], policy["period"])]
            case "MovingWindowCallRatePolicy": (policy["rates"]?.list ?? []).map { ($0["limit"], $0["interval"]) }
            default: []
            }
        return try parts.compactMap { limit, interval in
            guard let calls = try known(limit, of: policy).integerValue, (1...1_000_000).contains(calls),
                let span = try knownText(interval, of: policy).flatMap({ SpanOfTime($0) }),
                (1...10_000_000).contains(span.seconds)
            else { return nil }
            return (calls, span.seconds)
        }
    }
}
