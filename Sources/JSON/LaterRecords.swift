/// Some of the records of a page.
package struct RecordPiece: Sendable {
    package let records: Selection
    /// The indices of those that say that their rows are to be deleted.
    package let deletions: Set<Int>

    package init(records: Selection, deletions: Set<Int>) {
        (self.records, self.deletions) = (records, deletions)
    }
}

/// The records of a long page behind its first piece.
///
/// Each pass over them parses them anew, one piece at a time, so that a long page takes no more memory than a short one.
package struct LaterRecords: Sendable {
    /// Calls its argument with each piece.
    package typealias Pass = ((RecordPiece) throws -> Void) throws -> Void

    /// Their number.
    package let count: Int
    /// The number of those that say that their rows are to be deleted.
    package let deletions: Int
    private let pass: @Sendable ((RecordPiece) throws -> Void) throws -> Void

    package init(
        count: Int, deletions: Int, _ pass: @escaping @Sendable ((RecordPiece) throws -> Void) throws -> Void
    ) {
        (self.count, self.deletions, self.pass) = (count, deletions, pass)
    }

    /// Calls `body` with each piece in order. Throws what it throws, and if they cannot be read.
    package func forEach(_ body: (RecordPiece) throws -> Void) throws { try pass(body) }
}
