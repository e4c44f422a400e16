import GarnerCatalog

/// A length of time as ISO 8601 writes it, in seconds.
struct SpanOfTime: Hashable {
    /// Months and years are taken for 30 and 365 days.
    let seconds: Int
    /// Months and years are taken for 31 and 366 days, so that it is never too short.
    let longest: Int

    init?(_ text: String) {
        guard let duration = try? JinjaTime.duration(of: text), duration.usual >= 0 else { return nil }
        self.init(duration)
    }

    init(_ duration: JinjaValue.CalendarDuration) { (seconds, longest) = (duration.usual, duration.longest) }

    /// As the configuration has it, such as `30d`.
    var text: String { DurationText.format(.seconds(seconds)) }
}
