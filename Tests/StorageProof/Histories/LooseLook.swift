/// A check after any read, even one that failed or was killed: nothing is there that the source never had, and nothing
/// is missing that was there all the time.
struct LooseLook {
    let world: World
    let before: Snapshot
    let after: Snapshot
    let collection: SourceRecords
    /// True if the contract was always open, so that nothing was ever left out.
    let isOpen: Bool

    /// - Parameter mustStay: the records that were at their places throughout the read.
    func problem(mustStay: Set<RecordID>) -> HistoryProblem? {
        guard let table = after.table else {
            return before.table == nil ? nil : HistoryProblem("lost", "the table is gone")
        }
        for (name, type) in before.table?.types ?? [:] where before.table?.isVoid(name) == false {
            guard let now = table.types[name], now >= type else {
                return HistoryProblem("types", "the column \(name), which was \(type.rawValue), has become narrower")
            }
        }
        guard world.isKeyed else { return nil }
        let rows = Dictionary(table.rows.map { ($0.id(world.keyNames), $0) }) { first, _ in first }
        for row in before.table?.rows ?? [] {
            let id = row.id(world.keyNames)
            guard row.isPresent, mustStay.contains(id) else { continue }
            if rows[id]?.isPresent != true {
                return HistoryProblem("lost", "the row \(id) is gone, although the source always had its record")
            }
        }
        for (id, row) in rows {
            guard let problem = unknown(row, id) else { continue }
            return HistoryProblem("invented", problem)
        }
        return nil
    }

    /// Returns a problem if the source never had a record like this row.
    private func unknown(_ row: Row, _ id: RecordID) -> String? {
        let essence = row.essence.filter { !$0.key.hasPrefix("_garner_") && $0.key != "visits" }
        let isKnown = (collection.past[id] ?? []).contains { record in
            // It may have come when the stream was configured otherwise.
            (0...2).contains { depth in
                let leaves = Storing.leaves(of: record.content(in: world), depth).filter { $0.0 != "visits" }
                let values = Dictionary(uniqueKeysWithValues: leaves).compactMapValues(\.essence)
                // What a contract leaves out is left out.
                return isOpen ? values == essence : essence.allSatisfy { values[$0.key] == $0.value }
            }
        }
        return isKnown ? nil : "the source never had a record like \(row.told)"
    }
}
