import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerSQLite

/// The layout of a read: a slice for each combination of a parent's record and the partitions' values.
struct SliceLayout {
    private let stream: StreamConfiguration
    private let connection: Connection
    /// True if the values of the partitions are stored with the records.
    private let storesPartitions: Bool
    /// The stream's table; nil if there is none yet.
    private let table: String?

    /// - Parameter schema: The stream's table; nil if there is none yet.
    init(of stream: StreamConfiguration, in schema: TableSchema?, on connection: Connection) {
        (self.stream, self.connection, table) = (stream, connection, schema?.table)
        // A further column would be a further part of each record's content, so that all would be new.
        let isContentFixed = schema?.contentIndex != nil
        storesPartitions =
            !isContentFixed || stream.partitions.allSatisfy { schema?.index(ofMember: $0.memberName) != nil }
    }

    /// Calls `body` with the bindings of each slice and the fields that are stored with its records.
    ///
    /// - Parameter due: The bindings of further slices, which earlier reads have left behind.
    /// - Returns: The judgement on the slices: they are as complete as the stored records of the parent, and of the streams that its condition reads.
    func forEachSlice(
        in scope: ReadScope, due: Set<ExactText>, _ body: (Bindings, _ added: String?) throws -> Void
    ) throws -> Verdict {
        guard let parent = stream.parent else {
            try forEachCombination { try body($0, added($0) { _ in nil }) }
            return .complete
        }
        let ofParent = try ParentTable.verdict(on: parent.stream, connection)
        guard let table = try ParentTable(of: stream, parent: parent, on: connection) else { return ofParent }
        let verdict = ofParent.worse(try table.verdictOnCondition(of: stream.name))
        var (count, leftOut) = (0, 0)
        func addSlices(of row: Statement, where isIncluded: (Bindings) -> Bool = { _ in true }) throws {
            count += 1
            guard let bindings = table.bindings(row) else {
                leftOut += 1
                return
            }
            let members = table.added(row)
            try forEachCombination { combination in
                let all = combination.merging(bindings) { $1 }
                if isIncluded(all) {
                    let text = added(combination, behind: members) { table.value(ofField: $0, in: row) }
                    try body(all, text)
                }
            }
        }
        if let run = scope.parentAfter {
            try table.forEachRow(of: .changed(after: run)) { try addSlices(of: $0) }
            if !due.isEmpty {
                // These are all, the changed ones among them.
                leftOut = 0
                try table.forEachRow(of: .chosen) { try addSlices(of: $0) { due.contains(ExactText($0.json)) } }
            }
        } else {
            try table.forEachRow(of: .chosen) { try addSlices(of: $0) }
            if count == 0, let condition = parent.condition, try hasRowsToLose, try !table.isEmpty(.present),
                try table.isEmpty(.judged)
            {
                return verdict.worse(.judgedByNothing(condition, on: parent.stream))
            }
        }
        let fields = table.boundFields.joined(separator: ", ")
        guard leftOut > 0 else { return verdict }
        let records = leftOut == 1 ? "1 record of \(parent.stream) has" : "\(leftOut) records of \(parent.stream) have"
        return verdict.worse(Verdict(.missed, "\(records) no \(fields) for the request"))
    }

    /// True if a read without a slice would delete rows.
    private var hasRowsToLose: Bool {
        get throws {
            guard stream.deletesRows, let table else { return false }
            return try connection.integer("SELECT 1 FROM \(quoted(table)) LIMIT 1") != nil
        }
    }

    /// Calls `body` with the bindings of each slice that a record of the parent has, whether or not a read covers it.
    func forEachPresentSlice(_ body: (Bindings) throws -> Void) throws {
        guard let parent = stream.parent, let table = try ParentTable(of: stream, parent: parent, on: connection) else {
            return
        }
        try table.forEachRow(of: .present) { row in
            guard let bindings = table.bindings(row) else { return }
            try forEachCombination { try body($0.merging(bindings) { $1 }) }
        }
    }

    /// The number of the parent's records for which a read of everything sends requests; nil without a parent.
    var parentCount: Int? {
        get throws {
            try stream.parent.flatMap { try ParentTable(of: stream, parent: $0, on: connection)?.chosenCount }
        }
    }

    /// Returns the JSON object that is stored with each record of a slice; nil if there is nothing to add.
    private func added(
        _ bindings: Bindings, behind members: [(String, JSONText)] = [],
        parent: (String) -> (json: JSONText, text: String)?
    ) -> String? {
        let members =
            members + stream.columnMembers(bindings, parent: parent)
            + (storesPartitions ? stream.partitionMembers(bindings) : [])
        return members.isEmpty ? nil : JSONText.object(members).text
    }

    /// Calls `body` with each combination of the partitions' values. The last partition changes fastest.
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

extension Verdict {
    /// The judgement on a read for which no row of the parent says whether it is meant.
    fileprivate static func judgedByNothing(_ condition: String, on parent: StreamName) -> Verdict {
        let isOneLine = !condition.contains("\n") && !condition.contains("--")
        return Verdict(
            .contradicted,
            "no row of \(parent) has a value for what parent.where compares, so that nothing was asked for",
            advice: "correct parent.where"
                + (isOneLine ? ", or write where: \(YAMLText.quoted("(\(condition)) IS TRUE")) if that is right" : ""))
    }
}
