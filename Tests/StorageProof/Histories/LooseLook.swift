/// A check after any read, even one that failed or was killed: nothing is there that the source never had, and nothing
/// is missing that was there all the time.
struct LooseLook {
    let world: World
    let before: Snapshot
    let after: Snapshot
    let collection: SourceRecords
    /// True if the contract was always open, so that nothing was ever left out.
    let isOpen: Bool
    /// The treatments of fields that the stream has had.
    var treatments: Set<World.Treatment> = [.plain]

    /// - Parameter mustStay: the records that were at their places throughout the read.
    func problem(mustStay: Set<RecordID> = []) -> HistoryProblem? {
        guard let table = after.table else {
            return before.table == nil ? nil : HistoryProblem("lost", "the table is gone")
        }
        for (name, type) in before.table?.types ?? [:] where before.table?.isVoid(name) == false {
            guard let now = table.types[name], now >= type || now == world.declared[name] else {
                return HistoryProblem("types", "the column \(name), which was \(type.rawValue), has become narrower")
            }
        }
        guard world.isKeyed else { return nil }
        let (old, new) = (before.table?.rows(by: world.keyNames) ?? [:], table.rows(by: world.keyNames))
        for id in mustStay where old[id]?.isPresent == true && new[id]?.isPresent != true {
            return HistoryProblem("lost", "the row \(id) is gone, although the source always had its record")
        }
        for row in table.rows {
            if let problem = unknown(row) { return HistoryProblem("invented", "the row \(row.told): \(problem)") }
        }
        return nil
    }

    /// Returns a problem if the source never had a record like this row.
    private func unknown(_ row: Row) -> String? {
        let past = collection.past[row.id(world.keyNames)] ?? []
        let others: Set = [World.gate, World.zoo, World.zooName, "visits"]
        let essence = row.compared.essence.filter { !$0.key.hasPrefix("_garner_") && !others.contains($0.key) }
        // It may have come when the stream was configured otherwise.
        let settings = treatments.flatMap { treatment in (0...2).map { (treatment, $0) } }
        let isKnown = past.contains { record in
            settings.contains { treatment, depth in
                var world = world
                (world.treatment, world.flattenDepth) = (treatment, depth)
                let values = record.leaves(in: world).filter { !others.contains($0.key) }.compactMapValues(\.essence)
                // What a contract leaves out is left out.
                return isOpen ? values == essence : essence.allSatisfy { values[$0.key] == $0.value }
            }
        }
        guard isKnown else { return "the source never had a record like it" }
        if let gate = row.text(World.gate), !past.contains(where: { $0.comes(under: gate) }) {
            return "it never came under \(gate)"
        }
        guard let zoo = row.number(World.zoo) else { return nil }
        guard past.contains(where: { $0.zoo == zoo }) else { return "it was never in zoo \(zoo)" }
        guard let name = row.text(World.zooName) else { return nil }
        let isNamed = collection.pastZoos.contains { $0.id == zoo && $0.name == name }
        return isNamed ? nil : "its zoo was never named \(name)"
    }
}
