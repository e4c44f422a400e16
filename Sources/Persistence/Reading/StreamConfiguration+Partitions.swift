package import GarnerCatalog
import GarnerModel
import GarnerSQLite

extension StreamConfiguration {
    /// Returns the stream with the values that its partitions have now.
    ///
    /// Throws `PersistenceError` if a partition has no value or its values cannot be had.
    ///
    /// - Parameters:
    ///   - database: The path of the database, which is opened only for queries.
    ///   - clock: The clock for the time that a query may take.
    package func withPartitionValues(from database: String, clock: any Clock<Duration>) throws -> StreamConfiguration {
        guard hasChangingPartitions else { return self }
        let query = partitions.first { if case .query = $0.origin { true } else { false } }
        guard let query else { return try PartitionValues(of: self, on: nil, clock: clock).stream }
        do {
            let reader = try ReadOnlyDatabase(path: database)
            return try reader.reading { try PartitionValues(of: self, on: reader.connection, clock: clock).stream }
        } catch let error as PersistenceError where error.kind == .missing {
            throw PersistenceError(
                .partition, "'partitions.\(query.name)' takes its values from stored rows, and \(error.message)",
                hint: "sync the streams whose tables the query reads first")
        }
    }
}
