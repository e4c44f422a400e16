import GarnerCatalog

/// A length of time as ISO 8601 writes it, in seconds. Months and years are taken for 30 and 365 days.
struct SpanOfTime: Hashable {
    let seconds: Int

    init?(_ text: String) {
        guard let seconds = try? JinjaTime.seconds(ofDuration: text), seconds >= 0 else { return nil }
        self.seconds = seconds
    }

    init(seconds: Int) { self.seconds = seconds }

    /// As the configuration has it, such as `30d`.
    var text: String { DurationText.format(.seconds(seconds)) }
}
