import Catalog
import JSON
import Model
import SQLite

// How runs begin and end, on the store's thread.
extension Store {
    func beginNow(
        _ stream: Stream, _ identity: String, _ credential: String, _ occasion: RunOccasion, _ restarting: Bool,
        _ settle: SettleSchedule?
    ) throws -> Int64 {
        try requireFile()
        try forgetOldRuns(of: stream)
        return try transactionWithoutWaiting {
            let streamID = try StreamRegistry(connection: connection).register(stream)
            let triggers = TriggerTable(streamID: streamID, connection: connection)
            let served = try triggers.served(among: occasion.requests)
            if !served.isEmpty, occasion.requests.allSatisfy({ served[$0] != nil }) {
                throw AlreadyServed(runs: served)
            }
            let identity = OpenRun.digest(of: identity)
            let read =
                restarting
                ? nil : try UnfinishedRead.load(of: streamID, identity: identity, now: now(), on: connection)
            try giveUpRuns(of: streamID)
            try RequestRecord.forgetOldest(of: streamID, on: connection)
            let id = try RunTable(connection: connection)
                .insert(streamID: streamID, read: read?.id, occasion, startedAt: now())
            try triggers.forgetOld(at: now())
            try triggers.claim(occasion.requests, for: id, at: now())
            tables[streamID] = nil
            runs[id] = OpenRun(
                id: id, stream: stream, streamID: streamID, identity: identity, credential: credential,
                isUnconditional: restarting, read: read, settle: settle)
            return id
        }
    }

    func openReadNow(_ id: Int64) throws -> ReadStart {
        var run = try open(id)
        let (table, read) = try transactionWithoutWaiting {
            let table = try StreamTable(
                of: run.stream, streamID: run.streamID, beginsRead: run.read == nil, on: connection)
            try table.beginHistory(at: now())
            let slices = SliceTable(streamID: run.streamID, connection: connection)
            try slices.forgetCursors(but: run.identity, isFull: run.isUnconditional)
            run.context = try ReadContext(
                of: run.streamID, identity: run.identity, isFirst: table.loader == nil, on: connection)
            if let read = run.read { return (table, read) }
            try UnfinishedRead.remove(of: run.streamID, on: connection)
            let verdict = try SliceLayout(stream: run.stream, connection: connection)
                .forEachSlice { try slices.insert($0.json, added: $1) }
            let read = UnfinishedRead(id: id, beganAt: now(), verdict: verdict)
            try read.insert(of: run.streamID, identity: run.identity, on: connection)
            return (table, read)
        }
        tables[run.streamID] = table
        run.read = read
        runs[id] = run
        return ReadStart(beganAt: read.beganAt, hasOneSlice: run.stream.hasOneSlice, context: run.context)
    }

    func slicesNow(_ id: Int64, after last: Int64, limit: Int) throws -> [Slice] {
        let run = try open(id)
        return try SliceTable(streamID: run.streamID, connection: connection)
            .slices(after: last, limit: limit, identity: run.identity)
    }

    func restartNow(_ slice: Slice, _ id: Int64) throws {
        let run = try open(id)
        let slices = SliceTable(streamID: run.streamID, connection: connection)
        let staged = StagedPages(streamID: run.streamID, connection: connection)
        guard run.stream.hasOneSlice else {
            return try connection.transaction {
                try staged.remove(of: slice.id)
                try slices.save(slice.id, at: nil, watermark: nil)
            }
        }
        let read = UnfinishedRead(id: id, beganAt: now(), verdict: .complete)
        try connection.transaction {
            try staged.removeAll()
            try slices.save(slice.id, at: nil, watermark: nil)
            try connection.execute("DELETE FROM _garner_reads WHERE stream_id = ?1", .integer(run.streamID))
            try read.insert(of: run.streamID, identity: run.identity, on: connection)
            try connection.execute("UPDATE _garner_runs SET read_id = run_id WHERE run_id = ?1", .integer(id))
        }
        runs[id]?.read = read
    }

    func endNow(
        _ id: Int64, _ status: RunRecord.Status, _ wasStopped: Bool, _ requests: [RequestRecord],
        _ failure: RunFailure?, _ rest: RestOfRead
    ) throws -> RunRecord {
        let run = try open(id)
        var counts = run.counts
        counts.add(requests)
        let record = try connection.transaction {
            for request in requests { try request.insert(run: id, on: connection) }
            switch rest {
            case .kept: break
            case .givenUp: try UnfinishedRead.remove(of: run.streamID, on: connection)
            case .undone:
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

    /// Ends a run and settles its stream's schedule; to be called in the transaction that ends it.
    func end(
        _ run: OpenRun, as status: RunRecord.Status, _ counts: RunCounts, verdict: Verdict? = nil,
        wasStopped: Bool = false, warnings: [String?] = [], failure: RunFailure? = nil
    ) throws -> RunRecord {
        let texts = warnings.compactMap(\.self)
        let ending = RunEnding(status, wasStopped: wasStopped, failure: failure, at: now())
        var record = try RunTable(connection: connection)
            .end(
                run.id, as: status, counts, at: ending.at, verdict: verdict, wasStopped: wasStopped,
                warning: texts.isEmpty ? nil : texts.joined(separator: "; "), failure: failure)
        record.schedule = try run.settle.map { try schedules.write($0(ending), of: run.streamID, at: ending.at) }
        if run.settle == nil, status == .succeeded { try schedules.release(run.streamID) }
        return record
    }

    func open(_ id: Int64) throws -> OpenRun {
        guard let run = runs[id] else {
            throw PersistenceError(.bug, "run \(id) is not open", hint: "this is a bug in Garner; please report it")
        }
        return run
    }

    func table(of run: OpenRun) throws -> StreamTable {
        if let table = tables[run.streamID] { return table }
        let table = try StreamTable(of: run.stream, streamID: run.streamID, beginsRead: false, on: connection)
        tables[run.streamID] = table
        return table
    }

    /// What is written to a file that is no longer where it was, nobody would find.
    private func requireFile() throws {
        if let loss = connection.placeLoss { throw PersistenceError(loss, of: connection.path) }
    }

    /// A run whose end could not be recorded, as on a full disk, is over when the stream's next one begins.
    private func giveUpRuns(of streamID: Int64) throws {
        runs = runs.filter { $0.value.streamID != streamID }
        try connection.execute(
            "UPDATE _garner_runs SET status = 'interrupted', ended_at = ?2 WHERE stream_id = ?1 AND status = 'running'",
            .integer(streamID), .text(now().description))
    }
}

extension Stream {
    /// Whether a read is one slice, which nothing distinguishes.
    fileprivate var hasOneSlice: Bool { parent == nil && partitions.isEmpty }
}
