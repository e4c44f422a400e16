import GarnerDatabase
import GarnerPersistence
import GarnerSQLite
import TestSupport

/// The database that an undisturbed pass through a scenario makes, for comparison with a disturbed one.
struct Reference: Sendable {
    let scenario: Scenario
    /// The state of the database after each number of steps.
    let states: [String]
    /// The tables of streams when all is settled.
    let settled: String

    init(_ scenario: Scenario) async throws {
        self.scenario = scenario
        let folder = try TemporaryFolder()
        let path = folder.path("garner.db")
        var states = [""]
        let run = ScenarioRun(scenario.alone, at: path)
        let hasRequests = !scenario.sharesTransactions
        try await run.perform { _ in
            states.append(try Self.read(path) { try DatabaseState.whole($0, hasRequests: hasRequests) })
        }
        self.states = states
        let writer = try ScenarioRun.open(path)
        try await Healing(scenario: scenario, path: path).complete(in: writer)
        await writer.close()
        settled = try Self.read(path, DatabaseState.streams)
    }

    /// Returns the problem with a database after a number of acknowledged steps; nil if there is none.
    ///
    /// - Parameters:
    ///   - durable: how many of them must be there; nil: all.
    ///   - mayHaveMore: whether the next step had begun, which then is there as a whole or not at all.
    func problem(at path: String, durable: Int? = nil, acknowledged: Int, mayHaveMore: Bool) -> String? {
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            defer { connection.close() }
            if let problem = try Self.damage(connection) { return problem }
            let state = try DatabaseState.whole(connection, hasRequests: !scenario.sharesTransactions)
            // The migrations are several transactions in one step.
            if (durable ?? acknowledged) == 0, state != states[1] {
                let isWhole = try DatabaseState.isMigratedInWholeSteps(connection)
                return isWhole && !state.contains("animals") ? nil : "half a migration: \(state)"
            }
            let last = min(acknowledged + (mayHaveMore ? 1 : 0), states.count - 1)
            if states[(durable ?? acknowledged)...last].contains(state) { return nil }
            return "after \(acknowledged) steps: \(difference(state, from: states[acknowledged]))"
        } catch {
            return "it cannot be read: \(error)"
        }
    }

    /// Returns how the healed database differs from that of an undisturbed pass; nil if it does not.
    func problemWhenSettled(at path: String) -> String? {
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            defer { connection.close() }
            if let problem = try Self.damage(connection) { return "healed, \(problem)" }
            let state = try DatabaseState.streams(connection)
            return state == settled ? nil : "healed: \(difference(state, from: settled))"
        } catch {
            return "healed, it cannot be read: \(error)"
        }
    }

    /// Returns the damage that SQLite finds; nil if there is none.
    static func damage(_ connection: Connection) throws -> String? {
        let found = try connection.rows("PRAGMA integrity_check") { $0.text(at: 0) }
        guard found == ["ok"] else { return "integrity_check: \(found.prefix(5))" }
        let dangling = try connection.rows("PRAGMA foreign_key_check") { $0.text(at: 0) }
        return dangling.isEmpty ? nil : "foreign_key_check: \(dangling.prefix(5))"
    }

    private static func read(_ path: String, _ body: (Connection) throws -> String) throws -> String {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.close() }
        return try body(connection)
    }
}
