extension ConfigurationReader {
    /// What the keys about storing say together.
    func checkStoring(_ draft: StreamDraft) {
        checkReplacing(draft)
        if draft.stream.childTables, draft.stream.writeDisposition == .append {
            issues.fail(
                at: draft.place(of: "child_tables") ?? draft.stream.place,
                "'child_tables' cannot work with 'write_disposition: append' of '\(draft.name)'",
                hint: "write 'child_tables: false' in the stream, or give it a 'primary_key' and merge or replace: "
                    + "rows of child tables name their record's key")
        }
    }

    private func checkReplacing(_ draft: StreamDraft) {
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
