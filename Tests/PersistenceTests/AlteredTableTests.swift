import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

/// A stream's table that its owner has altered.
struct AlteredTableTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func error(syncing stream: StreamConfiguration, _ page: String) async -> PersistenceError? {
        await #expect(throws: PersistenceError.self) { try await fixture.sync(stream, page) }
    }

    @Test(arguments: [
        ("ALTER TABLE animals DROP COLUMN a", "column 'a'"),
        ("ALTER TABLE animals RENAME COLUMN a TO aa", "column 'a'"),
        ("ALTER TABLE animals DROP COLUMN a; ALTER TABLE animals ADD COLUMN a AS (1)", "column 'a'"),
        ("ALTER TABLE animals DROP COLUMN a; ALTER TABLE animals DROP COLUMN b", "columns 'a', 'b'"),
    ])
    func `a column that is gone ends each run with what to do`(sql: String, words: String) async throws {
        try await fixture.sync(.animals(), #"[{"id":1,"a":1,"b":"x"}]"#)
        try fixture.alter(sql)
        for _ in 1...2 {
            let error = await error(syncing: .animals(), #"[{"id":1,"a":2}]"#)
            #expect(error?.kind == .configuration)
            #expect(error?.message == "the table animals no longer has the \(words)")
            let statement = #"ALTER TABLE "animals" ADD COLUMN "a" INTEGER"#
            #expect(error?.hint == .restoreColumn(statement: statement, losesVersions: false))
        }
    }

    @Test func `a column that is added again is filled by a full read`() async throws {
        let page = #"[{"id":1,"a":1,"b":"x"}]"#
        try await fixture.sync(.animals(), page)
        try fixture.alter("ALTER TABLE animals DROP COLUMN a")
        _ = await error(syncing: .animals(), page)
        try fixture.alter("ALTER TABLE animals ADD COLUMN a INTEGER")
        #expect(try await fixture.sync(.animals(), page).counts.ofRecords == "1 updated")
        #expect(try fixture.rows("SELECT id, a, b FROM animals") == ["1 1 'x'"])
    }

    @Test func `a table that is dropped instead is made anew`() async throws {
        let page = #"[{"id":1,"a":1}]"#
        try await fixture.sync(.animals(), page)
        try fixture.alter("ALTER TABLE animals DROP COLUMN a")
        _ = await error(syncing: .animals(), page)
        try fixture.alter("DROP TABLE animals")
        #expect(try await fixture.sync(.animals(), page).counts.ofRecords == "1 inserted")
        #expect(try fixture.rows("SELECT id, a FROM animals") == ["1 1"])
    }

    @Test func `a name that differs by case only is the same to SQL`() async throws {
        let page = #"[{"id":1,"a":1}]"#
        try await fixture.sync(.animals(), page)
        try fixture.alter("ALTER TABLE animals RENAME COLUMN a TO A")
        #expect(try await fixture.sync(.animals(), page).counts.ofRecords == "1 unchanged")
    }

    @Test func `names that differ by Unicode form only are two`() async throws {
        let page = #"[{"id":1,"\u00e9":1,"e\u0301":2}]"#
        try await fixture.sync(.animals(), page)
        try fixture.alter("ALTER TABLE animals DROP COLUMN \"\u{E9}\"")
        let message = await error(syncing: .animals(), page)?.message ?? ""
        #expect(message.utf8.reversed().starts(with: "column '\u{E9}'".utf8.reversed()))
    }

    @Test func `what becomes of versions is said`() async throws {
        var stream = StreamConfiguration.animals()
        stream.history = true
        try await fixture.sync(stream, #"[{"id":1,"a":1}]"#)
        try fixture.alter("ALTER TABLE animals DROP COLUMN a")
        let hint = await error(syncing: stream, #"[{"id":1,"a":1}]"#)?.hint
        let statement = #"ALTER TABLE "animals" ADD COLUMN "a" INTEGER"#
        #expect(hint == .restoreColumn(statement: statement, losesVersions: true))
    }

    @Test func `the table of an array is told by its own name, and made anew when it is dropped`() async throws {
        var stream = StreamConfiguration.animals()
        stream.childTables = true
        let page = #"[{"id":1,"v":[{"n":1}]}]"#
        try await fixture.sync(stream, page)
        try fixture.alter("ALTER TABLE animals__v DROP COLUMN n")
        let error = await error(syncing: stream, page)
        #expect(error?.kind == .configuration)
        #expect(error?.message == "the table animals__v no longer has the column 'n'")
        try fixture.alter("DROP TABLE animals__v")
        try await fixture.sync(stream, page)
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["1 0 1"])
    }
}
