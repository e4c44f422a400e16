package import GarnerModel

/// What was published, and what was not.
package struct PublicationReport: Sendable, Equatable {
    /// The rows that PostgreSQL has taken of a table.
    package struct Sent: Sendable, Equatable {
        package var inserted = 0
        package var updated = 0
        package var deleted = 0
        /// True if the table was made again; its rows count as inserted.
        package var isMade = false
    }

    /// A table that is not as the file has it.
    package struct Behind: Sendable, Equatable {
        package let reason: String
        /// The time until the table is tried again.
        package let pause: Duration
    }

    /// The rows that were taken, by the names of their tables in PostgreSQL.
    package internal(set) var sent: [String: Sent] = [:]
    /// The tables that are behind, by their names in PostgreSQL.
    package internal(set) var behind: [String: Behind] = [:]
    /// Whole sentences, such as those on values that PostgreSQL cannot hold as they are.
    package internal(set) var warnings: [String] = []
    /// The number of transactions.
    package internal(set) var batches = 0
    /// The number of runs that were added to `_garner.runs`.
    package internal(set) var runs = 0
    /// Why the rest was not published; nil if all was.
    package internal(set) var failure: RunFailure?

    /// - Parameter failure: Why nothing could be tried.
    package init(failure: RunFailure? = nil) { self.failure = failure }

    /// The number of rows that PostgreSQL has taken of all tables.
    package var rows: Int { sent.values.reduce(0) { $0 + $1.inserted + $1.updated + $1.deleted } }
}

/// What a service tells while it publishes.
package enum PublicationEvent: Sendable, Equatable {
    /// The first connection to a target of the configuration.
    case began(target: String)
    /// Publishing goes on after a failure.
    case recovered
    /// Publishing has stopped, or waits for another reason. Each of ten reasons is told once, and again only after publishing has gone on.
    case failed(RunFailure)
    case behind(table: String, reason: String)
    case caughtUp(table: String)
    case warning(String)
}
