import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerSQLite

// Deletes the rows that a read did not return, on the store's thread.
extension DatabaseWriter {
    /// Sends the read back for the page's second look if rows of the table are on no page of the list that ends here.
    /// Returns false if no second look is needed.
    ///
    /// If a list changes between the requests for its pages, a record may be on none of them (docs/decisions/0047). A
    /// refusal may be temporary. A record that two looks in a row do not find is gone.
    func looksAgain(_ page: PageCommit, _ run: inout OpenRun, _ table: StreamTable) throws -> Bool {
        guard let look = page.secondLook, !run.secondLooks.contains(page.slice),
            !look.isCounted || run.insertedBehindFirst > 0,
            case .ended(let verdict) = page.continuation
        else { return false }
        // A page that comes unchanged in the second look need not be compared once more.
        if run.stream.hasOneSlice { try table.settleOverlap() }
        let lacks =
            try run.losesRows(behindListWith: verdict)
            && !table.evidence.repeatedKeys.crossedSlices.contains(page.slice) && lacksRows(page, run, table)
        // Where no row can be missing, an answer that nothing is there would count as the whole list: if the stream
        // deletes no rows, or if no read has filled its table yet.
        let isNothing = look.isOfNothing && verdict.kind == .complete && run.stream.incremental == nil
        guard try lacks || isNothing && (table.hasRows || isFirstRead(run)) else { return false }
        try SliceTable(streamID: run.streamID, connection: connection)
            .save(page.slice, at: look.checkpoint, watermark: page.cursor.watermark)
        run.secondLooks.insert(page.slice)
        if run.stream.replacesTable {
            try StagedPages(streamID: run.streamID, connection: connection).remove(page.position, of: page.slice)
        } else if look.isFromStart, !look.isOfNothing {
            run.slicesReadAgain.insert(page.slice)
        }
        return true
    }

    /// Returns true if the stream has one list, and no read of it has ended before.
    private func isFirstRead(_ run: OpenRun) throws -> Bool {
        try run.stream.hasOneSlice && RunTable(connection: connection).verdictKind(before: run.id) == nil
    }

    /// Returns true if rows are missing although the read has reached the server's total, and if a record that came
    /// twice on one page explains why. No record did so in the read before.
    func hidesRow(_ run: OpenRun, _ table: StreamTable) throws -> Bool {
        guard run.isCounted, table.evidence.doublesAreNew, !run.stream.replacesTable, run.stream.hasOneSlice,
            run.losesRows(by: run.read?.verdict ?? .complete)
        else { return false }
        return try table.noteMissing(read: run.readID)
    }

    private func lacksRows(_ page: PageCommit, _ run: OpenRun, _ table: StreamTable) throws -> Bool {
        if run.stream.replacesTable { return try run.stream.hasOneSlice && table.hasFewerRecords(read: run.readID) }
        return try run.stream.hasOneSlice
            ? table.noteMissing(read: run.readID) : table.noteMissing(in: page.slice, read: run.readID)
    }

    /// Returns true if the page ends a second look, and this look lacks other rows than the first one.
    func lacksOthers(_ page: PageCommit, _ run: OpenRun, _ table: StreamTable) throws -> Bool {
        guard case .ended = page.continuation, run.slicesReadAgain.contains(page.slice) else { return false }
        return try run.stream.hasOneSlice
            ? table.lacksOtherRows(than: run.readID)
            : table.leftRecords(of: run.readID).othersAreMissing(in: page.slice)
    }

    /// Notes how the list of one parent record has ended, if the stream follows changes of its parent.
    ///
    /// Later reads leave the list out until that record changes, and take each row on none of its pages for missing.
    ///
    /// - Parameter lacksOthers: True if two looks have lacked different rows.
    func noteEnd(of page: PageCommit, lacksOthers: Bool, _ run: OpenRun, _ table: StreamTable) throws {
        guard run.stream.followsParent, case .ended(let verdict) = page.continuation else { return }
        let isResumed = run.resumedSlices.contains(page.slice) && !run.slicesReadAgain.contains(page.slice)
        // While a record is quarantined, no list gets a second look. A list that lacks rows is read again later.
        let waitsForLook =
            page.secondLook != nil && run.counts.quarantined > 0 && !run.secondLooks.contains(page.slice)
            && run.believes(verdict)
        let hasChanged =
            try lacksOthers || isResumed || page.fallsShort || verdict == .totalChanged
            || waitsForLook && lacksRows(page, run, table)
            || table.evidence.repeatedKeys.crossedSlices.contains(page.slice)
            || table.mayHaveRecordOnTwoPages(run.readID, in: page.slice)
        try partialReads(of: run).noteEnd(
            of: page, isDueAgain: hasChanged, isWhole: !hasChanged && verdict.completeness == .complete)
    }

