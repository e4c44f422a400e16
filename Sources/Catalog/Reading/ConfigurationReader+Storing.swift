extension ConfigurationReader {
    /// What the keys about storing say together.
    func checkStoring(_ draft: StreamDraft) {
        guard draft.stream.replacesTable, let place = draft.place(of: "write_disposition") else { return }
        if draft.stream.incremental != nil {
            issues.fail(
                at: place, "'write_disposition: replace' cannot work with 'incremental' of '\(draft.name)'",
                hint: "write 'write_disposition: merge' in the stream: who reads only changes cannot replace the rest")
        }
        if draft.stream.deleteMissing != .ignore {
            issues.fail(
                at: draft.place(of: "delete_missing") ?? place,
                "'delete_missing: \(draft.stream.deleteMissing.rawValue)' has no place beside "
                    + "'write_disposition: replace' of '\(draft.name)'",
                hint:
                    "write 'delete_missing: ignore' in the stream: what is missing goes with the rows that are replaced"
            )
        }
    }
}
