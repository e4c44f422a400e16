import GarnerDatabase
import GarnerSQLite
import Testing

struct ValueTests {
    let connection: Connection
    private let database: Database

    init() throws {
        database = try Database()
        connection = try database.writer()
        try connection.execute("CREATE TABLE t (a)")
    }

    @Test(
        arguments: [
            .null, .integer(0), .integer(.max), .integer(.min), .real(0.1), .real(-1e308),
            .real(.leastNonzeroMagnitude), .real(.infinity), .text(""), .text("a"),
            .text("a\u{0}b"), .text("\u{0}"), .text("é日本😀"), .text("cafe\u{301}"),
            .blob([]), .blob([0]), .blob([0, 1, 255]),
        ] as [Value])
    func `a value is read as it was bound`(value: Value) throws {
        try expectToComeBack(value)
    }

    @Test func `a long value is read as it was bound`() throws {
        try expectToComeBack(.text(String(repeating: "x", count: 100_000)))
        try connection.execute("DELETE FROM t")
        try expectToComeBack(.blob(Array(repeating: 7, count: 100_000)))
    }

    private func expectToComeBack(_ value: Value) throws {
        try connection.execute("INSERT INTO t VALUES (?1)", value)
        #expect(try connection.firstRow("SELECT a FROM t") { $0.value(at: 0) } == value)
        #expect(try connection.integer("SELECT count(*) FROM t WHERE a IS ?1", value) == 1)
    }

    @Test(
        arguments: [
            (.text(""), "text", 0), (.text("a\u{0}b"), "text", 3), (.text("é"), "text", 2), (.blob([]), "blob", 0),
            (.blob([0, 0]), "blob", 2), (.null, "null", nil),
        ] as [(Value, String, Int64?)])
    func `a stored value has its type and its length in bytes`(value: Value, type: String, length: Int64?) throws {
        try connection.execute("INSERT INTO t VALUES (?1)", value)
        #expect(try connection.text("SELECT typeof(a) FROM t") == type)
        #expect(try connection.integer("SELECT length(CAST(a AS BLOB)) FROM t") == length)
    }

    @Test(arguments: [[], [0x61, 0, 0x62], Array("é".utf8)] as [[UInt8]])
    func `UTF-8 in place is stored by its length`(bytes: [UInt8]) throws {
        let insert = try Statement("INSERT INTO t VALUES (?1)", on: connection)
        try (bytes + [0x7A]).withUnsafeBufferPointer { buffer in
            try insert.bind(unownedUTF8: UnsafeBufferPointer(rebasing: buffer[0..<bytes.count]), at: 1)
            try insert.run()
            insert.clearBindings()
        }
        try insert.bind(unownedUTF8: UnsafeBufferPointer(start: nil, count: 0), at: 1)
        try insert.run()
        try insert.bind(copyingUTF8: bytes, at: 1)
        try insert.run()
        let stored = try connection.rows("SELECT a FROM t ORDER BY rowid") { ($0.kind(at: 0), Array($0.bytes(at: 0))) }
        #expect(stored.map(\.0) == [.text, .text, .text])
        #expect(stored.map(\.1) == [bytes, [], bytes])
    }

    @Test func `a NaN is stored as NULL`() throws {
        try connection.execute("INSERT INTO t VALUES (?1)", .real(.nan))
        #expect(try connection.firstRow("SELECT a FROM t") { $0.kind(at: 0) } == .null)
    }

    @Test func `NULL and no row are told from a value`() throws {
        #expect(try connection.integer("SELECT NULL") == nil)
        #expect(try connection.text("SELECT a FROM t") == nil)
        #expect(try connection.text("SELECT ''") == "")
        #expect(try connection.firstRow("SELECT a FROM t") { $0.integer(at: 0) } == nil)
    }

    @Test func `broken UTF-8 is read with U+FFFD`() throws {
        #expect(try connection.text("SELECT CAST(x'61FF62' AS TEXT)") == "a\u{FFFD}b")
    }

    @Test(arguments: [
        "a", "", " ", "\"", "\"\"", "a\"b", "'", "; DROP TABLE t; --", "SELECT", "[a]", "`a`", "a.b", "é日本😀", "a\nb",
        "--", "/*", "\\", "?1", ":a", "rowid",
    ])
    func `any name can be quoted`(name: String) throws {
        let table = quoted("x" + name)
        try connection.execute("CREATE TABLE \(table) (\(quoted(name)) TEXT, \(quoted(name + "2")) TEXT)")
        try connection.execute("INSERT INTO \(table) (\(quoted(name))) VALUES (?1)", .text("v"))
        #expect(try connection.text("SELECT \(quoted(name)) FROM \(table)") == "v")
        #expect(
            try connection.rows("SELECT name FROM pragma_table_info(?1)", [.text("x" + name)]) { $0.text(at: 0) } == [
                name, name + "2",
            ])
        #expect(try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 't'") == 1)
    }
}
