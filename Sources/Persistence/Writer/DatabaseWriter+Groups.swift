package import GarnerModel
import GarnerSQLite

// Stores pages and files, several in one transaction where they have come, on the store's thread.
extension DatabaseWriter {
    /// Stores a page, the position in the read and the run's counters, all in one transaction.
    ///
    /// The transaction stays open if another page of the run has come, so that both share it. It also does where pages come in quick
    /// succession, for 20 ms at most, unless another process has the database open. Whatever else is called first, for any run,
    /// commits it.
    ///
    /// The last page of the last slice also ends the run, in the same transaction, unless its stream has attachments.
    ///
    /// - Parameters:
    ///   - position: The position of a later page of the slice, whose memory is needed next; nil for none.
    ///   - successor: Returns the state of the next page. It is called when this one is stored.
    /// - Returns: The counts of what is committed, and that memory. If it cannot be read, it is nil.
    package nonisolated func commit(
        _ page: PageCommit, to id: RunID, lookingUp position: String? = nil,
        successor: @Sendable () -> SuccessorState = { .separate }
    ) async throws -> RunProgress {
        waiting.add(id)
        return try await commitNext(page, to: id, lookingUp: position, successor)
    }

    private func commitNext(
        _ page: PageCommit, to id: RunID, lookingUp position: String?, _ successor: @Sendable () -> SuccessorState
    ) async throws -> RunProgress {
        waiting.remove(id)
        // What fails here fails again below, where its error is told.
        let standsAlone = try? self.standsAlone(page, of: id)
        let joinsOthers = standsAlone == false && joinsGroup(of: id) { $0.takes(page) }
        return try await perform(inGroup: true, isInterruptible: !joinsOthers) {
            let isAlone = try standsAlone ?? self.standsAlone(page, of: id)
            // Within a savepoint, SQLite would keep what the pages before have changed in memory while the table is copied.
            let copiesTable = try tables[open(id).streamID]?.isKeyIndexDue == true
            var progress = try replacingOnce(in: id) {
                try add(page.requests, of: id, isAlone: isAlone, joinsOthers: joinsOthers && !copiesTable, successor) {
                    try store(page, to: &$0)
                }
            }
            progress.looksAgain = progress.ended == nil && runs[id]?.secondLooks.contains(page.slice) == true
            // This page is stored even if the memory of another one cannot be read.
            if let position { progress.memory = try? storedMemory(of: position, added: page.added, for: id) }
            return progress
        }
    }

    /// Commits the run's pages that share an open transaction. If that fails, the run's next call throws the error.
    package func endGroup(of run: RunID) async {
        if group?.run == run { endGroup() }
    }

    /// Commits the pages that share an open transaction. If that fails, their run's next call throws the error.
    func endGroup() { try? commitGroup() }

    private func standsAlone(_ page: PageCommit, of id: RunID) throws -> Bool {
        try waits.synchronous == .full || mustWait(page, of: open(id))
    }

    /// Returns true if the open transaction is one of this run, and takes more.
    ///
    /// - Parameter isTaken: Returns true if what is to be stored is short.
    func joinsGroup(of id: RunID, _ isTaken: (PageGroup) -> Bool) -> Bool {
        guard let group, group.run == id, connection.isInTransaction, group.takesMore(at: now()) else { return false }
        return isTaken(group)
    }

    /// Stores a page or a file that its requests have brought, in the open transaction or in one that it begins.
    ///
    /// - Parameters:
    ///   - isAlone: True if it shares the transaction with none before it and none after it.
    ///   - joinsOthers: True if it shares the transaction with those before it.
    ///   - store: Stores it. Returns the record of the run if that has ended it.
    func add(
        _ requests: [RequestRecord], of id: RunID, isAlone: Bool, joinsOthers: Bool,
        _ successor: () -> SuccessorState, _ store: (inout OpenRun) throws -> RunRecord?
    ) throws -> RunProgress {
        if isAlone || !joinsOthers || group?.run != id { endGroup() }
        var run = try open(id)
        // A dry run is one transaction from its beginning to its end.
        if group == nil, !connection.isInTransaction { try beginGroup(of: run, isAlone: isAlone) }
        let ended: RunRecord?
        do {
            // What comes first in a transaction is undone with it.
            ended = group?.pages == 0 ? try store(&run) : try connection.transaction { try store(&run) }
        } catch {
            leaveGroup(run, because: error)
            throw error
        }
        let instant = now()
        if let group, !isAlone, ended == nil, group.isOpen(at: instant), mayFollow(successor(), run, at: instant) {
            self.group?.add(requests)
            run.storedPageAt = instant
            runs[id] = run
            return RunProgress(counts: group.before.counts, ended: nil)
        }
        run.storedPageAt = instant
        // The end of a run is told.
        if ended != nil { connection.awaitCommit() }
        try commitGroup()
        runs[id] = ended == nil ? run : nil
        return RunProgress(counts: run.counts, ended: ended)
    }

