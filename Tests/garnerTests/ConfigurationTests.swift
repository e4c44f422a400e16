import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct ConfigurationTests {
    @Test func `init writes a file that check accepts`() async throws {
        let place = try Workplace()
        let written = try await place.garner("init")
        #expect(written.code == 0)
        #expect(written.output == "")
        #expect(place.names == ["garner.yaml"])
        let check = try await place.garner("check")
        #expect(check.code == 0)
        #expect(check.output.contains("zoo.animals"))
        #expect(check.errors == "")
    }

    @Test func `init takes a URL and another file, and names it in what comes next`() async throws {
        let place = try Workplace()
        let written = try await place.garner(
            "init", "https://api.example.org/v1/birds", "--offline", "--config", "mine.yaml")
        #expect(written.code == 0)
        #expect(place.names == ["mine.yaml"])
        let steps = written.errors.split(separator: "\n").filter { $0.hasPrefix("  garner ") }
        #expect(
            steps == [
                "  garner check --config mine.yaml", "  garner sync --config mine.yaml",
                "  garner tables --config mine.yaml",
            ])
        let check = try await place.garner("check", "--config", "mine.yaml", "--json")
        #expect(check.output.contains(#""stream":"example.birds""#))
    }

    @Test func `one of several concurrent inits writes the file`() async throws {
        let place = try Workplace()
        let urls = (1...6).map { "https://api\($0).example.org/items" }
        let processes = try urls.map { try place.start(["init", $0, "--offline"]) }
        var codes: [Int32] = []
        for process in processes { codes.append(try await process.end().code) }
        #expect(codes.filter { $0 == 0 }.count == 1)
        #expect(codes.filter { $0 == 73 }.count == 5)
        #expect(place.names == ["garner.yaml"])
    }

    @Test func `no stream is fine, with a hint`() async throws {
        let place = try Workplace("version: 1\nsources:\n")
        for command in ["check", "sync", "schedule"] {
            let told = try await place.garner(command)
            #expect(told.code == 0)
            #expect(told.output == "")
            #expect(!told.errors.isEmpty, "\(command)")
        }
    }
}
