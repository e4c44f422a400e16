import Catalog
import SQLite

/// Lays out what a read is made of: a slice for each record of the parent and each combination of the partitions.
struct SliceLayout {
    let stream: Stream
    let connection: Connection

    /// Calls `body` with what a slice is asked for with, and with what is stored with its records.
    ///
    /// - Returns: Why some records of the parent are left out; nil where none is.
    func forEachSlice(_ body: (Bindings, _ added: String?) throws -> Void) throws -> String? {
        guard let parent = stream.parent else {
            try forEachCombination { try body($0, nil) }
            return nil
        }
        guard let table = try ParentTable(of: stream, parent: parent, on: connection) else { return nil }
        var leftOut = 0
        let statement = try Statement(table.query, on: connection)
        while try statement.step() {
            guard let bindings = table.bindings(statement) else {
                leftOut += 1
                continue
            }
            let added = table.added(statement)
            try forEachCombination { try body($0.merging(bindings) { $1 }, added) }
        }
        let fields = table.boundFields.joined(separator: ", ")
        return leftOut == 0 ? nil : "\(leftOut) records of \(parent.stream) have no \(fields) to ask with"
    }

    /// Calls `body` with each combination of the partitions' values, the last one changing fastest.
    private func forEachCombination(_ body: (Bindings) throws -> Void) throws {
        try combine(stream.partitions[...], into: [:], body)
    }

    private func combine(
        _ partitions: ArraySlice<Partition>, into bindings: Bindings, _ body: (Bindings) throws -> Void
    ) throws {
        guard let partition = partitions.first else { return try body(bindings) }
        for value in partition.values {
            var bindings = bindings
            bindings[.partition(partition.name)] = value
            try combine(partitions.dropFirst(), into: bindings, body)
        }
    }
}
