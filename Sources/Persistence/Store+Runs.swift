import Catalog
import JSON
import SQLite

// How runs begin and end, on the store's thread.
extension Store {
    func beginNow(
        _ stream: Stream, _ identity: String, _ credential: String, _ nominal: Timestamp?, _ restarting: Bool
    ) throws -> Int64 {
        try connection.transaction {
            let streamID = try StreamRegistry(connection: connection).register(stream)
            let identity = OpenRun.digest(of: identity)
            let read =
                restarting
                ? nil : try UnfinishedRead.load(of: streamID, identity: identity, now: now(), on: connection)
            if read == nil { try UnfinishedRead.remove(of: streamID, on: connection) }
            try SliceTable(streamID: streamID, connection: connection)
                .forgetCursors(but: identity, isFull: restarting)
            try giveUpRuns(of: streamID)
            try RequestRecord.forgetOldest(of: streamID, on: connection)
            let id = try RunTable(connection: connection)
                .insert(streamID: streamID, read: read?.id, nominal: nominal, startedAt: now())
            let table = try StreamTable(of: stream, streamID: streamID, beginsRead: read == nil, on: connection)
            try table.beginHistory(at: now())
            tables[streamID] = table
            runs[id] = OpenRun(
                id: id, stream: stream, streamID: streamID, identity: identity, credential: credential,
                isUnconditional: restarting, read: read)
            return id
        }
    }

    func openReadNow(_ id: Int64) throws -> ReadStart {
        let run = try open(id)
        if let read = run.read {
            return ReadStart(beganAt: read.beganAt, hasOneSlice: run.stream.hasOneSlice)
        }
        let read = try connection.transaction {
            let slices = SliceTable(streamID: run.streamID, connection: connection)
            let omission = try SliceLayout(stream: run.stream, connection: connection)
                .forEachSlice { try slices.insert($0.json, added: $1) }
            let read = UnfinishedRead(id: id, beganAt: now(), omission: omission)
            try read.insert(of: run.streamID, identity: run.identity, on: connection)
            return read
        }
        runs[id]?.read = read
        return ReadStart(beganAt: read.beganAt, hasOneSlice: run.stream.hasOneSlice)
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
        let read = UnfinishedRead(id: id, beganAt: now(), omission: nil)
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
        _ id: Int64, _ status: RunRecord.Status, _ requests: [RequestRecord], _ failure: RunFailure?,
        _ rest: RestOfRead
    ) throws -> RunRecord {
        let run = try open(id)
        var counts = run.counts
        counts.add(requests)
        let record = try connection.transaction {
            for request in requests { try request.insert(run: id, on: connection) }
            switch rest {
            case .kept: break
            case .givenUp: try UnfinishedRead.remove(of: run.streamID, on: connection)
            case .postponing(let slices):
                let table = SliceTable(streamID: run.streamID, connection: connection)
                for slice in slices { try table.postpone(slice) }
            }
            return try end(run, as: status, counts, failure: failure)
        }
        runs[id] = nil
        return record
    }

    func skipNow(_ stream: Stream, _ nominal: Timestamp, _ reason: String) throws {
        try connection.transaction {
            let streamID = try StreamRegistry(connection: connection).register(stream)
            let runs = RunTable(connection: connection)
            let id = try runs.insert(streamID: streamID, read: nil, nominal: nominal, startedAt: now())
            _ = try runs.end(id, as: .skipped, RunCounts(), at: now(), warning: reason)
        }
    }

    func end(
        _ run: OpenRun, as status: RunRecord.Status, _ counts: RunCounts, isComplete: Bool = false,
        warnings: [String?] = [], failure: RunFailure? = nil
    ) throws -> RunRecord {
        let texts = warnings.compactMap(\.self)
        return try RunTable(connection: connection)
            .end(
                run.id, as: status, counts, at: now(), isComplete: isComplete,
                warning: texts.isEmpty ? nil : texts.joined(separator: "; "), failure: failure)
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
