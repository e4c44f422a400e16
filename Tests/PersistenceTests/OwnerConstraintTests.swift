import GarnerCatalog
import GarnerPersistence
import Testing

/// Constraints, indexes and triggers that the owner of the database adds to a stream's table.
struct OwnerConstraintTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    @Test(arguments: [
        "CREATE UNIQUE INDEX one_name ON animals (name)",
        "CREATE TRIGGER no_name BEFORE INSERT ON animals WHEN new.id = 3 BEGIN SELECT RAISE(ABORT, 'not this one'); END",
        "ALTER TABLE animals ADD COLUMN mine INTEGER DEFAULT 1 CHECK (id < 3)",
        """
        CREATE TABLE kinds (name PRIMARY KEY); INSERT INTO kinds VALUES ('Kea'), ('Moa');
        ALTER TABLE animals ADD COLUMN kind REFERENCES kinds;
        CREATE TRIGGER kinds AFTER INSERT ON animals BEGIN UPDATE animals SET kind = 'none' WHERE id = new.id; END
        """,
        """
        CREATE TABLE keepers (name PRIMARY KEY);
        CREATE TABLE kept (keeper REFERENCES keepers DEFERRABLE INITIALLY DEFERRED);
        CREATE TRIGGER keeping AFTER INSERT ON animals BEGIN INSERT INTO kept VALUES ('nobody'); END
        """,
    ])
    func `a rule of the owner that refuses a record is named, and its page is not stored`(rule: String) async throws {
        let stream = StreamConfiguration.animals(key: ["id"])
        try await fixture.sync(stream, #"[{"id":1,"name":"Kea"},{"id":2,"name":"Moa"}]"#)
        try fixture.alter(rule)
        await #expect {
            try await fixture.sync(stream, #"[{"id":1,"name":"Kākā"},{"id":3,"name":"Moa"}]"#)
        } throws: { error in
            (error as? PersistenceError)?.kind == .constraint
        }
        #expect(try fixture.rows("SELECT id, name FROM animals ORDER BY id") == ["1 'Kea'", "2 'Moa'"])
    }

    @Test(arguments: [
        "CREATE UNIQUE INDEX one ON _garner_runs (status)", "CREATE UNIQUE INDEX one ON _garner_history_animals (name)",
    ])
    func `a rule of Garner's own tables that is broken stays a bug`(rule: String) async throws {
        var stream = StreamConfiguration.animals(key: ["id"])
        stream.history = true
        try await fixture.sync(stream, #"[{"id":1,"name":"Kea"}]"#)
        try fixture.alter(rule)
        await #expect {
            try await fixture.sync(stream, #"[{"id":1,"name":"Kea"},{"id":2,"name":"Kea"}]"#)
        } throws: { error in
            (error as? PersistenceError)?.kind == .bug
        }
    }
}
