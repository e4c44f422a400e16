extension EffectiveConfiguration.Value {
    static func duration(_ duration: Duration) -> Self { .text(DurationText.format(duration)) }
    static func size(_ bytes: Int) -> Self { .text(ByteSize.format(bytes)) }
}

// Keys and values as they would be written; what is not set is left out.

extension Schedule {
    var effectiveValues: [(String, EffectiveConfiguration.Value)] {
        let own: [(String, EffectiveConfiguration.Value)] =
            switch rhythm {
            case .every(let interval): [("every", .duration(interval)), ("anchor", .text("epoch"))]
            case .afterFinish(let pause): [("every", .duration(pause)), ("anchor", .text("finish"))]
            case .cron(let expression, let zone):
                [("cron", .text(expression.description)), ("timezone", .text(zone.description))]
            }
        return own + [
            ("jitter", .duration(jitter)), ("overlap", .text(overlap.rawValue)),
            ("misfire_grace", .duration(misfireGrace)), ("catch_up", .text(catchUp.rawValue)),
            ("max_catch_up", .integer(maxCatchUp)),
        ]
    }
}

extension Incremental {
    var effectiveValues: [(String, EffectiveConfiguration.Value)] {
        let values: [(String, EffectiveConfiguration.Value?)] = [
            ("cursor_field", .text(cursorField)), ("initial_value", initialValue.map { .text($0) }),
            ("end_value", endValue.map { .text($0) }), ("step", step?.effectiveValue),
            ("lookback_window", lookbackWindow?.effectiveValue),
        ]
        return values.compactMap { key, value in value.map { (key, $0) } }
    }
}

extension Incremental.Span {
    fileprivate var effectiveValue: EffectiveConfiguration.Value {
        switch self {
        case .time(let duration): .duration(duration)
        case .count(let count): .integer(count)
        }
    }
}

extension ResponseAction {
    /// `{"status":404,"action":"ignore"}`
    var effectiveText: String {
        var members: [BodyValue.Member] = []
        if let status { members.append(.init(name: "status", value: .number(String(status)))) }
        if let bodyContains { members.append(.init(name: "body_contains", value: .text(.literal(bodyContains)))) }
        members.append(.init(name: "action", value: .text(.literal(action.rawValue))))
        return BodyValue.object(members).description
    }
}

extension ProxySetting {
    var shown: StreamKey.Shown {
        switch self {
        case .environment: return .value(.text("environment"))
        case .none: return .value(.text("none"))
        case .server(let address, let username, let password):
            let url: [(String, EffectiveConfiguration.Value)] = [("url", .text(address.description))]
            let name = username.map { [("username", EffectiveConfiguration.Value.text($0.description))] } ?? []
            let secret = password.map { [("password", EffectiveConfiguration.Value.text($0.description))] } ?? []
            return .members(url + name + secret)
        }
    }
}
