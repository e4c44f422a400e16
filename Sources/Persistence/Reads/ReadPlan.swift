package import Catalog
import Digest
package import Model
import SQLite

/// What a run of a stream would find if it began now.
package struct ReadPlan: Sendable {
    let run: OpenRun
    /// The first slices of those that are left to be read.
    package let slices: [Slice]
    package let sliceCount: Int
    /// How many files the records point to that are stored now.
    package let fileCount: Int
    /// How much the read would bring of what it asks for, as far as that is known before.
    package let verdict: Verdict

    /// The run that began the read which would go on; nil for a new read.
    package var continuedRun: Int64? { run.read?.id }

    init(_ run: OpenRun, slices: [Slice], count: Int, fileCount: Int, verdict: Verdict) {
        (self.run, self.slices, sliceCount) = (run, slices, count)
        (self.fileCount, self.verdict) = (fileCount, verdict)
    }

    /// When the read began; no cursor passes this.
    package func beganAt(now: Timestamp) -> Timestamp { run.read?.beganAt ?? now }
}

extension Archive {
    /// Looks up what a run of the stream would be made of, as `Store.begin` and `Store.openRead` would.
    ///
    /// Throws `PersistenceError` where the stream's parent was never read.
    ///
    /// - Parameters:
    ///   - limit: how many slices to give.
    ///   - restarting: whether it would begin anew and ask for every page.
    package func readPlan(
        of stream: Stream, identity: String, credential: String, restarting: Bool, limit: Int, now: Timestamp
    ) throws -> ReadPlan {
        try reading {
            let known = "SELECT stream_id FROM _garner_streams WHERE name = ?1"
            // No stream has the number 0, and nothing is stored of it.
            let streamID = try connection.integer(known, .text(stream.name.description)) ?? 0
            let digest = OpenRun.digest(of: identity)
            let read =
                restarting ? nil : try UnfinishedRead.load(of: streamID, identity: digest, now: now, on: connection)
            let run = OpenRun(
                id: 0, stream: stream, streamID: streamID, identity: digest, credential: credential,
                isUnconditional: restarting, read: read)
            let fileCount = try stream.attachments.reduce(0) { try $0 + files(in: $1.field, of: run) }
            if let read {
                let left = SliceTable(streamID: streamID, connection: connection)
                return ReadPlan(
                    run, slices: try left.slices(after: 0, limit: limit, identity: digest), count: try left.count,
                    fileCount: fileCount, verdict: read.verdict)
            }
            var layout = NewSlices(run, limit: limit, SliceTable(streamID: streamID, connection: connection))
            let verdict = try SliceLayout(stream: stream, connection: connection).forEachSlice {
                try layout.add($0, $1)
            }
            return ReadPlan(
                run, slices: layout.slices, count: layout.count, fileCount: fileCount, verdict: verdict)
        }
    }

    /// What is remembered of a page, as `Store.memory` tells it to a run.
    package func memory(of position: String, added: String?, for plan: ReadPlan) throws -> RememberedPage? {
        guard !plan.run.isUnconditional else { return nil }
        return try reading {
            try PageTable(streamID: plan.run.streamID, connection: connection).memory(
                at: position, scope: plan.run.scope(adding: added),
                needsMembers: plan.run.stream.deletesRows)
        }
    }

    private func files(in field: String, of run: OpenRun) throws -> Int {
        guard let schema = try TableSchema(streamID: run.streamID, table: run.stream.table, on: connection),
            let index = schema.index(ofField: field)
        else { return 0 }
        return try AttachmentTable(streamID: run.streamID, connection: connection)
            .dueCount(field, in: schema.columns[index].name, of: schema, run)
    }
}

/// The slices of a read that has not begun, as they are laid out.
private struct NewSlices {
    private let run: OpenRun
    private let limit: Int
    private let table: SliceTable
    private var fingerprints: Set<Fingerprint> = []
    private(set) var slices: [Slice] = []

    init(_ run: OpenRun, limit: Int, _ table: SliceTable) {
        (self.run, self.limit, self.table) = (run, limit, table)
    }

    var count: Int { fingerprints.count }

    /// Adds one, unless there is one that is asked for with the same.
    mutating func add(_ bindings: Bindings, _ added: String?) throws {
        var json = bindings.json
        let fingerprint = json.withUTF8 { Fingerprint(of: UnsafeRawBufferPointer($0)) }
        guard fingerprints.insert(fingerprint).inserted, slices.count < limit else { return }
        let cursor = run.isUnconditional ? nil : try table.cursor(of: json, identity: run.identity)
        slices.append(
            Slice(
                id: Int64(count), bindings: bindings, added: added, nextPosition: nil, watermark: nil, cursor: cursor))
    }
}
