import GarnerCatalog
import GarnerModel
import GarnerSQLite

// Replaces the rows of a table with a complete read, on the store's thread.
extension DatabaseWriter {
    /// Replaces the rows, unless an earlier run of the read has, or records are known to be missing. Adds warnings to the run.
    func replaceTableIfKnown(_ run: inout OpenRun) throws {
        guard run.stream.replacesTable, let read = run.read, read.verdict != .nothingNew else { return }
        let table = try table(of: run)
        let hasRows = try table.hasRows(notOf: read.id)
        switch read.verdict.kind {
        case .complete: break
        case .silent: if try waits(&run, table) { return }
        case .document:
            if run.stream.maxDeleteRatio == nil, try table.shortfall(of: run.readID) != nil {
                run.note(.oneInPlaceOfMany)
                return run.warnOfTableLeft()
            }
        // If the table is empty, the records that came are better than none.
        case .contradicted where !hasRows: break
        case .contradicted, .chosen, .missed: return run.warnOfTableLeft()
        }
        if let change = run.listChange { return try leave(table, since: change, &run) }
        let before = run
        do {
            try connection.transaction {
                try replaceTable(&run, table)
                let verdict: Verdict =
                    if let crossing = table.evidence.crossing {
                        crossing
                    } else if let ofKey = try table.judgeInferredKey(run: run.id) {
                        ofKey
                    } else if try table.mayHaveRecordOnTwoPages(run.readID) {
                        .recordsMoved
                    } else if run.totalHasChanged, run.isUnsure(since: before, hadRows: hasRows, table) {
                        // A row that is missing may have moved to a page that was read before, behind links of any kind.
                        .totalChanged
                    } else if hasRows, run.isCounted, table.evidence.doublesAreNew,
                        run.isUnsure(since: before, hadRows: true, table)
                    {
                        .doubled
                    } else {
                        .complete
                    }
                guard verdict != .complete else { return }
                run.note(verdict)
                if hasRows { throw ListHasChanged(verdict: verdict, doubled: table.evidence.repeatedKeys.doubled) }
            }
        } catch let change as ListHasChanged {
            // The cached table holds changes that were rolled back.
            tables[run.streamID] = nil
            // With the whole transaction, the page was undone, too: it is stored anew.
            guard connection.isInTransaction else { throw change }
            run = before
            try leave(self.table(of: run), since: change, &run)
        }
    }

    private func leave(_ table: StreamTable, since change: ListHasChanged, _ run: inout OpenRun) throws {
        // The next read is to know them.
        table.evidence.keepDoubled(change.doubled)
        run.note(change.verdict)
        run.warnOfTableLeft()
    }

    /// Runs `body`, which may replace the table. It runs once more, and leaves the table, if that was undone with all of the transaction.
    func replacingOnce<R>(in id: RunID, _ body: () throws -> R) throws -> R {
        do { return try body() } catch let change as ListHasChanged {
            runs[id]?.listChange = change
            return try body()
        }
    }

    /// Leaves the rows as they are if a read of unknown completeness has brought few records, and adds a warning. Returns false if
    /// the read may replace them: the one before it brought as few, or the configuration says how many may go.
    private func waits(_ run: inout OpenRun, _ table: StreamTable) throws -> Bool {
        guard run.stream.maxDeleteRatio == nil, let (records, rows) = try table.shortfall(of: run.readID) else {
            return false
        }
        let keptRows = try connection.integer(
            "SELECT kept_rows FROM _garner_streams WHERE stream_id = ?1", .id(run.streamID))
        guard keptRows == nil else { return false }
        try table.keepRows(behind: run.readID)
        try noteKeptRows(rows - records, of: run.streamID)
        run.warnings.append(
            "the read brought \(records.counted("record")) in place of \(rows.counted("row")), and nothing says that these are "
                + "all; the table \(run.stream.table) was left as it was; the next sync that brings so few replaces it; "
                + "set max_delete_ratio: 1 if any of its rows may go at once")
        return true
    }

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
                    "\(counts.quarantined.counted("record")) \(counts.quarantined == 1 ? "was" : "were") quarantined and not part of the new table"
                )
            }
        }
    }
}

extension OpenRun {
    /// Returns true if a list that has changed while it was read may lack a record: rows have gone, or nothing tells what was there.
    fileprivate func isUnsure(since earlier: OpenRun, hadRows: Bool, _ table: StreamTable) -> Bool {
        let inserted = counts.inserted - earlier.counts.inserted
        guard hadRows else { return inserted > 0 }
        // A table without a key gets all of its rows anew.
        let isKeyless = table.loader?.schema.key.isEmpty == true
        return counts.deleted - earlier.counts.deleted > (isKeyless ? inserted : 0)
    }

    fileprivate mutating func warnOfTableLeft() {
        let verdict = read?.verdict ?? .complete
        let text =
            "the table \(stream.table) was left as it was: \(verdict.reason ?? "the read is \(verdict.completeness.rawValue)")"
        if !warnings.contains(text) { warnings.append(text) }
    }
}

extension Verdict {
    /// The judgement on an object in the place of many rows, which may be an answer without its list.
    fileprivate static let oneInPlaceOfMany = Verdict(
        .contradicted, "one object came in the place of many rows",
        advice: "set record_selector to where the records stand, or max_delete_ratio: 1 if the object is all")
}
