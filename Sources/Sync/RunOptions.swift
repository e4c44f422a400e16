package import Catalog

/// How one run differs from the usual.
package struct RunOptions: Sendable {
    /// The instant that the schedule meant; nil for a run that someone asked for.
    package var nominal: Timestamp?
    /// Begins with the first page even where an earlier read was not finished.
    package var restarts: Bool
    /// Ends the run after so many pages.
    package var maximumPages: Int?

    package init(nominal: Timestamp? = nil, restarts: Bool = false, maximumPages: Int? = nil) {
        self.nominal = nominal
        self.restarts = restarts
        self.maximumPages = maximumPages
    }
}
