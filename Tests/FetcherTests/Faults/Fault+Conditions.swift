import TestSupport

extension Fault {
    /// The page was read before, and has a validator.
    static let conditions: [Fault] = [
        remembered("answers 304 when asked", .unchanged) {
            $0.status = "304 Not Modified"; $0.body = []
        },
        remembered("answers 304 when asked, with a body", .unchanged) { $0.status = "304 Not Modified" },
        remembered("answers 304 with another ETag", .unchanged) {
            $0.status = "304 Not Modified"; $0.fields = [("ETag", "\"new\"")]; $0.body = []
        },
        remembered("answers 304 with no ETag", .unchanged) {
            $0.status = "304 Not Modified"; $0.fields = []; $0.body = []
        },
        remembered("answers 200 with the same ETag", .unchanged) { _ in },
        remembered("answers 200 with a changed ETag", .unchanged) { $0.fields = [("ETag", "\"new\"")] },
        remembered("answers 200 with a weak ETag", .unchanged) { $0.fields = [("ETag", "W/\"new\"")] },
        remembered("answers 200 with no ETag", .unchanged) { $0.fields = [] },
        remembered("answers 412", .error("status")) { $0.status = "412 Precondition Failed" },
    ]

    private static func remembered(
        _ name: String, _ outcome: Outcome, _ change: @escaping @Sendable (inout GoodAnswer) -> Void
    ) -> Fault {
        Fault(name, outcome, in: .all) { $0.answer.with(change).reply }.with { $0.isRemembered = true }
    }
}
