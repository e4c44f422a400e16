/// A page's memory, read.
struct KnownPage {
    let memory: PageMemory
    let validator: Validator
    let summary: PageSummary

    /// nil where the memory does not stand for the page at this position of the read.
    init?(_ memory: PageMemory, at position: PagePosition) {
        guard let validator = Validator(text: memory.validator), let summary = PageSummary(text: memory.summary),
            summary.recordsBefore == position.history.records
        else { return nil }
        self.memory = memory
        self.validator = validator
        self.summary = summary
    }
}
