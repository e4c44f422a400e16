package import GarnerCatalog
import GarnerDatabase
import GarnerDigest
import GarnerJSON
package import GarnerModel
import GarnerSQLite

// Begins and ends runs, on the store's thread.
extension DatabaseWriter {
    /// Returns true if a stream has no table, while the database has a stream that is not in the file: it may be the same under its old name.
    ///
    /// The connection knows its schema. Each new connection reads the whole of it.
    package func mayBeRenamed(_ stream: StreamConfiguration, among streams: [StreamConfiguration]) async throws -> Bool
    {
        try await perform(inGroup: true) {
            let table = try connection.text(
                "SELECT table_name FROM _garner_streams WHERE name = ?1", .text(stream.name.description))
            if let table, try connection.hasTable(table) { return false }
            if let strangers, strangers.areBeside(streams) { return strangers.exist }
            let found = try Strangers(beside: streams, on: connection)
            strangers = found
            return found.exist
        }
    }

    /// Begins a run of the stream.
    ///
    /// - Parameters:
    ///   - identity: The text from which the read is made. An unfinished read with the same text is continued, unless
    ///     `restarting`. Then every page is requested, without memories and cursors.
    ///   - credential: A text that differs between credentials. The memory of a page belongs to one credential.
    ///   - settle: The change to the stream's schedule at the end of the run; nil for none.
    /// - Returns: The run's id. A loss of power may undo its beginning until its first page is stored.
    /// - Throws: `AlreadyServedError` if each of its requests has a run. Nothing is changed then.
    package func begin(
        _ stream: StreamConfiguration, identity: String, credential: String = "", occasion: RunOccasion = .manual(),
        restarting: Bool = false, settle: SettleSchedule? = nil
    ) async throws -> RunID {
        try await perform {
            if strangers?.names.contains(stream.name) == false { strangers = nil }
            try requireFile()
            try forgetOldVersions(of: stream)
            try forgetOldRuns(of: stream)
            return try connection.transactionWithoutSync {
                let registered = try StreamRegistry(connection: connection).register(stream)
                let streamID = registered.id
                let triggers = TriggerTable(streamID: streamID, connection: connection)
                let served = try triggers.served(among: occasion.requests)
                if !served.isEmpty, occasion.requests.allSatisfy({ served[$0] != nil }) {
                    throw AlreadyServedError(runs: served)
                }
                let identity = OpenRun.digest(of: identity)
                let read =
                    restarting
                    ? nil
                    : try UnfinishedRead.load(
                        of: streamID, identity: OpenRun.readIdentity(of: stream, identity), now: now(), on: connection)
                try giveUpRuns(of: streamID)
                try RequestRecord.forgetOldest(of: streamID, on: connection)
                let id = try RunTable(connection: connection)
                    .insert(streamID: streamID, read: read?.id, occasion, startedAt: now())
                try triggers.forgetOld(at: now())
                try triggers.claim(occasion.requests, for: id, at: now())
                tables[streamID] = nil
                runs[id] = OpenRun(
                    id: id, stream: stream, registered, identity: identity, credential: credential,
                    isUnconditional: restarting, read: read, settle: settle)
                return id
            }
        }
    }

