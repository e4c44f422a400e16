import Catalog
import SQLite

// How a read that has all its pages replaces the rows of its table, on the store's thread.
extension Store {
    /// Does so unless an earlier run of the read did. What is to be told of it is in the run's warnings.
    func replaceTable(_ run: inout OpenRun) throws {
        let table = try table(of: run)
        switch try table.replace(run: run.id, read: run.readID, identity: run.identity, now: now()) {
        case .done: return
        case .braked(let records, let rows):
            run.warnings.append(
                "the source has \(records) records in place of \(rows) rows, fewer than max_delete_ratio "
                    + "(\(run.stream.maxDeleteRatio)) allows; the table \(run.stream.table) was left as it was")
        case .replaced(let counts):
            run.counts.add(counts)
            try RunTable(connection: connection).update(run.id, run.counts)
            if let warning = try deleteMissing(run, table, &run.counts) { run.warnings.append(warning) }
            if counts.quarantined > 0, counts.deleted > 0 {
                run.warnings.append(
                    "\(counts.quarantined) records were quarantined, and are not among the rows that replace the others"
                )
            }
        }
    }
}
