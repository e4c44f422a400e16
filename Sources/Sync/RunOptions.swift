package import Persistence

/// How one run differs from the usual.
package struct RunOptions: Sendable {
    /// What becomes of the stream's schedule with the run's end; called in the transaction that ends it.
    ///
    /// The second value is how long the source asks to be left alone.
    package typealias Settle = @Sendable (RunEnding, _ leftAlone: Duration?) -> ScheduleRecord

    package var occasion: RunOccasion
    /// Begins with the first page even where an earlier read was not finished.
    package var restarts: Bool
    /// Ends the run after so many pages.
    package var maximumPages: Int?

    /// nil: the schedule stays as it is.
    package var settle: Settle?

    /// Hears of each request as soon as it is over.
    package var onRequest: (@Sendable (RequestRecord) -> Void)?

    package init(
        occasion: RunOccasion = .manual(), restarts: Bool = false, maximumPages: Int? = nil, settle: Settle? = nil,
        onRequest: (@Sendable (RequestRecord) -> Void)? = nil
    ) {
        self.onRequest = onRequest
        self.occasion = occasion
        self.settle = settle
        self.restarts = restarts
        self.maximumPages = maximumPages
    }
}
