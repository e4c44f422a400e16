import GarnerCatalog
import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerSQLite

extension StreamConfiguration {
    /// Returns the columns of `fields.add` with their values for a read that began at this instant.
    func addedValues(ofReadBegunAt beganAt: Timestamp) -> [AddedValue] {
        fields.stamped.map { column in
            let content = column.content(ofReadBegunAt: beganAt, in: incremental?.timezone ?? .utc)
            return AddedValue(name: column.name, type: column.type, value: Value(content))
        }
    }

    /// Throws if a field of the records has a column with the name of one that is added.
    ///
    /// - Parameter isStored: True if the columns are those of a table that exists.
    func requireFreeNames(besides columns: [Column], isStored: Bool = false) throws {
        for added in fields.stamped {
            guard let column = columns.first(where: { $0.name.isSameSQLName(as: added.name) }) else { continue }
            guard isStored else { throw PersistenceError(added: added.name, isFieldAt: column.path) }
            throw PersistenceError(
                .configuration,
                "the table \(table) has the column '\(column.name)' for a field of the records, and 'fields' adds one "
                    + "of that name",
                hint: "give the column another name in 'add'")
        }
    }
}

extension StreamConfiguration {
    /// Throws `PersistenceError` if the records have a member with the name of a partition's column.
    func requireFreeNames(among records: Selection) throws {
        guard !partitions.isEmpty, records.count > 0 else { return }
        let included = Set(parent.map { parent in parent.include.map(parent.memberName) } ?? [])
        let taken = records.withRecord(at: 0) { record in
            partitions.first { record[$0.memberName] != nil || included.contains($0.memberName) }
        }
        guard let taken = taken ?? nil else { return }
        throw PersistenceError(
            .configuration,
            "the records have a field '\(taken.memberName)', which is the column for the partition '\(taken.name)'",
            hint: "give the partition another name, or the field: fields: { rename: { \(taken.memberName): … } }")
    }
}

extension PersistenceError {
    /// The error for an added column whose name a field of the records would have.
    init(added name: String, isFieldAt path: [String]) {
        let field = path.count == 1 ? path[0] : "$." + path.joined(separator: ".")
        self.init(
            .configuration,
            "the records have a field '\(RecordBinder.shown(path))', and 'fields' adds a column '\(name)'",
            hint: "give the column another name in 'add', or the field: fields: { rename: { \(field): … } }")
    }
}

extension Value {
    fileprivate init(_ content: AddedColumn.Content) {
        switch content {
        case .flag(let flag): self = .integer(flag ? 1 : 0)
        case .integer(let integer): self = .integer(integer)
        case .real(let real): self = .real(real)
        case .text(let text): self = .text(text)
        // A record has it as a member.
        case .composed: self = .null
        }
    }
}

extension TableLoader {
    /// Binds the values of added columns, which all rows of a read share.
    func bindAddedValues() throws {
        for (place, column) in schema.addedColumns.enumerated() {
            let parameter = schema.parameter(ofAddedColumnAt: place)
            try upsert.bind(column.value, at: parameter)
            try upsertOfRows?.upsert.bind(column.value, at: parameter)
        }
    }

    /// Sets the added columns of a row that is as it was, but of whose arrays rows have changed.
    func setAddedColumns(ofRow row: Int64) throws {
        let columns = schema.addedColumns
        guard !columns.isEmpty, schema.mergeStrategy == .upsert else { return }
        let assignments = columns.enumerated().map { "\(quoted($1.name)) = ?\($0 + 2)" }.joined(separator: ", ")
        let statement = try connection.statement(
            "UPDATE \(quoted(schema.table)) SET \(assignments) WHERE _rowid_ = ?1")
        try statement.bind([.integer(row)] + columns.map(\.value))
        try statement.run()
        _ = connection.takeRowChange()
    }

    /// Throws if a member's column would have the name of an added one.
    func requireFreeName(of path: [String]) throws {
        guard !schema.addedColumns.isEmpty, let name = ColumnNaming.name(for: path, taken: []) else { return }
        if let added = schema.addedColumns.first(where: { $0.name.isSameSQLName(as: name) }) {
            throw PersistenceError(added: added.name, isFieldAt: path)
        }
    }
}
