/// A check after a quiet read: each record of the parts that were asked is a row with its current values, whatever was
/// requested.
struct SourceLook {
    /// The world with the values that its partition has in the read.
    let world: World
    let after: Snapshot
    let collection: SourceRecords
    let log: [ModelServer.Served]
    /// The records that no read since their last change can have met.
    let slipped: [SourcePart: Set<ModelRecord>]

    func problem() -> HistoryProblem? {
        guard world.isMirror || world.isIncremental && world.contractIsOpen else { return nil }
        let rows = after.rows(in: world)
        let asked = Set(log.map(\.part))
        for zoo in Set(asked.map(\.zoo)) where zoo.map(collection.zoos.contains) ?? true {
            let parts = world.parts(of: zoo.map { [$0] } ?? [])
            guard asked.isSuperset(of: parts) else { continue }
            func row(_ record: ModelRecord, _ part: SourcePart) -> Row { after.row(of: record, in: part, world) }
            var known: Set<RecordID> = []
            for part in parts {
                for record in collection.records where zoo == nil || record.zoo == zoo {
                    guard record.comes(under: part.gate), world.stores(record) else { continue }
                    var wanted = row(record, part)
                    let key = wanted.id(world.keyColumns)
                    let hasSlipped = parts.allSatisfy {
                        !record.comes(under: $0.gate) || row(record, $0).id(world.keyColumns) != key
                            || slipped[$0]?.contains(record) == true
                    }
                    guard known.insert(key).inserted, !hasSlipped else { continue }
                    var got = (rows[key] ?? [:]).compared
                    // A record that has not changed is not read again for its parent's new name. Nor does it come again under
                    // the first of its partitions because another one returns it.
                    let others = ["visits"] + (world.isIncremental ? [World.zooName, World.gate] : [])
                    for name in others { (wanted[name], got[name]) = (nil, nil) }
                    if wanted.essence != got.essence {
                        return HistoryProblem("source", "the row \(key) is \(got.told) instead of \(wanted.told)")
                    }
                }
            }
        }
        return nil
    }
}
