/// What was published for a request, and what was not.
package struct PublicationAnswer: Sendable, Equatable, Codable {
    package struct Table: Sendable, Equatable, Codable {
        /// The name in PostgreSQL.
        package let name: String
        package let inserted: Int
        package let updated: Int
        package let deleted: Int
        /// True if the table was made, or made again.
        package let isMade: Bool
        /// Why the table is not as the file has it; nil if it is.
        package let behind: String?

        package init(name: String, inserted: Int, updated: Int, deleted: Int, isMade: Bool, behind: String?) {
            (self.name, self.inserted, self.updated, self.deleted) = (name, inserted, updated, deleted)
            (self.isMade, self.behind) = (isMade, behind)
        }
    }

    /// In the order of their names.
    package let tables: [Table]
    /// The number of tables that are not among them.
    package let otherTables: Int
    package let rows: Int
    package let warnings: [String]
    /// Why the rest was not published; nil if all was.
    package let failure: ControlError?

    package init(tables: [Table], otherTables: Int, rows: Int, warnings: [String], failure: ControlError?) {
        (self.tables, self.otherTables, self.rows) = (tables, otherTables, rows)
        (self.warnings, self.failure) = (warnings, failure)
    }

    /// Returns what was published of two files together.
    package func adding(_ other: PublicationAnswer) -> PublicationAnswer {
        PublicationAnswer(
            tables: (tables + other.tables).sorted { $0.name < $1.name }, otherTables: otherTables + other.otherTables,
            rows: rows + other.rows, warnings: warnings + other.warnings, failure: failure ?? other.failure)
    }
}
