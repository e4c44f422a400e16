import GarnerCatalog
import GarnerModel
import GarnerPersistence
import TestSupport
import Testing

/// `garner runs` over a database whose runs began at known times.
@Suite(.timeLimit(.minutes(2)))
struct RunsCommandTests {
    private static let beginning = Timestamp(millisecondsSince1970: 1_769_846_700_000)
    /// The lateness of the run in each minute, in milliseconds.
    private static let lateness: [Int64] = [0, 10, 11, 50, 100, 101, 1000, 9999, 60_000, 60_001, 3_600_000]

    private static func minute(_ number: Int) -> Timestamp { beginning.advanced(by: .seconds(60 * number)) }

    /// A run a minute, then one instant that was skipped and three that were skipped together.
    private static func place() async throws -> Workplace {
        let place = try Workplace(api: "http://127.0.0.1:9", "primary_key: id, schedule: { every: 1m }")
        let configuration = try Configuration.load(
            contentsOf: place.folder.path("garner.yaml"), environment: [:])
        let stream = try configuration.streams(matching: ["animals"])[0]
        let clock = Watched(beginning)
        let writer = try DatabaseWriter(path: place.database, now: { clock.value })
        for (number, late) in lateness.enumerated() {
            let due = minute(number)
            clock.value = due.advanced(by: .milliseconds(late))
            let run = try await writer.begin(
                stream, identity: stream.readIdentity, occasion: .scheduled(nominal: due, dueAt: due))
            _ = try await writer.end(run: run, as: .succeeded)
        }
        try await writer.skip(stream, nominals: minute(11)...minute(11), count: 1, reason: "the run went on")
        try await writer.skip(stream, nominals: minute(12)...minute(14), count: 3, reason: "the stream was paused")
        await writer.close()
        return place
    }

    @Test func `runs lateness shows a histogram`() async throws {
        let place = try await Self.place()
        let table = try await place.garner("runs", "lateness")
        #expect(table.code == 0 && table.errors == "")
        #expect(
            table.output == """
                up_to_ms  runs
                      10     2
                      50     2
                     100     1
                    1000     2
                   10000     1
                   60000     1
                    more     2

                """)
        let json = try await place.garner("runs", "lateness", "--json")
        #expect(
            json.output.matches(of: /\{"up_to_ms":(\w+),"runs":(\d+)\}/).map { "\($0.1) \($0.2)" } == [
                "10 2", "50 2", "100 1", "1000 2", "10000 1", "60000 1", "null 2",
            ])
    }

    @Test func `runs --status skipped shows what was skipped, why, and how many`() async throws {
        let place = try await Self.place()
        let table = try await place.garner("runs", "--status", "skipped")
        #expect(table.code == 0 && table.errors == "")
        let lines = table.output.split(separator: "\n")
        try #require(lines.count == 3)
        #expect(lines[0].hasPrefix("run_id") && lines[0].hasSuffix("reason"))
        #expect(lines[1].hasSuffix("the stream was paused") && lines[2].hasSuffix("the run went on"))

        let json = try await place.garner("runs", "--status", "skipped", "--json")
        let objects = json.output.matches(
            of: /"nominal_at":"([^"]*)",.*"lateness_ms":null,"reason":"([^"]*)","skipped":(\d),/)
        #expect(
            objects.map { "\($0.1) \($0.2) \($0.3)" } == [
                "\(Self.minute(14)) the stream was paused 3", "\(Self.minute(11)) the run went on 1",
            ])
        #expect(json.output.matches(of: /"status":"skipped"/).count == 2)
    }

    @Test func `runs --status filters by status and shows the lateness`() async throws {
        let place = try await Self.place()
        let json = try await place.garner("runs", "--status", "succeeded", "--limit", "3", "--json")
        #expect(
            json.output.matches(of: /"lateness_ms":(\d+),"reason":null,"skipped":null/).map(\.1) == [
                "3600000", "60001", "60000",
            ])
        #expect(try await place.garner("runs", "--status", "failed", "--json").output == "[]\n")
        let none = try await place.garner("runs", "--status", "failed")
        #expect(none.code == 0 && (none.output + none.errors).contains("No run has the status 'failed'"))
        let unknown = try await place.garner("runs", "--status", "late")
        #expect(unknown.code == 64)
        #expect(unknown.errors.contains("'late' is no status"))
    }
}
