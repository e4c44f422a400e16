import GarnerJSON
import GarnerModel

/// The values that were set aside in the records that have been bound since the last run.
///
/// A run that only adds rows to an empty table knows all of the table's odd values by it, and does not look for them there.
struct OddTally {
    private(set) var records = 0
    /// True if the table had no row when the tally began, and no column with values has got another type since, which may hold what was
    /// set aside.
    private var isExact = false
    private var types: [ColumnType?] = []
    /// The number of records that have no value for each column.
    private var empty: [Int] = []
    private var found: [Int: OddColumns.Found] = [:]

    /// Begins at a table without rows.
    mutating func beginAtNothing() { isExact = true }

    /// Follows the columns of the table. What came before a new one has no value for it.
    mutating func follow(_ types: [ColumnType?]) {
        for (former, type) in zip(self.types, types) where former != nil && former != type { isExact = false }
        self.types = types
        while empty.count < types.count { empty.append(records) }
    }

    /// Adds a record.
    ///
    /// - Parameter columns: The indices of the columns without a value.
    mutating func addRecord(emptyIn columns: [Int]) {
        records += 1
        for column in columns { empty[column] += 1 }
    }

    /// Adds a value of the record that stands beside its column.
    mutating func add(_ value: Node, besideColumnAt column: Int) { found[column, default: .init()].addSetAside(value) }

    /// Returns what was set aside beside some columns, by their indices; nil if it is not known.
    func setAside(_ columns: [Int]) -> [Int: OddColumns.Found]? {
        guard isExact else { return nil }
        return columns.reduce(into: [:]) {
            var found = found[$1] ?? .init()
            found.all = records - empty[$1]
            $0[$1] = found
        }
    }

    /// Begins anew at the rows and the columns that there are.
    mutating func reset() {
        let types = types
        self = OddTally()
        follow(types)
    }
}
