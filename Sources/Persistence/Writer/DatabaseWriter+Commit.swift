import GarnerCatalog
import GarnerDatabase
import GarnerJSON
package import GarnerModel
import GarnerSQLite

// Stores pages and completes reads, on the store's thread.
extension DatabaseWriter {
    /// True if the page may end the run, or if its loss would be more than a page to read again.
    func mustWait(_ page: PageCommit, of run: OpenRun) throws -> Bool {
        if page.mayNotComeAgain || page.later != nil || !run.stream.attachments.isEmpty { return true }
        if run.stream.incremental != nil, tables[run.streamID]?.loader?.schema.key.isEmpty != false { return true }
        if case .next = page.continuation { return false }
        return try SliceTable(streamID: run.streamID, connection: connection).hasOnly(page.slice)
    }

    /// Stores a page inside the caller's transaction. Returns the record of the run if the page has ended it.
    func store(_ page: PageCommit, to run: inout OpenRun, _ table: StreamTable) throws -> RunRecord? {
        for request in page.requests { try request.insert(run: run.id, on: connection) }
        if let fullPage = page.fullPage {
            try run.context.note(fullPage: fullPage, of: run.streamID, identity: run.identity, on: connection)
        }
        try run.context.note(shape: page.shape, of: run.streamID, on: connection)
        let stored = try table.store(
            page, run: run.id, read: run.readID, scope: run.scope(adding: page.added), now: now())
        run.count(stored, of: page)
        run.note(unseenFields: page)
        run.note(leftOut: page)
        run.totalHasChanged = run.totalHasChanged || page.totalHasChanged
        run.isCounted = run.isCounted || page.endsList && page.isCounted
        if try looksAgain(page, &run, table) { return try noteProgress(of: &run) }
        let lacksOthers = try lacksOthers(page, run, table)
        if lacksOthers { run.note(.recordsMoved) }
        // Whether a table to replace lacks a record, its rows tell.
        if page.endsList, page.fallsShort, !run.stream.replacesTable { run.note(.totalChanged) }
        run.note(warningOf: page)
        try noteEnd(of: page, lacksOthers: lacksOthers, run, table)
        try follow(
            page, &run,
            movesCursor: !table.evidence.repeatedKeys.crossesPages && !table.evidence.repeatedKeys.mayCrossPages)
        if let crossing = table.evidence.crossing { run.note(crossing) }
        if case .next = page.continuation { return try noteProgress(of: &run) }
        let slices = SliceTable(streamID: run.streamID, connection: connection)
        guard try slices.isEmpty else { return try noteProgress(of: &run) }
        if run.stream.attachments.isEmpty { return try complete(&run) }
        // The files of the records still have to be downloaded in this run.
        _ = try noteFilterDoubt(&run)
        try replaceTableIfKnown(&run)
        return try noteProgress(of: &run)
    }

    /// Ends a run whose read has no page left, such as a read of children without any parent, or has only files left.
    package func finish(_ id: RunID) async throws -> RunRecord {
        try await perform {
            let record = try replacingOnce(in: id) {
                var run = try open(id)
                return try connection.transaction { try table(of: run).writing { try complete(&run) } }
            }
            runs[id] = nil
            return record
        }
    }

    /// Ends a run well although its read has more pages, which are left out.
    package func cutShort(_ id: RunID) async throws -> RunRecord {
        try await perform {
            let record = try replacingOnce(in: id) {
                var run = try open(id)
                run.note(Verdict(.chosen, "the run was to end after so many pages"))
                return try connection.transaction { try complete(&run) }
            }
            runs[id] = nil
            return record
        }
    }

    /// Stores the rest of the page's slice.
    private func follow(_ page: PageCommit, _ run: inout OpenRun, movesCursor: Bool) throws {
        let slices = SliceTable(streamID: run.streamID, connection: connection)
        run.note(page.cursor)
        if let cursor = page.cursor.moved, movesCursor, run.stream.incremental?.isBackfill != true {
            try slices.moveCursor(of: page.slice, to: cursor, identity: run.identity, now: now())
        }
        switch page.continuation {
        case .next(let position): try slices.save(page.slice, at: position, watermark: page.cursor.watermark)
        case .ended(let verdict):
            try slices.remove(page.slice)
            run.note(verdict)
            guard run.stream.incremental != nil, page.cursor.isHeld || !movesCursor || run.farCursorWarning != nil
            else { return }
            try PageTable(streamID: run.streamID, connection: connection).clearCache()
        }
    }

    private func noteProgress(of run: inout OpenRun) throws -> RunRecord? {
        try run.saveRead(at: now(), on: connection)
        try RunTable(connection: connection).update(run.id, run.counts)
        return nil
    }

