package import GarnerCatalog
import GarnerDatabase
import GarnerDigest
package import GarnerModel
import GarnerSQLite

/// The state that a run of a stream would start from now.
package struct ReadPlan: Sendable {
    let run: OpenRun
    /// The first of the slices that are left to read.
    package let slices: [Slice]
    package let sliceCount: Int
    /// The number of files that the stored records point to.
    package let fileCount: Int
    /// The judgement on the read, as far as it is known in advance.
    package let verdict: Verdict
    /// The number of the parent's records of which the changed ones are due; nil if all are, or if a read goes on.
    package let parentCount: Int?

    /// The run that began the read to be continued; nil for a new read.
    package var continuedRun: RunID? { run.read?.id.run }

    init(
        _ run: OpenRun, slices: [Slice], count: Int, fileCount: Int, verdict: Verdict, parentCount: Int? = nil
    ) {
        (self.run, self.slices, sliceCount) = (run, slices, count)
        (self.fileCount, self.verdict, self.parentCount) = (fileCount, verdict, parentCount)
    }

    /// Returns the start of the read, which no cursor passes.
    package func beganAt(now: Timestamp) -> Timestamp { run.read?.beganAt ?? now }
}

extension ReadOnlyDatabase {
    /// Plans a run of the stream as `DatabaseWriter.begin` and `DatabaseWriter.openRead` would begin it.
    ///
    /// Throws `PersistenceError` if the stream's parent was never read.
    ///
    /// - Parameters:
    ///   - restarting: True if the run would start over and request every page.
    ///   - clock: The clock for the time that a query for values of partitions may take.
    package func readPlan(
        of stream: StreamConfiguration, identity: String, credential: String, restarting: Bool, limit: Int,
        now: Timestamp, clock: any Clock<Duration>
    ) throws -> ReadPlan {
        try reading {
            let registered = try StreamRegistry(connection: connection).registration(of: stream)
            let streamID = registered.id
            let digest = OpenRun.digest(of: identity)
            let read =
                restarting ? nil : try UnfinishedRead.load(of: streamID, identity: digest, now: now, on: connection)
            let run = OpenRun(
                id: 0, stream: stream, registered, identity: digest, credential: credential,
                isUnconditional: restarting, read: read)
            let fileCount = try stream.attachments.reduce(0) { try $0 + files(in: $1.field, of: run) }
            if let read {
                let left = SliceTable(streamID: streamID, connection: connection)
                let cursors = read.scope.ignoresCursors(of: stream) ? nil : digest
                return ReadPlan(
                    run, slices: try left.slices(after: 0, limit: limit, identity: cursors), count: try left.count,
                    fileCount: fileCount, verdict: read.verdict)
            }
            let schema = try TableSchema(streamID: streamID, table: registered.table, on: connection)
            let reads = PartialReads(of: stream, streamID, identity: digest, on: connection)
            let scope = try reads.scope(isUnconditional: restarting, now: now)
            var layout = NewSlices(
                run, limit: limit, ignoresCursors: scope.ignoresCursors(of: stream),
                SliceTable(streamID: streamID, connection: connection))
            let values = try PartitionValues(of: stream, on: connection, clock: clock)
            let slices = SliceLayout(of: values.stream, in: schema, on: connection)
            let verdict = try slices.forEachSlice(in: scope, due: scope.isFull ? [] : reads.due) {
                try layout.add($0, $1)
            }
            .worse(values.verdict)
            return ReadPlan(
                run, slices: layout.slices, count: layout.count, fileCount: fileCount, verdict: verdict,
                parentCount: stream.parent?.only == .changed ? try slices.parentCount : nil)
        }
    }

    /// Returns the cached page that `DatabaseWriter.memory` would give a run.
    package func memory(of position: String, added: String?, for plan: ReadPlan) throws -> CachedPage? {
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

/// The slices of a new read, as they are laid out.
private struct NewSlices {
    private let run: OpenRun
    private let limit: Int
    private let ignoresCursors: Bool
    private let table: SliceTable
    private var fingerprints: Set<Fingerprint> = []
    private(set) var slices: [Slice] = []

    init(_ run: OpenRun, limit: Int, ignoresCursors: Bool, _ table: SliceTable) {
        (self.run, self.limit, self.table) = (run, limit, table)
        self.ignoresCursors = ignoresCursors || run.isUnconditional
    }

    var count: Int { fingerprints.count }

    /// Adds a slice, unless one with the same bindings exists.
    mutating func add(_ bindings: Bindings, _ added: String?) throws {
        var json = bindings.json
        let fingerprint = json.withUTF8 { Fingerprint(of: UnsafeRawBufferPointer($0)) }
        guard fingerprints.insert(fingerprint).inserted, slices.count < limit else { return }
        let cursor = ignoresCursors ? nil : try table.cursor(of: json, identity: run.identity)
        slices.append(
            Slice(
                id: SliceID(Int64(count)), bindings: bindings, added: added, nextPosition: nil, watermark: nil,
                cursor: cursor))
    }
}
