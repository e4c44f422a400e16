/// What becomes of a record that does not fit the table as it is, by what of the table would have to change.
package struct SchemaContract: Sendable, Equatable {
    /// The table does not exist yet.
    package var tables = Mode.evolve
    /// A member has no column.
    package var columns = Mode.evolve
    /// A column's type does not hold a value exactly.
    package var dataTypes = Mode.evolve

    package init(tables: Mode = .evolve, columns: Mode = .evolve, dataTypes: Mode = .evolve) {
        (self.tables, self.columns, self.dataTypes) = (tables, columns, dataTypes)
    }

    package enum Mode: String, Sendable, CaseIterable {
        /// The table changes.
        case evolve
        /// The run fails.
        case freeze
        /// The record is left out.
        case discardRow = "discard_row"
        /// The value is left out.
        case discardValue = "discard_value"
        case quarantine
    }

    /// As it stands in the identity of a read.
    var text: String { "\(tables.rawValue) \(columns.rawValue) \(dataTypes.rawValue)" }
}