    /// Ends a run whose read has no slice left, or leaves some out.
    private func complete(_ run: inout OpenRun) throws -> RunRecord {
        let isDoubted = try noteFilterDoubt(&run)
        try replaceTableIfKnown(&run)
        let table = try table(of: run)
        let conflict = try table.sliceConflict
        if let conflict { run.note(Verdict(.contradicted, Verdict.Cause(stored: conflict.message))) }
        if try table.mayHaveRecordOnTwoPages(run.readID) { run.note(.recordsMoved) }
        let keyVerdict = try table.judgeInferredKey(run: run.id)
        // No cursor waits for a key that never identifies its records.
        let holdsCursor = run.read.map { [.missed, .contradicted].contains($0.verdict.kind) } ?? false
        if let keyVerdict { run.note(keyVerdict) }
        if try hidesRow(run, table) { run.note(.doubled) }
        let verdict = run.read?.verdict ?? .complete
        // A stored page may state an old total. The next sync reads it again, so that this is told once.
        if verdict == .totalChanged { try PageTable(streamID: run.streamID, connection: connection).clearCache() }
        let scope = run.read?.scope ?? ReadScope(isFull: true)
        if let read = run.read { try partialReads(of: run).end(read, isWhole: run.readID == ReadID(begunBy: run.id)) }
        if isDoubted || scope.isFull && run.counts.pages == 0 && verdict.kind == .contradicted {
            // Neither pages that come as they were nor changed parents alone would tell it again.
            try PageTable(streamID: run.streamID, connection: connection).clearCache()
            if run.stream.followsParent { try ReadScope.forget(of: run.streamID, on: connection) }
        }
        try UnfinishedRead.remove(of: run.streamID, on: connection)
        let coversSomeParents = !scope.isFull && run.stream.followsParent
        var warnings: [String?] = []
        if run.stream.followsParent { warnings.append(try keepOtherSlices(of: run, table, in: scope)) }
        try RunTable(connection: connection).update(run.id, run.counts)
        if !run.stream.replacesTable {
            if verdict.kind == .complete, run.seesAllRecords {
                warnings.append(try deleteMissing(run, table, &run.counts, amongAll: !coversSomeParents))
            } else {
                try table.forgetOtherPages(than: run.readID)
                warnings.append(run.whyNothingIsDeleted(verdict, isOfKeys: conflict != nil || verdict == keyVerdict))
            }
        }
        if let incremental = run.stream.incremental, !incremental.isBackfill, holdsCursor {
            warnings.append("the next run reads from where this one began, as its cursor was not moved")
        }
        warnings += try generalWarnings(run, table)
        warnings += [
            try noteNamedFields(&run), try noteEmptiedColumns(run, table, verdict), run.leftOutWarning,
            try quarantineWarning(of: run), run.farCursorWarning, try noteOnNewDoubt(verdict, run),
        ]
        if verdict.completeness != .partial {
            try run.context.noteWholeRead(of: run.streamID, identity: run.identity, on: connection)
        }
        if verdict.completeness != .partial || !run.stream.replacesTable { try noteBaseline(run) }
        return try end(
            run, as: .succeeded, run.counts, verdict: verdict.worse(.quarantined(quarantinedRecords(of: run))),
            warnings: warnings)
    }

    /// Notes that no record of a read that may empty the table says why `record_filter` leaves it out. Returns false if that is not so.
    private func noteFilterDoubt(_ run: inout OpenRun) throws -> Bool {
        guard let doubt = run.filterDoubt.verdict, run.chosen == 0, run.filterDoubt.leftOut == run.leftOut,
            !run.hasUnreadPage, run.stream.deletesRows, run.seesAllRecords, try table(of: run).hasRows
        else { return false }
        run.note(doubt)
        return true
    }

    /// Notes which of the fields that the configuration names records have had. Returns the warning that a read has looked for some
    /// for the first time, and no record had them; nil if there are none.
    ///
    /// Names that an earlier version of Garner has read for are no news.
    private func noteNamedFields(_ run: inout OpenRun) throws -> String? {
        guard let unseen = run.unseenFields else { return nil }
        let known = run.context.namedFields
        let isWhole = run.readID == ReadID(begunBy: run.id) && !run.hasUnreadPage
        var sightings: [String: Bool] = [:]
        for field in run.configured.namedFields {
            if known[field.text] == true || !unseen.contains(field.text) {
                sightings[field.text] = true
            } else if isWhole || known[field.text] != nil {
                sightings[field.text] = false
            }
        }
        guard sightings != known else { return nil }
        run.context.namedFields = sightings
        try NamedFieldTable(streamID: run.streamID, connection: connection).replace(by: sightings)
        if known.isEmpty && run.context.hasEndedWithoutMore { return nil }
        return run.configured.words(of: sightings.filter { known[$0.key] == nil })
    }

