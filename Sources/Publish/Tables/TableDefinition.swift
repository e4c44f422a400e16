import GarnerModel

/// The columns and the key of a published table, as they were made: `_garner.tables` keeps them.
///
/// A column's name and type stay what they are, whatever becomes of the file's column.
package struct TableDefinition: Sendable, Equatable {
    package struct Column: Sendable, Equatable {
        package enum Role: String, Sendable {
            case value, rest, deletedAt
            /// `_garner_row`, the key of a table without one.
            case rowNumber
        }

        /// The name in PostgreSQL.
        package var name: String
        /// The name in the file.
        package var file: String
        package var type: PublishedType
        package var role: Role = .value

        package var isKey = false
    }

    package internal(set) var columns: [Column]

    /// The key's columns in its order, which is that of the file's key.
    package internal(set) var key: [Column]

    package static let rowNumber = "_garner_row"
    package static let rest = "_garner_rest"
    package static let deletedAt = "_garner_deleted_at"

    /// The bytes of a row that PostgreSQL's page of 8 KiB holds (MaxHeapTupleSize).
    private static let bytesOfRow = 8160
    /// The most columns of a table are 1,600, those included that were dropped.
    private static let mostColumns = 1500

    init(columns: [Column], key: [Column]) { (self.columns, self.key) = (columns, key) }

    /// Defines the table of these columns. Columns without a value have no type yet, and are added when they have one.
    package init(for file: [FileColumn]) {
        self.init(columns: [], key: [])
        let keys = file.filter { $0.keyPosition != nil }.sorted { ($0.keyPosition ?? 0) < ($1.keyPosition ?? 0) }
        if keys.isEmpty {
            let row = Column(
                name: Self.rowNumber, file: Self.rowNumber, type: .bigint, role: .rowNumber, isKey: true)
            (columns, key) = ([row], [row])
        }
        var taken = Self.ownNames
        for column in file where column.keyPosition != nil {
            columns.append(Self.column(column, type: column.publishedType ?? .text, taken: &taken))
        }
        key = columns.filter { $0.role == .rowNumber } + keys.compactMap { column in self.column(of: column) }
        // It is always there, so that no odd value has to wait for a lock of the whole table.
        let rest = Column(name: Self.rest, file: Self.rest, type: .jsonb, role: .rest)
        columns.append(rest)
        add(file)
        // In the order of the file, and Garner's own at the end.
        let places = Dictionary(
            file.enumerated().map { (ExactText($1.name), $1.role == .value ? $0 : file.count) },
            uniquingKeysWith: { first, _ in first })
        func place(_ column: Column) -> Int {
            switch column.role {
            case .rowNumber: -1
            case .value: places[ExactText(column.file)] ?? file.count
            case .deletedAt: file.count
            case .rest: file.count + 1
            }
        }
        columns.sort { place($0) < place($1) }
    }

    private static let ownNames = Set([rowNumber, rest, deletedAt].map { ExactText($0) })

    private static func column(
        _ column: FileColumn, type: PublishedType, taken: inout Set<ExactText>
    ) -> Column {
        guard column.role == .value else {
            return Column(
                name: column.name, file: column.name, type: type, role: column.role == .rest ? .rest : .deletedAt)
        }
        let name = PublishedNames.column(column.name, taken: taken)
        taken.insert(ExactText(name))
        return Column(name: name, file: column.name, type: type, isKey: column.keyPosition != nil)
    }

    /// Returns the published column of a column of the file; nil if it has none: it has no value yet, or no room.
    package func column(of file: FileColumn) -> Column? {
        columns.first { $0.role != .rowNumber && $0.file.utf8.elementsEqual(file.name.utf8) }
    }

    // MARK: - Evolution

    /// Adds the columns that are new or have their first value, as far as they have room. Returns those that `ALTER TABLE` has to add.
    ///
    /// A key that the file's table has got since stays outside: that table has to be made anew.
    @discardableResult
    package mutating func add(_ file: [FileColumn]) -> [Column] {
        var taken = Self.ownNames.union(columns.map { ExactText($0.name) })
        let known = Set(columns.map { ExactText($0.file) })
        var bytes = columns.reduce(0) { $0 + $1.type.mostBytesInRow }
        var added: [Column] = []
        // The mark of deletion has room before all others.
        for column in file.filter({ $0.role != .value }) + file.filter({ $0.role == .value }) {
            guard let type = column.publishedType, !known.contains(ExactText(column.name)) else { continue }
            let count = columns.count + added.count + 1
            guard count <= Self.mostColumns, bytes + type.mostBytesInRow <= Self.room(forColumns: count) else {
                continue
            }
            bytes += type.mostBytesInRow
            added.append(Self.column(column, type: type, taken: &taken))
        }
        columns += added
        return added
    }

    /// The bytes that values have in a row: its header, and a bit for each column that may be NULL, take the rest.
    private static func room(forColumns count: Int) -> Int { bytesOfRow - 24 - (count + 63) / 64 * 8 }

    /// True if the published table has the file's key, so that rows find their rows there.
    package func hasKey(of file: [FileColumn]) -> Bool {
        let keys = file.filter { $0.keyPosition != nil }.sorted { ($0.keyPosition ?? 0) < ($1.keyPosition ?? 0) }
        guard !keys.isEmpty else { return key.first?.role == .rowNumber }
        return key.elementsEqual(keys) { $0.role == .value && $0.file.utf8.elementsEqual($1.name.utf8) }
    }

    /// Returns the definition with the types that a new table would have, as far as they have room. The names stay.
    package func retyped(for file: [FileColumn]) -> TableDefinition {
        var retyped = self
        var bytes = columns.reduce(0) { $0 + $1.type.mostBytesInRow }
        for column in file {
            guard let type = column.publishedType else { continue }
            for index in retyped.columns.indices
            where retyped.columns[index].role == .value
                && retyped.columns[index].file.utf8.elementsEqual(column.name.utf8)
            {
                let wider = bytes + type.mostBytesInRow - retyped.columns[index].type.mostBytesInRow
                guard wider <= max(bytes, Self.room(forColumns: columns.count)) else { continue }
                bytes = wider
                retyped.columns[index].type = type
            }
        }
        retyped.key = key.map { key in retyped.columns.first { $0.name.utf8.elementsEqual(key.name.utf8) } ?? key }
        return retyped
    }
}
