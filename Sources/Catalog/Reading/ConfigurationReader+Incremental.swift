extension ConfigurationReader {
    static let incrementalFields = [
        Field(
            "cursor_field", .text, "The field that grows with every change; a name, or a JSONPath in the record.",
            isRequired: true),
        Field("initial_value", .text, "Where the first read begins."),
        Field("end_value", .text, "Where every read ends."),
        Field("step", span, "How much one request covers: a duration, or a whole number."),
        Field("lookback_window", span, "How far before the last cursor a read begins: a duration, or a whole number."),
    ]

    private static let span = Schema.anyOf([.integer(1...Int.max), .duration])

    func incremental(_ value: YAMLValue) -> Incremental? {
        guard let mapping = value.mapping(hint: "write incremental: { cursor_field: updated_at }") else { return nil }
        mapping.expect(Self.incrementalFields)
        let field = mapping.required("cursor_field", hint: "add 'cursor_field: updated_at'").flatMap(fieldOrPath)
        var incremental = Incremental(cursorField: field ?? "")
        incremental.initialValue = mapping["initial_value"].flatMap(name)
        incremental.endValue = mapping["end_value"].flatMap(name)
        incremental.step = mapping["step"].flatMap(span)
        incremental.lookbackWindow = mapping["lookback_window"].flatMap(span)
        if let step = mapping["step"], mapping["initial_value"] == nil {
            step.fail("'incremental.step' needs 'incremental.initial_value'", hint: "say where the first step begins")
        }
        if case .count? = incremental.step, incremental.initialValue.flatMap({ Int($0) }) != nil,
            mapping["end_value"] == nil
        {
            mapping["step"]?.fail(
                "'incremental.step' needs 'incremental.end_value'",
                hint: "say where the last step ends: numbers have no now")
        }
        checkKinds(of: incremental, in: mapping)
        let isWhole =
            field != nil && (mapping["step"] == nil) == (incremental.step == nil)
            && (mapping["end_value"] == nil) == (incremental.endValue == nil)
        return isWhole ? incremental : nil
    }

    private func fieldOrPath(_ value: YAMLValue) -> String? {
        value.plainOrQuotedText?.hasPrefix("$") == true ? jsonPath(value) : name(value)
    }

    private func span(_ value: YAMLValue) -> Incremental.Span? {
        guard let text = value.plainText, text.allSatisfy({ "0"..."9" ~= $0 }) else {
            return value.duration(atLeast: .milliseconds(1)).map { .time($0) }
        }
        return value.integer(in: 1...Int.max).map { .count($0) }
    }

    /// Times have distances in time, numbers in numbers.
    private func checkKinds(of incremental: Incremental, in mapping: YAMLMapping) {
        let spans = [("step", incremental.step), ("lookback_window", incremental.lookbackWindow)]
        let bounds = [("initial_value", incremental.initialValue), ("end_value", incremental.endValue)]
        for case (let key, let span?) in spans {
            for case (let bound, let text?) in bounds {
                let (fits, hint) =
                    switch span {
                    case .time:
                        (
                            Timestamp(rfc3339: text) != nil,
                            "write a time such as 2024-01-31T00:00:00Z, or '\(key)' as a number"
                        )
                    case .count: (Int(text) != nil, "write a whole number, or '\(key)' as a duration such as 7d")
                    }
                guard !fits else { continue }
                mapping[bound]?.fail("'incremental.\(bound)' does not fit 'incremental.\(key)'", hint: hint)
                return
            }
        }
        switch (incremental.step, incremental.lookbackWindow) {
        case (.time, .count), (.count, .time):
            mapping["lookback_window"]?.fail(
                "'incremental.lookback_window' does not fit 'incremental.step'",
                hint: "write both as durations, or both as numbers")
        default: break
        }
    }
}
