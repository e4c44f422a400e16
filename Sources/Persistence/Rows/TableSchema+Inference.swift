import GarnerCatalog
import GarnerJSON
import GarnerModel

extension TableSchema {
    /// Creates the schema that the records of a first page require.
    ///
    /// Throws `PersistenceError` if they do not fit the configuration.
    ///
    /// - Parameters:
    ///   - added: The members that each record has from outside.
    ///   - key: The fields that identify a record; empty for a table without a key.
    init(for stream: StreamConfiguration, from records: Selection, adding added: Node?, key: [String], run: RunID)
        throws
    {
        let inference = SchemaInference(
            of: records, adding: added, flattenDepth: stream.flattenDepth, leavesOutArrays: stream.childTables,
            reserving: (stream.dedupes ? 1 : 0) + stream.fields.stamped.count,
            settingAside: stream.schemaContract.dataTypes == .setAside, run: run)
        self.init(
            table: stream.table, columns: inference.columns, marksDeletion: stream.deleteMissing == .soft,
            mergeStrategy: stream.mergeStrategy, partitionMembers: stream.partitionMemberNames)
        declaredTypes = stream.fields.columnTypes
        numberTypes = inference.numberTypes
        keepsRest = columns.isEmpty && inference.hasNamelessMembers
        if columns.isEmpty, !keepsRest {
            throw PersistenceError(
                .noMembers, "the records of the first page have no members",
                hint: "check path, or set record_selector to where the records are")
        }
        try stream.requireFreeNames(besides: columns)
        for (position, name) in key.enumerated() {
            guard let index = index(ofField: name) else {
                if let error = errorOfObject(name, in: key) { throw error }
                let members =
                    "the members are: \(columns.map(\.name).joined(separator: ", ")); set primary_key to one of them"
                throw PersistenceError(
                    .configuration, "no record of the first page has the primary key '\(name)'",
                    hint: .text(stream.parent?.inclusion(for: name) ?? members))
            }
            if columns[index].type == .json, let own = KeyInference.key(of: stream, in: records), !key.contains(own) {
                throw Self.listAsKey(name, in: key, instead: own)
            }
            columns[index].keyPosition = position
            // A value of a key cannot be set aside.
            if inference.holdsTexts(inColumnAt: index) { columns[index].type = .text }
            let mayBeWhole = columns[index].type == .real || columns[index].type == .text
            if mayBeWhole, records.haveWholes(at: columns[index].path, adding: added) {
                columns[index].type = .integer
            }
            // A REAL key would spell an integer differently each time that it widens.
            if columns[index].type == .real || columns[index].type == .json { columns[index].type = .text }
        }
        if stream.schemaContract.dataTypes == .setAside { useDeclaredTypes() }
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
        if columns.isEmpty {
            // A stream's table is known by its columns. This one is for records that are no objects.
            let name = RecordBinder.scalarRecordField
            columns.append(Column(name: name, path: [name], type: nil, keyPosition: nil, firstSeenRun: run))
        }
    }

    /// Returns the error for a field of a key that is an object, whose members have the columns; nil for a field that is not there.
    private func errorOfObject(_ name: String, in key: [String]) -> PersistenceError? {
        func inner(_ name: String) -> [String] {
            columns.filter { $0.path.count > 1 && ($0.path.first == name || $0.path.joined(separator: ".") == name) }
                .map(\.name)
        }
        let names = inner(name)
        guard !names.isEmpty else { return nil }
        let all = key.flatMap { index(ofField: $0) == nil ? inner($0) : [$0] }
        return PersistenceError(
            .configuration,
            name.contains(".")
                ? "the primary key '\(name)' is the member of an object, which is stored as \(names.joined(separator: " and "))"
                : "the primary key '\(name)' is an object, which is stored as \(names.joined(separator: " and "))",
            hint: .text(Self.line(ofKey: all)))
    }

    /// Returns the error for a field of a key that is a list, or an object without columns, beside one that identifies the records: with
    /// each change of its elements, the record would be another one.
    private static func listAsKey(_ name: String, in key: [String], instead own: String) -> PersistenceError {
        PersistenceError(
            .configuration,
            "the primary key '\(name)' is a list or an object, so that a record in which it changes would be another row",
            hint: .text(line(ofKey: key.map { $0 == name ? own : $0 })))
    }

    private static func line(ofKey fields: [String]) -> String {
        let all = fields.map(YAMLText.scalar)
        return "write primary_key: " + (all.count == 1 ? all[0] : "[\(all.joined(separator: ", "))]")
    }

    /// Returns the error for child tables without a key in the parent: their rows could not name their record.
    static func keylessParent(_ fields: [String]) -> PersistenceError {
        PersistenceError(
            .configuration, "child_tables needs a primary key, and none was found in the first page",
            hint: "set primary_key; the members are: \(fields.joined(separator: ", "))")
    }
}

extension Selection {
    /// Returns true if all numbers at the path are whole, as `5` and `5.0` are.
    fileprivate func haveWholes(at path: [String], adding added: Node?) -> Bool {
        var areWhole = true
        forEach { record in
            guard areWhole, let value = PageRecord(node: record, added: added).value(at: path) else { return }
            areWhole = value.kind == .integer || value.isNull || value.wholeReal != nil
        }
        return areWhole
    }
}
