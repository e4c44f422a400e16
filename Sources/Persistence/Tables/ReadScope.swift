package import GarnerCatalog
package import GarnerModel
package import GarnerSQLite

/// The part of its source that a read covers.
package struct ReadScope {
    /// True if it covers everything, whatever was read before.
    let isFull: Bool
    /// The parent's run behind which its changes are followed; nil to follow all records. The database does not keep it.
    var parentAfter: Int64?
    /// The parent's run up to which its changes are followed; nil if that is not known.
    let parentThrough: Int64?

    init(isFull: Bool, parentAfter: Int64? = nil, parentThrough: Int64? = nil) {
        (self.isFull, self.parentAfter, self.parentThrough) = (isFull, parentAfter, parentThrough)
    }

    /// True if the read does not begin at the cursors that earlier reads have moved.
    func ignoresCursors(of stream: StreamConfiguration) -> Bool {
        guard let incremental = stream.incremental else { return false }
        return incremental.isBackfill || isFull && incremental.fullRefreshEvery != nil
    }

    /// Makes the next read one of everything.
    package static func forget(of streamID: StreamID, on connection: Connection) throws {
        try connection.execute("DELETE FROM _garner_due_slices WHERE stream_id = ?1", .id(streamID))
        try connection.execute(
            "UPDATE _garner_streams SET full_read_at = NULL, full_read_identity = NULL, parent_through = NULL WHERE stream_id = ?1",
            .id(streamID))
    }
}

extension StreamConfiguration {
    /// True if a read is one slice, without a parent or partitions.
    package var hasOneSlice: Bool { parent == nil && partitions.isEmpty }

    /// True if its reads usually cover the changed records of its parent only.
    var followsParent: Bool { parent?.only == .changed }
}
