extension ConfigurationReader {
    func settings(from mapping: YAMLMapping, _ level: Level) -> StreamSettings {
        var settings = StreamSettings()
        settings.headers = mapping["headers"].map { headers($0, level) } ?? []
        settings.params = mapping["params"].map { params($0, level) } ?? []
        if level != .defaults { settings.authentication = read(mapping["auth"], level, authentication) }
        settings.paginator = read(mapping["paginator"], level, paginator)
        settings.recordSelector = read(mapping["record_selector"], level, jsonPath)
        settings.primaryKey = read(mapping["primary_key"], level, primaryKey)
        settings.writeDisposition = read(mapping["write_disposition"], level) {
            $0.choice(WriteDisposition.allCases.map { ($0.rawValue, $0) }, notYet: ["replace"])
        }
        settings.deleteMissing = read(mapping["delete_missing"], level) {
            $0.choice(DeleteMissing.allCases.map { ($0.rawValue, $0) })
        }
        settings.maxDeleteRatio = read(mapping["max_delete_ratio"], level) { $0.number(in: 0...1) }
        settings.flattenDepth = read(mapping["flatten_depth"], level) { $0.integer(in: 0...16) }
        settings.schedule = read(mapping["schedule"], level, schedule)
        settings.allowsPrivateNetwork = read(mapping["allow_private_network"], level) { $0.flag() }
        // Nothing to keep: full_refresh is what every stream does.
        _ = mapping["sync_mode"].flatMap { $0.choice([("full_refresh", ())], notYet: ["incremental"]) }
        if let value = mapping["retry"] { settings.retry = retry(value, level) }
        if let value = mapping["limits"] { settings.limits = limits(value, level) }
        return settings
    }

    private func primaryKey(_ value: YAMLValue) -> [String]? {
        guard let names = value.texts() else { return nil }
        guard !names.isEmpty, !names.contains("") else {
            value.fail("'\(value.name)' names no field", hint: "write the field that identifies a record, such as id")
            return nil
        }
        guard Set(names).count == names.count else {
            value.fail("'\(value.name)' names a field twice", hint: "keep one of them")
            return nil
        }
        return names
    }

    private func schedule(_ value: YAMLValue) -> Schedule? {
        let example = "write schedule: { every: 15m }"
        guard let mapping = value.mapping(hint: example) else { return nil }
        let notYet = ["cron", "timezone", "overlap", "misfire_grace", "catch_up", "max_catch_up", "anchor"]
        mapping.expect(["every", "jitter"], notYet: notYet)
        // A schedule by cron is refused already; that it lacks 'every' would be no news.
        if mapping["every"] == nil, mapping["cron"] != nil { return nil }
        let every = mapping.required("every", hint: example)?.duration(atLeast: .seconds(1))
        let jitter = mapping["jitter"]?.duration(atLeast: .zero) ?? .zero
        guard let every else { return nil }
        guard jitter <= every else {
            mapping["jitter"]?.fail(
                "'schedule.jitter' is longer than 'schedule.every'", hint: "write at most \(DurationText.format(every))"
            )
            return nil
        }
        return Schedule(every: every, jitter: jitter)
    }

    private func retry(_ value: YAMLValue, _ level: Level) -> StreamSettings.Retry {
        guard let mapping = value.mapping(hint: "write retry: { max_attempts: 5 }") else { return .init() }
        mapping.expect(["max_attempts", "base_delay", "max_delay", "respect_retry_after"])
        return StreamSettings.Retry(
            maxAttempts: read(mapping["max_attempts"], level) { $0.integer(in: 1...1000) },
            baseDelay: read(mapping["base_delay"], level) { $0.duration(atLeast: .zero) },
            maxDelay: read(mapping["max_delay"], level) { $0.duration(atLeast: .zero) },
            respectsRetryAfter: read(mapping["respect_retry_after"], level) { $0.flag() })
    }

    private func limits(_ value: YAMLValue, _ level: Level) -> StreamSettings.LimitSettings {
        guard let mapping = value.mapping(hint: "write limits: { total: 5m }") else { return .init() }
        mapping.expect(["body", "head", "connect", "first_byte", "idle", "total"], notYet: ["ratio"])
        func time(_ key: String) -> Setting<Duration>? {
            read(mapping[key], level) { $0.duration(atLeast: .milliseconds(1)) }
        }
        return StreamSettings.LimitSettings(
            body: read(mapping["body"], level) { $0.byteSize() }, head: read(mapping["head"], level) { $0.byteSize() },
            connect: time("connect"), firstByte: time("first_byte"), idle: time("idle"), total: time("total"))
    }
}
