import GarnerCatalog
import GarnerJSON
import GarnerModel

// Records that the contract keeps out of the table.
extension StreamTable {
    /// Refuses the records that would create the table.
    func refuseTable(
        to records: Selection, refuse: (Int, Node, String) throws -> Void
    ) throws -> RunCounts {
        let reason = "there is no table \(stream.table) yet"
        var counts = RunCounts()
        switch stream.schemaContract.tables {
        case .freeze: throw PersistenceError(frozen: "the list of tables", record: nil, reason)
        case .evolve, .setAside, .quarantine:
            try records.forEach {
                try refuse(counts.quarantined, $0, reason)
                counts.quarantined += 1
            }
        case .discardRow, .discardValue:
            counts.discarded = records.count
            records.forEach { _ in evidence.discarded.note(reason) }
        }
        return counts
    }

    /// The warnings for people about content that the contract kept out of the table.
    var contractWarnings: [String] {
        let values = loader?.binder.leftOut ?? .init()
        return [(evidence.discarded, "records"), (values, "values")].compactMap { leftOut, what in
            leftOut.first.map { "schema_contract discarded \(leftOut.count) \(what); of the first, \($0)" }
        }
    }
}
