import JSON

/// A response that passed every check.
struct Reply: Sendable {
    let head: ResponseHead
    let document: Document
    /// How many attempts it took.
    var requests = 1
}
