/// What differs between two editions, as ids in ascending order.
package struct EditionChanges: Sendable, Equatable {
    package let added: [Int]
    package let updated: [Int]
    package let removed: [Int]

    /// The way from the first edition to the second, as announced; the records of both agree with it.
    package static let firstToSecond = Revision.second.changes
}
