import Catalog
import LibC
import Model
import Presentation

/// What became of the streams that were checked: a line or a record each.
struct CheckReport {
    let checks: [StreamCheck]
    /// Whether a page of each was asked for.
    let connects: Bool
    /// Said where there are no streams.
    let emptyHint: String

    /// Failures are a part of JSON; for people they are told on standard error.
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
    /// `zoo.animals: 100 records, more follow`
    fileprivate var line: DisplayText? {
        sample.map { sample in
            let more = sample.hasMore ? ", more follow" : ""
            let advice = sample.advice.map { "; \($0)" } ?? ""
            return "\(stream.name): \(sample.records.counted("record"))\(more)\(advice)"
        }
    }
}
