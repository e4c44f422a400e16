/// A deviation from the model.
struct HistoryProblem: Error, Sendable, Equatable {
    /// The kind of the problem, in one word; problems of one kind count as the same.
    let kind: String
    var text: String

    init(_ kind: String, _ text: String) { (self.kind, self.text) = (kind, text) }

    /// Throws a problem, if there is one.
    static func check(_ problem: HistoryProblem?) throws { if let problem { throw problem } }

    /// Returns the problem of the first row that is not as expected.
    ///
    /// - Parameters:
    ///   - free: Rows that may also be missing.
    ///   - difference: The difference between a row that must be there and the one that is; nil for none.
    static func rows(
        _ expected: [RecordID: Row], _ got: [RecordID: Row], free: Set<RecordID> = [],
        difference: (RecordID, Row, Row) -> String?
    ) -> HistoryProblem? {
        for id in Set(expected.keys).union(got.keys).sorted() {
            guard let wanted = expected[id] else {
                return HistoryProblem("rows", "the row \(id) is there, and must not be: \(got[id]?.told ?? "")")
            }
            guard let row = got[id] else {
                if free.contains(id) { continue }
                return HistoryProblem("rows", "the row \(id) is not there, but must be \(wanted.told)")
            }
            if let text = difference(id, wanted, row) {
                return HistoryProblem("rows", "the row \(id) is not as it must be\(text)")
            }
        }
        return nil
    }
}
