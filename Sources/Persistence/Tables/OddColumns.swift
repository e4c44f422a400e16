import GarnerDatabase
import GarnerJSON
package import GarnerModel
package import GarnerSQLite

/// The notes in `_garner_columns` on columns of a table with values of another kind (docs/decisions/0059).
///
/// A page that brings such values notes the column. The values are counted when the run ends, as rows may change in many ways until then.
package struct OddColumns {
    let streamID: StreamID
    let connection: Connection

    package init(streamID: StreamID, connection: Connection) {
        (self.streamID, self.connection) = (streamID, connection)
    }

    /// The Unicode scalars of an example.
    private static let longestExample = 40

    /// Notes that a column has odd values.
    ///
    /// - Parameter numberType: The type of its other values if it is TEXT; nil for values that are set aside.
    func note(columnAt position: Int, _ numberType: ColumnType? = nil, run: RunID) throws {
        try connection.execute(
            """
            UPDATE _garner_columns
            SET odd_since = iif((number_type IS NULL) = (?4 IS NULL), coalesce(odd_since, ?3), ?3),
                -- The names of the types are in the order in which they widen.
                number_type = iif(?4 IS NULL, NULL, max(coalesce(number_type, ?4), ?4)),
                odd_count = iif(odd_since IS NOT NULL AND number_type IS NOT NULL AND ?4 IS NOT NULL, odd_count, NULL)
            WHERE stream_id = ?1 AND position = ?2
            """, .id(streamID), .integer(Int64(position)), .id(run), Value(numberType?.rawValue))
    }

    /// The positions of the columns that are noted.
    var positions: [Int] {
        get throws {
            try connection.rows(
                "SELECT position FROM _garner_columns WHERE stream_id = ?1 AND odd_since IS NOT NULL ORDER BY position",
                [.id(streamID)]
            ) { Int($0.integer(at: 0)) }
        }
    }

    /// Notes that the counts are those of rows that have changed.
    func noteChange() throws {
        try connection.execute(
            "UPDATE _garner_columns SET odd_count = NULL WHERE stream_id = ?1 AND odd_since IS NOT NULL", .id(streamID))
    }

    /// Forgets all that is noted of a column.
    package func forget(columnAt position: Int) throws {
        try connection.execute(
            """
            UPDATE _garner_columns
            SET odd_since = NULL, number_type = NULL, odd_count = NULL, value_count = NULL, odd_examples = NULL
            WHERE stream_id = ?1 AND position = ?2
            """, .id(streamID), .integer(Int64(position)))
    }

    /// Counts anew the odd values of noted columns, and forgets columns without any. O(rows), where there are such columns.
    ///
    /// - Parameter tally: What was set aside in the rows that the run has added; nil if it has done anything else.
    func count(in schema: TableSchema, _ tally: OddTally?) throws {
        let positions = try connection.rows(
            "SELECT position FROM _garner_columns WHERE stream_id = ?1 AND odd_since IS NOT NULL AND odd_count IS NULL",
            [.id(streamID)]
        ) { Int($0.integer(at: 0)) }
        let columns = positions.filter(schema.columns.indices.contains)
        guard !columns.isEmpty else { return }
        let isNumeric: (Int) -> Bool = { schema.columns[$0].type?.rank != nil }
        let numeric = columns.filter(isNumeric)
        var found = try tally?.setAside(numeric) ?? setAside(numeric, in: schema)
        for position in columns where !isNumeric(position) { found[position] = try texts(position, in: schema) }
        for position in columns {
            let values = found[position] ?? Found()
            // A column that is text stays text, so that SQL goes on comparing its numbers by letters. Some need it for all of their digits.
            let isText = values.all > 0 && !isNumeric(position) && (!values.needText || values.mixIntegers)
            guard values.odd > 0 || isText else {
                try forget(columnAt: position)
                continue
            }
            let told =
                values.odd == 0 && values.mixIntegers ? values.long : (count: values.odd, examples: values.examples)
            try connection.execute(
                """
                UPDATE _garner_columns SET odd_count = ?3, value_count = ?4, odd_examples = ?5,
                    number_type = iif(number_type IS NULL, NULL, coalesce(?6, number_type))
                WHERE stream_id = ?1 AND position = ?2
                """, .id(streamID), .integer(Int64(position)), .integer(Int64(told.count)),
                .integer(Int64(values.all)), .text(JSONText.array(told.examples.map { .string($0) }).text),
                Value(values.typeOfNumbers?.rawValue))
        }
    }

    struct Found {
        private(set) var odd = 0
        var all = 0
        private var (hasInteger, hasLongInteger, hasDecimal, hasIntegerBeyond64Bits) = (false, false, false, false)
        /// The numbers of which neither INTEGER nor REAL keeps all digits.
        private(set) var long: (count: Int, examples: [String]) = (0, [])
        /// True for numbers that no type but text holds with all of their digits.
        var needText: Bool { long.count > 0 || hasDecimal && hasLongInteger }
        /// True for integers that would make a column of integers one of text. In one of long decimals, that is usual.
        var mixIntegers: Bool { hasInteger && hasIntegerBeyond64Bits }
        /// The type of the numbers in a column of text, if it is another one than the pages tell.
        var typeOfNumbers: ColumnType? {
            guard needText else { return nil }
            return odd > 0 ? .text : hasDecimal ? .real : .integer
        }
        var examples: [String] = []

        mutating func add(_ number: SpelledNumber, _ text: UnsafeBufferPointer<UInt8>) {
            switch number {
            case .integer(let integer):
                hasInteger = true
                hasLongInteger = hasLongInteger || !integer.isExactDouble
            case .real: hasDecimal = true
            case .other:
                if text.isWhole { hasIntegerBeyond64Bits = true } else { hasDecimal = true }
                long.count += 1
                if long.examples.count < OddColumn.mostExamples {
                    Self.add(String(decoding: text, as: UTF8.self), to: &long.examples)
                }
            }
        }

        private var widest = 0

        /// - Parameter width: Greater for a number that needs a wider type; 0 for what is no number. One of the widest is an example.
        mutating func addOdd(_ text: @autoclosure () -> String, width: Int = 0) {
            odd += 1
            if examples.count == OddColumn.mostExamples, width > widest { examples.removeLast() }
            widest = max(widest, width)
            guard examples.count < OddColumn.mostExamples else { return }
            Self.add(text(), to: &examples)
        }

        mutating func addSetAside(_ value: Node) {
            let width =
                switch value.kind {
                case .integer: 1
                case .real: 2
                case .number: 3
                default: 0
                }
            addOdd(value.source, width: width)
        }

        private static func add(_ example: String, to examples: inout [String]) {
            let scalars = example.unicodeScalars
            let short = scalars.count > longestExample ? "\(String(scalars.prefix(longestExample)))…" : example
            if !examples.contains(short) { examples.append(short) }
        }
    }

    private func setAside(_ positions: [Int], in schema: TableSchema) throws -> [Int: Found] {
        guard !positions.isEmpty, schema.keepsRest else { return [:] }
        var found = Dictionary(uniqueKeysWithValues: positions.map { ($0, Found()) })
        let names = positions.map { schema.columns[$0].name }
        let count = try connection.integer("SELECT count(*) \(Self.rows(of: schema, where: nil))") ?? 0
        for position in positions { found[position]?.all = Int(count) }
        // A row with numbers only need not be read to its end, where what was set aside stands.
        let isNull = names.map { "\(quoted($0)) IS NULL" }
        let rows = try Statement(
            """
            SELECT _garner_rest, \(isNull.joined(separator: ", "))
            \(Self.rows(of: schema, where: isNull.joined(separator: " OR ")))
            """, on: connection)
        while try rows.step() {
            let rest = rows.kind(at: 0) == .null ? nil : try? Document(parsing: Bytes(Array(rows.bytes(at: 0))))
            for (index, position) in positions.enumerated() where rows.integer(at: index + 1) == 1 {
                found[position]?.all -= 1
                rest?.withRoot { rest in
                    guard let value = rest[names[index]], !value.isNull else { return }
                    found[position]?.all += 1
                    found[position]?.addSetAside(value)
                }
            }
        }
        return found
    }

    private func texts(_ position: Int, in schema: TableSchema) throws -> Found {
        let name = quoted(schema.columns[position].name)
        let rows = try Statement(
            "SELECT \(name) \(Self.rows(of: schema, where: "\(name) IS NOT NULL"))", on: connection)
        var found = Found()
        while try rows.step() {
            let text = rows.column(at: 0).bytes
            found.all += 1
            if let number = SpelledNumber(text) {
                found.add(number, text)
            } else if OddValue.boolean(text) == nil {
                found.addOdd(JSONText.string(String(decoding: text, as: UTF8.self)).text)
            }
        }
        return found
    }

    /// The rows whose records the source has. SQLite counts all rows of a table without reading them, but only where there is no WHERE.
    private static func rows(of schema: TableSchema, where condition: String?) -> String {
        let isThere = schema.marksDeletion ? "\(TableSchema.deletionColumn) IS NULL" : nil
        let conditions = [isThere, condition].compactMap(\.self).map { " (\($0))" }.joined(separator: " AND")
        return "FROM \(quoted(schema.table))\(conditions.isEmpty ? "" : " WHERE\(conditions)")"
    }
}