    /// Returns the warning that a read of everything had no members of columns that most rows have; nil if there are none.
    private func noteEmptiedColumns(_ run: OpenRun, _ table: StreamTable, _ verdict: Verdict) throws -> String? {
        let isWhole =
            verdict.completeness != .partial && verdict != .nothingNew && run.seesAllRecords && !run.hasUnreadPage
            && run.read?.scope.isFull != false && run.counts.quarantined == 0
        return run.configured.words(
            ofEmptied: try table.settleUnseenColumns(isWhole: isWhole, records: run.chosen))
    }

    /// Returns the warning that an earlier version of Garner called the stream's reads complete; nil if it did not. It is given once.
    private func noteOnNewDoubt(_ verdict: Verdict, _ run: OpenRun) throws -> String? {
        guard let cause = verdict.cause, cause.isAnswersOwn else { return nil }
        let wasComplete = try connection.firstRow(
            """
            SELECT 1 FROM (SELECT completeness, ended_at FROM _garner_runs
                WHERE stream_id = ?1 AND run_id < ?2 AND status = 'succeeded' ORDER BY run_id DESC LIMIT 1) AS earlier
            WHERE completeness = 'complete' AND ended_at < (SELECT applied_at FROM _garner_migrations WHERE version = 20)
            """, [.id(run.streamID), .id(run.id)], decode: { _ in true })
        return wasComplete == nil
            ? nil : "\(run.stream.name) was complete for earlier versions of Garner; now \(cause.words)"
    }

    /// Returns the number of the read's records that were quarantined, by this run or by those that it goes on from.
    private func quarantinedRecords(of run: OpenRun) throws -> Int {
        let earlier = try connection.integer(
            """
            SELECT sum(quarantined) FROM _garner_runs
            WHERE stream_id = ?1 AND run_id >= ?2 AND read_id = ?2 AND run_id <> ?3
            """, .id(run.streamID), .id(run.readID), .id(run.id))
        return run.counts.quarantined + Int(earlier ?? 0)
    }

    /// Returns the warning that a run has stored none of its records, or not those without a key, with the reason of the first; nil for
    /// others, and where all are in quarantine since an earlier run.
    private func quarantineWarning(of run: OpenRun) throws -> String? {
        let counts = run.counts
        let storesSome = counts.inserted + counts.updated + counts.unchanged > 0
        guard counts.quarantined > 0,
            let refusal = try firstRefusal(of: run.streamID, in: run.id, onlyNew: storesSome)
        else { return nil }
        if storesSome {
            return refusal.isOfKey ? "the first of them: \(refusal.text)" : nil
        }
        return "none of the records could be stored: \(refusal.text)"
    }

    /// Keeps the pages of slices that the read has not asked for, so that their records are not missing: of a read of everything, those
    /// that it leaves behind, and of another one, all whose parents are there. Returns the warning that one of these has lost a field of the
    /// request, unless the verdict says so.
    private func keepOtherSlices(of run: OpenRun, _ table: StreamTable, in scope: ReadScope) throws -> String? {
        let left = scope.isFull ? try partialReads(of: run).due : []
        guard !scope.isFull || !left.isEmpty else { return nil }
        table.evidence.leavesPagesOut()
        let pages = PageTable(streamID: run.streamID, connection: connection)
        try pages.keepSlices(besideThoseOf: run.readID) { keep in
            guard !scope.isFull else { return try left.forEach { try keep($0.text) } }
            try SliceLayout(of: run.stream, in: table.loader?.schema, on: connection)
                .forEachPresentSlice { try keep($0.json) }
        }
        // Only the records tell which list was that of a parent without the field.
        guard !scope.isFull, run.stream.deletesRows, let parent = run.stream.parent,
            let schema = table.loader?.schema, !schema.key.isEmpty,
            let parents = try ParentTable(of: run.stream, parent: parent, on: connection),
            let keys = parents.keysOfChildrenWithoutRequest(in: schema),
            case let kept = try pages.keepPages(withKeysIn: keys, besideThoseOf: run.readID), kept > 0,
            run.read?.verdict.kind == .complete
        else { return nil }
        return
            "records of \(parent.stream) that parent.where leaves out have no \(parents.boundFields.joined(separator: ", ")) "
            + "for the request any more; their rows stay until the next read of all, such as garner sync --full-refresh"
    }

    /// Notes the run that ended the first read. From then on, changes are noted for each row.
    private func noteBaseline(_ run: OpenRun) throws {
        try connection.execute(
            "UPDATE _garner_streams SET baseline_run = ?1 WHERE stream_id = ?2 AND baseline_run IS NULL",
            .id(run.id), .id(run.streamID))
    }

