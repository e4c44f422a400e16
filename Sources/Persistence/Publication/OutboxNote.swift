package import GarnerDatabase
package import GarnerModel

/// A note of changed rows, which the transaction has made that changed them.
///
/// The set of a table's notes counts, not their order: a row that a note names is there now, or it is not. A savepoint that was
/// undone leaves notes of rows that are as they were.
package struct OutboxNote: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case insert, update, delete
        /// All rows of the table may have changed, or their numbers or keys. Earlier notes of the table say nothing any more.
        case whole
    }

    /// Its number. Each later note has a greater one, also after notes were removed.
    package let note: Int64
    /// The number of the table: `PublishedTable.id`, or `runs`.
    package let table: StreamID
    package let kind: Kind
    /// The numbers of the rows; those of `runs` are the numbers of the runs. `0...0` for `whole`.
    package let rows: ClosedRange<Int64>
    /// The key of a deleted row, in the key's order. Empty if it is the number of the row; `rows` may then have several.
    package let key: [Value]

    /// Stands for `_garner_runs` in the place of a table. Only runs that have ended are noted, by `insert` or `update`.
    package static let runs: StreamID = 0

    package init(note: Int64, table: StreamID, kind: Kind, rows: ClosedRange<Int64>, key: [Value]) {
        (self.note, self.table, self.kind, self.rows, self.key) = (note, table, kind, rows, key)
    }
}

/// The notes of one table, put together.
package struct OutboxChanges: Sendable, Equatable {
    package var isWhole = false
    /// The keys of rows that were deleted. Some may be there again; those are in `replaced`.
    package var deletedKeys: [[Value]] = []
    /// The numbers of the rows that were deleted, for a table whose key is the number of the row.
    package var deletedRows: [ClosedRange<Int64>] = []
    /// The rows that were inserted or deleted. Those that are there now were not there before, or are not in the state before.
    /// Rising, without common or neighbouring numbers.
    package var replaced: [ClosedRange<Int64>] = []
    /// The rows that were only updated, and have the keys that they had. Rising, without common or neighbouring numbers.
    package var updated: [ClosedRange<Int64>] = []
    /// The greatest number of the notes; nil if there are none.
    package var lastNote: Int64?
}

/// The notes of a table while they are read.
struct CollectedNotes {
    /// False if the table has a column for the number of its rows.
    let hasKey: Bool
    private var replaced: [ClosedRange<Int64>] = []
    private var updated: [ClosedRange<Int64>] = []
    private var deleted: [ClosedRange<Int64>] = []
    private var result = OutboxChanges()

    init(hasKey: Bool) { self.hasKey = hasKey }

    mutating func add(_ note: OutboxNote) {
        result.lastNote = note.note
        guard !result.isWhole else { return }
        switch note.kind {
        case .insert: replaced.append(note.rows)
        case .update: updated.append(note.rows)
        case .delete:
            replaced.append(note.rows)
            if note.key.isEmpty { deleted.append(note.rows) } else { result.deletedKeys.append(note.key) }
        case .whole:
            self = CollectedNotes(hasKey: hasKey)
            result.isWhole = true
            result.lastNote = note.note
        }
    }

    var changes: OutboxChanges {
        var changes = result
        changes.replaced = replaced.joined
        changes.updated = updated.joined.without(changes.replaced)
        guard hasKey else {
            changes.deletedRows = deleted.joined
            return changes
        }
        // The number of a row is its key. To make a table again takes no longer than to delete so many keys.
        for range in deleted.joined {
            guard range.upperBound.subtractingReportingOverflow(range.lowerBound).partialValue < Self.mostKeys,
                changes.deletedKeys.count < Self.mostKeys
            else {
                var whole = OutboxChanges()
                (whole.isWhole, whole.lastNote) = (true, result.lastNote)
                return whole
            }
            changes.deletedKeys += range.map { [.integer($0)] }
        }
        return changes
    }

    private static let mostKeys = Outbox.mostNotes
}
