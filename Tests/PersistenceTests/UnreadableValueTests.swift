import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import Testing

/// Garner's own tables with values that only damage, or somebody else, can have written.
struct UnreadableValueTests {
    private let fixture: Fixture
    private let stream = StreamConfiguration.animals()

    init() throws { fixture = try Fixture(clock: WallClock()) }

    @Test(arguments: ["started_at = 'soon'", "ended_at = '31.01.2026'"])
    func `a run whose time cannot be read is an error, and no run of 1970`(change: String) async throws {
        let run = try await fixture.writer.begin(stream, identity: "page=1")
        _ = try await fixture.writer.end(run: run, as: .failed)
        try damage("UPDATE _garner_runs SET \(change)")
        let error = #expect(throws: PersistenceError.self) { try ReadOnlyDatabase(path: fixture.path).run(run) }
        #expect(error?.kind == .unusable)
        #expect(error?.message.contains("instead of a time") == true)
    }

    @Test(arguments: ["status = 'resting'", "trigger = 'whim'"])
    func `a run whose status or trigger is unknown is an error, and none is assumed`(change: String) async throws {
        let run = try await fixture.writer.begin(stream, identity: "page=1")
        _ = try await fixture.writer.end(run: run, as: .failed)
        try damage("UPDATE _garner_runs SET \(change)")
        let error = #expect(throws: PersistenceError.self) { try ReadOnlyDatabase(path: fixture.path).run(run) }
        #expect(error?.kind == .unusable)
    }

    @Test func `a change whose operation is unknown is an error, and no update`() async throws {
        try await fixture.sync(stream, #"[{"id":1,"name":"Kea"}]"#)
        try await fixture.sync(stream, #"[{"id":1,"name":"Quokka"}]"#)
        try damage("UPDATE _garner_changes SET operation = 'swap'")
        let error = #expect(throws: PersistenceError.self) {
            try ReadOnlyDatabase(path: fixture.path).forEachChange(ChangeRequest()) { _ in }
        }
        #expect(error?.kind == .unusable)
        #expect(error?.message.contains("'swap'") == true)
    }

    @Test func `a pause whose beginning cannot be read is an error, and the stream does not go on`() async throws {
        try await fixture.writer.pause(stream, at: WallClock.instant(0))
        try damage("UPDATE _garner_schedules SET paused_at = 'yesterday'")
        let error = #expect(throws: PersistenceError.self) {
            try ReadOnlyDatabase(path: fixture.path).scheduleStates()
        }
        #expect(error?.kind == .unusable)
    }

    private func damage(_ sql: String) throws {
        let connection = try Connection(path: fixture.path, mode: .readWrite)
        try connection.executeScript("PRAGMA ignore_check_constraints = 1; \(sql)")
        connection.close()
    }
}
