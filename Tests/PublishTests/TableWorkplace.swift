import GarnerDatabase
import GarnerModel
import GarnerPersistence
@testable import GarnerPostgres
@testable import GarnerPublish
import PostgresCluster

/// A schema of a test's own, with tables as they are published.
struct TableWorkplace {
    let schema = "t" + PostgresUUID.random().description.filter { $0 != "-" }
    let connection: PostgresConnection

    init() async throws {
        connection = try await PostgresConnection.open(PostgresURL(PostgresCluster.shared().socketURL()))
        try await connection.execute("CREATE SCHEMA \(schema)")
        try await connection.execute("SET search_path = \(schema)")
        try await connection.execute("SET timezone = 'UTC'")
    }

    func place(_ name: String = "animals") -> PublishedPlace { PublishedPlace(schema: schema, name: name) }

    @discardableResult
    func create(_ file: [FileColumn], named name: String = "animals") async throws -> TableDefinition {
        let definition = TableDefinition(for: file)
        try await connection.execute(definition.createTable(place(name)))
        return definition
    }

    func copy(_ rows: [some FileRow], with converter: inout RowConverter, to name: String = "animals") async throws {
        var copied = converter
        var next = 0
        _ = try await connection.copy(converter.copyStatement(place(name))) { copy in
            guard next < rows.count else { return false }
            try copied.append(rows[next], to: &copy)
            next += 1
            return true
        }
        converter = copied
    }

    /// Returns the number of rows that were updated.
    @discardableResult
    func update(_ rows: [TestRow], with converter: inout RowConverter, in name: String = "animals") async throws
        -> Int
    {
        var arrays = converter.updateArrays()
        for row in rows { try converter.append(row, to: &arrays) }
        return try await execute(converter.updateStatement(place(name)), arrays)
    }

    /// Returns the number of rows that were deleted.
    @discardableResult
    func delete(_ keys: [[Value]], with converter: inout RowConverter, from name: String = "animals") async throws
        -> Int
    {
        var arrays = converter.keyArrays()
        for key in keys { _ = try converter.append(key: key, to: &arrays) }
        return try await execute(converter.deleteStatement(place(name)), arrays)
    }

    private func execute(_ sql: String, _ arrays: ColumnArrays) async throws -> Int {
        try await connection.execute(sql, parameters: arrays.parameters).count
    }

    /// Returns the values of all rows as texts.
    func texts(_ columns: String, of name: String = "animals", orderedBy order: String = "1") async throws
        -> [[String?]]
    {
        let names = columns.split(separator: ",").map { "\($0)::text" }.joined(separator: ", ")
        return try await connection.execute("SELECT \(names) FROM \(place(name).sql) ORDER BY \(order)").rows
            .map { $0.map(\.text) }
    }
}

/// A row as SQLite has it.
final class TestRow: FileRow {
    let row: Int64
    private let values: [Value]
    private let texts: [UnsafeMutableBufferPointer<UInt8>]

    init(_ values: [Value], row: Int64 = 0) {
        (self.values, self.row) = (values, row)
        texts = values.map { value in
            let bytes: [UInt8] =
                switch value {
                case .text(let text): Array(text.utf8)
                case .blob(let bytes): bytes
                default: []
                }
            let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
            _ = buffer.initialize(from: bytes)
            return buffer
        }
    }

    deinit { for text in texts { text.deallocate() } }

    func value(at column: Int) -> StoredBytes {
        switch values[column] {
        case .null: .null
        case .integer(let integer): .integer(integer)
        case .real(let real): .real(real)
        case .text: .text(UnsafeBufferPointer(texts[column]))
        case .blob: .blob(UnsafeBufferPointer(texts[column]))
        }
    }
}
