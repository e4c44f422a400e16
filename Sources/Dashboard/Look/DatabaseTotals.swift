import GarnerModel
import GarnerPersistence

/// The figures of the database below the list of streams.
struct DatabaseTotals: Sendable {
    private let counts: DatabaseCounts
    private let sizes: DatabaseSizes
    private let upSince: Timestamp?
    private let now: Timestamp

    init(_ counts: DatabaseCounts, _ sizes: DatabaseSizes, upSince: Timestamp?, now: Timestamp) {
        self.counts = counts
        self.sizes = sizes
        self.upSince = upSince
        self.now = now
    }

    var html: HTML {
        var facts: [(String, HTML)] = [
            ("Rows", Component.number(counts.rows)),
            ("Tables", Component.link(Link("tables"), Component.number(counts.tables))),
            ("Runs today", Component.link(Link("runs"), Component.number(counts.runs))),
            ("Rows written today", Component.number(counts.changes)),
            ("Database", Component.bytes(sizes.database)), ("Log (WAL)", Component.bytes(sizes.log)),
        ]
        if let free = sizes.free { facts.append(("Free disk", Component.bytes(free))) }
        if let upSince {
            let seconds = UInt64(max(0, upSince.duration(to: now).wholeMilliseconds / 1000))
            facts.append(("Service up", HTML(Component.duration(seconds: seconds))))
        }
        return """
            <section aria-labelledby="database"><h2 id="database">Database</h2>
            <dl class="facts">\(facts.map { "<div><dt>\($0)</dt><dd>\($1)</dd></div>" as HTML })</dl></section>
            """
    }
}
