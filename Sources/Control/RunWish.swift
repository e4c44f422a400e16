package import Catalog

/// A run that someone asks for now, whatever the schedule says.
package struct RunWish: Sendable, Equatable {
    package var stream: StreamName
    /// The same id twice is one wish. Printable ASCII, `1...longestRequestID` characters.
    package var requestID: String
    /// Whether the end of the run is waited for.
    package var waits: Bool
    /// Begins with the first page even where an earlier read was not finished.
    package var restarts: Bool
    /// Ends the run after so many pages; at least 1.
    package var maximumPages: Int?

    package static let longestRequestID = 128

    package init(
        _ stream: StreamName, requestID: String, waits: Bool = false, restarts: Bool = false, maximumPages: Int? = nil
    ) {
        self.stream = stream
        self.requestID = requestID
        self.waits = waits
        self.restarts = restarts
        self.maximumPages = maximumPages
    }

    package static func isRequestID(_ text: String) -> Bool {
        (1...longestRequestID).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
