import GarnerCatalog

/// Translates the limits that all streams of a connector share.
extension StreamTranslation {
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
