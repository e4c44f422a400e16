package import GarnerModel

// The statements of a published table.
extension TableDefinition {
    package func createTable(_ place: PublishedPlace) -> String {
        let lines = columns.map(Self.declaration) + [primaryKey]
        return "CREATE TABLE \(place.sql) (\n    \(lines.joined(separator: ",\n    "))\n)"
    }

    private var primaryKey: String { "PRIMARY KEY (\(key.map { SQLText.name($0.name) }.joined(separator: ", ")))" }

    /// Returns the statement that gives a table its key. The table must be empty.
    package func addKey(to place: PublishedPlace) -> String { "ALTER TABLE \(place.sql) ADD \(primaryKey)" }

    private static func declaration(_ column: Column) -> String {
        "\(SQLText.name(column.name)) \(column.type.declaration)"
    }

    /// Tells people where the table's rows come from.
    package static func comment(on place: PublishedPlace, stream: String) -> String {
        let words =
            "The stream \(stream), published by Garner. It keeps the rows in step with its file; what is changed here may be lost."
        return "COMMENT ON TABLE \(place.sql) IS \(SQLText.literal(words))"
    }

    package static func addColumns(_ columns: [Column], to place: PublishedPlace) -> String {
        let lines = columns.map { "ADD COLUMN " + declaration($0) }
        return "ALTER TABLE \(place.sql) \(lines.joined(separator: ", "))"
    }

    package static func rename(_ place: PublishedPlace, to name: String) -> String {
        "ALTER TABLE \(place.sql) RENAME TO \(SQLText.name(name))"
    }

    /// Returns the statement that gives the columns their types; nil if they have them. The table must be empty.
    ///
    /// - Parameter types: Those that the columns have, as the server writes them.
    package func changeTypes(of place: PublishedPlace, from types: [ExactText: String]) -> String? {
        let changes = columns.compactMap { column -> String? in
            guard let type = types[ExactText(column.name)], type != column.type.serverName else { return nil }
            // Between some types there is no cast, and no row needs one.
            return
                "ALTER COLUMN \(SQLText.name(column.name)) TYPE \(column.type.declaration) USING NULL::\(column.type.rawValue)"
        }
        // ONLY: the values of tables of somebody's that inherit from it would be NULL.
        return changes.isEmpty ? nil : "ALTER TABLE ONLY \(place.sql) \(changes.joined(separator: ", "))"
    }
}