    /// Returns true if the transaction is to stay open for the next page. If that has not come, it does so for a time only.
    private func mayFollow(_ successor: SuccessorState, _ run: OpenRun, at now: Timestamp) -> Bool {
        switch waiting.contains(run.id) ? .arrived : successor {
        case .separate: return false
        case .arrived:
            group?.awaitsPage = false
            return true
        case .requested:
            guard let last = run.storedPageAt, (.zero..<PageGroup.shortPause).contains(last.duration(to: now)),
                group?.isOpen(at: now.advanced(by: PageGroup.patience)) == true, !connection.isOpenElsewhere
            else { return false }
            group?.awaitsPage = true
            if group?.deadline == nil { group?.deadline = Task { await endGroupWithoutSuccessor() } }
            return true
        }
    }

    /// Commits the pages that share an open transaction if the next one does not come.
    private func endGroupWithoutSuccessor() async {
        guard (try? await clock.sleep(for: PageGroup.patience)) != nil, !Task.isCancelled else { return }
        group?.deadline = nil
        if group?.awaitsPage == true { endGroup() }
    }

    private func beginGroup(of run: OpenRun, isAlone: Bool) throws {
        try log.requireRoom(on: connection)
        let instant = now()
        // A long transaction waits itself: the next one would be late.
        let waitsForDisk = isAlone || commits == nil && (cache.isLarge || waits.isDue(at: instant))
        try connection.begin(waitingForDisk: waitsForDisk)
        group = PageGroup(of: run, at: instant, waitsForDisk: waitsForDisk, cache.isLarge ? .large : .usual)
    }

    private func store(_ page: PageCommit, to run: inout OpenRun) throws -> RunRecord? {
        let table = try table(of: run)
        if table.isKeyIndexDue {
            try table.indexKey()
            _ = connection.takeReadPages()  // of the copied rows
        }
        let before = run.counts
        let ended = try table.writing { try store(page, to: &run, table) }
        keepUp(with: table, afterWriting: run.counts.written - before.written)
        return ended
    }

    /// Keeps more pages of the database in memory if most rows were on others; if more are kept already, tells the table.
    private func keepUp(with table: StreamTable, afterWriting rows: Int) {
        guard cache.isTooSmall(afterWriting: rows, on: connection) else { return }
        if cache.isLarge { table.noteScatteredRows() } else { cache.enlarge(on: connection) }
    }

    /// Undoes a page that could not be stored, and commits those before it.
    private func leaveGroup(_ run: OpenRun, because error: any Error) {
        // The cached table may hold changes that were rolled back.
        tables[run.streamID] = nil
        guard let group else { return }
        // "Errors can cause an automatic rollback" (sqlite.org/lang_transaction.html)
        if group.pages > 0, connection.isInTransaction { endGroup() } else { lose(group, because: error) }
    }

    private func commitGroup() throws {
        guard let group else { return }
        do {
            try connection.commit()
        } catch {
            lose(group, because: error)
            throw error
        }
        if group.waitsForDisk { waits.note(at: group.beganAt) }
        group.deadline?.cancel()
        self.group = nil
    }

    private func lose(_ group: PageGroup, because error: any Error) {
        connection.rollBack()
        group.deadline?.cancel()
        self.group = nil
        tables[group.before.streamID] = nil
        runs[group.run] = group.before
        guard group.pages > 0 else { return }
        runs[group.run]?.lost = LostPages(error: error, requests: group.requests)
    }
}
