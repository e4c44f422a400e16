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
        switch decoder.type {
        case "", "JsonDecoder", "JsonParser", "JsonItemsDecoder": break
        case "JsonlDecoder", "JsonLineParser":
            stream["response"] = .mapping(
                FileMapping(["media_types": .list([.text("*/*")]), "format": .text("json_lines")]))
        case _ where decoder.isCustom:
            lose(.customCode, decoder["class_name"]?.text ?? "a decoder", at: decoder)
        case let type: lose(.decoder, String(type.prefix(60)), at: decoder)
        }
    }

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
                    "requests": .int(rate.calls), "per": .text(DurationText.format(.seconds(rate.seconds))),
                ]))
        }
        if let concurrency {
            let written = attempt(at: concurrency) { try known(concurrency["default_concurrency"], of: concurrency) }
            if let number = written?.integerValue { keys["max_concurrency"] = .int(min(max(number, 1), 256)) }
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