    /// Opens the run's read: the rest of an unfinished read, or a new one.
    ///
    /// - Throws: An error if the stream's table cannot be as the stream is configured. The run has begun then; cursors
    ///   and the unfinished read are unchanged.
    package func openRead(of id: RunID) async throws -> ReadStart {
        try await perform {
            var run = try open(id)
            if let refusal = run.refusal { throw refusal }
            run.isOpened = true
            let beganAt = run.read?.beganAt ?? now()
            let (table, read) = try connection.transactionWithoutSync {
                let table = try StreamTable(
                    of: run.stream, streamID: run.streamID, beginsRead: run.read == nil, beganAt: beganAt,
                    on: connection)
                table.isUnconditional = run.isUnconditional
                try table.beginHistory(at: now())
                let slices = SliceTable(streamID: run.streamID, connection: connection)
                try slices.forgetCursors(but: run.identity, isFull: run.isUnconditional)
                run.context = try ReadContext(
                    of: run.streamID, identity: run.identity, isFirst: table.loader == nil, on: connection)
                if let read = run.read { return (table, read) }
                if let left = try UnfinishedRead.load(
                    of: run.streamID, identity: run.readIdentity, now: nil, on: connection), !run.isUnconditional
                {
                    try partialReads(of: run).end(left)
                }
                try UnfinishedRead.remove(of: run.streamID, on: connection)
                let partialReads = partialReads(of: run)
                let scope = try partialReads.scope(isUnconditional: run.isUnconditional, now: now())
                let values = try PartitionValues(of: run.stream, on: connection, clock: clock)
                let verdict = try SliceLayout(of: values.stream, in: table.loader?.schema, on: connection)
                    .forEachSlice(in: scope, due: scope.isFull ? [] : partialReads.due) {
                        try slices.insert($0.json, added: $1)
                    }
                    .worse(values.verdict)
                if values.mayChange { try slices.forgetCursorsWithoutSlice() }
                try partialReads.forgetDueOutsideRead()
                if scope.parentAfter != nil { table.evidence.leavesPagesOut() }
                run.doubt = verdict.cause
                let read = UnfinishedRead(id: ReadID(begunBy: id), beganAt: beganAt, verdict: verdict, scope: scope)
                try read.insert(of: run.streamID, identity: run.readIdentity, on: connection)
                return (table, read)
            }
            tables[run.streamID] = table
            run.read = read
            runs[id] = run
            return ReadStart(
                beganAt: read.beganAt, goesOn: read.id != ReadID(begunBy: id), hasOneSlice: run.stream.hasOneSlice,
                isOrdered: table.needsOrder,
                context: run.context)
        }
    }

    /// Returns the remaining slices of the run's read, in the order in which they are read.
    ///
    /// - Parameter last: The slice after which to begin, 0 for the first one.
    package func slices(of id: RunID, after last: SliceID = 0, limit: Int) async throws -> [Slice] {
        try await perform(inGroup: true) {
            let run = try open(id)
            let ignoresCursors = run.read?.scope.ignoresCursors(of: run.stream) ?? false
            let slices = try SliceTable(streamID: run.streamID, connection: connection)
                .slices(after: last, limit: limit, identity: ignoresCursors ? nil : run.identity)
            runs[id]?.resumedSlices.formUnion(slices.filter { $0.nextPosition != nil }.map(\.id))
            return slices
        }
    }

    /// Restarts a slice whose stored position cannot be read. If it is the only slice, the read begins again.
    package func restart(_ slice: Slice, of id: RunID) async throws {
        try await perform {
            let run = try open(id)
            let slices = SliceTable(streamID: run.streamID, connection: connection)
            let staged = StagedPages(streamID: run.streamID, connection: connection)
            guard run.stream.hasOneSlice else {
                return try connection.transaction {
                    try staged.remove(of: slice.id)
                    try slices.save(slice.id, at: nil, watermark: nil)
                }
            }
            // The start stays: what this run goes on to request is as of that moment.
            let read = UnfinishedRead(
                id: ReadID(begunBy: id), beganAt: run.read?.beganAt ?? now(), verdict: .complete,
                scope: run.read?.scope ?? ReadScope(isFull: true))
            try connection.transaction {
                try staged.removeAll()
                try slices.save(slice.id, at: nil, watermark: nil)
                try connection.execute("DELETE FROM _garner_reads WHERE stream_id = ?1", .id(run.streamID))
                try read.insert(of: run.streamID, identity: run.readIdentity, on: connection)
                try connection.execute("UPDATE _garner_runs SET read_id = run_id WHERE run_id = ?1", .id(id))
            }
            runs[id]?.read = read
        }
    }

