import Catalog
import JSON

extension TableSchema {
    /// The table that the records of a first page ask for.
    ///
    /// Throws `PersistenceError` where they do not fit what is configured.
    ///
    /// - Parameters:
    ///   - added: the members that each record has from outside.
    ///   - key: the fields that identify a record; empty for a table without a key.
    init(for stream: Stream, from records: Selection, adding added: Node?, key: [String], run: Int64) throws {
        let survey = TableSurvey(
            of: records, adding: added, flattenDepth: stream.flattenDepth, leavesOutArrays: stream.childTables,
            reserving: stream.dedupes ? 1 : 0, run: run)
        self.init(
            table: stream.table, columns: survey.columns, marksDeletion: stream.deleteMissing == .soft,
            mergeStrategy: stream.mergeStrategy)
        if columns.isEmpty {
            throw PersistenceError(
                .noMembers, "the records of the first page have no members",
                hint: "check path, or set record_selector to where the records are")
        }
        for (position, name) in key.enumerated() {
            guard let index = index(ofField: name) else {
                throw PersistenceError(
                    .configuration, "no record of the first page has the primary key '\(name)'",
                    hint:
                        "the members are: \(columns.map(\.name).joined(separator: ", ")); set primary_key to one of them"
                )
            }
            columns[index].keyPosition = position
            // A REAL key would spell an integer anew each time that it widens.
            if columns[index].type == .real || columns[index].type == .json { columns[index].type = .text }
        }
        if stream.dedupes {
            columns.append(
                Column(name: Self.contentColumn, path: [], type: .text, keyPosition: 0, firstSeenRun: run))
        }
        if stream.writeDisposition == .merge, self.key.isEmpty {
            throw PersistenceError(
                .configuration, "write_disposition: merge needs a primary key, and none was found in the first page",
                hint: "set primary_key; the members are: \(columns.map(\.name).joined(separator: ", "))")
        }
        if stream.childTables, self.key.isEmpty { throw Self.keylessParent(columns.map(\.name)) }
    }

    /// Rows of child tables could not tell whose they are.
    static func keylessParent(_ fields: [String]) -> PersistenceError {
        PersistenceError(
            .configuration, "child_tables needs a primary key, and none was found in the first page",
            hint: "set primary_key; the members are: \(fields.joined(separator: ", "))")
    }
}
