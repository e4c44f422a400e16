/// The error of a connection to PostgreSQL. Its message and hint are on one line, without control characters and without the
/// password.
package struct PostgresError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// libpq is not installed, or is too old.
        case libraryMissing
        /// The URL or one of its options is no valid one.
        case invalidURL
        /// Nobody answers at the address, or not yet.
        case unreachable
        /// The server does not accept the user, or the password.
        case loginRefused
        /// There is no TLS, or the certificate cannot be trusted.
        case untrusted
        case undefinedDatabase
        /// A server that Garner does not work with, whatever is tried again.
        case unsupportedServer
        /// The connection broke. What happened to a `COMMIT` that was under way is not known.
        case connectionLost
        /// The server has said nothing for too long, and the connection was closed. What happened to a `COMMIT` is not known.
        case unanswered
        /// The server ends the connection, since it stops, or since an operator or a timeout ended the session.
        case shutdown
        /// The connection was closed here before the call.
        case closed
        case lockTimeout, deadlock, serialization
        /// The server stopped the statement: a timeout, or somebody's `pg_cancel_backend`.
        case cancelled
        case insufficientPrivilege
        case undefinedTable, undefinedColumn, undefinedSchema
        case duplicateObject
        /// Other objects depend on it, such as a view on a column.
        case dependentObjects
        case uniqueViolation, foreignKeyViolation
        /// Another constraint does not hold.
        case constraintViolation
        /// The value is not one of its type.
        case invalidValue
        /// A limit of the server's, such as 2,704 bytes of a key.
        case limitExceeded
        case diskFull, outOfMemory, tooManyConnections
        case readOnly
        case notInTransaction
        /// PostgreSQL holds no NUL in a text.
        case textWithNUL
        /// The instant lies beyond those of `timestamptz`.
        case instantOutOfRange
        case other
    }

    package let kind: Kind
    package let message: String
    /// What to do about it, where that is known.
    package let hint: String?
    /// The server's code (postgresql.org/docs/current/errcodes-appendix.html), if the server refused.
    package let sqlState: String?
    /// The names that the server says the error is about. They are as the server has them, to be compared and not to be shown.
    package let schema: String?
    package let table: String?
    package let column: String?
    package let constraint: String?

    init(
        _ kind: Kind, _ message: String, hint: String? = nil, sqlState: String? = nil, schema: String? = nil,
        table: String? = nil, column: String? = nil, constraint: String? = nil
    ) {
        self.kind = kind
        self.message = message
        self.hint = hint
        self.sqlState = sqlState
        self.schema = schema
        self.table = table
        self.column = column
        self.constraint = constraint
    }

    /// True for five digits and capital letters, as all codes of a server are.
    static func isState(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 5 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }

    package var description: String {
        let code = sqlState.map { " (SQLSTATE \($0))" } ?? ""
        return message + code + (hint.map { ". \($0)" } ?? "")
    }

    /// True if the same work may succeed later without a change by anybody.
    package var isPassing: Bool {
        switch kind {
        case .unreachable, .connectionLost, .unanswered, .shutdown, .lockTimeout, .deadlock, .serialization, .cancelled,
            .diskFull,
            .outOfMemory, .tooManyConnections:
            true
        default: false
        }
    }

    /// True if nothing more can be sent on this connection.
    package var endsConnection: Bool {
        switch kind {
        // A server that cannot read the bytes of a value says so as a violation of the protocol, and goes on.
        case .connectionLost: sqlState != "08P01"
        case .unanswered, .unreachable, .shutdown, .closed, .libraryMissing: true
        default: false
        }
    }

    static let closed = PostgresError(.closed, "the connection to PostgreSQL is closed")
    static let textWithNUL = PostgresError(.textWithNUL, "PostgreSQL holds no NUL character in a text")
    static let instantOutOfRange = PostgresError(
        .instantOutOfRange, "PostgreSQL's timestamptz does not reach to this instant")
    static let tooLong = PostgresError(.limitExceeded, "PostgreSQL takes no value of a gigabyte")
}

extension PostgresError.Kind {
    /// Creates the kind of a code of the server, and of its words where the code says too little. The first two characters are its class.
    init(sqlState: String, message: String = "") {
        // The code of all that the server cannot do.
        if sqlState == "0A000", message.contains("used by a view or rule") {
            self = .dependentObjects
            return
        }
        self = Self.ofCodes[sqlState] ?? Self.ofClasses[String(sqlState.prefix(2))] ?? .other
    }

    private static let ofCodes: [String: Self] = [
        "25006": .readOnly,
        "25P01": .notInTransaction,
        "25P03": .shutdown,  // idle_in_transaction_session_timeout ended the session.
        "2BP01": .dependentObjects,
        "3D000": .undefinedDatabase,
        "3F000": .undefinedSchema,
        "22P04": .invalidValue,
        "23503": .foreignKeyViolation,
        "23505": .uniqueViolation,
        "40001": .serialization,
        "40P01": .deadlock,
        "42501": .insufficientPrivilege,
        "42701": .duplicateObject, "42710": .duplicateObject, "42P06": .duplicateObject, "42P07": .duplicateObject,
        "42703": .undefinedColumn,
        "42P01": .undefinedTable,
        "53100": .diskFull,
        "53200": .outOfMemory,
        "53300": .tooManyConnections,
        "55P03": .lockTimeout,
        "57014": .cancelled,
        "57P01": .shutdown, "57P02": .shutdown, "57P05": .shutdown,
        "57P03": .unreachable,  // It starts, stops or recovers.
        "57P04": .undefinedDatabase,
    ]

    private static let ofClasses: [String: Self] = [
        "08": .connectionLost, "22": .invalidValue, "23": .constraintViolation, "28": .loginRefused,
        "40": .serialization, "53": .outOfMemory, "54": .limitExceeded, "57": .shutdown,
    ]
}
