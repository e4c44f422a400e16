/// What the pages before a position have shown: it is stored with the position, so that a read that goes on in another
/// process judges the next page as it would have been judged in this one.
package struct ReadHistory: Hashable, Sendable {
    /// How many records the pages had in all.
    package var records = 0
    /// The member of the body in which the records stood, where it was found out and not configured.
    package var member: String?
    /// Of the last page's body, where its paginator cannot tell from a response which page it is.
    package var digest: Int64?

    package init(records: Int = 0, member: String? = nil, digest: Int64? = nil) {
        self.records = records
        self.member = member
        self.digest = digest
    }
}
