extension ConfigurationReader {
    /// Whether the keys about storing can hold together.
    func checkStoring(_ draft: StreamDraft) {
        checkMerging(draft)
        checkContent(draft)
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
