import GarnerDatabase
import GarnerSQLite
import Testing

struct VirtualTableTests {
    let connection: Connection
    private let database: Database

    init() throws {
        database = try Database()
        connection = try database.writer()
        try connection.execute("CREATE TABLE t (a, b)")
    }

    private func rows(_ sql: String = "SELECT a, b FROM t") throws -> [String] {
        try connection.rows(sql, []) { row in
            (0..<2).map { column in
                switch row.kind(at: column) {
                case .null: "null"
                case .real: "\(row.real(at: column))"
                default: row.text(at: column)
                }
            }.joined(separator: "|")
        }
    }

    @Test func `a statement reads rows of each kind of value, in order`() throws {
        let table = try VirtualTable(columns: 2, on: connection)
        let insert = try Statement("INSERT INTO t SELECT c1, c2 FROM \(table.name)", on: connection)
        var row = 0
        let unowned = Array("in place, with ü".utf8)
        try unowned.withUnsafeBufferPointer { unowned in
            try table.supply {
                row += 1
                switch row {
                case 1: table.values.bind(Int64.min, at: 1)
                case 2: table.values.bind(0.1, at: 1)
                case 3: table.values.bind(unownedUTF8: unowned, at: 1)
                case 4: table.values.bind(copyingUTF8: Array("a copy".utf8), at: 1)
                case 5: table.values.bind(copyingUTF8: [], at: 1)
                case 6: table.values.bind(unownedUTF8: UnsafeBufferPointer(start: nil, count: 0), at: 1)
                case 7: table.values.bindNull(at: 1)
                default: return false
                }
                table.values.bind(copyingUTF8: Array("row \(row)".utf8), at: 2)
                return true
            } to: {
                try insert.run()
            }
        }
        #expect(
            try rows() == [
                "-9223372036854775808|row 1", "0.1|row 2", "in place, with ü|row 3", "a copy|row 4", "|row 5", "|row 6",
                "null|row 7",
            ])
        #expect(try rows("SELECT count(*), count(DISTINCT typeof(a)) FROM t") == ["7|4"])
    }

    @Test func `a value keeps until it is set anew, also from one statement to the next`() throws {
        let table = try VirtualTable(columns: 2, on: connection)
        let insert = try Statement("INSERT INTO t SELECT c1, c2 FROM \(table.name)", on: connection)
        table.values.bind(copyingUTF8: Array("kept".utf8), at: 2)
        for base in [Int64(0), 10] {
            var row = base
            try table.supply {
                row += 1
                table.values.bind(row, at: 1)
                return row <= base + 2
            } to: {
                try insert.run()
            }
        }
        #expect(try rows() == ["1|kept", "2|kept", "11|kept", "12|kept"])
        table.values.clear()
        var isFirst = true
        try table.supply {
            defer { isFirst = false }
            return isFirst
        } to: {
            try insert.run()
        }
        #expect(try rows().last == "null|null")
    }

    @Test func `a row is supplied when the one before it was stored`() throws {
        try connection.execute("CREATE TABLE u (id INTEGER PRIMARY KEY, a)")
        let table = try VirtualTable(columns: 2, on: connection)
        let upsert = try Statement(
            """
            INSERT INTO u SELECT c1, c2 FROM \(table.name) WHERE true
            ON CONFLICT (id) DO UPDATE SET a = excluded.a WHERE a IS NOT excluded.a
            """, on: connection)
        var records: [(Int64, Int64)] = [(1, 1), (2, 1), (1, 1), (1, 2), (3, 1)]
        var changes: [RowChange] = []
        try table.supply {
            if records.count < 5 { changes.append(connection.takeRowChange()) }
            guard !records.isEmpty else { return false }
            let (id, a) = records.removeFirst()
            table.values.bind(id, at: 1)
            table.values.bind(a, at: 2)
            return true
        } to: {
            try upsert.run()
        }
        #expect(
            changes == [.inserted(row: 1), .inserted(row: 2), .none, .updated(row: 1), .inserted(row: 3)])
    }

    @Test func `an error ends the statement, which leaves nothing, and the table can be read again`() throws {
        try connection.execute("CREATE TABLE u (a CHECK (a < 3))")
        let table = try VirtualTable(columns: 1, on: connection)
        let insert = try Statement("INSERT INTO u SELECT c1 FROM \(table.name)", on: connection)
        var row: Int64 = 0
        func next() -> Bool {
            row += 1
            table.values.bind(row, at: 1)
            return row < 10
        }
        let error = sqliteError { try table.supply(next, to: { try insert.run() }) }
        #expect(error?.message.contains("CHECK constraint failed") == true)
        #expect(row == 3)
        #expect(try connection.integer("SELECT count(*) FROM u") == 0)
        row = 8
        #expect(throws: SQLiteError.self) { try table.supply(next, to: { try insert.run() }) }
        row = 10
        try table.supply(next, to: { try insert.run() })
        #expect(try connection.integer("SELECT count(*) FROM u") == 0)
    }

    @Test func `a table that nobody supplies is empty`() throws {
        let table = try VirtualTable(columns: 2, on: connection)
        table.values.bind(1 as Int64, at: 1)
        #expect(try connection.integer("SELECT count(*) FROM \(table.name)") == 0)
    }

    @Test func `a table has as many columns as SQLite allows, and no more`() throws {
        let table = try VirtualTable(columns: 2000, on: connection)
        table.values.bind(7 as Int64, at: 2000)
        let insert = try Statement("INSERT INTO t SELECT c1999, c2000 FROM \(table.name)", on: connection)
        var isFirst = true
        try table.supply {
            defer { isFirst = false }
            return isFirst
        } to: {
            try insert.run()
        }
        #expect(try rows() == ["null|7"])
        let wider = try VirtualTable(columns: 2001, on: connection)
        #expect(throws: SQLiteError.self) { try Statement("SELECT 1 FROM \(wider.name)", on: connection) }
    }

    @Test func `a table is in no schema, and goes with its object`() throws {
        var table: VirtualTable? = try VirtualTable(columns: 1, on: connection)
        let name = try #require(table?.name)
        let select = try Statement("SELECT c1 FROM \(name)", on: connection)
        #expect(try connection.integer("SELECT count(*) FROM sqlite_schema") == 1)
        #expect(try connection.integer("SELECT count(*) FROM temp.sqlite_schema") == 0)
        #expect(throws: SQLiteError.self) { try database.writer().execute("SELECT 1 FROM \(name)") }
        table = nil
        #expect(throws: SQLiteError.self) { try connection.execute("SELECT 1 FROM \(name)") }
        // A statement that is prepared may still run, and finds no row.
        _ = try? select.step()
        #expect(try VirtualTable(columns: 1, on: connection).name != name)
        table = try VirtualTable(columns: 1, on: connection)
        connection.close()
        table = nil
    }
}