    /// Returns the warning that a condition leaves out every record of the parent; nil if it does not.
    private func parentWarning(_ run: OpenRun) throws -> String? {
        guard run.counts.pages == 0, run.readID == ReadID(begunBy: run.id), run.read?.scope.isFull == true,
            let parent = run.stream.parent, let condition = parent.condition,
            let table = try ParentTable(of: run.stream, parent: parent, on: connection), try table.isEmpty(.chosen),
            try !table.isEmpty(.present)
        else { return nil }
        let texts = try table.comparedTexts.map { "; \($0) there" } ?? ""
        return "no row of \(parent.stream) meets parent.where (\(condition)), so that nothing was asked for\(texts)"
    }

    /// Returns the warnings that apply to every read that ended well.
    func generalWarnings(_ run: OpenRun, _ table: StreamTable) throws -> [String] {
        let files = AttachmentTable(streamID: run.streamID, connection: connection)
        let failures = run.stream.attachments.isEmpty ? nil : try files.failureWarning(of: table.loader?.schema, run)
        var warnings = run.warnings + [failures, run.logWarning].compactMap(\.self)
        if run.readID != ReadID(begunBy: run.id) {
            let begun = try connection.text(
                "SELECT started_at FROM _garner_runs WHERE run_id = ?1", .id(run.readID))
            warnings.append(
                "this run went on with the read of run \(run.readID)\(begun.map { " from \($0)" } ?? ""), "
                    + "whose pages were not asked for again")
        }
        if table.evidence.notes.contains(.duplicateKeys) {
            warnings.append("objects of the source have a key twice; of each the last one was stored")
        }
        if table.evidence.notes.contains(.replacedSurrogates) {
            warnings.append(
                "texts of the source hold halves of characters (lone surrogates); each was stored as U+FFFD")
        }
        warnings += table.contractWarnings
        warnings += [
            try parentWarning(run), try table.repeatedWarning, table.evidence.first.comesAgain, table.keylessDeletions,
            table.untoldDeletions, try table.appendingWarning,
        ].compactMap(\.self)
        return warnings
    }
}

extension OpenRun {
    /// Adds a judgement on a part of the read. The worst one counts.
    mutating func note(_ verdict: Verdict) {
        let earlier = read?.verdict ?? .complete
        read?.verdict = earlier.worse(verdict)
    }

    /// Notes which fields that the configuration names no record of a page has.
    mutating func note(unseenFields page: PageCommit) {
        guard case .records = page.content else {
            hasUnreadPage = true
            return
        }
        guard page.recordCount > 0 || !page.unseenFields.isEmpty else { return }
        unseenFields = unseenFields?.intersection(page.unseenFields) ?? page.unseenFields
    }

    /// Notes how many records of a page were chosen.
    mutating func note(leftOut page: PageCommit) {
        guard case .records = page.content else { return }
        leftOut += page.leftOut
        filterMismatch = filterMismatch ?? page.filterMismatch
        if let doubt = page.filterDoubt {
            filterDoubt = (filterDoubt.verdict ?? doubt, filterDoubt.leftOut + page.leftOut)
        }
        chosen += page.recordCount - page.deletionCount
        deletions += page.deletionCount
    }

    /// The warning that a read of everything has stored nothing of what came, since the configuration left it out.
    fileprivate var leftOutWarning: String? {
        guard chosen == 0, leftOut + deletions > 0, !hasUnreadPage, stream.incremental == nil,
            readID == ReadID(begunBy: id)
        else { return nil }
        return deletions == 0
            ? "record_filter has left out all \(leftOut.counted("record")) of the list"
                + (filterMismatch.map { "; in the first one \($0)" } ?? "")
            : "deleted_when holds for \(leftOut == 0 ? "all" : "the") \(deletions.counted("record")) of the list"
                + (leftOut == 0 ? "" : ", and record_filter has left out the others")
    }

    /// Notes the warning of a page, unless an earlier read has given it.
    fileprivate mutating func note(warningOf page: PageCommit) {
        if let remark = page.remark, !hasRemark {
            hasRemark = true
            warnings.append(remark)
        }
        guard let warning = page.warning, !context.hasEndedWithoutMore, !warnings.contains(warning) else { return }
        warnings.append(warning)
    }
}

extension Verdict {
    /// The judgement on a read some of whose records could not be stored.
    fileprivate static func quarantined(_ count: Int) -> Verdict {
        count == 0
            ? .complete : Verdict(.missed, "\(count.counted("record")) \(count == 1 ? "was" : "were") quarantined")
    }

    static let doubled = Verdict(
        .contradicted, "a record came twice on one page, and counts for one that is missing",
        advice: "the next sync checks again, and takes it as usual if it comes twice again")

    static let recordsMoved = Verdict(
        .contradicted, "records moved between pages, so one may be missing",
        advice: "the next sync reads all pages again")
}
