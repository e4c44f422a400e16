import Digest

/// A page's memory, read.
struct KnownPage {
    let memory: PageMemory
    let validator: Validator?
    let fingerprint: Fingerprint?
    let summary: PageSummary

    /// nil where the memory does not stand for the page at this position of the read.
    init?(_ memory: PageMemory, at position: PagePosition) {
        let validator = memory.validator.flatMap(Validator.init(text:))
        let fingerprint = memory.fingerprint.flatMap(Fingerprint.init(text:))
        guard validator != nil || fingerprint != nil, let summary = PageSummary(text: memory.summary),
            summary.recordsBefore == position.history.records
        else { return nil }
        self.memory = memory
        self.validator = validator
        self.fingerprint = fingerprint
        self.summary = summary
    }
}
