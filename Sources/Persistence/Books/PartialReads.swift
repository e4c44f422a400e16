import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// The progress of a stream whose reads cover a part of its source: its parent's changed records, or what is behind a cursor.
struct PartialReads {
    let stream: StreamConfiguration
    let streamID: StreamID
    let connection: Connection
    private let identity: String

    init(of stream: StreamConfiguration, _ streamID: StreamID, identity: String, on connection: Connection) {
        (self.stream, self.streamID, self.connection) = (stream, streamID, connection)
        // Without the records of each page, a read of a part cannot tell what is missing.
        self.identity = identity + (stream.deletesRows ? " members" : "")
    }

    private var followsParent: Bool { stream.followsParent }
    private var isIncremental: Bool { stream.incremental?.fullRefreshEvery != nil }

    /// Returns the scope of a read that begins now.
    ///
    /// - Parameter isUnconditional: True if everything is to be read again.
    func scope(isUnconditional: Bool, now: Timestamp) throws -> ReadScope {
        guard followsParent || isIncremental else {
            return ReadScope(isFull: stream.incremental == nil || isUnconditional)
        }
        let stored = try connection.firstRow(
            "SELECT full_read_at, parent_through FROM _garner_streams WHERE stream_id = ?1 AND full_read_identity = ?2",
            [.id(streamID), .text(identity)]
        ) { (at: $0.optionalText(at: 0).flatMap(Timestamp.init(rfc3339:)), through: $0.optionalInteger(at: 1)) }
        let periods = [stream.parent?.fullRefreshEvery, stream.incremental?.fullRefreshEvery].compactMap(\.self)
        let isOld = stored?.at.map { at in periods.contains { now >= at.advanced(by: $0) } || now < at } ?? true
        let parent = try parentRuns()
        // Changes are noted from the run on that ended the parent's first read.
        let after = stored?.through.flatMap { through in
            parent.flatMap { $0.baseline.map { through >= $0 } == true ? through : nil }
        }
        let isFull = isUnconditional || isOld || (followsParent && after == nil)
        return ReadScope(
            isFull: isFull, parentAfter: isFull ? nil : after,
            parentThrough: parent.flatMap { $0.baseline == nil ? nil : $0.through })
    }

    /// Returns the run that ended the parent's first read, and the latest run whose changes are all stored.
    private func parentRuns() throws -> (baseline: Int64?, through: Int64)? {
        guard followsParent, let parent = stream.parent else { return nil }
        return try connection.firstRow(
            """
            SELECT baseline_run, coalesce(
                (SELECT min(run_id) - 1 FROM _garner_runs AS r WHERE r.stream_id = s.stream_id AND status = 'running'),
                (SELECT max(run_id) FROM _garner_runs AS r WHERE r.stream_id = s.stream_id), 0)
            FROM _garner_streams AS s WHERE name = ?1
            """, [.text(parent.stream.description)]
        ) { ($0.optionalInteger(at: 0), $0.integer(at: 1)) }
    }

    /// The bindings of the slices that earlier reads have left behind.
    var due: Set<ExactText> {
        get throws {
            guard followsParent else { return [] }
            return Set(
                try connection.rows("SELECT bindings FROM _garner_due_slices WHERE stream_id = ?1", [.id(streamID)]) {
                    ExactText($0.text(at: 0))
                })
        }
    }

    /// Forgets what is due of parents that are gone or outside the condition. What the read covers stays due until its list has ended.
    func forgetDueOutsideRead() throws {
        guard followsParent else { return }
        try connection.execute(
            """
            DELETE FROM _garner_due_slices WHERE stream_id = ?1
            AND bindings NOT IN (SELECT bindings FROM _garner_slices WHERE stream_id = ?1)
            """, .id(streamID))
    }

    /// Notes the end of a slice's list.
    ///
    /// - Parameters:
    ///   - isDueAgain: True if the list has changed while it was read.
    ///   - isWhole: False if the list may have records that were on none of its pages. Its rows are then not missing, as those of a page
    ///     of which not all records were stored.
    func noteEnd(of page: PageCommit, isDueAgain: Bool, isWhole: Bool) throws {
        try connection.execute(
            isDueAgain
                ? """
                INSERT OR IGNORE INTO _garner_due_slices (stream_id, bindings)
                SELECT stream_id, bindings FROM _garner_slices WHERE stream_id = ?1 AND slice_id = ?2
                """
                : """
                DELETE FROM _garner_due_slices WHERE stream_id = ?1
                AND bindings = (SELECT bindings FROM _garner_slices WHERE slice_id = ?2)
                """, .id(streamID), .id(page.slice))
        guard !isWhole else { return }
        try doubtMembers(ofPagesWhere: "position = ?2", .text(page.position))
    }

    /// Notes that lists may have records that are on none of their pages. Reads that leave them out cannot tell what is missing.
    private func doubtMembers(ofPagesWhere condition: String, _ value: Value) throws {
        guard stream.deletesRows, stream.incremental == nil else { return }
        try connection.execute(
            "UPDATE _garner_pages SET has_members = 0 WHERE stream_id = ?1 AND \(condition)", .id(streamID), value)
    }

    /// Notes the end of a read. The slices that it leaves behind stay due.
    ///
    /// - Parameter isWhole: True if one run has read everything. A read of several runs cannot tell what is missing.
    func end(_ read: UnfinishedRead, isWhole: Bool = false) throws {
        guard followsParent || isIncremental else { return }
        let leavesSlices = try !SliceTable(streamID: streamID, connection: connection).isEmpty
        if followsParent {
            // A read that an earlier version began does not say which changes it follows.
            guard let through = read.scope.parentThrough else { return }
            try connection.execute(
                """
                INSERT OR IGNORE INTO _garner_due_slices (stream_id, bindings)
                SELECT stream_id, bindings FROM _garner_slices WHERE stream_id = ?1
                """, .id(streamID))
            // Of a list that was read in part, records may have moved to pages that were not.
            try doubtMembers(
                ofPagesWhere: """
                    read_id = ?2 AND bindings IN (SELECT bindings FROM _garner_slices WHERE stream_id = ?1)
                    """, .id(read.id))
            try connection.execute(
                "UPDATE _garner_streams SET parent_through = ?2 WHERE stream_id = ?1", .id(streamID), .integer(through))
        }
        guard read.scope.isFull, followsParent || !leavesSlices && (isWhole || !stream.deletesRows)
        else { return }
        try connection.execute(
            "UPDATE _garner_streams SET full_read_at = ?2, full_read_identity = ?3 WHERE stream_id = ?1", .id(streamID),
            .text(read.beganAt.description), .text(identity))
    }
}
