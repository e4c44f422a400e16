/// What is not as the model says.
struct HistoryProblem: Sendable, Equatable {
    /// What differs, in a word: problems of one kind are taken for the same.
    let kind: String
    var text: String

    init(_ kind: String, _ text: String) { (self.kind, self.text) = (kind, text) }
}