    /// Ends a run that failed or was cancelled. Its commits stay.
    ///
    /// - Parameters:
    ///   - wasStopped: True if the end of the program ends it, so that its nominal instant may be run again.
    ///   - rest: The treatment of the unread rest of its read.
    package func end(
        run id: RunID, as status: RunRecord.Status, wasStopped: Bool = false, requests: [RequestRecord] = [],
        failure: RunFailure? = nil, rest: RestOfRead = .kept
    ) async throws -> RunRecord {
        try await perform {
            let run = try known(id)
            let requests = (run.lost?.requests ?? []) + requests
            var counts = run.counts
            counts.add(requests)
            let record = try connection.transaction {
                for request in requests { try request.insert(run: id, on: connection) }
                switch rest {
                case .kept: break
                case .givenUp:
                    if let read = run.read { try partialReads(of: run).end(read) }
                    try UnfinishedRead.remove(of: run.streamID, on: connection)
                case .undone:
                    // Its records are nowhere.
                    (counts.inserted, counts.updated, counts.unchanged) = (0, 0, 0)
                    try UnfinishedRead.remove(of: run.streamID, on: connection)
                    tables[run.streamID] = nil
                    try StreamRegistry(connection: connection)
                        .dropTable(of: run.stream, streamID: run.streamID, madeBy: id)
                case .postponing(let slices):
                    let table = SliceTable(streamID: run.streamID, connection: connection)
                    for slice in slices { try table.postpone(slice) }
                }
                return try end(run, as: status, counts, wasStopped: wasStopped, failure: failure)
            }
            runs[id] = nil
            return record
        }
    }

    /// Returns a run that has failed although that cannot be recorded, as on a full disk. Its counts are those of its commits.
    package func unrecordedEnd(of id: RunID, failure: RunFailure) async throws -> RunRecord {
        try await perform {
            let table = RunTable(connection: connection)
            var record = try table.record(id)
            (record.status, record.endedAt, record.failure) = (.failed, now(), failure)
            if try known(id).stream.hooks.countsFailures {
                record.failuresInRow = try table.failuresInRow(upTo: id) + 1
            }
            return record
        }
    }

    /// Ends a run and settles its stream's schedule, inside the caller's transaction.
    func end(
        _ run: OpenRun, as status: RunRecord.Status, _ counts: RunCounts, verdict: Verdict? = nil,
        wasStopped: Bool = false, warnings: [String?] = [], failure: RunFailure? = nil
    ) throws -> RunRecord {
        // If the file is gone, nobody finds what the run has stored.
        if status == .succeeded { try requireFile() }
        var texts = warnings.compactMap(\.self) + (try newOddColumns(of: run, counts))
        if status == .succeeded, let renamed = try renamedTable(of: run) { texts.append(renamed) }
        let (result, endedAt) = (RunResult(status: status, wasStopped: wasStopped, failure: failure), now())
        let table = RunTable(connection: connection)
        var record =
            try table
            .end(
                run.id, as: status, counts, at: endedAt, verdict: verdict, wasStopped: wasStopped,
                warning: texts.isEmpty ? nil : texts.joined(separator: "; "), failure: failure,
                hint: failure?.hint.flatMap(hintText))
        if status == .failed, !run.isOpened { record = try table.record(table.noteNotBegun(run.id)) }
        if run.stream.hooks.countsFailures { record.failuresInRow = try table.failuresInRow(upTo: record.id) }
        record.schedule = try run.settle.map { try schedules.write($0(result, endedAt), of: run.streamID, at: endedAt) }
        if run.settle == nil, status == .succeeded { try schedules.release(run.streamID) }
        return record
    }

    /// Gives the table the name that the file has for it. Returns what to tell; nil if it has that name.
    private func renamedTable(of run: OpenRun) throws -> String? {
        let registry = StreamRegistry(connection: connection)
        let told = try registry.renameTable(run.streamID, to: run.configured, now: run.stream.table)
        if told != nil { tables[run.streamID] = nil }
        return told
    }

    /// Counts the odd values of columns. Returns what to say of those that are new, and of those that need another type now.
    private func newOddColumns(of run: OpenRun, _ counts: RunCounts) throws -> [String] {
        guard let loader = tables[run.streamID]?.loader else { return [] }
        if counts.changes > 0 { try loader.noteChange() }
        let known = Set(try OddColumn.all(of: run.streamID, on: connection).map(\.entries))
        try loader.countOddValues(added: counts.inserted == counts.changes ? counts.inserted : nil)
        let fields = run.stream.fields
        let found = try OddColumn.all(of: run.streamID, since: RunID(run.readID.number), on: connection)
        let columns = try OddColumn.all(of: run.streamID, on: connection).filter {
            !fields.settles($0) && (found.contains($0) || !known.contains($0.entries))
        }
        return columns.map(\.text) + (fields.remedy(for: columns).map { [$0] } ?? []) + loader.takeLateColumns()
            + loader.numberedColumns(of: run.id)
    }

