extension StreamDraft {
    /// Every value that is in force, in the order of the documentation.
    var effectiveEntries: [EffectiveConfiguration.Entry] {
        let stream = stream
        return requestEntries(stream) + storingEntries(stream) + fetchingEntries(stream)
    }

    private typealias Entry = EffectiveConfiguration.Entry
    private typealias Value = EffectiveConfiguration.Value
    private typealias Origin = EffectiveConfiguration.Origin

    private func entry(_ path: String..., value: Value, origin: Origin?) -> Entry {
        Entry(path: path, value: value, origin: origin ?? .standard)
    }

    private func requestEntries(_ stream: Stream) -> [Entry] {
        var entries = [
            entry("base_url", value: .text(stream.request.baseURL), origin: base.origin),
            entry("path", value: .text(stream.request.path), origin: path?.origin),
        ]
        for header in merged(\.headers, key: { $0.lowercased() }) {
            entries.append(
                entry("headers", header.value.name, value: .text(header.value.value.description), origin: header.origin)
            )
        }
        for parameter in merged(\.params, key: { $0 }) {
            entries.append(
                entry(
                    "params", parameter.value.name, value: .text(parameter.value.value.description),
                    origin: parameter.origin))
        }
        let authentication = nearest(\.authentication)
        entries += stream.request.authentication.effectiveValues.map { key, value in
            entry("auth", key, value: value, origin: authentication?.origin)
        }
        let paginator = nearest(\.paginator)
        entries += stream.paginator.effectiveValues.map { key, value in
            entry("paginator", key, value: value, origin: paginator?.origin)
        }
        return entries
    }

    private func storingEntries(_ stream: Stream) -> [Entry] {
        [
            entry("table", value: .text(stream.table), origin: explicitTable?.origin),
            entry(
                "record_selector", value: stream.recordSelector.map { .text($0) } ?? .automatic,
                origin: nearest(\.recordSelector)?.origin),
            entry(
                "primary_key", value: stream.primaryKey.map { .list($0) } ?? .automatic,
                origin: nearest(\.primaryKey)?.origin),
            entry(
                "write_disposition", value: stream.writeDisposition.map { .text($0.rawValue) } ?? .automatic,
                origin: nearest(\.writeDisposition)?.origin),
            entry(
                "delete_missing", value: .text(stream.deleteMissing.rawValue),
                origin: nearest(\.deleteMissing)?.origin),
            entry(
                "max_delete_ratio", value: .number(stream.maxDeleteRatio), origin: nearest(\.maxDeleteRatio)?.origin),
            entry("flatten_depth", value: .integer(stream.flattenDepth), origin: nearest(\.flattenDepth)?.origin),
        ]
    }

    private func fetchingEntries(_ stream: Stream) -> [Entry] {
        var entries: [Entry] = []
        if let schedule = nearest(\.schedule) {
            entries.append(entry("schedule", "every", value: .duration(schedule.value.every), origin: schedule.origin))
            entries.append(
                entry("schedule", "jitter", value: .duration(schedule.value.jitter), origin: schedule.origin))
        }
        let (retry, limits) = (stream.retry, stream.limits)
        return entries + [
            entry(
                "retry", "max_attempts", value: .integer(retry.maxAttempts),
                origin: nearest(\.retry.maxAttempts)?.origin),
            entry("retry", "base_delay", value: .duration(retry.baseDelay), origin: nearest(\.retry.baseDelay)?.origin),
            entry("retry", "max_delay", value: .duration(retry.maxDelay), origin: nearest(\.retry.maxDelay)?.origin),
            entry(
                "retry", "respect_retry_after", value: .flag(retry.respectsRetryAfter),
                origin: nearest(\.retry.respectsRetryAfter)?.origin),
            entry("limits", "body", value: .size(limits.body), origin: nearest(\.limits.body)?.origin),
            entry("limits", "head", value: .size(limits.head), origin: nearest(\.limits.head)?.origin),
            entry("limits", "connect", value: .duration(limits.connect), origin: nearest(\.limits.connect)?.origin),
            entry(
                "limits", "first_byte", value: .duration(limits.firstByte),
                origin: nearest(\.limits.firstByte)?.origin),
            entry("limits", "idle", value: .duration(limits.idle), origin: nearest(\.limits.idle)?.origin),
            entry("limits", "total", value: .duration(limits.total), origin: nearest(\.limits.total)?.origin),
            entry(
                "allow_private_network", value: stream.allowsPrivateNetwork.map { .flag($0) } ?? .automatic,
                origin: nearest(\.allowsPrivateNetwork)?.origin),
        ]
    }
}

extension EffectiveConfiguration.Value {
    fileprivate static func duration(_ duration: Duration) -> Self { .text(DurationText.format(duration)) }
    fileprivate static func size(_ bytes: Int) -> Self { .text(ByteSize.format(bytes)) }
}
