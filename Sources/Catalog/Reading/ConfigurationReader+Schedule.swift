extension ConfigurationReader {
    static let scheduleFields = [
        Field("every", .duration, "The time from one run to the next."),
        Field("cron", .text, "Five fields of cron, such as '0 6 * * *', instead of 'every'."),
        Field("timezone", .text, "The time zone of 'cron', such as Europe/Berlin; UTC by default."),
        Field(
            "anchor", .choice(anchors.map(\.0)),
            "Whether 'every' counts from fixed instants, or from the end of the run before."),
        Field("jitter", .duration, "The longest delay of a run, which differs from run to run; at most 'every'."),
        Field(
            "overlap", .choice(Schedule.Overlap.allCases.map(\.rawValue)),
            "What becomes of a run that is due while the one before goes on."),
        Field("misfire_grace", .duration, "How late a run may start, where missed ones are not caught up with."),
        Field(
            "catch_up", .choice(Schedule.CatchUp.allCases.map(\.rawValue)),
            "Which of the runs that were missed are made up for."),
        Field("max_catch_up", .integer(catchUps), "The most missed runs that are made up for, the latest ones."),
    ]

    private static let anchors: [(String, @Sendable (Duration) -> Schedule.Rhythm)] = [
        ("epoch", { .every($0) }), ("finish", { .afterFinish($0) }),
    ]
    private static let catchUps = 1...10_000
    private static let example = "write schedule: { every: 15m }"

    /// A schedule replaces an inherited one as a whole.
    func schedule(_ value: YAMLValue) -> Schedule? {
        guard let mapping = value.mapping(hint: Self.example) else { return nil }
        mapping.expect(Self.scheduleFields)
        let rhythm = mapping["cron"] == nil ? interval(mapping) : cron(mapping)
        let jitter = mapping["jitter"]?.duration(atLeast: .zero)
        let overlap = mapping["overlap"]?.choice(Schedule.Overlap.allCases)
        let misfireGrace = mapping["misfire_grace"]?.duration(atLeast: .zero)
        let catchUp = mapping["catch_up"]?.choice(Schedule.CatchUp.allCases)
        let maxCatchUp = mapping["max_catch_up"]?.integer(in: Self.catchUps)
        guard let rhythm else { return nil }
        var schedule = Schedule(rhythm)
        schedule.jitter = jitter ?? schedule.jitter
        schedule.overlap = overlap ?? schedule.overlap
        schedule.misfireGrace = misfireGrace ?? schedule.misfireGrace
        schedule.catchUp = catchUp ?? schedule.catchUp
        schedule.maxCatchUp = maxCatchUp ?? schedule.maxCatchUp
        switch rhythm {
        case .every(let every) where schedule.jitter > every, .afterFinish(let every) where schedule.jitter > every:
            mapping["jitter"]?.fail(
                "'schedule.jitter' is longer than 'schedule.every'", hint: "write at most \(DurationText.format(every))"
            )
            return nil
        case .every, .afterFinish, .cron: return schedule
        }
    }

    private func interval(_ mapping: YAMLMapping) -> Schedule.Rhythm? {
        mapping["timezone"]?.fail(
            "'schedule.timezone' needs 'schedule.cron'", hint: "remove it; an interval is the same in every zone")
        let every = mapping.required("every", hint: "\(Self.example), or { cron: \"0 6 * * *\" }")
        let anchor = mapping["anchor"]?.choice(Self.anchors) ?? { .every($0) }
        return every?.duration(atLeast: .seconds(1)).map(anchor)
    }

    private func cron(_ mapping: YAMLMapping) -> Schedule.Rhythm? {
        for key in ["every", "anchor"] {
            mapping[key]?.fail(
                "'schedule.\(key)' does not go with 'schedule.cron'",
                hint: key == "every" ? "keep one of them" : "remove it; it belongs to 'every'")
        }
        let zone = mapping["timezone"].map(zone) ?? .utc
        let expression = mapping["cron"]?.text(hint: "write five fields in quotes, such as \"0 6 * * *\"")
        guard mapping["every"] == nil, let expression = expression.flatMap({ cron($0, of: mapping["cron"]) }), let zone
        else { return nil }
        return .cron(expression, zone: zone)
    }

    private func cron(_ text: String, of value: YAMLValue?) -> CronExpression? {
        do {
            return try CronExpression(text)
        } catch {
            value?.fail("'schedule.cron' is wrong: \(error.message)", hint: error.hint)
            return nil
        }
    }

    private func zone(_ value: YAMLValue) -> ZoneName? {
        guard let text = value.text(hint: "write a name such as Europe/Berlin") else { return nil }
        if let zone = ZoneName(text) { return zone }
        value.fail(
            "'\(value.name)' names no time zone: '\(CronExpression.shown(text))'", hint: ZoneName.hint(for: text))
        return nil
    }
}
