import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerSync

/// The requests that streams would make: a row each, with a line for the facts that no row shows.
struct PlanReport {
    let plannedStreams: [PlannedStream]
    /// The text if there are no streams.
    let emptyHint: String

    /// Writes the plan. JSON has an object for each stream; for people, further remarks go to standard error.
    func write(to setup: Setup) throws {
        guard case .objects(let inLines) = setup.format.family else { return try writeRows(to: setup) }
        try StandardOutput.write(exactly: JSONText.list(plannedStreams.map(\.json), inLines: inLines))
    }

    private func writeRows(to setup: Setup) throws {
        let rows = plannedStreams.flatMap(\.rows)
        let hint = plannedStreams.isEmpty ? emptyHint : "No request is known."
        var shown = ["stream", "method", "url", "since", "conditional"]
        if rows.contains(where: { $0.contains { $0.name == "body" && $0.text != nil } }) { shown.insert("body", at: 3) }
        try Report(records: rows, shown: shown, emptyHint: hint).write(to: setup)
        if !setup.isQuiet { StandardError.write(plannedStreams.compactMap(\.remark).map { "\($0)\n" }.joined()) }
        for failure in plannedStreams.compactMap(\.failure) {
            StandardError.write(failure.text(setup.decoration(on: STDERR_FILENO)))
        }
    }
}

extension PlannedStream {
    fileprivate var rows: [[Report.Field]] {
        guard case .planned(let plan) = self else { return [] }
        return plan.requests.map { [.init("stream", plan.stream.description)] + $0.fields }
    }

    /// The facts that the rows do not show; nil if there are none.
    fileprivate var remark: String? {
        switch self {
        case .impossible: nil
        case .after(let parent, let stream): "\(stream): asked for by the records of \(parent), once they are read"
        case .planned(let plan):
            plan.remarks.isEmpty ? nil : "\(plan.stream): \(plan.remarks.joined(separator: "; "))"
        }
    }

    fileprivate var json: JSONText {
        switch self {
        case .planned(let plan): plan.json
        case .after(let parent, let stream):
            .object([("stream", .string(stream.description)), ("after", .string(parent.description))])
        case .impossible(let failure): .object([("stream", JSONText(failure.stream)), ("error", failure.detail)])
        }
    }
}

extension StreamPlan {
    fileprivate var remarks: [String] {
        var remarks: [String] = []
        if let run = read.continuedRun { remarks.append("goes on with the read that run \(run) began") }
        if let count = read.parentCount {
            // With partitions, a slice is a record of the parent and one combination of their values.
            remarks.append(
                combinationCount == 1
                    ? "\(read.sliceCount) of \(count) records of the parent are due"
                    : "\(read.sliceCount.counted("slice")) of \(count.counted("record")) of the parent "
                        + "with \(combinationCount.counted("value")) of partitions are due")
        }
        if read.sliceCount == 0 {
            remarks.append("there is nothing to ask for")
        } else if isCut {
            let slices = read.sliceCount > 1 ? "\(read.sliceCount) requests at least; " : ""
            remarks.append("\(slices)the first \(requests.count) are shown, --limit 0 shows all that are known")
        }
        if isOpen, read.sliceCount > 0 { remarks.append("the pages that follow are not known yet") }
        if read.fileCount > 0 { remarks.append("and \(read.fileCount) files that stored records point to") }
        return remarks + (read.verdict.reason.map { [$0] } ?? [])
    }

    fileprivate var json: JSONText {
        .object([
            ("stream", .string(stream.description)), ("continues_run", JSONText(read.continuedRun)),
            ("slices", JSONText(read.sliceCount)), ("parent_records", JSONText(read.parentCount)),
            ("requests", .array(requests.map(\.fields.json))),
            ("is_cut", .bool(isCut)), ("is_open", .bool(isOpen)), ("files", JSONText(read.fileCount)),
            ("completeness", .string(read.verdict.completeness.rawValue)),
            ("completeness_reason", JSONText(read.verdict.reason)),
        ])
    }
}

extension PlannedRequest {
    fileprivate var fields: [Report.Field] {
        [
            .init("method", method), .init("url", url),
            .init("body", json: body.map { .verbatim($0) } ?? .null, text: body), .init("since", window.start),
            .init("until", window.end),
            .init("conditional", isConditional),
        ]
    }
}
