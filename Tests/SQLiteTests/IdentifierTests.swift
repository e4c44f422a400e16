import GarnerDatabase
import GarnerSQLite
import Testing

struct IdentifierTests {
    private let database: Database

    init() throws { database = try Database() }

    @Test(arguments: [
        "a", "a\"b", "\"", "\"\"", "a\"\u{301}b", "\"\u{200D}", "\"\u{301} INTEGER, b", "'\u{301}", "[\u{301}]", "a--",
    ])
    func `a quoted name is that name, whatever stands behind its quotes`(name: String) throws {
        let connection = try database.writer()
        try connection.execute("CREATE TABLE \(quoted(name)) (\(quoted(name)) INTEGER)")
        let tables = try connection.rows("SELECT name FROM sqlite_schema") { Array($0.text(at: 0).utf8) }
        #expect(tables == [Array(name.utf8)])
        let statement = try Statement("SELECT * FROM \(quoted(name))", on: connection)
        #expect(statement.columnNames.map { Array($0.utf8) } == [Array(name.utf8)])
    }
}
