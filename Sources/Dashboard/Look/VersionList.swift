import GarnerDatabase
import GarnerModel
import GarnerPersistence

/// The versions of a record, told field by field.
struct VersionList {
    /// The versions; nil if none are kept.
    let history: RecordHistory?
    let relation: Relation
    let now: Timestamp

    var html: HTML {
        guard let history else {
            return Component.section(
                "history", "History",
                Component.empty(
                    "No versions of this table's rows are kept.", try: "set <code>history: true</code> for the stream"))
        }
        let versions = history.versions.enumerated().map { version($1, isLatest: $0 == 0) }
        let rest: HTML =
            history.isCut
            ? "<p class=\"note\">There are older versions: <code>garner get --history</code> shows all.</p>" : ""
        return """
            <section aria-labelledby="history"><h2 id="history">History, \
            \(history.isCut ? "the latest " : "")\(Component.counted(versions.count, "version"))</h2>
            <ol class="versions">\(versions)</ol>\(rest)</section>
            """
    }

    private func version(_ version: RecordHistory.Version, isLatest: Bool) -> HTML {
        let run = version.run.map { ", \(Component.link(to: $0))" as HTML }
        // An earlier version ends where the next one begins.
        let end: HTML = version.to.map { ", until \(Component.time($0, now: now))" } ?? ", holds now"
        let until: HTML? = isLatest ? end : nil
        let head: HTML = "<p><b>\(Component.time(version.from, now: now))</b>\(run)\(until)</p>"
        guard version.isFirst else { return "<li>\(head)\(version.fields.map(change))</li>" }
        let fields = version.fields.map { field -> HTML in
            "<div><dt>\(Component.foreign(field.name))</dt><dd>\(field.new.html(column(field.name)))</dd></div>"
        }
        return """
            <li>\(head)<p>\(Component.badge(.added, "added", .ok)) <span class="note">with \
            \(Component.counted(version.fields.count, "field"))</span></p>
            <details><summary>The fields as they were</summary><dl class="pairs">\(fields)</dl></details></li>
            """
    }

    private func change(_ field: RecordChange.Field) -> HTML {
        """
        <p><code>\(Component.foreign(field.name))</code> <del>\(field.old.html(column(field.name)))</del> \
        <ins>\(field.new.html(column(field.name)))</ins></p>
        """
    }

    private func column(_ name: String) -> RelationColumn? { relation.index(of: name).map { relation.columns[$0] } }
}
