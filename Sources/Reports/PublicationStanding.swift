package import GarnerCatalog
import GarnerJSON
package import GarnerModel
package import GarnerPersistence
package import GarnerPresentation

/// How far PostgreSQL is behind a database, as the database itself knows it: for people, programs and alarms.
package struct PublicationStanding: Sendable {
    /// The URL of the configuration, without its password.
    package let target: String
    /// The place where the tables were published, if the configuration names another place now.
    package let formerTarget: String?
    /// The instant since when something waits; nil if nothing does.
    package let waitingSince: Timestamp?
    /// Why nothing is published until somebody changes something, and since when; nil if it is.
    package let refusal: String?
    package let refusedSince: Timestamp?
    package let tables: [PublicationStatus.Table]
    /// True if no publisher has connected yet.
    package let isNew: Bool

    /// How long something may wait before it is worth an alarm.
    package static let patience: Duration = .seconds(300)
    /// The most tables that people are told of at once.
    private static let mostTables = 3

    /// Returns nil if the configuration publishes nothing.
    package init?(of configuration: Configuration?, in reader: ReadOnlyDatabase) throws {
        guard let publish = configuration?.publish else { return nil }
        let status = try reader.publicationStatus()
        let known = publish.knownURL
        target = known ?? status?.target ?? publish.shownURL
        formerTarget = known.flatMap { known in status?.target.flatMap { $0 == known ? nil : $0 } }
        isNew = status?.target == nil
        (waitingSince, tables) = (status?.waitingSince, status?.tables ?? [])
        (refusal, refusedSince) = (status?.refusal, status?.refusedSince)
    }

    package var waitingRows: Int { tables.reduce(0) { $0 + ($1.name == nil || $1.isWhole ? 0 : $1.waitingRows) } }
    package var behind: [PublicationStatus.Table] { tables.filter { $0.behindSince != nil } }

    /// The first line for people: `Published to postgresql://db.example/w: nothing waits`.
    package var line: String {
        if isNew { return "Not published to \(target) yet\(waitingSince.map { ": all waits since \($0)" } ?? "")" }
        let place =
            formerTarget.map { "Was published to \($0); the configuration names \(target)" } ?? "Published to \(target)"
        guard let waitingSince else { return formerTarget == nil ? "\(place): nothing waits" : place }
        let whole = tables.count { $0.isWhole && $0.name != nil }
        let waiting = [(waitingRows, "row"), (whole, "whole table")].filter { $0.0 > 0 }
        let what = waiting.isEmpty ? "runs" : waiting.map { $0.0.counted($0.1) }.joined(separator: " and ")
        let verb = waiting.count == 1 && waiting[0].0 == 1 ? "waits" : "wait"
        return "\(place): \(what) \(verb) since \(waitingSince)"
    }

    /// The sentences on why nothing is published, and on the tables that are behind.
    package var troubles: [String] {
        let others = behind.count - Self.mostTables
        return [refusal.map { "Publishing is refused since \(refusedSince?.description ?? "now"): \($0)" }].compactMap(
            \.self)
            + behind.prefix(Self.mostTables).map { "The published \(Self.words(for: $0))" }
            + (others > 0 ? ["And \(others.counted("other table")): garner status --json"] : [])
    }

    private static func words(for table: PublicationStatus.Table) -> String {
        let (name, verb) = table.name.map { ("table \($0)", "is") } ?? ("runs", "are")
        return "\(name) \(verb) behind since \(table.behindSince?.description ?? "now")"
            + (table.behindReason.map { ": \($0)" } ?? "")
    }

    /// What has waited too long; nil if nothing has.
    package func notice(at now: Timestamp) -> ServiceNotice? {
        func isLate(_ since: Timestamp?) -> Bool { since.map { $0.duration(to: now) > Self.patience } ?? false }
        if isLate(refusedSince), let refusal, let refusedSince {
            return ServiceNotice(
                .publication, "publishing to \(target) is refused since \(refusedSince): \(refusal)",
                remedy: "garner publish, which tries it again and says what to do")
        }
        if let table = behind.first(where: { isLate($0.behindSince) }) {
            let others = behind.count - 1
            return ServiceNotice(
                .publication,
                "the published \(Self.words(for: table))"
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
            .init("published_waiting_rows", own.reduce(0) { $0 + $1.waitingRows }),
            .init("published_waiting_since", waitingSince),
            .init("published_refusal", refusal),
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
            "garner_publication_refused", "1 if nothing is published until somebody changes something.",
            [([], standing.refusal == nil ? 0 : 1)])
        gauge(
            "garner_publication_waiting_rows",
            "The rows of a table that wait to be published. Of a table that waits as a whole, 100000 are counted at most.",
            tables.map { ([("table", $0.name)], Double($0.table.waitingRows)) })
        gauge(
            "garner_publication_behind", "1 if the published table is behind for a reason of its own.",
            tables.map { ([("table", $0.name)], $0.table.behindSince == nil ? 0 : 1) })
    }
}
