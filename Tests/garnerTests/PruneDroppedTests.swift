import Foundation
import TestSupport
import Testing

/// `garner prune --dropped`: values that were stored before `fields` kept them out are in no file afterwards.
@Suite(.timeLimit(.minutes(5)))
struct PruneDroppedTests {
    @Test(arguments: DroppedFieldTests.storing)
    func `nothing is left of what was stored before the list of fields`(storing: String) async throws {
        let version = Watched(1)
        try await LoopbackServer.serve({ Self.reply(to: $0, version.value) }) { server in
            let place = try Workplace(Self.configuration(server.url, storing, fields: ""))
            for number in 1...2 {
                version.value = number
                try await place.garner("sync")
            }
            let traces = try Self.traces(in: place)
            #expect(!traces.isEmpty)
            try place.write(Self.configuration(server.url, storing, fields: Self.fields), to: "garner.yaml")

            let due = try await Self.garner("check", in: place)
            #expect(due.code == 0)
            #expect(due.errors.contains(": stream zoo.members: the database still holds values of "))
            #expect(
                due.errors.contains(
                    "Try: if they may go for good, run 'garner prune --dropped zoo.members'; if not, leave them"))
            let dry = try await Self.garner("prune", "--dropped", "--dry-run", in: place)
            #expect(dry.errors.hasPrefix("zoo.members: would remove "), "\(dry.errors)")
            #expect(try Self.traces(in: place) == traces)

            let pruned = try await Self.garner("prune", "members", "--dropped", "--json", in: place)
            #expect(pruned.code == 0, "\(pruned.errors)")
            #expect(
                pruned.output.contains(#""dropped":[{"stream":"zoo.members","fields":[{"table":"members","column":"#))
            #expect(try Self.traces(in: place) == [])
            #expect(try await Self.garner("check", in: place).errors == "")
            let again = try await Self.garner("prune", "--dropped", in: place)
            #expect(again.errors.hasPrefix("removed nothing, which frees "), "\(again.errors)")

            // What is stored is what a sync stores: it has nothing to change. Without a key, each record is a new row.
            let next = try await Self.garner("sync", "--json", in: place)
            if storing.contains("primary_key"), !storing.contains("freeze") {
                #expect(next.output.contains(#""inserted":0,"updated":0"#), "\(next.output)")
            }
            #expect(try Self.traces(in: place) == [])
        }
    }

    @Test(arguments: 0..<4)
    func `killed in the middle, it finishes when it is repeated`(round: Int) async throws {
        try await LoopbackServer.serve({ _ in Self.longPage }) { server in
            let storing = "primary_key: id, history: true, search: note"
            let place = try Workplace(Self.configuration(server.url, storing, fields: ""))
            try await place.garner("sync")
            try place.write(Self.configuration(server.url, storing, fields: Self.fields), to: "garner.yaml")
            let prune = try place.start(["prune", "--dropped"], environment: Self.environment)
            // The log grows while it works, and is empty when it has ended.
            try await eventually { !prune.isRunning || Self.logBytes(in: place) > round * 5 << 19 }
            prune.send(SIGKILL)
            _ = try await prune.end()

            let again = try await Self.garner("prune", "--dropped", in: place)
            #expect(again.code == 0, "\(again.errors)")
            #expect(try Self.traces(in: place) == [])
            #expect(try place.integers("SELECT count(*) FROM members WHERE note IS NOT NULL") == [4000])
            #expect(try place.texts("PRAGMA integrity_check") == ["ok"])
        }
    }

    @Test func `prune takes streams only with what it does to them`() async throws {
        let place = try Workplace(Self.configuration("http://127.0.0.1:9", "primary_key: id", fields: Self.fields))
        let ending = try await Self.garner("prune", "members", in: place)
        #expect(ending.code == 64)
        expectThreeParts(ending.errors, beginning: "Error: prune takes streams with --dropped only")
        #expect(try await Self.garner("prune", "--dropped", "nobody", in: place).code == 64)
    }

    // MARK: - The API and the command line

    private static let fields = """
        fields:
                      drop: [phone, $.home.street, $.children.name]
                      hash: { fields: [email, pin], key: "${PRUNE_KEY}" }
        """

    private static let environment = ["PRUNE_KEY": "0123456789abcdefghij"]

    private static func reply(to request: LoopbackRequest, _ version: Int) -> LoopbackReply {
        let members = [1, 2].map { number -> String in
            let id = request.page * 10 + number
            let secret = #""\#(Canary.text) \#(id) \#(version)""#
            return #"{"id":\#(id),"note":"Note of \#(id)","phone":\#(secret),"email":\#(secret),"pin":\#(id * 7),"#
                + #""home":{"city":"Bern","street":\#(secret)},"children":[{"age":\#(id),"name":\#(secret)}]}"#
        }
        let odd = request.page == 3 && version == 1 ? #",{"id":null,"phone":"\#(Canary.text)"}"# : ""
        let next = request.page < 3 ? #""?page=\#(request.page + 1)""# : "null"
        return .json(#"{"data":[\#(members.joined(separator: ","))\#(odd)],"next":\#(next)}"#)
    }

    private static let longPage = {
        let members = (0..<4000).map {
            #"{"id":\#($0),"note":"Note of \#($0)","phone":"\#(String(repeating: "\(Canary.text) ", count: 40))","email":"\#(Canary.text) \#($0)"}"#
        }
        return LoopbackReply.json(#"{"data":[\#(members.joined(separator: ","))],"next":null}"#)
    }()

    private static func configuration(_ url: String, _ storing: String, fields: String) -> String {
        """
        version: 1
        sources:
          zoo:
            base_url: \(url)/
            retry: { max_attempts: 1 }
            streams:
              members:
                path: members
                record_selector: "$.data[*]"
                \(fields)
                <<: { \(storing) }

        """
    }

    private static func garner(_ arguments: String..., in place: Workplace) async throws -> GarnerProcess.Ending {
        try await place.start(arguments, environment: environment).end()
    }

    private static func logBytes(in place: Workplace) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: place.database + "-wal")
        return attributes?[.size] as? Int ?? 0
    }

    /// The names of the files with traces, without the configuration.
    private static func traces(in place: Workplace) throws -> [String] {
        try place.names.filter { name in
            let data = try Data(contentsOf: URL(filePath: place.folder.path(name)))
            return name != "garner.yaml" && Canary.trace(in: data) != nil
        }
    }
}
