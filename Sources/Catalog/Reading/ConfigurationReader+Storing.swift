extension ConfigurationReader {
    /// What the keys about storing say together.
    func checkStoring(_ draft: StreamDraft) {
        checkReplacing(draft)
        checkMerging(draft)
        checkContent(draft)
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

    private func checkMerging(_ draft: StreamDraft) {
        guard draft.stream.mergeStrategy == .insertOnly, draft.stream.writeDisposition == .append,
            let place = draft.place(of: "merge_strategy")
        else { return }
        issues.fail(
            at: place, "'merge_strategy: insert_only' contradicts 'write_disposition: append' of '\(draft.name)'",
            hint: "remove one of them: who appends stores every record, known or not")
    }

    private func checkContent(_ draft: StreamDraft) {
        guard draft.stream.dedupes, let place = draft.place(of: "dedupe") else { return }
        if draft.stream.primaryKey != nil {
            issues.fail(
                at: place, "'dedupe' contradicts 'primary_key' of '\(draft.name)'",
                hint: "remove one of them: the content of a record is its key, or some of its fields are")
        }
        if draft.stream.writeDisposition == .append {
            issues.fail(
                at: place, "'dedupe' contradicts 'write_disposition: append' of '\(draft.name)'",
                hint: "remove one of them: who appends stores a record as often as it comes")
        }
    }
}
