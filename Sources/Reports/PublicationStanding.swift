package import GarnerCatalog
import GarnerJSON
package import GarnerModel
package import GarnerPersistence
package import GarnerPresentation

/// How far PostgreSQL is behind a database, as the database itself knows it: for people, programs and alarms.
package struct PublicationStanding: Sendable {
    /// The URL without its password.
    package let target: String
    /// The instant since when something waits; nil if nothing does.
    package let waitingSince: Timestamp?
    package let tables: [PublicationStatus.Table]
    /// True if no publisher has connected yet.
    package let isNew: Bool

    /// How long something may wait before it is worth an alarm.
    package static let patience: Duration = .seconds(300)

    /// Returns nil if the configuration publishes nothing.
    package init?(
        of configuration: Configuration?, in reader: ReadOnlyDatabase, _ statuses: [StreamStatus]
    ) throws {
        guard let publish = configuration?.publish else { return nil }
        let status = try reader.publicationStatus()
        target = status?.target ?? publish.shownURL
        isNew = status?.target == nil
        let stored = statuses.filter { publish.publishes($0.stream.name.description) }
            .compactMap { $0.history?.lastSuccessAt }
        waitingSince = isNew ? stored.min() : status?.waitingSince
        tables = status?.tables ?? []
    }

    package var waitingRows: Int { tables.reduce(0) { $0 + ($1.name == nil || $1.isWhole ? 0 : $1.waitingRows) } }
    package var behind: [PublicationStatus.Table] { tables.filter { $0.behindSince != nil } }
    /// The tables that are made again with the next attempt.
    private var whole: Int { tables.count { $0.isWhole && $0.name != nil } }

    /// The line for people: `Published to postgresql://db.example/w: nothing waits`.
    package var line: String {
        guard let waitingSince else { return "Published to \(target): nothing waits" }
        let what =
            isNew
            ? "nothing was sent yet"
            : [(waitingRows, "row"), (whole, "whole table")].filter { $0.0 > 0 }.map { $0.0.counted($0.1) }
                .joined(separator: " and ") + " wait"
        return "Published to \(target): \(what == " wait" ? "runs wait" : what) since \(waitingSince)"
    }

    /// What has waited too long; nil if nothing has.
    package func notice(at now: Timestamp) -> ServiceNotice? {
        func isLate(_ since: Timestamp?) -> Bool { since.map { $0.duration(to: now) > Self.patience } ?? false }
        if let table = behind.first(where: { isLate($0.behindSince) }), let since = table.behindSince {
            let others = behind.count - 1
            return ServiceNotice(
                .publication,
                "the published table \(table.name ?? "of runs") is behind since \(since)"
                    + (table.behindReason.map { ": \($0)" } ?? "")
                    + (others > 0 ? "; and \(others.counted("other table"))" : ""),
                remedy: "garner publish, which tries it again and says why it is behind")
        }
        guard isLate(waitingSince), let waitingSince else { return nil }
        return ServiceNotice(
            .publication,
            isNew
                ? "nothing was published to \(target) yet"
                : "what is to be published to \(target) waits since \(waitingSince)",
            remedy: "garner publish, which sends it or says why it cannot")
    }

    /// The fields of a stream for programs.
    package func fields(of stream: StreamName) -> [Report.Field] {
        let own = tables.filter { $0.stream == stream.description }
        let late = own.filter { $0.behindSince != nil }
        return [
            .init("published_to", target),
            .init("published_waiting_rows", own.reduce(0) { $0 + ($1.isWhole ? 0 : $1.waitingRows) }),
            .init("published_waiting_since", waitingSince),
            .init("published_behind_since", late.compactMap(\.behindSince).min()),
            .init(
                "published_behind",
                json: .object(late.map { ($0.name ?? "", JSONText($0.behindReason)) }),
                text: late.isEmpty
                    ? nil : late.map { "\($0.name ?? ""): \($0.behindReason ?? "")" }.joined(separator: "; ")),
        ]
    }
}

extension MetricsText {
    /// Adds what waits to be published.
    package mutating func add(_ standing: PublicationStanding?, now: Timestamp) {
        guard let standing else { return }
        let tables = standing.tables.compactMap { table in table.name.map { (name: $0, table: table) } }
        gauge(
            "garner_publication_waiting_seconds", "The time for which changes wait to be published, or 0.",
            [([], max(0, standing.waitingSince.map { $0.duration(to: now) / .seconds(1) } ?? 0))])
        gauge(
            "garner_publication_waiting_rows", "The noted rows of a table that wait to be published.",
            tables.map { ([("table", $0.name)], Double($0.table.isWhole ? 0 : $0.table.waitingRows)) })
        gauge(
            "garner_publication_behind", "1 if the published table is behind for a reason of its own.",
            tables.map { ([("table", $0.name)], $0.table.behindSince == nil ? 0 : 1) })
    }
}
