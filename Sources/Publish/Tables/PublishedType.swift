package enum PublishedType: String, Sendable, CaseIterable {
    case boolean, bigint
    case double = "double precision"
    case numeric, timestamptz, jsonb, text

    /// The type in `CREATE TABLE`. Texts are compared by their bytes, as SQLite does.
    package var declaration: String { self == .text ? "text COLLATE \"C\"" : rawValue }

    package var serverName: String { self == .timestamptz ? "timestamp with time zone" : rawValue }

    /// The type of the array that carries values of an `UPDATE` or `DELETE`.
    var arrayElement: String {
        switch self {
        case .boolean, .bigint, .double, .timestamptz, .text: rawValue
        case .numeric, .jsonb: "text"
        }
    }

    /// What is written behind an array's element to have this type.
    var cast: String { arrayElement == rawValue ? "" : "::\(rawValue)" }

    /// The most bytes of a value that PostgreSQL does not move out of the row, with those that align it.
    ///
    /// "the smallest value that is worth to be moved" is one of MAXALIGN(TOAST_POINTER_SIZE), 24 bytes
    /// (`toast_tuple_find_biggest_attribute`).
    var mostBytesInRow: Int {
        switch self {
        case .boolean: 1
        case .bigint, .double, .timestamptz: 8 + 7
        case .numeric, .jsonb, .text: 24
        }
    }
}
