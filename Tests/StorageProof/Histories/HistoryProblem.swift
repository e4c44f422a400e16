/// A deviation from the model.
struct HistoryProblem: Sendable, Equatable {
    /// The kind of the problem, in one word; problems of one kind count as the same.
    let kind: String
    var text: String

    init(_ kind: String, _ text: String) { (self.kind, self.text) = (kind, text) }
}