extension OddColumn {
    /// Returns the columns of a stream's tables with values of another kind, in their order.
    ///
    /// - Parameter run: Only those that this run, or one after it, has found; nil for all.
    static func all(of stream: StreamID, since run: RunID? = nil, on connection: Connection) throws -> [OddColumn] {
        var columns = try connection.rows(
            """
            SELECT table_name, part.name, part.path, coalesce(number_type, type), number_type IS NULL, odd_count, value_count,
                odd_examples, child.path
            FROM _garner_columns AS part JOIN _garner_streams USING (stream_id)
            LEFT JOIN _garner_children AS child USING (stream_id)
            WHERE stream_id IN (SELECT ?1 UNION ALL SELECT stream_id FROM _garner_children WHERE parent_id = ?1)
            AND odd_since >= ?2 ORDER BY stream_id, position
            """, [.id(stream), .integer(run?.number ?? 0)]
        ) { row in
            let examples = row.optionalText(at: 7).flatMap { try? Document(parsing: Bytes($0.utf8)) }
            let array = row.optionalText(at: 8).map(Column.path(normalized:)) ?? []
            return OddColumn(
                row.integer(at: 4) == 1 ? .valuesSetAside : .numbersAsText, table: row.text(at: 0),
                column: row.text(at: 1), path: array + Column.path(normalized: row.text(at: 2)),
                type: row.optionalText(at: 3).flatMap(ColumnType.init(rawValue:)) ?? .integer,
                odd: row.optionalInteger(at: 5).map { Int($0) }, values: row.optionalInteger(at: 6).map { Int($0) },
                examples: examples?.withRoot { $0.elements.map(\.text) } ?? [])
        }
        guard !columns.isEmpty else { return [] }
        let views = try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name") {
            $0.text(at: 0)
        }
        for view in views {
            let reads = connection.columnsRead(by: "SELECT * FROM \(quoted(view))")
            for index in columns.indices
            where reads.contains(.init(table: columns[index].table, column: columns[index].column)) {
                columns[index].views.append(view)
            }
        }
        return columns
    }
}
