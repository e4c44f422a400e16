import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

struct RunView {
    let run: RunRecord
    let now: Timestamp

    /// The greatest length of a sentence in a table.
    private static let maximumLength = 300

    /// - Parameter isWritten: False if no process writes to the database, so that no run can be running.
    init(_ run: RunRecord, isWritten: Bool, now: Timestamp) {
        (self.run, self.now) = (run.seen(isWritten: isWritten), now)
    }

    var link: Link { Link("runs", run.id.description) }
    var streamLink: Link { Link("streams", run.stream) }
    var isPartial: Bool { run.status == .succeeded && run.verdict?.kind == .missed }
    var number: HTML { Component.link(link, Component.number(run.id.number)) }

    var badge: HTML {
        switch run.status {
        case .running: Component.badge(.running, "running", .run)
        case .succeeded:
            isPartial ? Component.badge(.partial, "partial", .warn) : Component.badge(.inStep, "succeeded", .ok)
        case .failed: Component.badge(.failing, "failed", .fail)
        case .cancelled: Component.badge(.paused, "cancelled", .quiet)
        case .interrupted: Component.badge(.late, "interrupted", .warn)
        case .skipped:
            Component.badge(
                .skipped,
                (run.skipped?.count ?? 1) > 1 ? "skipped ×\(Component.grouped(run.skipped?.count ?? 1))" : "skipped",
                .quiet)
        }
    }

    /// The time that the run took, or has taken so far; nil for skipped instants and for runs whose end is unknown.
    var duration: Duration? {
        switch run.status {
        // The end of an interrupted run was noted later.
        case .skipped, .interrupted: nil
        case .running: max(.zero, run.startedAt.duration(to: now))
        default: run.duration.map { max(.zero, $0) }
        }
    }

    var took: HTML { duration.map { HTML(Component.took($0)) } ?? "" }

    var changes: HTML {
        run.status == .skipped ? "" : Component.changes(run.counts)
    }

    /// The most important thing to say of the run, in a sentence; empty if all is well.
    var remark: HTML {
        if let skipped = run.skipped, run.status == .skipped {
            let instants: HTML =
                skipped.count > 1
                ? "\(Component.exactTime(skipped.first)) to \(Component.exactTime(skipped.last)): "
                : "\(Component.exactTime(skipped.last)): "
            return instants + Component.foreign((run.reason ?? "skipped").prefix(Self.maximumLength))
        }
        let said = run.failure?.message ?? run.completenessText ?? run.notice
        return said.map { Component.foreign($0.prefix(Self.maximumLength).description.capitalizedAtStart) } ?? ""
    }
}

struct RunTableView {
    let id: String
    let caption: HTML
    let runs: [RunView]
    /// False on the page of one stream.
    var showsStream = true

    var html: HTML {
        var table = DataTable(
            id: id, caption: caption,
            columns: [.init("Run", label: "Run")] + (showsStream ? [.init("Stream")] : []) + [
                .init("State"), .init("Began", label: "Began"), .init("Duration", isNumber: true, label: "Took"),
                .init("Changes"), .init("Unchanged", isNumber: true, label: "Unchanged"),
                .init("Requests", isNumber: true, label: "Requests"), .init("Remark"),
            ], isStacked: true)
        table.rows = runs.map { view in
            let isSkip = view.run.status == .skipped
            let name: [DataTable.Cell] =
                showsStream
                ? [.init(Component.link(view.streamLink, Component.breakable(view.run.stream)), kind: "name")] : []
            let began = isSkip ? view.run.skipped?.first ?? view.run.startedAt : view.run.startedAt
            return [.init(view.number, isHeader: true)] + name + [
                .init(view.badge), .init(Component.time(began, now: view.now)), .init(view.took),
                .init(view.changes), .init(isSkip ? "" : Component.number(view.run.counts.unchanged)),
                .init(isSkip ? "" : Component.number(view.run.counts.requests)), .init(view.remark, kind: "wide"),
            ]
        }
        return table.html
    }
}
