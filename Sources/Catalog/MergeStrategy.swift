/// What becomes of a record whose key is stored already.
package enum MergeStrategy: String, Sendable, CaseIterable {
    /// Its row is updated where a column differs.
    case upsert
    /// Its row stays as it is.
    case insertOnly = "insert_only"
}
