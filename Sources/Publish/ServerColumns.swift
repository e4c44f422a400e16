import GarnerModel
import GarnerPostgres

/// The columns that tables in PostgreSQL have, whatever their definitions say.
struct ServerColumns {
    private var types: [PublishedPlace: [ExactText: String]] = [:]
    /// The numbers by which PostgreSQL knows the tables. Another table of the same name has another one.
    private(set) var numbers: [PublishedPlace: Int64] = [:]
    /// The numbers of the files that PostgreSQL keeps their rows in.
    private(set) var storages: [PublishedPlace: Int64] = [:]
    /// The tables with a rule of a user's that does something else INSTEAD of UPDATE or DELETE, which then count its rows.
    private(set) var ruled: Set<PublishedPlace> = []
    /// The tables whose row-level security holds for Garner: COPY does not work there, and DELETE sees some of the rows only. Each has the
    /// line that ends that.
    private(set) var secured: [PublishedPlace: String] = [:]
    /// What stands in places of tables and is none that rows can be written to.
    private(set) var others: [PublishedPlace: OtherRelation] = [:]

    /// Reads those of all tables in one trip. A table that is not there has none.
    static func read(of places: [PublishedPlace], on connection: PostgresConnection) async throws -> ServerColumns {
        guard !places.isEmpty else { return ServerColumns() }
        let found = try await connection.execute(
            """
            SELECT number, attname::text, format_type(atttypid, atttypmod), attrelid::bigint, relkind::text,
                relfilenode::bigint,
                relhasrules AND EXISTS (SELECT FROM pg_rewrite WHERE ev_class = pg_class.oid AND is_instead
                    AND ev_type IN ('2', '4') AND ev_enabled IN ('O', 'A')),
                CASE WHEN relrowsecurity AND row_security_active(pg_class.oid) THEN \(OwnTables.lineAgainstRowSecurity("place")) END
            FROM unnest($1::text[]) WITH ORDINALITY AS s (place, number)
            JOIN pg_class ON pg_class.oid = to_regclass(place)
            JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
            """, .texts(places.map(\.sql)))
        var columns = ServerColumns()
        for row in found.rows {
            guard let number = row[0].integer, let name = row[1].text, let type = row[2].text else { continue }
            let place = places[Int(number) - 1]
            columns.types[place, default: [:]][ExactText(name)] = type
            columns.numbers[place] = row[3].integer
            columns.storages[place] = row[5].integer
            if row[6] == .boolean(true) { columns.ruled.insert(place) }
            columns.secured[place] = row[7].text
            columns.others[place] = row[4].text.flatMap(OtherRelation.init(relkind:))
        }
        return columns
    }

    /// The types of a table's columns as SQL writes them, by their names.
    subscript(_ place: PublishedPlace) -> [ExactText: String] { types[place] ?? [:] }
}

/// What has the name of a published table and is no ordinary table. `ONLY` finds no rows of a partitioned one, while `COPY` fills its
/// partitions.
struct OtherRelation {
    private let words: String
    /// What stands behind `ALTER`.
    private let keywords: String

    /// Returns nil for an ordinary table.
    init?(relkind: String) {
        switch relkind {
        case "r": return nil
        case "p": (words, keywords) = ("a partitioned table", "TABLE")
        case "v": (words, keywords) = ("a view", "VIEW")
        case "m": (words, keywords) = ("a materialized view", "MATERIALIZED VIEW")
        case "f": (words, keywords) = ("a foreign table", "FOREIGN TABLE")
        case "S": (words, keywords) = ("a sequence", "SEQUENCE")
        case "c": (words, keywords) = ("a type", "TYPE")
        default: (words, keywords) = ("an index", "INDEX")
        }
    }

    /// Says so, with the line that makes room for a table.
    func reason(at place: PublishedPlace) -> String {
        let name = PublishedNames.column(place.name + "_own", taken: [])
        return
            "\(place.sql) is \(words) now, and Garner writes to ordinary tables only. Rename or drop it, and Garner makes a table "
            + "anew: ALTER \(keywords) \(place.sql) RENAME TO \(SQLText.name(name))"
    }
}
