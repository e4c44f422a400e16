package import Catalog
import SQLite

/// The request of one page, as the ledger keeps it; without secrets.
package struct RequestRecord: Sendable, Equatable {
    package var sentAt: Timestamp
    package var url: String
    /// Of the last response; nil where none came.
    package var status: Int?
    /// The HTTP requests that it took, retries and redirects included.
    package var attempts: Int
    /// Of the body after decompression.
    package var bytes: Int
    package var duration: Duration
    package var isNotModified: Bool
    /// How many requests the server said it would still take; nil where it said nothing.
    package var rateLimitRemaining: Int?
    /// Why the page did not come in; nil where it did.
    package var errorKind: String?

    package init(
        sentAt: Timestamp, url: String, status: Int? = nil, attempts: Int = 1, bytes: Int = 0,
        duration: Duration = .zero, isNotModified: Bool = false, rateLimitRemaining: Int? = nil,
        errorKind: String? = nil
    ) {
        self.sentAt = sentAt
        self.url = url
        self.status = status
        self.attempts = attempts
        self.bytes = bytes
        self.duration = duration
        self.isNotModified = isNotModified
        self.rateLimitRemaining = rateLimitRemaining
        self.errorKind = errorKind
    }

    func insert(run: Int64, on connection: Connection) throws {
        let statement = try connection.statement(
            """
            INSERT INTO _garner_requests
            (run_id, sent_at, url, status, attempts, bytes, duration_ms, not_modified, rate_limit_remaining, error_kind)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """)
        try statement.bind([
            .integer(run), .text(sentAt.description), .text(url), Value(status.map(Int64.init)),
            .integer(Int64(attempts)), .integer(Int64(bytes)), .integer(duration.milliseconds),
            .integer(isNotModified ? 1 : 0), Value(rateLimitRemaining.map(Int64.init)), Value(errorKind),
        ])
        try statement.run()
    }

    /// The ledger holds the requests of a stream's latest runs: this many and the one that begins.
    private static let keptRuns = 100

    /// Forgets the requests of the run that is one too many; to be called before each run.
    static func forgetOldest(of streamID: Int64, on connection: Connection) throws {
        try connection.execute(
            """
            DELETE FROM _garner_requests WHERE run_id = (
                SELECT run_id FROM _garner_runs WHERE stream_id = ?1 ORDER BY run_id DESC LIMIT 1 OFFSET ?2)
            """, .integer(streamID), .integer(Int64(keptRuns)))
    }

    static let selection = """
        SELECT sent_at, url, status, attempts, bytes, duration_ms, not_modified, rate_limit_remaining, error_kind
        FROM _garner_requests
        """

    init(_ row: Statement) {
        self.init(
            sentAt: Timestamp(rfc3339: row.text(at: 0)) ?? Timestamp(millisecondsSince1970: 0), url: row.text(at: 1),
            status: row.optionalInteger(at: 2).map { Int($0) }, attempts: Int(row.integer(at: 3)),
            bytes: Int(row.integer(at: 4)), duration: .milliseconds(row.integer(at: 5)),
            isNotModified: row.integer(at: 6) == 1, rateLimitRemaining: row.optionalInteger(at: 7).map { Int($0) },
            errorKind: row.optionalText(at: 8))
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? .max : whole + attoseconds / 1_000_000_000_000_000
    }
}
