extension ConfigurationReader {
    /// Whether the keys about storing can hold together.
    func checkStoring(_ draft: StreamDraft) {
        guard draft.stream.mergeStrategy == .insertOnly, draft.stream.writeDisposition == .append,
            let place = draft.place(of: "merge_strategy")
        else { return }
        issues.fail(
            at: place, "'merge_strategy: insert_only' contradicts 'write_disposition: append' of '\(draft.name)'",
            hint: "remove one of them: who appends stores every record, known or not")
    }
}
