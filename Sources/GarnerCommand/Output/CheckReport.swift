import GarnerCatalog
import GarnerJSON
import GarnerLibC
import GarnerModel
import GarnerPresentation

/// The results of stream checks, a line or a JSON object each.
struct CheckReport {
    let checks: [StreamCheck]
    /// True if a page of each stream was requested.
    let connects: Bool
    /// The text if there are no streams.
    let emptyHint: String

    /// Writes the results. JSON includes failures; for people they go to standard error.
    func write(to setup: Setup) throws {
        if setup.showsSelection, connects, !checks.isEmpty {
            let width = setup.tableLayout.width
            try StandardOutput.write(
                checks.compactMap(\.line).map { $0.wrapped(to: width, indent: 2) + "\n" }.joined())
        } else {
            try Report(records: checks.map(fields), shown: shown, emptyHint: emptyHint).write(to: setup)
        }
        guard !setup.format.isJSON else { return }
        for failure in checks.compactMap(\.failure) {
            StandardError.write(failure.text(setup.decoration(on: STDERR_FILENO)))
        }
    }

    private var shown: [String] { ["stream", "table", "schedule", "result"] + (connects ? ["records", "more"] : []) }

    private func fields(of check: StreamCheck) -> [Report.Field] {
        let (stream, failure) = (check.stream, check.failure)
        let more = check.sample?.hasMore
        let sample: [Report.Field] = [
            .init("records", check.sample?.records),
            .init("more", json: more.map { .bool($0) } ?? .null, text: more.map { $0 ? "yes" : "no" }),
            .init("advice", check.sample?.advice),
        ]
        return [
            .init("stream", stream.name.description), .init("table", stream.table),
            .init("schedule", stream.schedule.map { $0.rhythm.description }),
            .init("result", failure == nil ? "ok" : "failed"),
        ] + (connects ? sample : []) + [.init("error", json: failure?.detail ?? .null, text: failure?.message)]
    }
}

extension StreamCheck {
    /// The line of a stream: `zoo.animals: 100 records, more follow`.
    fileprivate var line: DisplayText? {
        sample.map { sample in
            let more = sample.hasMore ? ", more follow" : ""
            let advice = sample.advice.map { "; \($0)" } ?? ""
            return "\(stream.name): \(sample.records.counted("record"))\(more)\(advice)"
        }
    }
}
