import Catalog
import JSON
import Model
import SQLite

// How pages are stored and reads come to their end, on the store's thread.
extension Store {
    func commitNow(_ page: PageCommit, _ id: Int64) throws -> RunProgress {
        var run = try open(id)
        try log.requireRoom(on: connection)
        do {
            let ended = try connection.transaction {
                let table = try table(of: run)
                return try table.writing { try commit(page, to: &run, table) }
            }
            runs[id] = ended == nil ? run : nil
            return RunProgress(counts: run.counts, ended: ended)
        } catch {
            // What the table had learnt may have been rolled back.
            tables[run.streamID] = nil
            throw error
        }
    }

    private func commit(_ page: PageCommit, to run: inout OpenRun, _ table: StreamTable) throws -> RunRecord? {
        for request in page.requests { try request.insert(run: run.id, on: connection) }
        let stored = try table.store(
            page, run: run.id, read: run.readID, scope: run.scope(adding: page.added), now: now())
        run.counts.add(stored, page.requests)
        try follow(page, &run)
        if case .next = page.continuation { return try noteProgress(of: run) }
        let slices = SliceTable(streamID: run.streamID, connection: connection)
        guard try slices.isEmpty else { return try noteProgress(of: run) }
        if run.stream.attachments.isEmpty { return try complete(&run) }
        // The files that its records point to are still part of the run.
        if run.stream.replacesTable, run.read?.omission == nil { try replaceTable(&run) }
        return try noteProgress(of: run)
    }

    func finishNow(_ id: Int64) throws -> RunRecord {
        var run = try open(id)
        let record = try connection.transaction { try table(of: run).writing { try complete(&run) } }
        runs[id] = nil
        return record
    }

    func cutShortNow(_ id: Int64) throws -> RunRecord {
        let run = try open(id)
        let record = try connection.transaction { try endEarly(run, warning: nil) }
        runs[id] = nil
        return record
    }

    /// Notes what is left of the page's slice.
    private func follow(_ page: PageCommit, _ run: inout OpenRun) throws {
        let slices = SliceTable(streamID: run.streamID, connection: connection)
        if let cursor = page.cursor.moved {
            try slices.moveCursor(of: page.slice, to: cursor, identity: run.identity, now: now())
        }
        switch page.continuation {
        case .next(let position): try slices.save(page.slice, at: position, watermark: page.cursor.watermark)
        case .ended(let verdict):
            try slices.remove(page.slice)
            guard verdict.completeness == .partial else { return }
            let earlier = run.read?.omission
            run.read?.omission = earlier ?? (verdict.kind == .missed ? verdict.reason : nil) ?? ""
        }
    }

    private func noteProgress(of run: OpenRun) throws -> RunRecord? {
        try run.read?.save(of: run.streamID, at: now(), on: connection)
        try RunTable(connection: connection).update(run.id, run.counts)
        return nil
    }

    /// Ends a run whose read has no slice left.
    private func complete(_ run: inout OpenRun) throws -> RunRecord {
        if let omission = run.read?.omission { return try endEarly(run, warning: omission.isEmpty ? nil : omission) }
        if run.stream.replacesTable { try replaceTable(&run) }
        try UnfinishedRead.remove(of: run.streamID, on: connection)
        let table = try table(of: run)
        try RunTable(connection: connection).update(run.id, run.counts)
        let missing = run.stream.replacesTable ? nil : try deleteMissing(run, table, &run.counts)
        let warnings = [missing] + (try generalWarnings(run, table))
        try noteBaseline(run)
        return try end(run, as: .succeeded, run.counts, isComplete: true, warnings: warnings)
    }

    /// Ends a run whose read leaves something out, so that nothing counts as missing.
    private func endEarly(_ run: OpenRun, warning: String?) throws -> RunRecord {
        try UnfinishedRead.remove(of: run.streamID, on: connection)
        let table = try table(of: run)
        var warnings = [warning]
        if run.stream.replacesTable {
            warnings.append("the read was cut short, so that the table \(run.stream.table) was left as it was")
        } else {
            try table.forgetOtherPages(than: run.readID)
            try noteBaseline(run)
        }
        return try end(run, as: .succeeded, run.counts, warnings: warnings + (try generalWarnings(run, table)))
    }

    /// From the first read that ended on, changes are noted row by row.
    private func noteBaseline(_ run: OpenRun) throws {
        try connection.execute(
            "UPDATE _garner_streams SET baseline_run = ?1 WHERE stream_id = ?2 AND baseline_run IS NULL",
            .integer(run.id), .integer(run.streamID))
    }

    /// nil, or a warning that nothing was deleted.
    func deleteMissing(_ run: OpenRun, _ table: StreamTable, _ counts: inout RunCounts) throws -> String? {
        switch try table.deleteMissing(read: run.readID, run: run.id, now: now()) {
        case .none: return nil
        case .deleted(let count):
            counts.deleted += count
            return nil
        case .resumed:
            return "missing rows are deleted by the next read that is not interrupted"
        case .keyless: return "delete_missing needs a primary key, and the table has none; nothing was deleted"
        case .unsure(let quarantined):
            return
                "\(quarantined) records were quarantined, so that it cannot be told which rows are missing; none was deleted"
        case .braked(let missing, let rows):
            return "\(missing) of \(rows) rows are missing from the source, more than max_delete_ratio "
                + "(\(run.stream.maxDeleteRatio)) allows; none was deleted"
        }
    }

    /// What is to be known of any read that ended well.
    func generalWarnings(_ run: OpenRun, _ table: StreamTable) throws -> [String] {
        var warnings = run.warnings + run.attachments.warnings + [run.logWarning].compactMap(\.self)
        if run.readID != run.id {
            let begun = try connection.text(
                "SELECT started_at FROM _garner_runs WHERE run_id = ?1", .integer(run.readID))
            warnings.append(
                "this run went on with the read of run \(run.readID)\(begun.map { " from \($0)" } ?? ""), "
                    + "whose pages were not asked for again")
        }
        if table.notes.contains(.duplicateKeys) {
            warnings.append("objects of the source have a key twice; of each the last one was stored")
        }
        if table.notes.contains(.replacedSurrogates) {
            warnings.append(
                "texts of the source hold halves of characters (lone surrogates); each was stored as U+FFFD")
        }
        warnings += table.contractWarnings
        if let fields = table.unknownSearchFields {
            warnings.append("no record has had what 'search' names: \(fields.joined(separator: ", "))")
        }
        if table.appendsUnasked {
            warnings.append(
                "the table \(run.stream.table) has no primary key, so that every run adds all records again; "
                    + "set primary_key, or write_disposition: append if that is meant")
        }
        return warnings
    }
}

extension RunCounts {
    mutating func add(_ requests: [RequestRecord]) {
        for request in requests {
            self.requests += request.attempts
            bytes += request.bytes
            notModified += request.isNotModified ? 1 : 0
        }
    }

    fileprivate mutating func add(_ stored: RunCounts, _ requests: [RequestRecord]) {
        pages += 1
        add(requests)
        add(stored)
    }

    /// What became of records.
    mutating func add(_ stored: RunCounts) {
        inserted += stored.inserted
        updated += stored.updated
        unchanged += stored.unchanged
        deleted += stored.deleted
        quarantined += stored.quarantined
        discarded += stored.discarded
    }
}
