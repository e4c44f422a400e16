import Catalog
import Model
import SQLite

// How a read that has all its pages replaces the rows of its table, on the store's thread.
extension Store {
    /// Does so unless an earlier run of the read did, or it is known that records are missing. What is to be told of it is in
    /// the run's warnings.
    func replaceTableIfKnown(_ run: inout OpenRun) throws {
        guard run.stream.replacesTable, let read = run.read else { return }
        let table = try table(of: run)
        let hasRows = try table.hasRows(notOf: read.id)
        switch read.verdict.kind {
        case .complete, .document, .silent: break
        // Where there is nothing to lose, what came is better than nothing.
        case .contradicted where !hasRows: break
        case .contradicted, .chosen, .missed: return run.warnOfTableLeft()
        }
        let before = run
        do {
            try connection.transaction {
                try replaceTable(&run, table)
                guard table.repeatedKeys.crossesPages else { return }
                run.note(.keyOnTwoPages)
                if hasRows { throw KeyOnTwoPages() }
            }
        } catch is KeyOnTwoPages {
            // What the table had learnt was rolled back.
            tables[run.streamID] = nil
            run = before
            run.note(.keyOnTwoPages)
            run.warnOfTableLeft()
        }
    }

    private struct KeyOnTwoPages: Error {}

    private func replaceTable(_ run: inout OpenRun, _ table: StreamTable) throws {
        switch try table.replace(run: run.id, read: run.readID, identity: run.identity, now: now()) {
        case .done: return
        case .braked(let records, let rows):
            run.warnings.append(
                "the source has \(records) records in place of \(rows) rows, fewer than max_delete_ratio "
                    + "(\(run.stream.maxDeleteRatio ?? 1)) allows; the table \(run.stream.table) was left as it was")
        case .replaced(let counts):
            run.counts.add(counts)
            try RunTable(connection: connection).update(run.id, run.counts)
            if let warning = try deleteMissing(run, table, &run.counts) { run.warnings.append(warning) }
            if counts.quarantined > 0, counts.deleted > 0 {
                run.warnings.append(
                    "\(counts.quarantined.counted("record")) \(counts.quarantined == 1 ? "was" : "were") quarantined, and not among the rows that replace the others"
                )
            }
        }
    }
}

extension OpenRun {
    fileprivate mutating func warnOfTableLeft() {
        let verdict = read?.verdict ?? .complete
        let text =
            "the table \(stream.table) was left as it was: \(verdict.reason ?? "the read is \(verdict.completeness.rawValue)")"
        if !warnings.contains(text) { warnings.append(text) }
    }
}
