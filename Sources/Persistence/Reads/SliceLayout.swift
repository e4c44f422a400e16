import Catalog
import Model
import SQLite

/// Lays out what a read is made of: a slice for each record of the parent and each combination of the partitions.
struct SliceLayout {
    let stream: Stream
    let connection: Connection

    /// Calls `body` with what a slice is asked for with, and with what is stored with its records.
    ///
    /// - Returns: How much of what the read asks for these slices are: they are no more than what is known of the parent.
    func forEachSlice(_ body: (Bindings, _ added: String?) throws -> Void) throws -> Verdict {
        guard let parent = stream.parent else {
            try forEachCombination { try body($0, nil) }
            return .complete
        }
        let verdict = try ParentTable.verdict(on: parent.stream, connection)
        guard let table = try ParentTable(of: stream, parent: parent, on: connection) else { return verdict }
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
        guard leftOut > 0 else { return verdict }
        let records = leftOut == 1 ? "1 record of \(parent.stream) has" : "\(leftOut) records of \(parent.stream) have"
        return verdict.worse(Verdict(.missed, "\(records) no \(fields) to ask with"))
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
