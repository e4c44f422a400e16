import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

/// The look of the page of a record that is gone: since when, by which run, and what it was.
struct GoneRecordPage {
    let record: GoneRecord
    let relation: Relation
    let key: [String]
    let now: Timestamp

    private static let longestKey = 500

    private var name: HTML { Component.foreign(key.joined(separator: ", ").cut(to: Self.longestKey)) }

    var html: HTML {
        """
        <p class="crumbs">\(Component.link(Link("tables"), "Tables")) / \(Component.link(Link("tables", relation.name), Component.foreign(relation.name))) / \(name)</p>
        <h1>\(name)</h1>
        <div class="panel"><p>\(Component.badge(.deleted, "gone", .quiet)) \(said)</p></div>
        <div class="cols record"><div>\(changes)</div>
        <div class="side">\(VersionList(history: record.history, relation: relation, now: now).html)</div></div>
        """
    }

    private var said: HTML {
        let source: HTML? = relation.stream.map {
            " of \(Component.link(Link("streams", $0), Component.breakable($0)))" as HTML
        }
        guard let deletion = record.deletion else {
            return """
                This record is not in the table any more. No run of Garner has noted that it deleted the record: another program may \
                have done it.
                """
        }
        let time: HTML? = deletion.at.map { " \(Component.time($0, now: now))" }
        return "This record was deleted\(time) by \(Component.link(to: deletion.run))\(source)."
    }

    private var changes: HTML {
        guard !record.changes.isEmpty else { return "" }
        var table = DataTable(
            id: "changes", caption: "The newest first; a stream's first read is not noted",
            columns: [.init("What"), .init("When"), .init("Run")])
        table.rows = record.changes.map { change in
            [
                .init(Component.operation(change.operation), isHeader: true),
                .init(change.at.map { Component.time($0, now: now) } ?? "<span class=\"muted\">forgotten</span>"),
                .init(Component.link(to: change.run)),
            ]
        }
        return Component.section("noted", "What runs did to it", table.html)
    }
}

extension GoneRecord {
    /// The record as the twin of its page gives it: null, with what is known of it.
    var json: JSONText {
        .object([
            ("table", .string(table)), ("record", .null), ("attachments", .array([])),
            ("deleted_at", JSONText(deletion?.at)), ("deleted_by", JSONText(deletion?.run)),
            ("changes", .array(changes.map(\.json))), ("versions", .array((history?.versions ?? []).map(\.json))),
        ])
    }
}

extension GoneRecord.Change {
    fileprivate var json: JSONText {
        .object([("op", .string(operation.rawValue)), ("run_id", JSONText(run)), ("at", JSONText(at))])
    }
}

extension RecordHistory.Version {
    fileprivate var json: JSONText {
        let changed = fields.map { ($0.name, JSONText.array([$0.old.json, $0.new.json])) }
        return .object([
            ("from", JSONText(from)), ("to", JSONText(to)), ("run_id", JSONText(run)), ("fields", .object(changed)),
        ])
    }
}
