import GarnerModel

extension RunCounts {
    mutating func add(_ requests: [RequestRecord]) {
        for request in requests {
            self.requests += request.attempts
            bytes += request.bytes
            notModified += request.isNotModified ? 1 : 0
        }
    }

    /// The number of rows that were inserted or changed.
    var written: Int { inserted + updated }

    mutating func add(_ stored: RunCounts) {
        inserted += stored.inserted
        updated += stored.updated
        unchanged += stored.unchanged
        deleted += stored.deleted
        quarantined += stored.quarantined
        discarded += stored.discarded
    }
}