    func partialReads(of run: OpenRun) -> PartialReads {
        PartialReads(of: run.stream, run.streamID, identity: run.identity, on: connection)
    }

    /// Returns an open run, unless it has lost pages that it was told of: what it stored next would be behind them.
    func open(_ id: RunID) throws -> OpenRun {
        let run = try known(id)
        if let lost = run.lost { throw lost.error }
        return run
    }

    private func known(_ id: RunID) throws -> OpenRun {
        guard let run = runs[id] else { throw PersistenceError(.bug, "run \(id) is not open", hint: .report) }
        return run
    }

    func table(of run: OpenRun) throws -> StreamTable {
        if let table = tables[run.streamID] { return table }
        let table = try StreamTable(
            of: run.stream, streamID: run.streamID, beginsRead: false, beganAt: run.read?.beganAt ?? now(),
            on: connection)
        table.isUnconditional = run.isUnconditional
        tables[run.streamID] = table
        return table
    }

    /// Throws if the file has moved, since nobody would find the data in it.
    private func requireFile() throws {
        if let loss = connection.placeLoss { throw PersistenceError(loss, of: connection.path) }
    }

    /// Ends runs whose end could not be recorded, as on a full disk, before the stream's next run.
    private func giveUpRuns(of streamID: StreamID) throws {
        runs = runs.filter { $0.value.streamID != streamID }
        try connection.execute(
            "UPDATE _garner_runs SET status = 'interrupted', ended_at = ?2 WHERE stream_id = ?1 AND status = 'running'",
            .id(streamID), .text(now().description))
    }
}

/// What the database has besides the streams of a file, as of a look at all of its streams.
///
/// A run may add only its own stream, so the look holds for the first runs of all streams of the file.
struct Strangers {
    private let streams: [StreamConfiguration]
    /// The names of the streams of the file.
    let names: Set<StreamName>
    /// True if the database has other streams.
    let exist: Bool

    init(beside streams: [StreamConfiguration], on connection: Connection) throws {
        self.streams = streams
        names = Set(streams.map(\.name))
        let stored: [StreamName] = try connection.rows(
            "SELECT name FROM _garner_streams WHERE stream_id NOT IN (SELECT stream_id FROM _garner_children)"
        ) { StreamName(full: $0.text(at: 0)) }
        exist = !names.isSuperset(of: stored)
    }

    /// Returns true if these are the streams of the file: the same array, so that none has to be compared.
    func areBeside(_ others: [StreamConfiguration]) -> Bool {
        streams.count == others.count
            && streams.withUnsafeBufferPointer { own in
                others.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress }
            }
    }
}

/// The facts with which a run's read begins.
package struct ReadStart: Sendable {
    /// The instant of its beginning. No cursor is later.
    package let beganAt: Timestamp
    /// True if an earlier run began it.
    package let goesOn: Bool
    /// True if the read is one slice, without a parent or partitions.
    package let hasOneSlice: Bool
    /// True if its slices must be read one after another, in their order.
    package let isOrdered: Bool
    /// The findings of earlier reads.
    package let context: ReadContext
}

package struct RunProgress: Sendable {
    /// The counts of what is committed.
    package let counts: RunCounts
    /// The record of the run, if it has ended.
    package let ended: RunRecord?
    /// True if the read lacks rows, and goes on with the second look that the page named.
    package var looksAgain = false
    /// The memory that the caller has asked for; nil if there is none.
    package internal(set) var memory: CachedPage?
}

/// The treatment of the unread rest of a run's read.
package enum RestOfRead: Sendable {
    /// The next run continues it.
    case kept
    /// The next run continues it, with these slices last.
    case postponing([SliceID])
    /// The next run begins with the first page.
    case givenUp
    /// The next run begins with the first page, and a table that this run has made is removed.
    case undone
}
