import GarnerModel
import GarnerPostgres

/// The columns that tables in PostgreSQL have, whatever their definitions say.
struct ServerColumns {
    private var types: [PublishedPlace: [ExactText: String]] = [:]
    /// The numbers by which PostgreSQL knows the tables. Another table of the same name has another one.
    private(set) var numbers: [PublishedPlace: Int64] = [:]

    /// Reads those of all tables in one trip. A table that is not there has none.
    static func read(of places: [PublishedPlace], on connection: PostgresConnection) async throws -> ServerColumns {
        guard !places.isEmpty else { return ServerColumns() }
        let found = try await connection.execute(
            """
            SELECT number, attname::text, format_type(atttypid, atttypmod), attrelid::bigint
            FROM unnest($1::text[]) WITH ORDINALITY AS s (place, number)
            JOIN pg_attribute ON attrelid = to_regclass(place) AND attnum > 0 AND NOT attisdropped
            """, .texts(places.map(\.sql)))
        var columns = ServerColumns()
        for row in found.rows {
            guard case .integer(let number) = row[0], let name = row[1].text, let type = row[2].text else { continue }
            columns.types[places[Int(number) - 1], default: [:]][ExactText(name)] = type
            if case .integer(let table) = row[3] { columns.numbers[places[Int(number) - 1]] = table }
        }
        return columns
    }

    /// The types of a table's columns as SQL writes them, by their names.
    subscript(_ place: PublishedPlace) -> [ExactText: String] { types[place] ?? [:] }
}