    /// Deletes the rows that the read did not return. Returns a warning if it could not; else nil.
    ///
    /// - Parameter isWhole: False if pages of earlier reads count as seen, too.
    func deleteMissing(
        _ run: OpenRun, _ table: StreamTable, _ counts: inout RunCounts, amongAll isWhole: Bool = true
    ) throws -> String? {
        switch try table.deleteMissing(read: run.readID, run: run.id, now: now(), isWhole: isWhole) {
        case .none:
            try noteKeptRows(nil, of: run.streamID)
            return nil
        case .deleted(let count):
            try noteKeptRows(nil, of: run.streamID)
            counts.deleted += count
            guard run.context.asksAnew, count > 0, !run.stream.replacesTable else { return nil }
            return run.warningOfOtherRequest(deleted: count)
        case .resumed:
            let read = run.stream.incremental == nil ? "read" : "full read"
            return
                "missing rows are deleted, and records that moved meanwhile are stored, by the next \(read) that is not interrupted"
        case .keyless: return "delete_missing needs a primary key, and the table has none; nothing was deleted"
        case .unsure(let quarantined):
            return
                "\(quarantined.counted("record")) \(quarantined == 1 ? "was" : "were") quarantined, so that it cannot be told which rows are missing; none was deleted"
        case .vague:
            return
                "an earlier read has not shown, or not stored, all records of a parent that this one leaves out, so that it cannot "
                + "be told which rows are missing; none was deleted"
        case .braked(let missing, let rows):
            try noteKeptRows(missing, of: run.streamID)
            let limit =
                run.stream.maxDeleteRatio.map { "more than max_delete_ratio (\($0)) allows" }
                ?? "more than one run deletes unless max_delete_ratio is set"
            return "\(missing) of \(rows) rows are missing from the source, \(limit); none was deleted"
        }
    }

    /// Notes how many rows are missing from the source and were kept; nil for none.
    func noteKeptRows(_ count: Int?, of streamID: StreamID) throws {
        try connection.execute(
            """
            UPDATE _garner_streams SET kept_rows = ?1, kept_since = CASE WHEN ?1 IS NOT NULL THEN coalesce(kept_since, ?2) END
            WHERE stream_id = ?3 AND kept_rows IS NOT ?1
            """, Value(count.map(Int64.init)), .text(now().description), .id(streamID))
    }
}

extension OpenRun {
    /// True if the read, once complete, tells which rows the source no longer has. A read from a cursor does not, even
    /// if it covers all records of the parent.
    var seesAllRecords: Bool {
        stream.incremental.map {
            !$0.isBackfill && (isUnconditional || read?.scope.ignoresCursors(of: stream) != false)
        } ?? true
    }

    /// Returns true if rows that are on no page of a list may be deleted once the list has ended with that verdict.
    ///
    /// If the stream follows its parent, a later read may delete them, however the rest of this read ends.
    fileprivate func losesRows(behindListWith verdict: Verdict) -> Bool {
        stream.followsParent
            ? believes(verdict) && counts.quarantined == 0 : losesRows(by: verdict.worse(read?.verdict ?? .complete))
    }

    /// Returns true if the read may delete or replace rows when it ends with that verdict.
    fileprivate func losesRows(by verdict: Verdict) -> Bool {
        believes(verdict) && readID == ReadID(begunBy: id) && counts.quarantined == 0
    }

    fileprivate func believes(_ verdict: Verdict) -> Bool {
        let isBelieved = verdict.kind == .complete || stream.replacesTable && verdict.kind == .silent
        return isBelieved && verdict != .nothingNew && (stream.deletesRows || stream.replacesTable) && seesAllRecords
    }

    /// Returns the warning that rows were deleted because the configuration, and not the source, has changed.
    fileprivate func warningOfOtherRequest(deleted count: Int) -> String {
        let isSoft = stream.deleteMissing == .soft
        return
            "\(stream.name) asks for other things than in its last complete read, as its path, params, record_selector, "
            + "record_filter or the like have changed: \(count.counted("row")) that it does not give any more "
            + "\(count == 1 ? "was" : "were") \(isSoft ? "marked as deleted" : "deleted"); to keep such rows, write "
            + "delete_missing: ignore before a change, or undo it and sync again to have them back"
    }

    /// Adds what a page has stored.
    ///
    /// A second look counts no page and no record again. If it writes a record anew, such as for a wider column, that
    /// record moves from the unchanged ones to the updated ones, unless the first look has counted it as inserted or
    /// updated.
    mutating func count(_ stored: RunCounts, of page: PageCommit) {
        var stored = stored
        if slicesReadAgain.contains(page.slice) {
            stored.updated = min(stored.updated, counts.unchanged)
            (stored.unchanged, stored.discarded) = (-stored.updated, 0)
        } else {
            counts.pages += 1
            if page.fullPage == nil { insertedBehindFirst += stored.inserted }
        }
        counts.add(stored)
        counts.add(page.requests)
    }

    /// Returns the reason why no missing row was deleted, and the setting that would allow it; nil if the stream
    /// deletes no rows, or if the end of the read is clear.
    ///
    /// - Parameter isOfKeys: True if another warning, on the keys, says what is contradicted and what to do.
    func whyNothingIsDeleted(_ verdict: Verdict, isOfKeys: Bool) -> String? {
        guard stream.deletesRows, verdict != .nothingNew else { return nil }
        switch verdict.kind {
        case .complete, .document, .chosen, .missed: return nil
        case .silent where verdict.cause != nil && verdict.cause == doubt:
            return "missing rows were not deleted: \(verdict.reason ?? ""); sync that stream, and then this one"
        case .contradicted where isOfKeys: return "missing rows were not deleted"
        case .silent, .contradicted:
            let usual =
                verdict.kind == .silent ? "it is not known whether all records came" : "the source contradicts itself"
            let remedy = stream.remedy(for: verdict).map { "; \($0)" } ?? ""
            return "missing rows were not deleted: \(verdict.reason ?? usual)\(remedy)"
        }
    }
}
