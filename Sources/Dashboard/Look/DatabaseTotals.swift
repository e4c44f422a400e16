import GarnerModel
import GarnerPersistence

/// The figures of the database below the list of streams.
struct DatabaseTotals: Sendable {
    let counts: DatabaseCounts
    let sizes: DatabaseSizes
    let upSince: Timestamp?
    let now: Timestamp

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
        return Component.section("database", "Database", "\n\(Component.facts(facts))")
    }
}
