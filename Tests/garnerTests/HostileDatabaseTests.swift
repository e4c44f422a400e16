import GarnerDatabase
import Foundation
import GarnerSQLite
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct HostileDatabaseTests {
    /// Moves the cursor, ends lines, turns the direction of text, or is not seen.
    private static let nasty =
        "\u{1B}[2J\u{1B}]0;t\u{7}\u{9B}31m\u{85}\u{8}\r\n\u{7F}\u{202E}x\u{2066}\u{2028}\u{200B}\u{200F}y\u{FEFF}"

    /// All texts in our own tables that are not numbers, times or words of ours; together those that no command needs
    /// in order to find others.
    private static let places: [[(table: String, columns: [String])]] = [
        [
            ("_garner_runs", ["warning", "error_kind", "error_message", "error_url", "error_hint"]),
            ("_garner_requests", ["url", "error_kind"]), ("_garner_quarantine", ["url", "reason", "record"]),
            ("_garner_schema_changes", ["column_name"]), ("_garner_schedules", ["hold_reason"]),
        ],
        [("_garner_cursors", ["value"]), ("_garner_migrations", ["name"])],
        [("_garner_columns", ["name", "path"])], [("_garner_streams", ["name", "table_name"])],
    ]

    private static let commands: [[String]] = [
        ["tables"], ["schema"], ["schema", "--diff"], ["schema", "animals"], ["rows", "animals"], ["rows", nasty],
        ["rows", "animals", "--columns", nasty], ["rows", "animals", "--where", nasty], ["get", "animals", "1"],
        ["get", "animals", nasty], ["get", "animals", "1", "--attachment", nasty, "-o", "-"],
        ["search", "animals", "x"], ["search", "animals", "\"\(nasty)", "--raw"], ["changes"], ["changes", nasty],
        ["query", "SELECT * FROM animals"], ["query", "SELECT '\(nasty)' AS \"\(nasty)\""], ["query", nasty],
        ["query", "SELECT 1", "-p", nasty], ["export", nasty], ["export", "animals", "-o", "\(nasty)/x"], ["status"],
        ["runs"], ["runs", "show", "1"], ["runs", "show", "2"], ["runs", "--status", nasty], ["quarantine"],
        ["quarantine", "show", "1"], ["quarantine", "retry", "--all"], ["state", "show"], ["state", "reset", nasty],
        ["schedule"], ["plan"], ["doctor"], ["doctor", "-d", nasty], ["prune"], ["migrate", "--status"], ["check"],
        ["check", "--connect"], ["config", "show"], ["preview", "animals"], ["pause", "animals"], ["pause", nasty],
        ["backup", "\(nasty).db"], ["sync"], ["sync", nasty], ["trigger", nasty], [nasty], ["tables", nasty],
        ["tables", "-c", nasty], ["tables", "--format", nasty],
    ]

    private static func withData(_ body: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        let name = JSONSerialization.text(of: nasty)
        let records = "[{\"id\":1,\"text\":\(name),\(name):\"x\"},{\"id\":null,\(name):1}]"
        try await LoopbackServer.serve({ _ in .json(records) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, search: [text], schedule: { every: 1h }")
            for _ in 1...2 { #expect(try await place.garner("sync").code == 0) }
            #expect(try await place.garner("pause", "animals").code == 0)
            try await body(place)
        }
    }

    /// Returns the characters that output for people must not hold; line feeds are allowed.
    private static func foreign(in text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { scalar in
            scalar != "\n"
                && [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
    }

    private static func expectClean(_ arguments: [String], in place: Workplace) async throws {
        let ending = try await place.start(arguments).end()
        #expect(foreign(in: ending.output) == [], "\(arguments): \(ending.output.debugDescription)")
        #expect(foreign(in: ending.errors) == [], "\(arguments): \(ending.errors.debugDescription)")
    }

    @Test func `no command lets a name or a value of a server reach the terminal as it is`() async throws {
        try await Self.withData { place in
            for arguments in Self.commands {
                try await Self.expectClean(arguments, in: place)
                try await Self.expectClean(arguments + ["-f", "markdown"], in: place)
            }
        }
    }

    @Test(arguments: places)
    func `no command lets what stands in a database reach the terminal as it is`(
        texts: [(table: String, columns: [String])]
    ) async throws {
        try await Self.withData { place in
            let connection = try Connection(path: place.database, mode: .readWrite)
            try connection.executeScript("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
            for (table, columns) in texts {
                let values = columns.map { "\($0) = coalesce(\($0), '') || ?1" }.joined(separator: ", ")
                try connection.execute("UPDATE \(table) SET \(values)", .text(Self.nasty))
            }
            connection.close()
            for arguments in [
                ["doctor"], ["tables"], ["schema"], ["schema", "--diff"], ["rows", "animals"], ["get", "animals", "1"],
                ["changes"], ["status"], ["runs"], ["runs", "show", "1"], ["runs", "show", "2"], ["quarantine"],
                ["quarantine", "show", "1"], ["state", "show"], ["schedule"], ["plan"], ["search", "animals", "x"],
                ["migrate", "--status"], ["quarantine", "retry", "--all"], ["sync"], ["prune"],
            ] {
                try await Self.expectClean(arguments, in: place)
            }
        }
    }
}

extension JSONSerialization {
    /// A JSON string with everything escaped that could be.
    fileprivate static func text(of text: String) -> String {
        let units = text.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "\"\(units.joined())\""
    }
}
